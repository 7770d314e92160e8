package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

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

// lintDesktop checks the packages that have other files in a build for the desktop.
// The step lint checks all others.
func lintDesktop(ctx context.Context, p project.Project) error {
	const tags = project.DesktopTags + ",window,packages"
	common, err := packagesWith(ctx, p, "")
	if err != nil {
		return err
	}
	desktop, err := packagesWith(ctx, p, tags)
	if err != nil {
		return err
	}
	var packages []string
	for name, files := range desktop {
		if common[name] != files {
			packages = append(packages, name)
		}
	}
	return linted(ctx, p, tags, packages...)
}

// vetOthers checks all packages as they are on Windows and on a Mac, without the window.
// The compiler has to translate them all again, so that this step runs only when it is named.
func vetOthers(ctx context.Context, p project.Project) error {
	var errs []error
	for _, on := range [][2]string{{"windows", "amd64"}, {"darwin", "arm64"}} {
		cmd := p.Command(ctx, ".", "go", "vet", "./...")
		cmd.Env = append(os.Environ(), "GOOS="+on[0], "GOARCH="+on[1], "CGO_ENABLED=0")
		errs = append(errs, project.Named(cmd.Run(), "go vet for "+on[0], nil))
	}
	return errors.Join(errs...)
}

// packagesWith returns the names of the files of each package, with build tags.
func packagesWith(ctx context.Context, p project.Project, tags string) (map[string]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-tags", tags, "-f",
		"{{.ImportPath}} {{.GoFiles}}{{.CgoFiles}}{{.TestGoFiles}}{{.XTestGoFiles}}", "./...")
	cmd.Dir = p.Root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(line, " ")
		files[name] = rest
	}
	return files, nil
}

// linted compiles the linters and checks packages as they are with tags.
func linted(ctx context.Context, p project.Project, tags string, packages ...string) error {
	folder := p.Path("build", "bin", "lint")
	if err := p.DoIn(ctx, "build/lint", "go", "build", "-o", folder+"/", ".", "tool"); err != nil {
		return err
	}
	return p.Do(ctx, p.Path("build", "bin", "lint", "lint"), append([]string{"-tags", tags}, packages...)...)
}
