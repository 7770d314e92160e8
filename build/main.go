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
	"strings"
	"syscall"

	"spyglass/build/bench"
	"spyglass/build/project"
)

// command is one subcommand of go run ./build.
type command struct {
	name, does string
	run        func(ctx context.Context, p project.Project, args []string) error
}

var commands = []command{
	{"run", "build the app and open it; what follows goes to the app", run},
	{"test", "run every test, or only the steps that are named", test},
	{"dev", "run it, and rebuild it whenever a source changes", dev},
	{"bench", "measure it against the least it could cost", bench.Run},
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
			p, err := project.Find(ctx)
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
