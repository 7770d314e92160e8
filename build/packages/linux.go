package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/goreleaser/nfpm/v2" // MIT: writes .deb and .rpm without the tools of the distributions
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// kinds are the packages for Linux. In a .deb, the window's libraries have other names
// since Debian 13 and Ubuntu 24.04, where time_t has 64 bits. A .rpm requires the names
// that the linker recorded, which Fedora and openSUSE share.
var kinds = []struct {
	name     string
	depends  []string
	suggests []string
	scripts  nfpm.Scripts // files of ours
}{
	{"deb", []string{"libc6 (>= 2.34)", "libglib2.0-0t64 | libglib2.0-0 (>= 2.70)",
		"libgtk-3-0t64 | libgtk-3-0 (>= 3.24)", "libwebkit2gtk-4.1-0 (>= 2.36)"}, []string{"gnome-keyring"},
		nfpm.Scripts{PostInstall: "deb.postinst", PreRemove: "deb.prerm", PostRemove: "deb.postrm"}},
	{"rpm", []string{"libc.so.6(GLIBC_2.34)(64bit)", "libgtk-3.so.0()(64bit)", "libwebkit2gtk-4.1.so.0()(64bit)"},
		[]string{"gnome-keyring"},
		nfpm.Scripts{PostInstall: "rpm.post", PreRemove: "rpm.preun", PostRemove: "rpm.postun"}},
}

// lintianOverrides is in a .deb only.
const lintianOverrides = "share/lintian/overrides/spyglass"

func (r release) makeLinux() error {
	tree, err := r.linuxTree()
	if err != nil {
		return err
	}
	if r.only == "" {
		if err := r.archive(r.name("-linux-"+r.arch+".tar.gz"), "spyglass-"+r.version, tree); err != nil {
			return err
		}
		if err := r.makeFlatpak(); err != nil {
			return err
		}
	}
	overrides, err := templates.ReadFile("files/lintian-overrides")
	if err != nil {
		return err
	}
	tree = append(tree, entry{lintianOverrides, plain, overrides})
	stage, err := r.stage("linux", tree)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if r.only != "" && r.only != kind.name {
			continue
		}
		scripts := kind.scripts
		for _, script := range []*string{&scripts.PostInstall, &scripts.PreRemove, &scripts.PostRemove} {
			text, err := templates.ReadFile("files/" + *script)
			if err != nil {
				return err
			}
			*script = filepath.Join(r.work, *script)
			if err := os.WriteFile(*script, text, plain); err != nil {
				return err
			}
		}
		info := r.info(kind.name, stage, tree)
		info.Depends, info.Suggests, info.Scripts = kind.depends, kind.suggests, scripts
		if err := r.makePackage(kind.name, nfpm.WithDefaults(info)); err != nil {
			return fmt.Errorf(".%s: %w", kind.name, err)
		}
	}
	return nil
}

// makeFlatpak writes the recipe of a Flatpak, which installs the .tar.gz.
func (r release) makeFlatpak() error {
	archive := r.name("-linux-" + r.arch + ".tar.gz")
	text, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(templates, "files/flatpak.yml")
	if err != nil {
		return err
	}
	path := r.name("-linux-" + r.arch + ".flatpak.yml")
	var recipe bytes.Buffer
	err = t.Execute(&recipe, map[string]string{"Archive": filepath.Base(archive), "Name": filepath.Base(path),
		"Sum": fmt.Sprintf("%x", sha256.Sum256(text))})
	if err != nil {
		return err
	}
	return os.WriteFile(path, recipe.Bytes(), plain)
}

func (r release) makePackage(kind string, info *nfpm.Info) error {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(r.out, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	err = errors.Join(packager.Package(info, file), file.Close())
	if err == nil && kind == "deb" && info.Deb.Compression == uncompressed {
		err = compressDeb(file.Name(), r.arch)
	}
	return err
}

// uncompressed is a compression of nfpm, for a .deb that compressDeb compresses.
const uncompressed = "none"

// info describes a package with the files of tree, which are in the folder stage.
func (r release) info(kind, stage string, tree []entry) *nfpm.Info {
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
	info.Recommends = []string{"xdg-utils"}
	// xz makes a package a fifth smaller than zstd, which lintian of Debian 12 does not know,
	// and takes a minute
	info.Deb.Compression, info.RPM.Compression = uncompressed, "xz"
	if r.quick {
		info.Deb.Compression, info.RPM.Compression = "gzip:1", "gzip:1"
	}
	info.RPM.BuildHost, info.RPM.Group = "spyglass", "Applications/System"
	info.RPM.Summary = "Monitoring portal with an API explorer, in a window"
	for _, e := range sorted(tree) {
		if kind == "rpm" && e.path == lintianOverrides {
			continue
		}
		typ := files.TypeFile
		if kind == "rpm" && (strings.HasPrefix(e.path, "share/doc/") || strings.HasPrefix(e.path, "share/man/")) {
			typ = files.TypeRPMDoc
		}
		info.Contents = append(info.Contents, &files.Content{
			Type:   typ,
			Source: filepath.Join(stage, filepath.FromSlash(e.path)), Destination: "/usr/" + e.path,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: e.mode, MTime: r.at},
		})
	}
	return info
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
		{"spyglass.service", "lib/systemd/system/spyglass.service", false},
		{"spyglass.socket", "lib/systemd/system/spyglass.socket", false},
		{"spyglass.sysusers", "lib/sysusers.d/spyglass.conf", false},
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
