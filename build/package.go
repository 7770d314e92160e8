package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// packing holds the programs to package, and the destination.
type packing struct {
	out      string
	version  string
	others   bool   // for Windows and Macs too
	linux    string // the programs; empty where there is none
	windows  string
	licences string // the file with them
}

// pack makes the packages: for Linux where this is one, for Windows, and the
// bundle that a Mac builds.
func pack(ctx context.Context, p project, args []string) error {
	version, err := p.version()
	if err != nil {
		return err
	}
	k := packing{others: true}
	f := flag.NewFlagSet("package", flag.ContinueOnError)
	f.StringVar(&k.out, "out", "", "folder for the packages")
	f.StringVar(&k.version, "version", version, "of the release")
	if err := f.Parse(args); err != nil {
		return err
	}
	if k.out == "" || f.NArg() > 0 {
		return errors.New("usage: go run ./build package --out DIR [--version V]")
	}
	if k.out, err = filepath.Abs(k.out); err != nil {
		return err
	}
	if err := p.install(ctx, forPackages); err != nil {
		return err
	}
	if err := p.programs(ctx, &k); err != nil {
		return err
	}
	if err := p.packages(ctx, k); err != nil {
		return err
	}
	entries, err := os.ReadDir(k.out)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			fmt.Printf("%6.1f MB  %s\n", float64(info.Size())/1e6, filepath.Join(k.out, e.Name()))
		}
	}
	return err
}

// version is that of wails.json, which main.go has too.
func (p project) version() (string, error) {
	text, err := os.ReadFile(p.path("wails.json"))
	if err != nil {
		return "", err
	}
	var wails struct {
		Info struct{ ProductVersion string }
	}
	err = json.Unmarshal(text, &wails)
	return wails.Info.ProductVersion, err
}

// programs builds the programs to package, with the licences in their page. The
// same commit and tools build the same, to the byte.
func (p project) programs(ctx context.Context, k *packing) (err error) {
	if err := p.frontend(ctx); err != nil {
		return err
	}
	k.licences = p.path("frontend", "dist", "licences.txt")
	if err := p.doIn(ctx, "build/packages", "go", "run", ".", "licences", p.root, k.licences); err != nil {
		return err
	}
	if runtime.GOOS == "linux" {
		if k.linux, err = p.program(ctx, *k, "linux", desktopTags); err != nil {
			return err
		}
	}
	if k.others {
		k.windows, err = p.program(ctx, *k, "windows", "desktop,production")
	}
	return err
}

// packages packs the programs.
func (p project) packages(ctx context.Context, k packing) error {
	epoch, err := p.epoch(ctx)
	if err != nil {
		return err
	}
	return p.doIn(ctx, "build/packages", "go", "run", ".", "make", "-root", p.root, "-out", k.out, "-version", k.version,
		"-arch", runtime.GOARCH, "-licences", k.licences, "-epoch", epoch,
		"-linux", k.linux, "-windows", k.windows, fmt.Sprintf("-mac=%t", k.others))
}

// program builds the app as it is released, and returns its path.
func (p project) program(ctx context.Context, k packing, system, tags string) (string, error) {
	path := p.path("build", "bin", "release", k.version, system, "spyglass")
	flags := "-s -w -buildid= -X main.version=" + k.version
	cgo := "CGO_ENABLED=1"
	if system == "windows" {
		flags += " -H windowsgui"
		cgo = "CGO_ENABLED=0"
	}
	cmd := p.command(ctx, ".", "go", "build", "-trimpath", "-buildvcs=false", "-tags", tags, "-ldflags", flags, "-o", path, ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, cgo)
	if system == "windows" {
		cmd.Env = append(cmd.Env, "GOARCH=amd64")
	}
	return path, named(cmd.Run(), "the build for "+system, nil)
}

// epoch returns the moment of everything in the packages: that of SOURCE_DATE_EPOCH,
// or of the last commit, in seconds.
func (p project) epoch(ctx context.Context) (string, error) {
	if given := os.Getenv("SOURCE_DATE_EPOCH"); given != "" {
		return given, nil
	}
	cmd := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct")
	cmd.Dir = p.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git does not know the last commit; set SOURCE_DATE_EPOCH: %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}

// packaged makes the packages for Linux, twice and as an older version too, and
// uses them as people do.
func packaged(ctx context.Context, p project) error {
	version, err := p.version()
	if err != nil {
		return err
	}
	k := packing{version: version}
	if err := p.programs(ctx, &k); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "spyglass-packages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	now, again, before := filepath.Join(folder, "now"), filepath.Join(folder, "again"), filepath.Join(folder, "before")
	for out, version := range map[string]string{now: version, again: version, before: "0.0.1"} {
		k.out, k.version = out, version
		if err := p.packages(ctx, k); err != nil {
			return err
		}
	}
	return p.goTest(ctx,
		[]string{"SPYGLASS_PACKAGES=" + now, "SPYGLASS_PACKAGES_AGAIN=" + again, "SPYGLASS_PACKAGES_BEFORE=" + before},
		[]string{"-count=1", "-v", "-timeout=10m", "-tags", "window,packages", "-run", "^TestThe(Packages|Deb)"},
		"./build/desktop")
}
