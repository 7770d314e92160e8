// Build runs, tests, measures and packages this project:
//
//	go run ./build run [-- ARGUMENT…]   build it and open it
//	go run ./build test [STEP…]         run every test, or the steps named
//	go run ./build dev                  run it, and rebuild it whenever a source changes
//	go run ./build bench [FIGURE…]      measure it against the least it could cost
//	go run ./build torture [TRIAL…]     run it under hostile conditions and count what it loses
//	go run ./build package --out DIR    make the packages for users
//
// It needs Go and Node.js. It installs other missing packages on Debian (as
// root, or with sudo), and names them elsewhere. Its output is in build/bin,
// which git ignores.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// command is one subcommand of go run ./build.
type command struct {
	name, does string
	run        func(ctx context.Context, p project, args []string) error
}

var commands = []command{
	{"run", "build the app and open it; what follows goes to the app", run},
	{"test", "run every test, or only the steps that are named", test},
	{"dev", "run it, and rebuild it whenever a source changes", dev},
	{"bench", "measure it against the least it could cost", bench},
	{"torture", "run it under hostile conditions and count what it loses: [-for 1h] [-seed N] [TRIAL…]", tortured},
	{"package", "make what people install: .deb, .rpm, installer and archives", pack},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, os.Args[1:])
	stop()
	if err == nil {
		return
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exit.ExitCode())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func start(ctx context.Context, args []string) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name != args[0] {
				continue
			}
			p, err := find(ctx)
			if err != nil {
				return err
			}
			return c.run(ctx, p, args[1:])
		}
	}
	var usage strings.Builder
	usage.WriteString("usage: go run ./build COMMAND")
	for _, c := range commands {
		fmt.Fprintf(&usage, "\n  %-7s %s", c.name, c.does)
	}
	return errors.New(usage.String())
}

// project is the checkout that is worked on.
type project struct {
	root string // absolute
}

// find also has all that is compiled from here on compiled with -trimpath, as a
// release is: without it in common, the go command would compile everything once
// for the tests and once more for the programs.
func find(ctx context.Context) (project, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD", "GOFLAGS").Output()
	if err != nil {
		return project{}, fmt.Errorf("go env: %w", err)
	}
	file, flags, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if filepath.Base(file) != "go.mod" {
		return project{}, errors.New("this is not the project's folder: there is no go.mod here")
	}
	return project{filepath.Dir(file)}, os.Setenv("GOFLAGS", strings.TrimSpace(flags+" -trimpath"))
}

// path returns a file or folder of the project.
func (p project) path(elements ...string) string {
	return filepath.Join(append([]string{p.root}, elements...)...)
}

// command returns a program that shows its output, in a folder of the project.
// When ctx ends it gets SIGTERM, and is killed 10 s later.
func (p project) command(ctx context.Context, folder, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.path(folder)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// do runs a program in the project's root.
func (p project) do(ctx context.Context, name string, args ...string) error {
	return p.doIn(ctx, ".", name, args...)
}

func (p project) doIn(ctx context.Context, folder, name string, args ...string) error {
	return named(p.command(ctx, folder, name, args...).Run(), name, args)
}

// named prefixes an error with the program and its arguments.
func named(err error, name string, args []string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", strings.Join(append([]string{name}, args...), " "), err)
}
