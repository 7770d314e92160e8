package layout

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.gohtml
var pageText string

// bar is one segment of the bar at the top, in thousandths of its width.
type bar struct {
	Count
	X, Width int64
}

// page holds the header and footer of the page.
type page struct {
	*Table
	Bars    []bar
	Counted int64
	NoRows  string
}

type pageRow struct {
	Tone  Tone
	Cells []pageCell
}

// oneLine is the number of bytes up to which a cell is not wrapped, such as names
// and times.
const oneLine = 26

type pageCell struct {
	Text  string
	Right bool
	Long  bool // it may take several lines
}

// writeHTML writes a self-contained page, with its style and without scripts.
func (t *Table) writeHTML(w io.Writer) error {
	parsed, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	p := &page{Table: t, NoRows: noRows}
	p.Bars, p.Counted = bars(t.Counts)
	if err := parsed.ExecuteTemplate(w, "head", p); err != nil {
		return err
	}
	var line pageRow
	if err := t.Rows(func(row Row) error {
		line.Tone, line.Cells = row.Tone, line.Cells[:0]
		for i, text := range row.Cells {
			line.Cells = append(line.Cells, pageCell{text, t.RightAligned(i), len(text) > oneLine})
		}
		return parsed.ExecuteTemplate(w, "row", line)
	}); err != nil {
		return err
	}
	return parsed.ExecuteTemplate(w, "foot", p)
}

// bars divides the width among the counts. Every count above 0 is visible.
func bars(counts []Count) (out []bar, sum int64) {
	const whole, least = 1000, 8
	for _, c := range counts {
		sum += c.N
	}
	for _, c := range counts {
		if c.N > 0 {
			out = append(out, bar{Count: c, Width: max(least, c.N*whole/sum)})
		}
	}
	over, widest := int64(-whole), 0
	for i := range out {
		over += out[i].Width
		if out[i].Width > out[widest].Width {
			widest = i
		}
	}
	at := int64(0)
	for i := range out {
		if i == widest {
			out[i].Width -= over
		}
		out[i].X = at
		at += out[i].Width
	}
	return out, sum
}
