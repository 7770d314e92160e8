package layout

import (
	"errors"
	"math"
	"slices"
)

// measured is the number of rows that determine the column widths.
const measured = 200

// rows writes the table. The first rows determine the column widths.
func (p *pdf) rows() error {
	p.size = 8
	if n := len(p.table.Columns); n > 12 {
		p.size = 6
	} else if n > 9 {
		p.size = 7
	}
	var first []Row
	begun := false
	begin := func() {
		begun = true
		p.measure(first)
		if p.GetY()+30 > endY {
			p.AddPage()
		}
		p.columns()
		for _, row := range first {
			p.row(row)
		}
	}
	full := errors.New("the PDF has the maximum number of rows")
	n := 0
	err := p.table.Rows(func(row Row) error {
		switch n++; {
		case n > mostPDF:
			return full
		case !begun:
			if first = append(first, row); len(first) == measured {
				begin()
			}
		default:
			p.row(row)
		}
		return p.Error()
	})
	if errors.Is(err, full) {
		err = nil
	}
	if !begun && err == nil {
		begin()
	}
	if n == 0 && err == nil {
		p.letters("", p.size, inkQuiet)
		p.SetY(p.paragraph(p.GetY()+1, noRows, 4.4, 1))
	}
	return errors.Join(err, p.Error())
}

// widestWord is the width up to which a column is made wide enough for a word.
const widestWord = 45.0

// measure divides the width of the page among the columns.
func (p *pdf) measure(first []Row) {
	need, least := make([]float64, len(p.table.Columns)), make([]float64, len(p.table.Columns))
	see := func(i int, text string, width float64) {
		for _, line := range p.lines(text, width) {
			need[i] = math.Max(need[i], p.width(line))
		}
		least[i] = math.Max(least[i], p.widestPart(text))
	}
	for i, name := range p.table.Columns {
		p.letters("B", p.size, inkText)
		see(i, name, 30)
		p.letters("", p.size, inkText)
		for _, row := range first {
			see(i, shorten(row.Cells[i], 400), 90)
		}
		const around = 2*cellPad + 0.6
		need[i], least[i] = need[i]+around, math.Min(least[i], widestWord)+around
	}
	p.widths = shares(need, least, textWidth)
}

// widestPart returns the width of the widest part of a text that is not broken.
func (p *pdf) widestPart(text string) (widest float64) {
	letters, wide := []rune(p.clean(text)), 0.0
	for i, c := range letters {
		if wide += p.letterWidth(c); breaks(letters, i) || i == len(letters)-1 {
			widest, wide = math.Max(widest, wide), 0
		}
	}
	return widest
}

// shares gives each column the width it needs, and distributes what remains. If
// they need too much in total, it cuts the widest ones to the same width, but none
// to less than its least width as long as there is room for these.
func shares(need, least []float64, width float64) []float64 {
	sum, floor := 0.0, 0.0
	for i := range need {
		sum, floor = sum+need[i], floor+math.Min(least[i], need[i])
	}
	out := slices.Clone(need)
	if sum <= width {
		for i := range out {
			out[i] += (width - sum) / float64(len(out))
		}
		return out
	}
	if floor > width {
		least = make([]float64, len(need))
	}
	low, high := 0.0, width
	for range 50 { // finds the width to which the widest are cut
		most := (low + high) / 2
		sum = 0
		for i := range out {
			out[i] = math.Min(need[i], math.Max(least[i], most))
			sum += out[i]
		}
		if sum > width {
			high = most
		} else {
			low = most
		}
	}
	return out
}

// columns writes the column names at the top of each page.
func (p *pdf) columns() {
	p.letters("B", p.size, inkText)
	height := p.size * ptToMM * 1.3
	var cells [][]string
	most := 1
	for i, name := range p.table.Columns {
		lines := p.lines(name, p.widths[i]-2*cellPad)
		cells = append(cells, lines)
		most = max(most, len(lines))
	}
	y := p.GetY()
	high := float64(most)*height + 2*cellPad
	p.fill("head")
	p.Rect(margin, y, textWidth, high, "F")
	p.cells(cells, y, height)
	p.SetY(y + high)
}

func (p *pdf) row(row Row) {
	p.letters("", p.size, inkText)
	height := p.size * ptToMM * 1.3
	cells := make([][]string, len(row.Cells))
	most := 1
	for i, text := range row.Cells {
		lines := p.lines(text, p.widths[i]-2*cellPad)
		if len(lines) > mostLines {
			lines = append(lines[:mostLines-1:mostLines-1], "…")
		}
		cells[i] = lines
		most = max(most, len(lines))
	}
	high := float64(most)*height + 1.6
	if p.GetY()+high > endY {
		p.AddPage()
		p.columns()
		p.letters("", p.size, inkText)
	}
	y := p.GetY()
	p.cells(cells, y-cellPad+0.8, height)
	if row.Tone != Plain {
		p.fill(row.Tone)
		p.Rect(margin, y, 0.7, high, "F")
	}
	p.fill("line")
	p.Rect(margin, y+high-0.1, textWidth, 0.1, "F")
	p.SetY(y + high)
}

func (p *pdf) cells(cells [][]string, y, height float64) {
	x := margin
	for i, lines := range cells {
		for k, line := range lines {
			at := x + cellPad + 0.3
			if p.table.RightAligned(i) {
				at = x + p.widths[i] - cellPad - p.width(line)
			}
			if line != "" {
				p.Text(at, y+cellPad+height*(float64(k)+0.77), line)
			}
		}
		x += p.widths[i]
	}
}
