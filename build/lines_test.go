package main

import (
	"go/scanner"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Maximum width of a line of Go, in columns; a tab counts as four.
const (
	columns = 120
	tab     = "    "
)

// structTag matches the tag of a struct field, which cannot be wrapped.
var structTag = regexp.MustCompile("^`[a-z]+:\"")

// Raw strings of several lines may be wider, because they contain bodies, files or output verbatim.
func TestNoLineOfGoIsWiderThan120Columns(t *testing.T) {
	none := func(string) bool { return false }
	eachGoFile(t, "..", none, func(path string) {
		if strings.HasSuffix(path, ".gen.go") {
			return
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		raw := rawLines(source)
		for i, line := range strings.Split(string(source), "\n") {
			width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", tab))
			if width > columns && !raw[i+1] {
				t.Errorf("%s:%d has %d columns", path, i+1, width)
			}
		}
	})
}

// rawLines returns the lines of source that a struct tag or a multi-line raw string covers.
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
		if kind == token.STRING && (strings.Contains(text, "\n") || structTag.MatchString(text)) {
			first := file.Line(at)
			for line := first; line <= first+strings.Count(text, "\n"); line++ {
				raw[line] = true
			}
		}
	}
}
