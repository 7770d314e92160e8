package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"spyglass/build/project"
)

// step is one part of the tests. Each can run alone: it makes everything it
// needs.
type step struct {
	name   string
	beside bool // it waits more than it computes, so it runs beside the others if it can
	early  bool // it needs nothing that the steps above it build
	named  bool // it runs only when it is named
	needs  []project.Need
	lacks  func() string // the missing requirement; nil or empty if there is none
	run    func(ctx context.Context, p project.Project) error
}

// steps are ordered so that most mistakes are found early; runAll says which of them
// run side by side.
var steps = []step{
	{name: "gofmt", run: formatted},
	{name: "ui", run: script("build")},
	{name: "browser", beside: true, needs: slices.Concat(project.ForWindow, project.ForBrowser), run: browser},
	{name: "window", beside: true, needs: slices.Concat(project.ForWindow, project.ForScreen), lacks: linux,
		run: window},
	{name: "package", beside: true, needs: project.ForInstalling, lacks: debian, run: packaged},
	{name: "wine", beside: true, needs: project.ForWine, lacks: wineMissing, run: underWine},
	{name: "check", early: true, run: script("check")},
	{name: "page-lint", run: script("lint")},
	{name: "units", run: script("test")},
	{name: "lint", run: lint},
	{name: "lint-desktop", needs: project.ForWindow, lacks: linux, run: lintDesktop},
	{name: "go", needs: project.ForGo, run: goTests},
	{name: "contract", run: contract},
	{name: "fuzz", named: true, run: fuzz},
	{name: "vet", named: true, run: vetOthers},
	{name: "wine-go", named: true, needs: project.ForWine, lacks: wineMissing, run: goUnderWine},
	{name: "postgres", named: true, needs: project.ForGo, run: onPostgres},
	{name: "race", named: true, needs: project.ForGo, run: races},
}

// linux returns the missing requirement of steps that start their own desktop.
func linux() string {
	if runtime.GOOS != "linux" {
		return "Linux"
	}
	return ""
}

// debian returns the missing requirement of steps that install a .deb.
func debian() string {
	if !project.HasProgram("dpkg")() {
		return "dpkg"
	}
	if os.Geteuid() != 0 {
		return "root"
	}
	return linux()
}

// test runs the steps that args name, or all of them. A step that fails does
// not stop the next.
func test(ctx context.Context, p project.Project, args []string) error {
	chosen, err := choose(args)
	if err != nil {
		return err
	}
	if err := project.Node(ctx); err != nil {
		return err
	}
	var needs []project.Need
	for _, s := range chosen {
		needs = append(needs, s.needs...)
	}
	if err := p.Install(ctx, needs); err != nil {
		return err
	}
	if err := collectLess(); err != nil {
		return err
	}
	begun := time.Now()
	failed := runAll(ctx, p, chosen)
	if ctx.Err() != nil {
		return errors.New("the tests were stopped")
	}
	took := time.Since(begun).Round(time.Second)
	if len(failed) > 0 {
		fmt.Println()
		return fmt.Errorf("%d of %d steps failed in %v: %s", len(failed), len(chosen), took, strings.Join(failed, ", "))
	}
	fmt.Printf("\nAll %d steps passed in %v.\n", len(chosen), took)
	return nil
}

// collectLess makes compilers, linters and tests collect garbage less often, as they live
// briefly: a sixth of their time would go into it. It leaves a user's settings alone.
func collectLess() error {
	var errs []error
	for name, value := range map[string]string{"GOGC": "400", "GOMEMLIMIT": "2GiB",
		"NODE_OPTIONS": "--max-semi-space-size=64"} { // MB for short-lived objects
		if os.Getenv(name) == "" {
			errs = append(errs, os.Setenv(name, value))
		}
	}
	return errors.Join(errs...)
}

// runAll runs the steps in two lanes and returns the names of those that failed.
// The first lane takes the steps that compute and shows their output as they run.
// The second takes early steps until the steps above the first one that waits are done,
// and then those that wait. A lane without steps of its own helps the other one, so that
// both cores are busy to the end.
func runAll(ctx context.Context, p project.Project, steps []step) (failed []string) {
	q := queue{steps: steps, passed: make([]bool, len(steps))}
	for i := range steps {
		q.left = append(q.left, i)
	}
	first := slices.IndexFunc(steps, func(s step) bool { return s.beside })
	built := make(chan struct{}) // what the steps above the first one that waits build
	var second sync.WaitGroup    // the second lane
	if first >= 0 {
		second.Go(func() {
			q.runBeside(ctx, p, q.nextEarly)
			<-built
			q.runBeside(ctx, p, func() int { return q.next(true) })
		})
	}
	waiting := true
	for i := q.next(false); i >= 0; i = q.next(false) {
		if waiting && i > first {
			waiting = false
			close(built)
		}
		q.passed[i] = steps[i].report(ctx, p, i+1, len(steps))
	}
	if waiting {
		close(built)
	}
	second.Wait()
	for _, text := range q.failed {
		fmt.Print(string(text))
	}
	for i, s := range steps {
		if !q.passed[i] {
			failed = append(failed, s.name)
		}
	}
	return failed
}

// queue hands out steps to two lanes.
type queue struct {
	steps  []step
	passed []bool   // each is written by the lane that has run the step
	failed [][]byte // the output of the steps that failed in the second lane

	lock sync.Mutex
	left []int // the steps that no lane has taken
}

// next takes the first step that runs beside others, or that does not; without one
// it takes the first step that is left. It returns -1 if there is none.
func (q *queue) next(beside bool) int {
	q.lock.Lock()
	defer q.lock.Unlock()
	if len(q.left) == 0 {
		return -1
	}
	return q.take(max(0, slices.IndexFunc(q.left, func(i int) bool { return q.steps[i].beside == beside })))
}

// nextEarly takes the first early step. It returns -1 if there is none.
func (q *queue) nextEarly() int {
	q.lock.Lock()
	defer q.lock.Unlock()
	return q.take(slices.IndexFunc(q.left, func(i int) bool { return q.steps[i].early }))
}

// take takes the step at a position of left; -1 is none. The caller holds the lock.
func (q *queue) take(at int) int {
	if at < 0 {
		return -1
	}
	i := q.left[at]
	q.left = slices.Delete(q.left, at, at+1)
	return i
}

// runBeside runs the steps that next takes, in the second lane. It shows the output of a
// step when the step has ended, and keeps that of a step that failed: at the end of all,
// it is found in a log of which only the end is left.
func (q *queue) runBeside(ctx context.Context, p project.Project, next func() int) {
	for i := next(); i >= 0; i = next() {
		out, err := os.CreateTemp("", "spyglass-"+q.steps[i].name+"-")
		if err != nil {
			fmt.Println(err)
			continue
		}
		p.Out = out
		q.passed[i] = q.steps[i].report(ctx, p, i+1, len(q.steps))
		text, err := os.ReadFile(out.Name())
		if err = errors.Join(err, out.Close(), os.Remove(out.Name())); err != nil {
			fmt.Println(err)
		}
		if q.passed[i] {
			fmt.Print(string(text))
			continue
		}
		fmt.Printf("\n[%d/%d] %s FAILED: see its output below\n", i+1, len(q.steps), q.steps[i].name)
		q.failed = append(q.failed, text)
	}
}

// report runs a step, prints how it went, and reports whether it passed. When ctx
// ends it prints nothing.
func (s step) report(ctx context.Context, p project.Project, i, n int) bool {
	if ctx.Err() != nil {
		return true
	}
	fmt.Fprintf(p.Out, "\n[%d/%d] %s\n", i, n, s.name)
	begun := time.Now()
	err := s.run(ctx, p)
	took := time.Since(begun).Round(100 * time.Millisecond)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		fmt.Fprintf(p.Out, "[%d/%d] %s FAILED after %v: %v\n", i, n, s.name, took, err)
	default:
		fmt.Fprintf(p.Out, "[%d/%d] %s passed in %v\n", i, n, s.name, took)
	}
	return err == nil
}

// choose returns the named steps, in the order of steps; without names all
// that do not have to be named.
func choose(names []string) ([]step, error) {
	var chosen []step
	var known []string
	for _, s := range steps {
		known = append(known, s.name)
		switch {
		case len(names) > 0 && !slices.Contains(names, s.name), len(names) == 0 && s.named:
		case s.lacks != nil && s.lacks() != "":
			fmt.Printf("%s needs %s and is left out.\n", s.name, s.lacks())
		default:
			chosen = append(chosen, s)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no step %s; there are %s", name, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

// goTests runs the tests of all Go packages.
func goTests(ctx context.Context, p project.Project) error {
	return goTest(ctx, p, nil, quick, "./...")
}

// contract checks the portal's OpenAPI document.
func contract(ctx context.Context, p project.Project) error { return program("contract")(ctx, p, nil) }

// quick are flags that save time: the step lint vets, and nobody debugs the tests. A package
// may take longer than the default of ten minutes on a slow machine, beside the browser.
var quick = []string{"-vet=off", "-ldflags=-s -w", "-timeout=30m"}

// script returns a step that runs an npm script of the frontend.
func script(name string) func(context.Context, project.Project) error {
	return func(ctx context.Context, p project.Project) error {
		if err := p.Modules(ctx); err != nil {
			return err
		}
		return p.DoIn(ctx, "frontend", "npm", "run", "--silent", name)
	}
}

// formatted fails with the names of the files that gofmt would change.
func formatted(ctx context.Context, p project.Project) error {
	var files []string
	for _, folder := range []string{"main.go", "app", "backend", "build", "frontend/embed.go"} {
		files = append(files, p.Path(folder))
	}
	out, err := exec.CommandContext(ctx, "gofmt", append([]string{"-l"}, files...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("gofmt: %w\n%s", err, out)
	}
	if len(out) > 0 {
		return fmt.Errorf("gofmt -w has work to do in\n%s", bytes.TrimSpace(out))
	}
	return nil
}

// browser runs the frontend's tests in Chromium against the program.
func browser(ctx context.Context, p project.Project) error {
	path, err := p.Binary(ctx)
	if err != nil {
		return err
	}
	cmd := p.Command(ctx, "frontend", "npm", "run", "--silent", "e2e")
	cmd.Env = append(os.Environ(), "SPYGLASS_BIN="+path)
	return project.Named(cmd.Run(), "npm run e2e", nil)
}

// window tests the program's window with the keyboard.
func window(ctx context.Context, p project.Project) error {
	path, err := p.Binary(ctx)
	if err != nil {
		return err
	}
	return goTest(ctx, p, []string{"SPYGLASS_BIN=" + path}, slices.Concat(quick, []string{"-count=1", "-v",
		"-timeout=10m", "-tags", "window"}), "./build/desktop")
}
