package report

import (
	"io"
	"strconv"
	"strings"

	// pinned: its StreamWriter writes rows as they come, to a file on disk when they are many
	"github.com/xuri/excelize/v2"
)

const (
	sheetRows  = 1 << 20
	sheetChars = 32767
	cutMark    = "… (cut: a cell of a workbook holds 32,767 characters)"
)

// book is a workbook being written. Rows that do not fit into a sheet continue in
// another one. Text cells are always text, regardless of how they begin.
type book struct {
	*excelize.File
	table   *Table
	bold    int
	numbers []bool // by column
	rows    *excelize.StreamWriter
	sheets  int
	row     int // the last one written, from 1
}

// writeXLSX writes the rows, and on a last sheet what the report is about.
func (t *Table) writeXLSX(w io.Writer, r *Run) error {
	b := &book{File: excelize.NewFile(), table: t, numbers: make([]bool, len(t.Columns))}
	defer b.Close()
	var err error
	if b.bold, err = b.NewStyle(&excelize.Style{
		Font: &excelize.Font{Bold: true}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"EFEDE7"}},
	}); err != nil {
		return err
	}
	copy(b.numbers, t.Numbers)
	if err := b.sheet(); err != nil {
		return err
	}
	if err := t.Rows(b.add); err != nil {
		return err
	}
	if err := b.rows.Flush(); err != nil {
		return err
	}
	if err := b.about(r); err != nil {
		return err
	}
	return b.Write(w)
}

// sheet begins one with the names of the columns.
func (b *book) sheet() (err error) {
	b.sheets++
	name := "Report"
	if b.sheets > 1 {
		if err := b.rows.Flush(); err != nil {
			return err
		}
		name += " " + strconv.Itoa(b.sheets)
		_, err = b.NewSheet(name)
	} else {
		err = b.SetSheetName("Sheet1", name)
	}
	if err != nil {
		return err
	}
	if b.rows, err = b.NewStreamWriter(name); err != nil {
		return err
	}
	head := make([]any, len(b.table.Columns))
	for i, c := range b.table.Columns {
		head[i] = excelize.Cell{StyleID: b.bold, Value: sheetText(c)}
		if err := b.rows.SetColWidth(i+1, i+1, min(max(float64(len([]rune(c)))+4, 14), 40)); err != nil {
			return err
		}
	}
	if err := b.rows.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2",
		ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	b.row = 1
	return b.rows.SetRow("A1", head)
}

func (b *book) add(row Row) error {
	if b.row == sheetRows {
		if err := b.sheet(); err != nil {
			return err
		}
	}
	line := make([]any, len(row.Cells))
	for i, text := range row.Cells {
		line[i] = sheetText(text)
		if b.numbers[i] {
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				line[i] = n
			}
		}
	}
	b.row++
	return b.rows.SetRow("A"+strconv.Itoa(b.row), line)
}

// about is the last sheet: the head of the report, as lines of two cells.
func (b *book) about(r *Run) error {
	if _, err := b.NewSheet("About"); err != nil {
		return err
	}
	out, err := b.NewStreamWriter("About")
	if err != nil {
		return err
	}
	if err := out.SetColWidth(1, 1, 24); err != nil {
		return err
	}
	lines := [][]any{{"Report", b.table.Title}, {"Type", r.Report.Type}, {"Made", r.made()}}
	for _, note := range append([]string{r.Report.Description}, b.table.About...) {
		if note != "" {
			lines = append(lines, []any{"", note})
		}
	}
	for _, c := range b.table.Counts {
		lines = append(lines, []any{c.Label, float64(c.N)})
	}
	for i, line := range lines {
		for k, cell := range line {
			if text, ok := cell.(string); ok {
				line[k] = sheetText(text)
			}
		}
		line[0] = excelize.Cell{StyleID: b.bold, Value: line[0]}
		if err := out.SetRow("A"+strconv.Itoa(i+1), line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// sheetText returns a text that fits into a cell, without characters that XML does
// not allow.
func sheetText(text string) string {
	text = strings.ToValidUTF8(text, "�")
	units := 0
	for at, c := range text {
		if units++; c > 0xffff {
			units++
		}
		if units > sheetChars-len(cutMark) {
			return text[:at] + cutMark
		}
	}
	return text
}
