package layout

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"spyglass/backend/sheet"
)

// WriteMarkdown writes the report for a wiki or a ticket: headings, the lines that
// say what it covers as a list, counts, and the rows as a table. It has no charts.
func (t *Table) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n\n", sheet.MarkdownText(t.Title))
	for _, line := range append([]string{t.Note}, t.About...) {
		if line != "" {
			fmt.Fprintf(out, "- %s\n", sheet.MarkdownText(line))
		}
	}
	var counts []string
	for _, c := range t.Counts {
		if c.N > 0 {
			counts = append(counts, fmt.Sprintf("%s: %d", sheet.MarkdownText(c.Label), c.N))
		}
	}
	if len(counts) > 0 {
		fmt.Fprintf(out, "- %s\n", strings.Join(counts, ", "))
	}
	fmt.Fprintf(out, "\n## Timeline\n\n")
	if err := out.Flush(); err != nil {
		return err
	}
	rows, err := sheet.Markdown.Open(w, sheet.Columns(t.Columns...))
	if err != nil {
		return err
	}
	if err := t.writeRows(rows, t.Numbers); err != nil {
		return err
	}
	if err := rows.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nGenerated %s.\n", sheet.MarkdownText(t.Made))
	return err
}
