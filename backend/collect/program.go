package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"spyglass/backend/fault"
)

// system is an operating system for collectors.
type system struct {
	name     string // name in the published API
	os, arch string // names in Go
	script   string // a template, see script.go
	file     string // of the script
}

var systems = []system{
	{"Linux64", "linux", "amd64", shellScript, "install-spyglass-collector.sh"},
	{"Win64", "windows", "amd64", powerScript, "install-spyglass-collector.ps1"},
	{"Darwin64", "darwin", runtimeDarwin(), shellScript, "install-spyglass-collector.sh"},
}

// runtimeDarwin returns the CPU architecture of this Mac, or of new Macs.
func runtimeDarwin() string {
	if runtime.GOOS == "darwin" {
		return runtime.GOARCH
	}
	return "arm64"
}

// systemNamed finds a system by the name in a path, ignoring letter case.
func systemNamed(name string) (*system, error) {
	for i := range systems {
		if strings.EqualFold(systems[i].name, name) {
			return &systems[i], nil
		}
	}
	return nil, &fault.Error{Kind: fault.Unknown, Field: "osAndArch", Message: "there are installers for Linux64, " +
		"Win64 and Darwin64 only", Allowed: []any{"Linux64", "Win64", "Darwin64"}}
}

// program is an executable for collectors.
type program struct {
	path   string
	file   fs.FileInfo // when it was read
	Size   int64
	SHA256 string // hex
}

// programs finds the executables that this portal can provide: its own, and the
// files spyglass-OS-ARCH in its folder. It reads a replaced file again.
type programs struct {
	folder string
	mu     sync.Mutex
	known  map[string]*program
}

// of returns the program for a system; fault.Conflict if there is none.
func (p *programs) of(s *system) (*program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[s.name]; known != nil && known.isThere(p.pathOf(s)) {
		return known, nil
	}
	found, err := p.read(s)
	if err == nil {
		if p.known == nil {
			p.known = map[string]*program{}
		}
		p.known[s.name] = found
	}
	return found, err
}

// pathOf returns the path of a program in the folder.
func (p *programs) pathOf(s *system) string {
	path := filepath.Join(p.folder, "spyglass-"+s.os+"-"+s.arch)
	if s.os == "windows" {
		path += ".exe"
	}
	return path
}

// isThere reports whether the program's file is unchanged, and no file that
// takes precedence has been added.
func (p *program) isThere(first string) bool {
	if _, err := os.Stat(first); err == nil && first != p.path {
		return false
	}
	now, err := os.Stat(p.path)
	return err == nil && os.SameFile(now, p.file) && now.Size() == p.file.Size() &&
		now.ModTime().Equal(p.file.ModTime())
}

func (p *programs) read(s *system) (*program, error) {
	path := p.pathOf(s)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && s.os == runtime.GOOS && s.arch == runtime.GOARCH {
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Conflict, "this portal has no program for %s on %s; put the Spyglass of that "+
			"system into its data folder as installers/%s, and try again", s.os, s.arch, filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := f.Stat()
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	return &program{path: path, file: file, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

// send writes the program to w.
func (p *program) send(w io.Writer) error {
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

func (p *programs) has(s *system) bool { return s.os == runtime.GOOS && s.arch == runtime.GOARCH }
