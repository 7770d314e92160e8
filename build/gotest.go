package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"spyglass/build/project"
)

// fewEnough limits the number of failed packages for a retry.
const fewEnough = 3

// choice is a part of the tests of packages: those whose names match one of the
// regular expressions. Each of these matches a test, or a test of this package fails.
type choice struct{ names, packages []string }

// flags returns the flags of go test that choose the tests.
func (c choice) flags() []string { return []string{"-run", strings.Join(c.names, "|")} }

// goTest runs the tests of Go packages with flags. It retries a few that fail: a
// package that then passes has a test that depends on timing. It names these
// packages, as the browser's tests name theirs, because such a test is a mistake,
// too.
func goTest(ctx context.Context, p project.Project, env, flags []string, packages ...string) error {
	try := func(packages []string) (failed []string, err error) {
		cmd := p.Command(ctx, ".", "go", slices.Concat([]string{"test"}, flags, packages)...)
		cmd.Env = append(os.Environ(), env...)
		var output bytes.Buffer
		cmd.Stdout = io.MultiWriter(p.Out, &output)
		err = project.Named(cmd.Run(), "go test", flags)
		if err == nil && slices.Contains(flags, "-run") && !passedTests.Match(output.Bytes()) {
			err = fmt.Errorf("no test was chosen by go test %s", strings.Join(flags, " "))
		}
		for _, line := range failedPackage.FindAllSubmatch(output.Bytes(), -1) {
			failed = append(failed, string(line[1]))
		}
		return failed, err
	}
	failed, err := try(packages)
	if err == nil || len(failed) == 0 || len(failed) > fewEnough || ctx.Err() != nil {
		return err
	}
	fmt.Fprintf(p.Out, "\nonce more: %s\n", strings.Join(failed, ", "))
	if _, err := try(failed); err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "passed on the second try only: %s\n", strings.Join(failed, ", "))
	return nil
}

// failedPackage matches go test's line for a package that failed: with its time,
// or because it does not build.
var failedPackage = regexp.MustCompile(`(?m)^FAIL\t(\S+)[\t ]`)

// passedTests matches go test's line for a package that passed and has run a test.
var passedTests = regexp.MustCompile(`(?m)^ok  \t.*[^\]\s]$`)
