package sheet

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	// pinned: its StreamWriter writes rows as they come, to a file on disk when they are many
	"github.com/xuri/excelize/v2"
)

// XLSX is a workbook whose sheets are Sheet1, Sheet2 and so on.
var XLSX = Format{ID: "xlsx", Label: "Excel", Extension: "xlsx",
	Type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	Open: func(w io.Writer, head []Column) (Writer, error) {
		return NewWorkbook(w, func(n int) string { return "Sheet" + strconv.Itoa(n) }, head)
	}}

const (
	sheetRows  = 1 << 20
	sheetChars = 32767 // maximum UTF-16 units of a cell
	cutMark    = "… (cut: a cell of a workbook holds 32,767 characters)"
	numberLen  = 15 // digits of a whole number that spreadsheets show
)

// Workbook is a Writer of XLSX. Rows beyond the limit of a sheet continue on
// another one.
type Workbook struct {
	to      io.Writer
	file    *excelize.File
	name    func(n int) string // name of the n-th sheet, from 1
	columns []Column
	bold    int // the style
	rows    *excelize.StreamWriter
	sheets  int
	row     int // the last row written, from 1
	line    []any
}

// NewWorkbook returns a workbook that Close writes to w. The function name
// returns the names of its sheets, numbered from 1.
func NewWorkbook(w io.Writer, name func(n int) string, head []Column) (_ *Workbook, err error) {
	b := &Workbook{to: w, file: excelize.NewFile(), name: name, columns: head, line: make([]any, len(head))}
	if b.bold, err = b.file.NewStyle(&excelize.Style{
		Font: &excelize.Font{Bold: true}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"EFEDE7"}},
	}); err != nil {
		return nil, err
	}
	return b, b.next()
}

// sheet begins a sheet.
func (w *Workbook) sheet(name string) (err error) {
	if w.sheets++; w.sheets == 1 {
		err = w.file.SetSheetName("Sheet1", name)
	} else if err = w.rows.Flush(); err == nil {
		_, err = w.file.NewSheet(name)
	}
	if err != nil {
		return err
	}
	w.row = 0
	w.rows, err = w.file.NewStreamWriter(name)
	return err
}

// next begins a sheet with the column names and widths.
func (w *Workbook) next() error {
	if err := w.sheet(w.name(w.sheets + 1)); err != nil {
		return err
	}
	for i, c := range w.columns {
		w.line[i] = excelize.Cell{StyleID: w.bold, Value: sheetText(c.Name)}
		wide := min(max(utf8.RuneCountInString(c.Name)+4, 14), 40)
		if err := w.rows.SetColWidth(i+1, i+1, float64(wide)); err != nil {
			return err
		}
	}
	if err := w.rows.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2",
		ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	return w.add(w.line)
}

func (w *Workbook) add(line []any) error {
	w.row++
	return w.rows.SetRow("A"+strconv.Itoa(w.row), line)
}

// Row adds a row.
func (w *Workbook) Row(cells []Cell) error {
	if w.row == sheetRows {
		if err := w.next(); err != nil {
			return err
		}
	}
	for i, c := range cells {
		w.line[i] = sheetValue(c)
	}
	return w.add(w.line)
}

// About adds a sheet with lines about the rows, each with its label in the first
// cell. No row may follow.
func (w *Workbook) About(name string, lines [][]Cell) error {
	if err := w.sheet(name); err != nil {
		return err
	}
	if err := w.rows.SetColWidth(1, 1, 24); err != nil {
		return err
	}
	for _, cells := range lines {
		line := []any{excelize.Cell{StyleID: w.bold, Value: sheetValue(cells[0])}}
		for _, c := range cells[1:] {
			line = append(line, sheetValue(c))
		}
		if err := w.add(line); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes the temporary files of a workbook that was not closed.
func (w *Workbook) Discard() { _ = w.file.Close() }

// Close writes the workbook.
func (w *Workbook) Close() error {
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

// sheetNumber returns a number that a spreadsheet stores exactly: its float64 has
// the same digits, and a whole number is no longer than a cell shows.
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

// sheetText returns a text truncated to the length of a cell, without characters
// that XML does not allow.
func sheetText(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if within(text, sheetChars) == len(text) {
		return text
	}
	return text[:within(text, sheetChars-utf8.RuneCountInString(cutMark))] + cutMark
}

// within returns the number of bytes of a text that fit into units UTF-16 units.
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
