package layout

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// svg draws a chart as part of a page, in the colors of its style sheet.
type svg struct{ strings.Builder }

func (s *svg) rect(x, y, w, h float64, ink Ink) {
	fmt.Fprintf(s, `<rect class="%s" x="%.4g" y="%.4g" width="%.4g" height="%.4g"/>`+"\n", ink, x, y, w, h)
}

func (s *svg) path(points []point, ink Ink) {
	fmt.Fprintf(s, `<polyline class="%s" points="`, ink)
	for i, p := range points {
		if i > 0 {
			s.WriteByte(' ')
		}
		fmt.Fprintf(s, "%.4g,%.4g", p.x, p.y)
	}
	s.WriteString("\"/>\n")
}

func (s *svg) text(at point, anchor anchor, ink Ink, text string) {
	fmt.Fprintf(s, `<text class="%s" x="%.4g" y="%.4g" text-anchor="%s">%s</text>`+"\n", ink, at.x, at.y, anchor,
		html.EscapeString(text))
}

// SVG returns the chart as an element of a page. All texts in it are escaped.
func (c Chart) SVG() template.HTML {
	var s svg
	fmt.Fprintf(&s, `<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n", chartWidth, c.height(),
		html.EscapeString(c.Title))
	c.draw(&s)
	s.WriteString("</svg>")
	return template.HTML(s.String())
}
