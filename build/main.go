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
	"strings"

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
	{"dev", "run it, and rebuild it whenever a source changes", program("dev")},
	{"bench", "measure it against the least it could cost", program("bench")},
	{"torture", "run it under hostile conditions and count what it loses: [-for 1h] [-seed N] [TRIAL…]",
		program("torture")},
	{"package", "make what people install: .deb, .rpm, installer and archives", pack},
}

func main() { project.Main(start) }

// program returns a command that is a program of its own, so that the others do
// not have to compile what it needs. What all of them import is compiled twice:
// without -trimpath for this program, and with it for everything else.
func program(name string) func(ctx context.Context, p project.Project, args []string) error {
	return func(ctx context.Context, p project.Project, args []string) error {
		path, err := p.Compile(ctx, name, "", "./build/"+name)
		if err != nil {
			return err
		}
		err = p.Command(ctx, ".", path, args...).Run()
		if ctx.Err() != nil {
			return nil // ended by the user
		}
		return err
	}
}

// start runs the command that args name.
func start(ctx context.Context, p project.Project, args []string) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return c.run(ctx, p, args[1:])
			}
		}
	}
	var usage strings.Builder
	usage.WriteString("usage: go run ./build COMMAND")
	for _, c := range commands {
		fmt.Fprintf(&usage, "\n  %-7s %s", c.name, c.does)
	}
	return errors.New(usage.String())
}
