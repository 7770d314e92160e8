package main

import (
	"context"
	"errors"

	"spyglass/build/project"
)

// lint checks all Go packages for mistakes and unusual style: with build/lint, and
// with revive. The linters are in a module of their own, so that the product does
// not depend on them. They are the standard set of golangci-lint, without
// golangci-lint itself, which takes ten times as long to compile.
func lint(ctx context.Context, p project.Project) error {
	return errors.Join(
		linted(ctx, p, "", "./..."),
		p.Do(ctx, p.Path("build", "bin", "lint", "revive"), "-config", "build/lint/revive.toml", "-exclude",
			"frontend/node_modules/...", "./..."))
}

// lintDesktop checks the packages with files of the desktop only.
func lintDesktop(ctx context.Context, p project.Project) error {
	return linted(ctx, p, project.DesktopTags+",window,packages", ".", "./app/...", "./build/...")
}

// linted compiles the linters and checks packages as they are with tags.
func linted(ctx context.Context, p project.Project, tags string, packages ...string) error {
	folder := p.Path("build", "bin", "lint")
	if err := p.DoIn(ctx, "build/lint", "go", "build", "-o", folder+"/", ".", "tool"); err != nil {
		return err
	}
	return p.Do(ctx, p.Path("build", "bin", "lint", "lint"), append([]string{"-tags", tags}, packages...)...)
}
