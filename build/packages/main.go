// Packages makes Spyglass' packages for users:
//
//	packages licences ROOT FILE                  the licences of all that is part of the program
//	packages make FLAGS                          .deb, .rpm, .tar.gz, the container image, the installer for
//	                                             Windows, the bundle for a Mac, SHA256SUMS and the list of
//	                                             parts (SBOM)
//
// It is a module of its own, so that tools for packaging stay out of the
// program's own modules. `go run ./build package` builds the programs and runs it.
//
// What it makes depends on its arguments alone: archives are sorted, and every
// moment in them is that of -epoch.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
	"time"
)

// release is the release to package.
type release struct {
	version  string    // 0.1.0
	arch     string    // of the program for Linux, by its name in Go
	root     string    // of the project
	out      string    // folder for the packages
	linux    string    // the program; empty: nothing for Linux
	server   string    // the program without a window for Linux; empty: no container image
	windows  string    // the program without resources; empty: nothing for Windows
	mac      bool      // make the bundle
	only     string    // make this kind of package for Linux and nothing else
	quick    bool      // compress for speed, not for size
	licences string    // the file that the licences command wrote
	work     string    // a temporary folder
	at       time.Time // time of all files
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packages: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	if len(args) == 3 && args[0] == "licences" {
		return writeLicences(args[1], args[2])
	}
	if len(args) == 0 || args[0] != "make" {
		return errors.New("usage: packages licences ROOT FILE, or packages make FLAGS")
	}
	var r release
	var epoch int64
	f := flag.NewFlagSet("make", flag.ContinueOnError)
	f.StringVar(&r.version, "version", "", "of the release, 1.2.3")
	f.StringVar(&r.arch, "arch", "", "of the program for Linux")
	f.StringVar(&r.root, "root", "", "folder of the project")
	f.StringVar(&r.out, "out", "", "folder for what is made")
	f.StringVar(&r.linux, "linux", "", "the program for Linux")
	f.StringVar(&r.server, "server", "", "the program without a window for Linux")
	f.StringVar(&r.windows, "windows", "", "the program for Windows")
	f.BoolVar(&r.mac, "mac", false, "make the bundle for a Mac")
	f.StringVar(&r.only, "only", "", "kind of package for Linux, deb or rpm; empty: everything")
	f.BoolVar(&r.quick, "quick", false, "compress for speed, not for size")
	f.StringVar(&r.licences, "licences", "", "the file of licences")
	f.Int64Var(&epoch, "epoch", 0, "SOURCE_DATE_EPOCH, seconds")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	r.at = time.Unix(epoch, 0).UTC()
	if r.work, err = os.MkdirTemp("", "spyglass-packages-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	return r.make()
}

func (r release) make() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var steps []func() error
	if r.linux != "" {
		steps = append(steps, r.makeLinux)
	}
	if r.server != "" && r.only == "" {
		steps = append(steps, r.makeImage)
	}
	if r.windows != "" {
		steps = append(steps, r.makeWindows)
	}
	if r.mac {
		steps = append(steps, r.makeMac)
	}
	if r.only == "" {
		steps = append(steps, r.makeParts, r.makeSums)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// name returns the path of a package.
func (r release) name(rest string) string { return filepath.Join(r.out, "spyglass-"+r.version+rest) }

// fill returns a template of files/, filled with the release's values.
func (r release) fill(name string) ([]byte, error) {
	t, err := template.ParseFS(templates, "files/"+name)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = t.Execute(&text, map[string]string{
		"Version": r.version, "Day": r.at.Format(time.DateOnly), "Year": r.at.Format("2006"),
		"RFC": r.at.Format(time.RFC1123Z),
	})
	return text.Bytes(), err
}
