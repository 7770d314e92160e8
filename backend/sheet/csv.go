package sheet

import (
	"encoding/csv"
	"io"
	"strings"
)

// CSV is RFC 4180 in UTF-8.
var CSV = Format{ID: "csv", Label: "CSV", Extension: "csv", Type: "text/csv; charset=utf-8", Plain: true,
	Open: separated(',')}

// separated returns a function that writes rows with a separator between the
// cells.
func separated(comma rune) func(io.Writer, []Column) (Writer, error) {
	return func(w io.Writer, head []Column) (Writer, error) {
		out := csv.NewWriter(w)
		out.Comma, out.UseCRLF = comma, true
		line := make([]string, len(head))
		for i, c := range head {
			line[i] = harmless(c.Name)
		}
		return &separatedWriter{out, line}, out.Write(line)
	}
}

type separatedWriter struct {
	*csv.Writer
	line []string
}

func (w *separatedWriter) Row(cells []Cell) error {
	for i, c := range cells {
		w.line[i] = c.Text
		if c.Kind == Text {
			w.line[i] = harmless(c.Text)
		}
	}
	return w.Write(w.line)
}

func (w *separatedWriter) Close() error {
	w.Flush()
	return w.Error()
}

// harmless escapes a text for a cell, so that a spreadsheet does not evaluate
// untrusted text as a formula (trust.md, rule 9).
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
