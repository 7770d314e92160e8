package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"spyglass/build/project"
)

// target is one fuzz function.
type target struct {
	pkg  string // "./backend/filter"
	name string
}

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzzTargets finds every fuzz function of the project.
func fuzzTargets(p project.Project) ([]target, error) {
	var targets []target
	err := filepath.WalkDir(p.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != p.Root) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(p.Root, filepath.Dir(path))
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

// fuzz gives each target two seconds of one processor, two targets at a time.
// The go command would spend up to a minute on minimizing each input that reaches
// new code; a limit of a hundred attempts leaves the time to new inputs.
func fuzz(ctx context.Context, p project.Project) error {
	targets, err := fuzzTargets(p)
	if err != nil {
		return err
	}
	failures := make([]error, len(targets))
	var printing sync.Mutex
	var all sync.WaitGroup
	turn := make(chan struct{}, 2)
	for i, t := range targets {
		turn <- struct{}{}
		all.Go(func() {
			defer func() { <-turn }()
			args := slices.Concat([]string{"test", "-run=^$", "-fuzz=^" + t.name + "$", "-fuzztime=2s",
				"-fuzzminimizetime=100x", "-parallel=1"}, quick, []string{t.pkg})
			cmd := p.Command(ctx, ".", "go", args...)
			cmd.Stdout, cmd.Stderr = nil, nil
			output, err := cmd.CombinedOutput()
			switch {
			case err != nil && outOfTime(string(output)):
				output = []byte("found nothing until its time was up\n")
			case err != nil:
				failures[i] = project.Named(err, "go", args)
			}
			printing.Lock()
			defer printing.Unlock()
			fmt.Printf("%s %s\n%s", t.pkg, t.name, output)
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

// outOfTime reports whether a run failed only because its time was over while it
// tried an input: the go command then prints "context deadline exceeded" and
// names no input. Real findings are named, and written to a file.
func outOfTime(output string) bool {
	return strings.Contains(output, "\n    context deadline exceeded\n") &&
		!strings.Contains(output, "Failing input") && !strings.Contains(output, "panic:")
}
