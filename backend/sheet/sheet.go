// Package sheet writes tables as files: CSV, TSV, Markdown and XLSX.
//
// A table is a head and rows, written one after the other and not held in memory:
//
//	w, err := format.Open(file, head)
//	err = w.Row(cells)
//	err = w.Close()
//
// # No formulas
//
// A cell is text or a number and never a formula, in none of the formats: in CSV
// and TSV a text that a spreadsheet would calculate gets an apostrophe in front;
// in XLSX a text is a text by its type. Numbers keep their digits: XLSX has a
// number only where a spreadsheet shows it as it was, and a text otherwise.
//
// # Concurrency
//
// A Writer belongs to one goroutine.
//
// # Errors
//
// Errors are those of the underlying writer, unchanged.
package sheet

import "io"

// Kind is the type of a cell.
type Kind uint8

// The kinds of cells.
const (
	None   Kind = iota // nothing, like null
	Text               // text, or anything else
	Number             // a number as JSON writes it
	Word               // true or false
)

// Cell is one value.
type Cell struct {
	Kind Kind
	Text string
}

// Column is a column of a table, with its heading.
type Column struct {
	Name   string
	Number bool // its cells are numbers
}

// Columns returns columns of text with these names.
func Columns(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}

// Writer writes the rows of a table. Close completes the file.
type Writer interface {
	Row(cells []Cell) error
	Close() error
}

// Format is a kind of file.
type Format struct {
	ID, Label, Extension string
	Type                 string // media type of the content
	Plain                bool   // it is text that can be pasted
	Open                 func(w io.Writer, head []Column) (Writer, error)
}

// Formats lists all formats.
var Formats = []Format{CSV, TSV, Markdown, XLSX}

// Of returns the format with an ID.
func Of(id string) (Format, bool) {
	for _, f := range Formats {
		if f.ID == id {
			return f, true
		}
	}
	return Format{}, false
}
