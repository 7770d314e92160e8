package main

import (
	"context"
	"slices"
	"strings"

	"spyglass/build/project"
)

// races runs the Go tests under the race detector. It compiles everything again and
// makes tests 5 to 25 times slower, so that this step runs only when it is named: before a
// release, and after a change of what goroutines share.
func races(ctx context.Context, p project.Project) error {
	packages, err := racedPackages(ctx, p)
	if err != nil {
		return err
	}
	flags := slices.Concat(quick, []string{"-race", "-timeout=60m"}, unracedParts)
	return goTest(ctx, p, nil, flags, packages...)
}

// unraced lists packages that the race detector is not made for. The demo plays days
// of its engine; tests in backend/monitor cover its concurrent code. The importers
// limit their memory, and the detector multiplies it.
var unraced = []string{"spyglass/backend/demo", "spyglass/app/exchange"}

// unracedParts lists dependencies without the race detector, because it makes
// them ten times slower: the SQLite engine, a C program translated to Go, and the
// compressor. Each connection, and each stream, is used by one goroutine at a
// time, and our packages are checked for that. Dependencies can be left out only
// if they have no generics: for example, the code of sync.Map might be compiled
// without the detector for all its users, which causes reports of false races.
// SQLite's use of pointers, as in C, is not checked either.
var unracedParts = []string{
	"-gcflags=modernc.org/...=-d=checkptr=0",
	"-gcflags=modernc.org/sqlite/lib=-race=false", // the last match counts
	"-gcflags=compress/flate=-race=false",
}

// racedPackages returns all packages but those of unraced.
func racedPackages(ctx context.Context, p project.Project) ([]string, error) {
	list := p.Command(ctx, ".", "go", "list", "./...")
	list.Stdout = nil
	out, err := list.Output()
	if err != nil {
		return nil, project.Named(err, "go list", nil)
	}
	return slices.DeleteFunc(strings.Fields(string(out)),
		func(name string) bool { return slices.Contains(unraced, name) }), nil
}
