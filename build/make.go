package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// desktopTags are the build tags of the window.
const desktopTags = "desktop,production,webkit2_41"

// modules installs the frontend's packages if they differ from
// package-lock.json.
func (p project) modules(ctx context.Context) error {
	if err := node(ctx); err != nil {
		return err
	}
	lock, err := os.ReadFile(p.path("frontend", "package-lock.json"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(lock)
	want := hex.EncodeToString(sum[:])
	stamp := p.path("frontend", "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == want {
		return nil
	}
	if err := p.doIn(ctx, "frontend", "npm", "ci", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(want), 0o600)
}

// frontend builds the UI if a source of it is newer than the last build.
func (p project) frontend(ctx context.Context) error {
	if err := p.modules(ctx); err != nil {
		return err
	}
	source, err := newest(p.path("frontend"), func(path string) bool { return !strings.HasSuffix(path, ".go") })
	if err != nil {
		return err
	}
	built, err := os.Stat(p.path("frontend", "dist", "index.html"))
	if err == nil && !source.After(built.ModTime()) {
		return nil
	}
	return p.doIn(ctx, "frontend", "npm", "run", "build")
}

// newest returns the time of the last change to a file below folder that
// counts, or to a folder; a removed file changes its folder. Built, installed
// and hidden files do not count.
func newest(folder string, counts func(path string) bool) (time.Time, error) {
	var last time.Time
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed while we walk
		}
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != folder && (name == "node_modules" || name == "dist" || name == "bin" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if path == folder || !d.IsDir() && !counts(path) {
			return nil // the folder itself changes whenever dist is recreated
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last, err
}

// binary builds the program with the window, UI included, and returns its path.
func (p project) binary(ctx context.Context) (string, error) {
	if err := p.install(ctx, forWindow); err != nil {
		return "", err
	}
	if err := p.frontend(ctx); err != nil {
		return "", err
	}
	return p.compile(ctx, "spyglass", desktopTags, ".")
}

// compile builds one command into build/bin, and returns its path.
func (p project) compile(ctx context.Context, name, tags, pkg string) (string, error) {
	path := p.path("build", "bin", name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	err := p.do(ctx, "go", "build", "-ldflags", "-s -w", "-tags", tags, "-o", path, pkg)
	if err != nil {
		return "", fmt.Errorf("%s does not build: %w", name, err)
	}
	return path, nil
}
