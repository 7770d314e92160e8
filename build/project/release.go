package project

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
)

// Release holds the programs to package, and the destination.
type Release struct {
	Out      string
	Version  string
	Linux    bool // for this computer's processor
	Windows  bool
	Mac      bool   // the bundle that a Mac builds
	Only     string // make this kind of package for Linux and nothing else
	Quick    bool   // for tests: larger, and linked in another way, see compileFor
	linux    string // the programs; empty if not built
	server   string // without a window, for the container image
	windows  string
	licences string // the file with the licences
}

// Version returns the version in wails.json, which main.go has too.
func (p Project) Version() (string, error) {
	text, err := os.ReadFile(p.Path("wails.json"))
	if err != nil {
		return "", err
	}
	var wails struct {
		Info struct{ ProductVersion string }
	}
	err = json.Unmarshal(text, &wails)
	return wails.Info.ProductVersion, err
}

// Programs builds the programs to package, with the licences in their page. The
// same commit and tools produce identical files.
func (p Project) Programs(ctx context.Context, k *Release) (err error) {
	if err := p.Frontend(ctx); err != nil {
		return err
	}
	k.licences = p.Path("frontend", "dist", "licences.txt")
	if err := p.DoIn(ctx, "build/packages", "go", "run", ".", "licences", p.Root, k.licences); err != nil {
		return err
	}
	if k.Linux {
		if k.linux, err = p.compileFor(ctx, *k, "linux", DesktopTags); err != nil {
			return err
		}
		if k.server, err = p.compileFor(ctx, *k, "server", ""); err != nil {
			return err
		}
	}
	if k.Windows {
		k.windows, err = p.compileFor(ctx, *k, "windows", "desktop,production")
	}
	return err
}

// Packages makes the packages of the programs.
func (p Project) Packages(ctx context.Context, k Release) error {
	epoch, err := p.epoch(ctx)
	if err != nil {
		return err
	}
	return p.DoIn(ctx, "build/packages", "go", "run", ".", "make", "-root", p.Root, "-out", k.Out,
		"-version", k.Version,
		"-arch", runtime.GOARCH, "-licences", k.licences, "-epoch", epoch,
		"-only", k.Only, "-linux", k.linux, "-server", k.server, "-windows", k.windows, fmt.Sprintf("-mac=%t", k.Mac),
		fmt.Sprintf("-quick=%t", k.Quick))
}

// compileFor builds the app for a release, and returns its path. The system "server" is
// Linux without a window, as a static program, which needs no other files.
//
// On Linux, a release with a window is position-independent, and one without is compiled
// without cgo. Either compiles every package once more, so a quick release uses what
// the tests have compiled: the linker makes it static.
func (p Project) compileFor(ctx context.Context, k Release, system, tags string) (string, error) {
	path := p.Path("build", "bin", "release", k.Version, system, "spyglass")
	flags := "-s -w -buildid= -X main.version=" + k.Version
	cgo, mode := "CGO_ENABLED=1", "-buildmode=default"
	env := []string{"GOOS=linux"}
	switch {
	case system == "windows":
		flags += " -H windowsgui"
		cgo = "CGO_ENABLED=0"
		env = []string{"GOOS=windows", "GOARCH=amd64"}
	case system == "server" && k.Quick:
		flags += " -linkmode=external -extldflags=-static"
	case system == "server":
		cgo = "CGO_ENABLED=0"
	case !k.Quick:
		mode = "-buildmode=pie"
	}
	cmd := p.Command(ctx, ".", "go", "build", "-trimpath", "-buildvcs=false", mode, "-tags", tags, "-ldflags", flags,
		"-o", path, ".")
	cmd.Env = slices.Concat(os.Environ(), env, []string{cgo})
	return path, Named(cmd.Run(), "the build for "+system, nil)
}

// epoch returns the time of everything in the packages, in seconds:
// SOURCE_DATE_EPOCH, or the time of the last commit.
func (p Project) epoch(ctx context.Context) (string, error) {
	if given := os.Getenv("SOURCE_DATE_EPOCH"); given != "" {
		return given, nil
	}
	cmd := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct")
	cmd.Dir = p.Root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git does not know the last commit; set SOURCE_DATE_EPOCH: %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}
