package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The columns of a line of Go, a tab counting four.
const (
	columns = 120
	tab     = "    "
)

// A raw string may be wider: it shows a body, a file or a page of a program as it is.
func TestNoLineOfGoIsWiderThan120Columns(t *testing.T) {
	root := ".."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && (name == "node_modules" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, ".gen.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		raw := rawLines(source)
		for i, line := range strings.Split(string(source), "\n") {
			width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", tab))
			if width > columns && !raw[i+1] {
				t.Errorf("%s:%d has %d columns", path, i+1, width)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rawLines returns the lines of source that a raw string covers, wholly or in part.
func rawLines(source []byte) map[int]bool {
	raw := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return raw
		}
		if kind == token.STRING && text[0] == '`' {
			first := file.Line(at)
			for line := first; line <= first+strings.Count(text, "\n"); line++ {
				raw[line] = true
			}
		}
	}
}
