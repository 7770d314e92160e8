package layout

import (
	"io"
	"strconv"

	"spyglass/backend/sheet"
)

const byteOrderMark = "\ufeff"

// writeCSV writes only the header and the rows.
func (t *Table) writeCSV(w io.Writer) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out, err := sheet.CSV.Open(w, sheet.Columns(t.Columns...))
	if err != nil {
		return err
	}
	if err := t.writeRows(out, nil); err != nil {
		return err
	}
	return out.Close()
}

// writeXLSX writes the rows, and a last sheet with the details of the report.
func (t *Table) writeXLSX(w io.Writer) error {
	name := func(n int) string {
		if n == 1 {
			return "Report"
		}
		return "Report " + strconv.Itoa(n)
	}
	book, err := sheet.NewWorkbook(w, name, sheet.Columns(t.Columns...))
	if err != nil {
		return err
	}
	defer book.Discard()
	if err := t.writeRows(book, t.Numbers); err != nil {
		return err
	}
	about := [][]sheet.Cell{texts("Report", t.Title), texts("Type", t.Type), texts("Generated", t.Made)}
	for _, note := range append([]string{t.Note}, t.About...) {
		if note != "" {
			about = append(about, texts("", note))
		}
	}
	for _, c := range t.Counts {
		about = append(about, append(texts(c.Label), sheet.Cell{Kind: sheet.Number, Text: strconv.FormatInt(c.N, 10)}))
	}
	if err := book.About("About", about); err != nil {
		return err
	}
	return book.Close()
}

// writeRows writes all rows; numbers marks columns of numbers.
func (t *Table) writeRows(out sheet.Writer, numbers []bool) error {
	return t.Rows(func(row Row) error {
		cells := texts(row.Cells...)
		for i := range min(len(cells), len(numbers)) {
			if numbers[i] {
				cells[i].Kind = sheet.Number
			}
		}
		return out.Row(cells)
	})
}

func texts(all ...string) []sheet.Cell {
	cells := make([]sheet.Cell, len(all))
	for i, text := range all {
		cells[i] = sheet.Cell{Kind: sheet.Text, Text: text}
	}
	return cells
}
