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

// The columns of a line of Go, a tab counting four.
const (
	columns = 120
	tab     = "    "
)

// structTag matches a tag of a struct's field, which cannot be cut.
var structTag = regexp.MustCompile("^`[a-z]+:\"")

// A raw string of several lines may be wider, as it shows a body, a file or a page of a program as it is.
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

// rawLines returns the lines of source that a tag, or a raw string of several lines, covers wholly or in part.
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
