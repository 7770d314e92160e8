// Package project has what the commands of go run ./build share: the checkout,
// the packages that a computer may lack, and the programs that are built from the
// checkout and released.
//
// Programs are built into build/bin. An error says which program failed; its
// output was shown before. A Project is safe for concurrent use.
package project

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

// Main runs a program of the project with its arguments until it is done or
// interrupted, and ends the process: with the exit code of a command that failed,
// or with 1 after another error.
func Main(run func(ctx context.Context, p Project, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p, err := Find(ctx)
	if err == nil {
		err = run(ctx, p, os.Args[1:])
	}
	stop()
	if err == nil {
		return
	}
	var exit *exec.ExitError
	failed := errors.As(err, &exit) && exit.ExitCode() > 0
	if err != error(exit) { // a program has printed why it failed
		fmt.Fprintln(os.Stderr, err)
	}
	if failed {
		os.Exit(exit.ExitCode())
	}
	os.Exit(1)
}

// Project is a checkout of this repository.
type Project struct {
	Root string   // absolute
	Out  *os.File // receives the output of programs
}

// Find returns the checkout of the working directory. It also sets -trimpath for
// all later compilations, as for a release: otherwise the go command would
// compile everything once for the tests and once more for the programs.
func Find(ctx context.Context) (Project, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD", "GOFLAGS").Output()
	if err != nil {
		return Project{}, fmt.Errorf("go env: %w", err)
	}
	file, flags, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if filepath.Base(file) != "go.mod" {
		return Project{}, errors.New("this is not the project's folder: there is no go.mod here")
	}
	return Project{filepath.Dir(file), os.Stdout}, os.Setenv("GOFLAGS", strings.TrimSpace(flags+" -trimpath"))
}

// Path returns the path of a file or folder of the checkout.
func (p Project) Path(elements ...string) string {
	return filepath.Join(append([]string{p.Root}, elements...)...)
}

// Command returns a command that shows its output and runs in a folder of the
// project. When ctx ends it gets SIGTERM with all that it started, and is killed 10 s later.
func (p Project) Command(ctx context.Context, folder, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.Path(folder)
	cmd.Stdout, cmd.Stderr = p.Out, p.Out
	endWithDescendants(cmd)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// Do runs a program in the project's root.
func (p Project) Do(ctx context.Context, name string, args ...string) error {
	return p.DoIn(ctx, ".", name, args...)
}

// DoIn runs a program in a folder of the project.
func (p Project) DoIn(ctx context.Context, folder, name string, args ...string) error {
	return Named(p.Command(ctx, folder, name, args...).Run(), name, args)
}

// Named prefixes an error with the program and its arguments.
func Named(err error, name string, args []string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", strings.Join(append([]string{name}, args...), " "), err)
}
