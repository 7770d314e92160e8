package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// target is one fuzz function.
type target struct {
	pkg  string // "./backend/filter"
	name string
}

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzzTargets finds every fuzz function of the project.
func (p project) fuzzTargets() ([]target, error) {
	var targets []target
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != p.root) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(p.root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, found := range fuzzFunction.FindAllSubmatch(source, -1) {
			targets = append(targets, target{"./" + filepath.ToSlash(folder), string(found[1])})
		}
		return nil
	})
	return targets, err
}

// fuzz gives each target five seconds. Of these the go command would spend up
// to a minute making each input smaller that reaches new code; a hundred tries
// leave the time to inputs that are new.
func fuzz(ctx context.Context, p project) error {
	targets, err := p.fuzzTargets()
	if err != nil {
		return err
	}
	var failures []error
	for _, t := range targets {
		fmt.Println(t.pkg, t.name)
		args := []string{"test", "-run=^$", "-fuzz=^" + t.name + "$", "-fuzztime=5s", "-fuzzminimizetime=100x", t.pkg}
		cmd := p.command(ctx, ".", "go", args...)
		var said bytes.Buffer
		cmd.Stdout = io.MultiWriter(os.Stdout, &said)
		if err := cmd.Run(); err != nil && !outOfTime(said.String()) {
			failures = append(failures, named(err, "go", args))
		}
	}
	return errors.Join(failures...)
}

// outOfTime reports whether a run failed only because its time was up while an
// input was tried: the go command then says "context deadline exceeded" and
// names no input. What it finds, it writes down and names.
func outOfTime(said string) bool {
	return strings.Contains(said, "\n    context deadline exceeded\n") && !strings.Contains(said, "Failing input") && !strings.Contains(said, "panic:")
}
