package report

import (
	"encoding/csv"
	"io"
	"strings"
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
			safe[i] = harmless(cell)
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

// harmless keeps a spreadsheet from taking a text of others for a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
