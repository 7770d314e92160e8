package export

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	// pinned: its StreamWriter writes rows as they come, to a file on disk when they are many
	"github.com/xuri/excelize/v2"
)

// XLSX is a workbook. Rows beyond the limit of a sheet continue on another one.
var XLSX = Format{ID: "xlsx", Label: "Excel", Extension: "xlsx",
	Type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	Open: func(w io.Writer, head []Column) (Writer, error) {
		out := &xlsxWriter{to: w, file: excelize.NewFile(), head: make([]any, len(head)), line: make([]any, len(head))}
		bold, err := out.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
		if err != nil {
			return nil, err
		}
		for i, c := range head {
			out.head[i] = excelize.Cell{StyleID: bold, Value: sheetText(c.Name)}
		}
		return out, out.sheet()
	}}

const (
	sheetRows  = 1 << 20
	sheetChars = 32767 // characters of a cell, as UTF-16 counts them
	cutMark    = "… (cut: a cell of a workbook holds 32,767 characters)"
	numberLen  = 15 // digits of a whole number that spreadsheets show
)

type xlsxWriter struct {
	to     io.Writer
	file   *excelize.File
	rows   *excelize.StreamWriter
	sheets int
	row    int // the last one written, from 1
	head   []any
	line   []any
}

// sheet begins a sheet with the head.
func (w *xlsxWriter) sheet() (err error) {
	w.sheets++
	name := "Sheet" + strconv.Itoa(w.sheets)
	if w.sheets > 1 {
		if err := w.rows.Flush(); err != nil {
			return err
		}
		if _, err := w.file.NewSheet(name); err != nil {
			return err
		}
	}
	if w.rows, err = w.file.NewStreamWriter(name); err != nil {
		return err
	}
	if err := w.rows.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2",
		ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	w.row = 1
	return w.rows.SetRow("A1", w.head)
}

func (w *xlsxWriter) Row(cells []Cell) error {
	if w.row == sheetRows {
		if err := w.sheet(); err != nil {
			return err
		}
	}
	for i, c := range cells {
		w.line[i] = sheetValue(c)
	}
	w.row++
	return w.rows.SetRow("A"+strconv.Itoa(w.row), w.line)
}

func (w *xlsxWriter) Close() error {
	defer w.file.Close()
	if err := w.rows.Flush(); err != nil {
		return err
	}
	return w.file.Write(w.to)
}

func sheetValue(c Cell) any {
	switch c.Kind {
	case None:
		return nil
	case Word:
		return c.Text == "true"
	case Number:
		if n, ok := sheetNumber(c.Text); ok {
			return n
		}
	}
	return sheetText(c.Text)
}

// sheetNumber returns a number that a spreadsheet stores exactly: a float64
// writes the same digits again, and a whole number is no longer than a cell
// shows.
func sheetNumber(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".") // 1.50 is 1.5
	}
	if err != nil || strconv.FormatFloat(n, 'f', -1, 64) != text {
		return 0, false
	}
	return n, strings.Contains(text, ".") || len(strings.TrimPrefix(text, "-")) <= numberLen
}

// sheetText returns a text of a length that a cell holds.
func sheetText(text string) string {
	if within(text, sheetChars) == len(text) {
		return text
	}
	return text[:within(text, sheetChars-utf8.RuneCountInString(cutMark))] + cutMark
}

// within returns the bytes of a text that take at most units UTF-16 units.
func within(text string, units int) int {
	for at, r := range text {
		if units--; r > 0xffff {
			units--
		}
		if units < 0 {
			return at
		}
	}
	return len(text)
}
