package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed files
var templates embed.FS

// entry is one file of a package.
type entry struct {
	path string // destination, with /
	mode os.FileMode
	text []byte
}

const (
	plain   os.FileMode = 0o644
	program os.FileMode = 0o755
)

// packed compresses a file as Debian requires for documents: gzip -9n.
func packed(text []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(text)
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

// archive writes a tree as a .tar.gz, below a folder.
func (r release) archive(to, folder string, tree []entry) (err error) {
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	level := gzip.BestCompression
	if r.quick {
		level = gzip.BestSpeed
	}
	z, err := gzip.NewWriterLevel(file, level)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range sorted(tree) {
		h := &tar.Header{Name: folder + "/" + e.path, Mode: int64(e.mode), Size: int64(len(e.text)), ModTime: r.at,
			Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.text); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func sorted(tree []entry) []entry {
	tree = slices.Clone(tree)
	slices.SortFunc(tree, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return tree
}

// stage writes a tree to a folder below r.work.
func (r release) stage(folder string, tree []entry) (string, error) {
	root := filepath.Join(r.work, folder)
	for _, e := range tree {
		path := filepath.Join(root, filepath.FromSlash(e.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, e.text, e.mode); err != nil {
			return "", err
		}
	}
	return root, nil
}
