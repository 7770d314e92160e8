package report

import (
	"encoding/csv"
	"io"

	"spyglass/backend/resource"
)

const byteOrderMark = "\ufeff"

// writeCSV writes the header and the rows, and nothing around them.
func (t *Table) writeCSV(w io.Writer) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	line := func(cells []string) error {
		safe := make([]string, len(cells))
		for i, cell := range cells {
			safe[i] = resource.CSVCell(cell)
		}
		return out.Write(safe)
	}
	if err := line(t.Columns); err != nil {
		return err
	}
	if err := t.Rows(func(row Row) error { return line(row.Cells) }); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
