package main

import (
	"context"
	"errors"

	"spyglass/build/project"
)

// linters are the programs of build/lint that check the Go code, with their
// arguments. They are in a module of their own, so that the product does not
// depend on them. They are the standard set of golangci-lint (go vet, the rest of
// it, is a step of its own) and revive, without golangci-lint itself, which takes
// ten times as long to compile.
var linters = [][]string{
	{"revive", "-config", "build/lint/revive.toml", "-exclude", "frontend/node_modules/...", "./..."},
	{"staticcheck", "-checks", "inherit,-ST1005", "./..."}, // errors are sentences, and some begin with a name
	{"errcheck", "-ignoretests", "-ignore", unchecked, "./..."},
	{"ineffassign", "./..."},
}

// unchecked matches the functions whose errors may be ignored, as in
// golangci-lint: callers cannot handle them.
const unchecked = "^(Close|Remove|RemoveAll|Fprint|Fprintf|Fprintln|Sscan)$"

// lint checks the Go code for mistakes and unusual style.
func lint(ctx context.Context, p project.Project) error {
	folder := p.Path("build", "bin", "lint")
	if err := p.DoIn(ctx, "build/lint", "go", "build", "-o", folder+"/", "tool"); err != nil {
		return err
	}
	var found []error
	for _, l := range linters {
		found = append(found, p.Do(ctx, p.Path("build", "bin", "lint", l[0]), l[1:]...))
	}
	return errors.Join(found...)
}
