package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2" // MIT: writes .deb and .rpm without the tools of the distributions
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// kinds are the packages for Linux, with the name of the window's libraries in
// each.
var kinds = []struct {
	name    string
	depends []string
}{
	{"deb", []string{"libc6 (>= 2.34)", "libgtk-3-0 | libgtk-3-0t64", "libwebkit2gtk-4.1-0"}},
	{"rpm", []string{"libgtk-3.so.0()(64bit)", "libwebkit2gtk-4.1.so.0()(64bit)"}},
}

func (r release) makeLinux() error {
	tree, err := r.linuxTree()
	if err != nil {
		return err
	}
	if r.only == "" {
		if err := r.archive(r.name("-linux-"+r.arch+".tar.gz"), "spyglass-"+r.version, tree); err != nil {
			return err
		}
	}
	stage, err := r.stage("linux", tree)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if r.only != "" && r.only != kind.name {
			continue
		}
		if err := r.makePackage(kind.name, kind.depends, stage, tree); err != nil {
			return fmt.Errorf(".%s: %w", kind.name, err)
		}
	}
	return nil
}

func (r release) makePackage(kind string, depends []string, stage string, tree []entry) (err error) {
	info := &nfpm.Info{
		Name: "spyglass", Arch: r.arch, Platform: "linux", Version: r.version, Release: "1",
		Section: "net", Priority: "optional", Maintainer: "The Spyglass maintainers <maintainers@spyglass.invalid>",
		Description: "monitoring portal with an API explorer, in a window\n" +
			"A whole monitoring portal on your own machine: devices, data sources, alerts\n" +
			"and reports behind a REST API, and an explorer to call it with. It works\n" +
			"offline and needs no account.",
		MTime: r.at, DisableGlobbing: true,
	}
	if kind == "rpm" {
		info.License = "LicenseRef-proprietary" // Debian names it in its copyright file
	}
	info.Depends = depends
	info.Recommends = []string{"xdg-utils"}
	info.Suggests = []string{"gnome-keyring"}
	info.Deb.Compression = "gzip"
	info.RPM.Compression, info.RPM.BuildHost, info.RPM.Group = "gzip", "spyglass", "Applications/System"
	info.RPM.Summary = "Monitoring portal with an API explorer, in a window"
	for _, e := range sorted(tree) {
		info.Contents = append(info.Contents, &files.Content{
			Source: filepath.Join(stage, filepath.FromSlash(e.path)), Destination: "/usr/" + e.path,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: e.mode, MTime: r.at},
		})
	}
	info = nfpm.WithDefaults(info)
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(r.out, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return packager.Package(info, file)
}

// linuxTree returns the files to install below /usr, or below the folder where
// the .tar.gz is unpacked.
func (r release) linuxTree() ([]entry, error) {
	binary, err := os.ReadFile(r.linux)
	if err != nil {
		return nil, err
	}
	tree := []entry{{"bin/spyglass", program, binary}}
	for _, f := range []struct {
		from, to string
		pack     bool
	}{
		{"spyglass.desktop", "share/applications/spyglass.desktop", false},
		{"app.spyglass.Spyglass.metainfo.xml", "share/metainfo/app.spyglass.Spyglass.metainfo.xml", false},
		{"spyglass.1", "share/man/man1/spyglass.1.gz", true},
		{"copyright", "share/doc/spyglass/copyright", false},
		{"changelog", "share/doc/spyglass/changelog.Debian.gz", true},
	} {
		text, err := r.fill(f.from)
		if err == nil && f.pack {
			text, err = packed(text)
		}
		if err != nil {
			return nil, err
		}
		tree = append(tree, entry{f.to, plain, text})
	}
	licences, err := os.ReadFile(r.licences)
	if err == nil {
		licences, err = packed(licences)
	}
	if err != nil {
		return nil, err
	}
	tree = append(tree, entry{"share/doc/spyglass/licences.txt.gz", plain, licences})
	drawing, err := os.ReadFile(filepath.Join(r.root, "frontend", "public", "spyglass.svg"))
	if err != nil {
		return nil, err
	}
	tree = append(tree, entry{"share/icons/hicolor/scalable/apps/spyglass.svg", plain, drawing})
	icons, err := r.icons()
	if err != nil {
		return nil, err
	}
	for _, size := range sizes {
		text, err := asPNG(icons[size])
		if err != nil {
			return nil, err
		}
		tree = append(tree, entry{fmt.Sprintf("share/icons/hicolor/%dx%d/apps/spyglass.png", size, size), plain, text})
	}
	return tree, nil
}
