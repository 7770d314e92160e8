// Package layout draws reports.
//
// A Table becomes a file of one format: CSV, XLSX, PDF, or one self-contained HTML
// page. It does not know what its rows are about.
//
// CSV is RFC 4180 in UTF-8 with a byte order mark, because spreadsheet programs
// otherwise assume another encoding. A cell that begins with = + - @ a tab or a line
// break gets a leading apostrophe, so that it stays text there.
//
// Charts (Chart) are drawn on a canvas, which is SVG or PDF. A PDF is landscape A4 in
// the Go fonts, with Latin, Greek and Cyrillic letters; others are shown as a box. It
// ends after mostPDF rows with a note, because it is built in memory.
//
// A Table is for one goroutine.
package layout

import (
	"io"
	"strconv"
	"time"

	"spyglass/backend/portal/reporting"
)

// Table is the content of a report.
type Table struct {
	Title   string
	About   []string // what it covers, a line each
	Columns []string
	Numbers []bool  // of each column: its cells are numbers; nil where none are
	Right   []bool  // of each column: its cells end at its right edge, as numbers do
	Counts  []Count // for the top, in this order
	Charts  []Chart // below the counts
	Total   int64   // rows, as counted before they are read

	// Rows gives each row in order, until yield or reading fails.
	Rows func(yield func(Row) error) error

	Type string    // of the report
	Note string    // what users wrote about it
	Made string    // when and for whom
	At   time.Time // of the file
}

// Row is one line of a Table: a text for each column.
type Row struct {
	Cells []string
	Tone  Tone
}

// Count is the number of rows of one kind.
type Count struct {
	Label string
	Tone  Tone
	N     int64
}

// Tone is the severity of a row or a count, which determines its color.
type Tone string

// The tones.
const (
	Plain    Tone = ""
	Critical Tone = "critical"
	Error    Tone = "error"
	Warn     Tone = "warn"
	OK       Tone = "ok"
)

// Moment is the format of times in a report. ShortMoment is for the cells of a PDF:
// its space does not break.
const (
	Moment      = "2006-01-02 15:04:05 MST"
	ShortMoment = "2006-01-02\u00a015:04"
)

// noRows appears below the column names of a report without rows.
const noRows = "No rows match this report."

// RightAligned reports whether the cells of a column end at its right edge.
func (t *Table) RightAligned(column int) bool { return column < len(t.Right) && t.Right[column] }

// Summarize leaves only the counts, as the rows of the table.
func (t *Table) Summarize(label, number string) {
	t.Columns, t.Total = []string{label, number}, int64(len(t.Counts))
	t.Rows = func(yield func(Row) error) error {
		for _, c := range t.Counts {
			if err := yield(Row{Cells: []string{c.Label, strconv.FormatInt(c.N, 10)}, Tone: c.Tone}); err != nil {
				return err
			}
		}
		return nil
	}
}

// Write writes the table in a format, reporting.FormatHTML and so on, and returns the
// number of pages of a PDF.
func (t *Table) Write(w io.Writer, format string) (pages int64, err error) {
	switch format {
	case reporting.FormatCSV:
		return 0, t.writeCSV(w)
	case reporting.FormatXLSX:
		return 0, t.writeXLSX(w)
	case reporting.FormatPDF:
		return t.writePDF(w)
	}
	return 0, t.writeHTML(w)
}
