package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"spyglass/build/project"
	"spyglass/build/wine"
)

// wineMissing returns why programs for Windows cannot run here; "" if they can.
func wineMissing() string {
	if runtime.GOARCH != "amd64" {
		return "an x86-64 processor"
	}
	if missing := linux(); missing != "" {
		return missing
	}
	if !project.CanInstall(project.ForWine) {
		return "Wine and MinGW-w64, which cannot be installed here,"
	}
	return ""
}

// underWine tests the program for Windows, its installer as two versions, and those
// packages that do something else on Windows.
func underWine(ctx context.Context, p project.Project) (err error) {
	folder, err := os.MkdirTemp("", "spyglass-wine-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	version, err := p.Version()
	if err != nil {
		return err
	}
	k := project.Release{Version: version, Windows: true, Quick: true}
	if err := p.Programs(ctx, &k); err != nil {
		return err
	}
	now, before := filepath.Join(folder, "now"), filepath.Join(folder, "before")
	for out, version := range map[string]string{now: version, before: "0.0.1"} {
		k.Out, k.Version = out, version
		if err := p.Packages(ctx, k); err != nil {
			return err
		}
	}
	w, err := wine.Install(ctx, filepath.Join(folder, "windows"))
	defer func() { err = errors.Join(err, w.Close()) }()
	if err != nil {
		return err
	}
	return errors.Join(
		goTest(ctx, p, []string{"SPYGLASS_WINDOWS=" + w.Folder, "SPYGLASS_PACKAGES=" + now,
			"SPYGLASS_PACKAGES_BEFORE=" + before}, []string{"-count=1", "-v", "-tags", "wine"}, "./build/wine"),
		windowsTests(ctx, p, w))
}

// onWindows chooses the tests of what is different on Windows: the control channel,
// the lock of the data folder, access lists, files that are replaced while they are
// open, the names of files, the Credential Manager, and the start at sign-in.
var onWindows = choice{
	names: []string{"Pipe", "Command", "JobRuns", "SecondStart", "Private", "StopIsIdempotent", "Restore", "Backup",
		"PortFile", "OnlyTheUser", "FilesRoundTrip", "FileNames", "^TestScan", "CredentialManager", "TheSystemStarts"},
	packages: []string{"./backend/private", "./backend/server", "./app/ondisk", "./app/autostart", "./app/keychain"},
}

// windowsTests runs those tests of the packages under Wine.
func windowsTests(ctx context.Context, p project.Project, w wine.Windows) error {
	var words []string
	for _, word := range w.Words("wine") {
		words = append(words, "'"+word+"'")
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	if err := w.Keep(ctx); err != nil {
		return err
	}
	// Windows has no time zones that Go can read; the program has its own. Z: is the root folder.
	zones := "ZONEINFO=Z:" + filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip")
	return goTest(ctx, p, []string{"GOOS=windows", "CGO_ENABLED=0", zones}, slices.Concat([]string{"-count=1",
		"-vet=off", "-ldflags=-w", "-exec", strings.Join(words, " ")}, onWindows.flags()), onWindows.packages...)
}
