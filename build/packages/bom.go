package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go" // Apache-2.0, by OWASP: the format of the SBOM
)

// makeParts writes the SBOM as CycloneDX JSON.
func (r release) makeParts() (err error) {
	all, err := parts(r.root)
	if err != nil {
		return err
	}
	list := cdx.NewBOM()
	list.SerialNumber = ""
	list.Metadata = &cdx.Metadata{
		Timestamp: r.at.Format(time.RFC3339),
		Component: &cdx.Component{BOMRef: "spyglass", Type: cdx.ComponentTypeApplication, Name: "spyglass",
			Version: r.version},
	}
	var components []cdx.Component
	for _, p := range all {
		components = append(components, cdx.Component{
			BOMRef: p.purl, Type: cdx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: p.purl,
			Licenses: &cdx.Licenses{{Expression: p.licence}},
		})
	}
	list.Components = &components
	file, err := os.Create(r.name(".cdx.json"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON).SetPretty(true).Encode(list)
}

// makeSums writes SHA256SUMS in the format of sha256sum --check.
func (r release) makeSums() error {
	entries, err := os.ReadDir(r.out) // sorted
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" || !strings.Contains(e.Name(), r.version) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&lines, "%s  %s\n", hex.EncodeToString(sum[:]), e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(lines.String()), plain)
}
