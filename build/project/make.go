package project

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
	"sync"
	"time"
)

// DesktopTags are the build tags of the window.
const DesktopTags = "desktop,production,webkit2_41"

var modules sync.Mutex // held while npm installs: two steps may need them at once

// Modules installs the frontend's packages if they differ from package-lock.json.
func (p Project) Modules(ctx context.Context) error {
	modules.Lock()
	defer modules.Unlock()
	if err := Node(ctx); err != nil {
		return err
	}
	lock, err := os.ReadFile(p.Path("frontend", "package-lock.json"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(lock)
	want := hex.EncodeToString(sum[:])
	stamp := p.Path("frontend", "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == want {
		return nil
	}
	if err := p.DoIn(ctx, "frontend", "npm", "ci", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(want), 0o600)
}

// Frontend builds the UI if a source is newer than the last build.
func (p Project) Frontend(ctx context.Context) error {
	if err := p.Modules(ctx); err != nil {
		return err
	}
	source, err := Newest(p.Path("frontend"), func(path string) bool { return !strings.HasSuffix(path, ".go") })
	if err != nil {
		return err
	}
	built, err := os.Stat(p.Path("frontend", "dist", "index.html"))
	if err == nil && !source.After(built.ModTime()) {
		return nil
	}
	return p.DoIn(ctx, "frontend", "npm", "run", "build")
}

// Newest returns the time of the last change to a counted file below folder, or
// to a folder; a removed file changes its folder. Built, installed and hidden
// files are ignored.
func Newest(folder string, counts func(path string) bool) (time.Time, error) {
	var last time.Time
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed during the walk
		}
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != folder && (name == "node_modules" || name == "dist" || name == "bin" ||
			strings.HasPrefix(name, ".")) {
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

// Binary builds the program with the window, UI included, and returns its path.
func (p Project) Binary(ctx context.Context) (string, error) {
	if err := p.Install(ctx, ForWindow); err != nil {
		return "", err
	}
	if err := p.Frontend(ctx); err != nil {
		return "", err
	}
	return p.Compile(ctx, "spyglass", DesktopTags, ".")
}

// Compile builds one command into build/bin, with more flags of go build, and returns its path.
func (p Project) Compile(ctx context.Context, name, tags, pkg string, flags ...string) (string, error) {
	path := p.Path("build", "bin", name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	args := append([]string{"build", "-ldflags", "-s -w", "-tags", tags, "-o", path}, flags...)
	err := p.Do(ctx, "go", append(args, pkg)...)
	if err != nil {
		return "", fmt.Errorf("%s does not build: %w", name, err)
	}
	return path, nil
}
