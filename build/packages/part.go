package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck" // BSD-3, by the Go project: recognizes licences
)

// part is third-party software in the program.
type part struct {
	name, version string
	purl          string // package-url.github.io
	licence       string // SPDX
	text          string // the licence files
}

// parts returns all parts: Go itself, Go modules, and npm packages of the page.
func parts(root string) ([]part, error) {
	found := map[string]part{}
	for _, system := range []string{"linux", "windows", "darwin"} {
		if err := goParts(root, system, found); err != nil {
			return nil, err
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output() // runtime.GOROOT is empty under -trimpath
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE"))
	if err != nil {
		return nil, err
	}
	found["go"] = part{"Go", strings.TrimPrefix(runtime.Version(), "go"), "pkg:golang/stdlib@" +
		strings.TrimPrefix(runtime.Version(), "go"), "BSD-3-Clause", string(text)}
	if err := pageParts(filepath.Join(root, "frontend"), found); err != nil {
		return nil, err
	}
	var all []part
	for _, p := range found {
		all = append(all, p)
	}
	slices.SortFunc(
		all, func(a, b part) int { return strings.Compare(strings.ToLower(a.purl), strings.ToLower(b.purl)) })
	return all, nil
}

// goParts adds the modules with packages that the window's build imports.
func goParts(root, system string, found map[string]part) error {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", "-tags", "desktop,production,webkit2_41", ".")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=1")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, log.String())
	}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		var pkg struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
				Replace            *struct{ Path, Version, Dir string }
			}
		}
		if err := in.Decode(&pkg); err != nil {
			return err
		}
		m := pkg.Module
		if m == nil || m.Main {
			continue
		}
		if m.Replace != nil {
			m.Path, m.Version, m.Dir = m.Replace.Path, m.Replace.Version, m.Replace.Dir
		}
		if _, known := found[m.Path]; known {
			continue
		}
		p := part{name: m.Path, version: m.Version, purl: "pkg:golang/" + m.Path + "@" + m.Version}
		if p.text, err = licenceOf(m.Dir); err != nil {
			return err
		}
		if p.licence, err = spdx(p.text); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		found[m.Path] = p
	}
	return nil
}

// pageParts adds the packages that the page is built from: Svelte's runtime, and
// those that package-lock.json does not mark as a tool.
func pageParts(folder string, found map[string]part) error {
	text, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev, Optional    bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return err
	}
	for path, p := range lock.Packages {
		if path == "" || p.Optional || p.Dev && path != "node_modules/svelte" {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		text, err := licenceOf(filepath.Join(folder, filepath.FromSlash(path)))
		if errors.Is(err, errNoLicence) {
			text, err = "(its package has no licence file; it declares "+p.License+")\n", nil
		}
		if err != nil {
			return err
		}
		found[path] = part{name, p.Version, "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version,
			p.License, text}
	}
	return nil
}

var errNoLicence = errors.New("no licence file")

// licenceOf joins the licence files in a folder.
func licenceOf(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !slices.ContainsFunc([]string{"licen", "copying", "notice"},
			func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		one, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return "", err
		}
		text.Write(bytes.TrimSpace(bytes.ReplaceAll(one, []byte("\r\n"), []byte("\n"))))
		text.WriteString("\n\n")
	}
	if text.Len() == 0 {
		return "", fmt.Errorf("%s: %w", folder, errNoLicence)
	}
	return text.String(), nil
}

// spdx returns the licences that a text contains.
func spdx(text string) (string, error) {
	var names []string
	for _, m := range licensecheck.Scan([]byte(text)).Match {
		if !slices.Contains(names, m.ID) && !m.IsURL {
			names = append(names, m.ID)
		}
	}
	if len(names) == 0 {
		return "", errors.New("its licence is none that is known")
	}
	slices.Sort(names)
	return strings.Join(names, " AND "), nil
}

// writeLicences writes a text with all parts and their licences.
func writeLicences(root, to string) error {
	all, err := parts(root)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("Spyglass is built from the work of others, with thanks to all of them.\n\n")
	for _, p := range all {
		fmt.Fprintf(&text, "%s %s: %s\n", p.name, p.version, p.licence)
	}
	for _, p := range all {
		fmt.Fprintf(&text, "\n%s\n%s %s (%s)\n\n%s\n", strings.Repeat("-", 78), p.name, p.version, p.licence,
			strings.TrimSpace(p.text))
	}
	return os.WriteFile(to, []byte(text.String()), plain)
}
