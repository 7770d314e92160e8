package layout

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	// fpdf (MIT), pinned, writes PDF in pure Go; github.com/go-pdf/fpdf, its
	// former home, is archived.
	"codeberg.org/go-pdf/fpdf"

	// The Go fonts (BSD) have Latin, Greek and Cyrillic letters; the letters that
	// a file uses are embedded.
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// mostPDF is the maximum number of rows of a PDF, which is built in memory.
const mostPDF = 20_000

// Millimeters of a landscape A4 page.
const (
	pageWidth  = 297.0
	pageHeight = 210.0
	margin     = 12.0
	textWidth  = pageWidth - 2*margin
	footY      = pageHeight - 9
	endY       = pageHeight - 15 // lower end of rows
	cellPad    = 1.2
	mostLines  = 12 // in a cell
	ptToMM     = 25.4 / 72
)

type rgb struct{ r, g, b int }

// pdfInks are the colors of the light page.
var pdfInks = map[Ink]rgb{
	Critical: {217, 47, 53}, Error: {214, 92, 25}, Warn: {180, 135, 16}, OK: {143, 188, 177}, Plain: {211, 209, 203},
	inkText: {27, 34, 42}, inkQuiet: {93, 102, 111}, inkGrid: {230, 227, 220}, Bar: {79, 138, 125},
	"l1": {31, 122, 104}, "l2": {137, 94, 22}, "l3": {60, 100, 180}, "l4": {163, 66, 109}, "l5": {107, 106, 30},
	"l6":   {109, 91, 176},
	"head": {239, 237, 231}, "line": {223, 220, 214}, "brass": {137, 94, 22},
}

// pdf is a file in progress.
type pdf struct {
	*fpdf.Fpdf
	table  *Table
	size   float64 // font size of the rows, in points
	widths []float64
	letter map[rune]bool               // letters that the font has
	wide   map[string]map[rune]float64 // width of a letter of one point in millimetres, by style
	now    map[rune]float64            // the same for the current style
	points float64                     // the current size
	font   *sfnt.Font
	space  sfnt.Buffer
}

// writePDF writes the header, the charts and at most mostPDF rows.
func (t *Table) writePDF(w io.Writer) (pages int64, err error) {
	p := &pdf{Fpdf: fpdf.New("L", "mm", "A4", ""), table: t, letter: map[rune]bool{},
		wide: map[string]map[rune]float64{"": {}, "B": {}}}
	if p.font, err = sfnt.Parse(goregular.TTF); err != nil {
		return 0, err
	}
	p.begin()
	p.head()
	p.counts()
	for i := range t.Charts {
		p.chart(&t.Charts[i])
	}
	if err := p.rows(); err != nil {
		return 0, err
	}
	return int64(p.PageCount()), p.Output(w)
}

const (
	family     = "Go"
	pagesToken = "{pages}"
)

func (p *pdf) begin() {
	p.AddUTF8FontFromBytes(family, "", goregular.TTF)
	p.AddUTF8FontFromBytes(family, "B", gobold.TTF)
	p.SetTitle(p.clean(p.table.Title), true)
	p.SetSubject(p.clean(p.table.Type), true)
	p.SetCreator("Spyglass", true)
	p.SetLang("en")
	p.SetCreationDate(p.table.At)
	p.SetModificationDate(p.table.At)
	p.SetCatalogSort(true)
	p.SetMargins(margin, margin, margin)
	p.SetAutoPageBreak(false, 0)
	p.SetLineCapStyle("round")
	p.AliasNbPages(pagesToken)
	title, made := p.clean(shorten(p.table.Title, 90)), p.clean("Generated "+p.table.Made)
	covers := ""
	if len(p.table.About) > 0 {
		covers = p.clean(shorten(p.table.About[0], 90))
	}
	p.SetHeaderFunc(func() {
		p.SetY(margin)
		if p.PageNo() == 1 { // has the title in large letters
			return
		}
		p.letters("B", 8, inkText)
		p.Text(margin, margin, title)
		p.letters("", 8, inkQuiet)
		p.Text(pageWidth-margin-p.width(covers), margin, covers)
		p.fill("line")
		p.Rect(margin, margin+2, textWidth, 0.1, "F")
		p.SetY(margin + 5)
	})
	p.SetFooterFunc(func() {
		p.letters("", 8, inkQuiet)
		p.Text(margin, footY, made)
		// the number of pages is known at the end: the widest number decides where the text begins
		page := fmt.Sprintf("Page %d of ", p.PageNo())
		p.Text(pageWidth-margin-p.width(page+"000"), footY, page+pagesToken)
	})
	p.AddPage()
}

// letters sets font, size and color of the next text.
func (p *pdf) letters(style string, points float64, ink Ink) {
	p.SetFont(family, style, points)
	p.now, p.points = p.wide[style], points
	c := pdfInks[ink]
	p.SetTextColor(c.r, c.g, c.b)
}

func (p *pdf) fill(ink Ink) {
	c := pdfInks[ink]
	p.SetFillColor(c.r, c.g, c.b)
}

// paragraph writes a text on as many lines as it needs, and returns the y below
// it.
func (p *pdf) paragraph(y float64, text string, height float64, lines int) float64 {
	for i, line := range p.lines(text, textWidth) {
		if i == lines {
			break
		}
		y += height
		p.Text(margin, y-height*0.28, line)
	}
	return y
}

func (p *pdf) head() {
	y := margin
	p.letters("", 8.5, "brass")
	p.Text(margin, y+2.4, p.clean(p.table.Type))
	y += 4
	p.letters("B", 17, inkText)
	y = p.paragraph(y, p.table.Title, 7.6, 3)
	p.letters("", 9.5, inkText)
	for _, line := range append([]string{p.table.Note}, p.table.About...) {
		if line != "" {
			y = p.paragraph(y, line, 4.6, 6)
		}
	}
	p.letters("", 8.5, inkQuiet)
	made := fmt.Sprintf("Generated %s. %s rows.", p.table.Made, strconv.FormatInt(p.table.Total, 10))
	if p.table.Total > mostPDF {
		made += fmt.Sprintf(" A PDF has the first %d of them; CSV and XLSX have all.", mostPDF)
	}
	y = p.paragraph(y+1, made, 4.4, 3)
	p.SetY(y + 4)
}

// counts writes the numbers at the top, and the bar that divides its width among
// them.
func (p *pdf) counts() {
	if len(p.table.Counts) == 0 {
		return
	}
	x, y := margin, p.GetY()
	for _, c := range p.table.Counts {
		n := strconv.FormatInt(c.N, 10)
		p.letters("B", 19, inkText)
		wide := p.width(n)
		p.Text(x, y+7, n)
		p.letters("", 9, inkQuiet)
		label := p.clean(c.Label)
		p.fill(c.Tone)
		p.Rect(x, y+9.6, 2.2, 2.2, "F")
		p.Text(x+3.4, y+11.8, label)
		x += math.Max(wide, p.width(label)+3.4) + 9
	}
	y += 15
	list, _ := bars(p.table.Counts)
	for _, b := range list {
		p.fill(b.Tone)
		p.Rect(margin+textWidth*float64(b.X)/1000, y, textWidth*float64(b.Width)/1000, 2.6, "F")
	}
	if len(list) > 0 {
		y += 3
	}
	p.SetY(y + 4)
}

func (p *pdf) chart(c *Chart) {
	scale := textWidth / chartWidth
	high := 6 + c.height()*scale
	if p.GetY()+high > endY {
		p.AddPage()
	}
	y := p.GetY()
	p.letters("B", 10, inkText)
	p.Text(margin, y+3.6, p.clean(c.Title))
	c.draw(&pdfCanvas{pdf: p, y: y + 6, scale: scale})
	p.SetY(y + high + 5)
}

// pdfCanvas is a chart's area on a page.
type pdfCanvas struct {
	*pdf
	y, scale float64
}

func (c *pdfCanvas) rect(x, y, w, h float64, ink Ink) {
	if h == 1 {
		h = 0.6 // the lines of a scale
	}
	c.fill(ink)
	c.Rect(margin+x*c.scale, c.y+y*c.scale, w*c.scale, h*c.scale, "F")
}

func (c *pdfCanvas) path(points []point, ink Ink) {
	colour := pdfInks[ink]
	c.SetDrawColor(colour.r, colour.g, colour.b)
	c.SetLineWidth(0.35)
	for i, at := range points {
		if x, y := margin+at.x*c.scale, c.y+at.y*c.scale; i == 0 {
			c.MoveTo(x, y)
		} else {
			c.LineTo(x, y)
		}
	}
	c.DrawPath("D")
}

func (c *pdfCanvas) text(at point, anchor anchor, ink Ink, text string) {
	c.letters("", 12*c.scale/ptToMM, ink)
	text = c.clean(text)
	x := margin + at.x*c.scale
	switch wide := c.width(text); anchor {
	case atMiddle:
		x -= wide / 2
	case atEnd:
		x -= wide
	}
	c.Text(x, c.y+at.y*c.scale, text)
}

// clean replaces characters that the font does not have.
func (p *pdf) clean(text string) string {
	text = strings.ReplaceAll(text, pagesToken, "{ pages }")
	return strings.Map(func(c rune) rune {
		switch {
		case c < ' ' || c == 0x7f:
			return ' '
		case c > 0xffff:
			return '□'
		}
		has, known := p.letter[c]
		if !known {
			index, err := p.font.GlyphIndex(&p.space, c)
			has = err == nil && index != 0
			p.letter[c] = has
		}
		if !has {
			return '□'
		}
		return c
	}, strings.ToValidUTF8(text, "□"))
}

// width returns the width of a text in the current font, which has no kerning.
func (p *pdf) width(text string) (sum float64) {
	for _, c := range text {
		sum += p.letterWidth(c)
	}
	return sum
}

func (p *pdf) letterWidth(c rune) float64 {
	w, known := p.now[c]
	if !known {
		w = p.GetStringWidth(string(c)) / p.points
		p.now[c] = w
	}
	return w * p.points
}

// breaks reports whether a line can end after a letter: at a space, inside a path
// or a name such as SNMP_Interfaces, but not inside a number, a time or an address.
func breaks(letters []rune, at int) bool {
	switch c := letters[at]; {
	case c == ' ' || c == '_' || c == '/':
		return true
	case strings.ContainsRune("-.,:;", c):
		return at+1 < len(letters) && unicode.IsLetter(letters[at+1])
	}
	return false
}

// lines breaks a text at spaces, or inside a word that is too long.
func (p *pdf) lines(text string, width float64) (out []string) {
	for _, line := range strings.Split(text, "\n") {
		line = p.clean(line)
		if p.width(line) <= width {
			out = append(out, line)
			continue
		}
		out = append(out, p.broken(line, width)...)
	}
	return out
}

func (p *pdf) broken(line string, width float64) (out []string) {
	letters := []rune(line)
	for len(letters) > 0 {
		n, wide, space := 0, 0.0, -1
		for n < len(letters) {
			if wide += p.letterWidth(letters[n]); wide > width && n > 0 {
				break
			}
			if breaks(letters, n) {
				space = n
			}
			n++
		}
		if n < len(letters) && space >= 0 && (letters[space] == ' ' || space > n/3) {
			n = space + 1
		}
		out = append(out, strings.TrimSpace(string(letters[:n])))
		letters = letters[n:]
		if len(out) == mostLines {
			out[mostLines-1] += " …"
			break
		}
	}
	return out
}
