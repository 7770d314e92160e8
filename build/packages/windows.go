package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/tc-hib/winres" // 0BSD: icon, manifest and version of a Windows program
	"github.com/tc-hib/winres/version"
)

// english is Microsoft's number for the English language.
const english = 0x409

func (r release) makeWindows() error {
	icon, err := r.windowsIcon()
	if err != nil {
		return err
	}
	exe, err := r.dressed(icon)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.name("-windows-amd64.exe"), exe, program); err != nil {
		return err
	}
	var ico bytes.Buffer
	if err := icon.SaveICO(&ico); err != nil {
		return err
	}
	licences, err := os.ReadFile(r.licences)
	if err != nil {
		return err
	}
	script, err := templates.ReadFile("files/installer.nsi")
	if err != nil {
		return err
	}
	stage, err := r.stage("windows", []entry{
		{"spyglass.exe", program, exe}, {"spyglass.ico", plain, ico.Bytes()}, {"licences.txt", plain, licences},
		{"installer.nsi", plain, script},
	})
	if err != nil {
		return err
	}
	out, err := filepath.Abs(r.name("-windows-amd64-setup.exe"))
	if err != nil {
		return err
	}
	compressor := "lzma"
	if r.quick {
		compressor = "zlib"
	}
	cmd := exec.Command("makensis", "-V2", "-WX", "-DVERSION="+r.version, "-DOUT="+out, "-DCOMPRESSOR="+compressor,
		"installer.nsi")
	cmd.Dir, cmd.Stdout, cmd.Stderr = stage, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.at.Unix(), 10))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("makensis: %w", err)
	}
	return nil
}

func (r release) windowsIcon() (*winres.Icon, error) {
	all, err := r.icons()
	if err != nil {
		return nil, err
	}
	var pictures []image.Image
	for _, size := range []int{256, 64, 48, 32, 24, 16} {
		pictures = append(pictures, all[size])
	}
	return winres.NewIconFromImages(pictures)
}

// dressed returns the program with its icon, manifest and version.
func (r release) dressed(icon *winres.Icon) ([]byte, error) {
	bare, err := os.ReadFile(r.windows)
	if err != nil {
		return nil, err
	}
	var rs winres.ResourceSet
	v := version.Info{Timestamp: r.at}
	v.SetFileVersion(r.version)
	v.SetProductVersion(r.version)
	errs := []error{rs.SetIcon(winres.Name("APPICON"), icon)}
	for key, value := range map[string]string{
		version.ProductName: "Spyglass", version.FileDescription: "Spyglass",
		version.CompanyName:    "The Spyglass maintainers",
		version.LegalCopyright: "The Spyglass maintainers", version.OriginalFilename: "spyglass.exe",
		version.InternalName: "spyglass",
	} {
		errs = append(errs, v.Set(english, key, value))
	}
	rs.SetVersionInfo(v)
	rs.SetManifest(winres.AppManifest{
		Description: "Spyglass", ExecutionLevel: winres.AsInvoker, Compatibility: winres.Win10AndAbove,
		DPIAwareness: winres.DPIPerMonitorV2, LongPathAware: true, UseCommonControlsV6: true,
	})
	var out bytes.Buffer
	errs = append(errs, rs.WriteToEXE(&out, bytes.NewReader(bare)))
	return out.Bytes(), errors.Join(errs...)
}
