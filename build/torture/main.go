package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spyglass/build/project"
)

func main() { project.Main(start) }

// start builds the program and runs the trials that args name, or all.
func start(ctx context.Context, p project.Project, args []string) error {
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	long := flags.Duration("for", time.Hour, "time for all trials together")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "of everything random, to repeat a run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := p.Frontend(ctx); err != nil {
		return err
	}
	program, err := p.Compile(ctx, "spyglass-torture", "", ".")
	if err != nil {
		return err
	}
	newer, err := compileNewer(ctx, p)
	if err != nil {
		return err
	}
	return run(ctx, options{program: program, newer: newer, long: *long, trials: flags.Args(), seed: *seed, timed: true,
		out: os.Stdout})
}

// compileNewer builds the program as a newer version would have it, whose devices have one
// more field.
func compileNewer(ctx context.Context, p project.Project) (path string, err error) {
	source := p.Path("backend", "portal", "fleet", "device.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	changed := string(text)
	for _, one := range [][2]string{
		{"type Device struct {", "type Device struct {\n\tNewer string"},
		{"Fields: []resource.Field[*Device]{", "Fields: []resource.Field[*Device]{\n\t\t{Name: \"newer\", " +
			"At: func(d *Device) any { return &d.Newer }},"},
	} {
		if strings.Count(changed, one[0]) != 1 {
			return "", fmt.Errorf("%s has no single %q", source, one[0])
		}
		changed = strings.Replace(changed, one[0], one[1], 1)
	}
	folder, err := os.MkdirTemp("", "spyglass-newer-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file, overlay := filepath.Join(folder, "device.go"), filepath.Join(folder, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: file}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(file, []byte(changed), 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", err
	}
	return p.Compile(ctx, "spyglass-newer", "", ".", "-overlay", overlay)
}
