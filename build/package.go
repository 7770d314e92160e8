package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"spyglass/build/project"
)

// pack makes the packages: for Linux if this is Linux, for Windows, and the
// bundle that a Mac builds.
func pack(ctx context.Context, p project.Project, args []string) error {
	version, err := p.Version()
	if err != nil {
		return err
	}
	k := project.Release{Linux: runtime.GOOS == "linux", Windows: true, Mac: true}
	f := flag.NewFlagSet("package", flag.ContinueOnError)
	f.StringVar(&k.Out, "out", "", "folder for the packages")
	f.StringVar(&k.Version, "version", version, "of the release")
	if err := f.Parse(args); err != nil {
		return err
	}
	if k.Out == "" || f.NArg() > 0 {
		return errors.New("usage: go run ./build package --out DIR [--version V]")
	}
	if k.Out, err = filepath.Abs(k.Out); err != nil {
		return err
	}
	if err := p.Install(ctx, project.ForPackages); err != nil {
		return err
	}
	if err := p.Programs(ctx, &k); err != nil {
		return err
	}
	if err := p.Packages(ctx, k); err != nil {
		return err
	}
	entries, err := os.ReadDir(k.Out)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			fmt.Printf("%6.1f MB  %s\n", float64(info.Size())/1e6, filepath.Join(k.Out, e.Name()))
		}
	}
	return err
}

// packaged makes the packages for Linux twice, and an older .deb, and installs and
// runs them.
func packaged(ctx context.Context, p project.Project) error {
	version, err := p.Version()
	if err != nil {
		return err
	}
	k := project.Release{Version: version, Linux: true, Mac: true, Quick: true}
	if err := p.Programs(ctx, &k); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "spyglass-packages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	now, again, before := filepath.Join(folder, "now"), filepath.Join(folder, "again"), filepath.Join(folder, "before")
	for _, made := range []struct{ out, version, only string }{
		{now, version, ""}, {again, version, ""}, {before, "0.0.1", "deb"},
	} {
		k.Out, k.Version, k.Only = made.out, made.version, made.only
		if err := p.Packages(ctx, k); err != nil {
			return err
		}
	}
	return goTest(ctx, p,
		[]string{"SPYGLASS_PACKAGES=" + now, "SPYGLASS_PACKAGES_AGAIN=" + again, "SPYGLASS_PACKAGES_BEFORE=" + before},
		slices.Concat(quick, []string{"-count=1", "-v", "-timeout=20m", "-tags", "window,packages"},
			onPackages.flags()),
		onPackages.packages...)
}

// onPackages chooses the tests that read, install and run the packages.
var onPackages = choice{names: []string{"^TestPackages", "^TestDeb", "^TestImage"},
	packages: []string{"./build/desktop"}}
