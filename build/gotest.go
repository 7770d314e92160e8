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

// fewEnough limits the packages that may fail and still be retried once.
const fewEnough = 3

// goTest runs the tests of Go packages with flags. It retries a few that fail:
// those that then pass had lost a race with the machine. It names them, as the
// browser's tests name theirs, because it is a mistake all the same.
func goTest(ctx context.Context, p project.Project, env, flags []string, packages ...string) error {
	try := func(packages []string) (failed []string, err error) {
		cmd := p.Command(ctx, ".", "go", slices.Concat([]string{"test"}, flags, packages)...)
		cmd.Env = append(os.Environ(), env...)
		var said bytes.Buffer
		cmd.Stdout = io.MultiWriter(p.Out, &said)
		err = project.Named(cmd.Run(), "go test", flags)
		for _, line := range failedPackage.FindAllSubmatch(said.Bytes(), -1) {
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

// failedPackage matches go test's line for a package that failed: its time, or
// that it does not build.
var failedPackage = regexp.MustCompile(`(?m)^FAIL\t(\S+)[\t ]`)
