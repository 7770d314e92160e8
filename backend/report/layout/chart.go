package layout

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// Chart is a chart above the rows. Exactly one of Stacks, Lines and Ranks is set.
type Chart struct {
	Title  string
	Unit   string   // of the values; may be empty
	Labels []string // below the stacks, or before the ranks
	Stacks []Band   // one bar for each label, the bands on top of each other
	Ranks  []Rank   // one bar for each label, the longest first
	Lines  []Line
	From   time.Time // start of the lines, whose values are evenly spaced
	To     time.Time // end of the lines
	Top    float64   // end of the scale; 0: the maximum
	Bottom float64   // start of the scale of stacks, or slightly less
}

// Band is one part of a stack.
type Band struct {
	Name   string
	Ink    Ink
	Values []float64
}

// Rank is one bar.
type Rank struct {
	Ink   Ink
	Value float64
	Text  string // the formatted value
}

// Line is a series of values over time, with NaN for missing values.
type Line struct {
	Name   string
	Values []float64
}

// Ink is the role of a color; each file format has its own values for them. Tones
// are inks, too.
type Ink = Tone

// Bar is the ink of bars that have no tone.
const Bar Ink = "bar"

// The other inks that are not tones.
const (
	inkText  Ink = "text"
	inkQuiet Ink = "quiet"
	inkGrid  Ink = "grid"
)

// MaxLines is the number of lines in a chart that have a color of their own.
const MaxLines = 6

// lineInks are the colors of the lines of a chart, in this order.
var lineInks = [MaxLines]Ink{"l1", "l2", "l3", "l4", "l5", "l6"}

// point is a place on a canvas, from its upper left corner.
type point struct{ x, y float64 }

// canvas is the drawing surface of a chart, chartWidth wide. Texts are 12 units
// high; y is their baseline.
type canvas interface {
	rect(x, y, w, h float64, ink Ink)
	path(points []point, ink Ink)
	text(at point, anchor anchor, ink Ink, text string)
}

type anchor string

const (
	atStart  anchor = "start"
	atMiddle anchor = "middle"
	atEnd    anchor = "end"
)

const (
	chartWidth  = 960.0
	plotHeight  = 168.0
	plotTop     = 10.0
	axisHeight  = 24.0
	axisWidth   = 60.0 // left of the plot
	keyHeight   = 22.0
	rankHeight  = 22.0
	rankNames   = 260.0
	rankValues  = 90.0
	nameLetters = 38
)

// height returns the height of the chart.
func (c *Chart) height() float64 {
	if len(c.Ranks) > 0 {
		return rankHeight * float64(len(c.Ranks))
	}
	return keyHeight + plotTop + plotHeight + axisHeight
}

func (c *Chart) draw(on canvas) {
	switch {
	case len(c.Ranks) > 0:
		c.drawRanks(on)
	case len(c.Stacks) > 0:
		c.drawStacks(on)
	case len(c.Lines) > 0:
		c.drawLines(on)
	}
}

func (c *Chart) drawRanks(on canvas) {
	top := c.Top
	for _, r := range c.Ranks {
		top = max(top, r.Value)
	}
	room := chartWidth - rankNames - rankValues
	for i, r := range c.Ranks {
		y := rankHeight * float64(i)
		on.text(point{0, y + 15}, atStart, inkText, shorten(c.Labels[i], nameLetters))
		on.rect(rankNames, y+5, room, 12, inkGrid)
		if top > 0 && r.Value > 0 {
			on.rect(rankNames, y+5, max(1, room*r.Value/top), 12, r.Ink)
		}
		on.text(point{chartWidth, y + 15}, atEnd, inkText, r.Text)
	}
}

func (c *Chart) drawStacks(on canvas) {
	top := c.Top
	for i := range c.Labels {
		sum := 0.0
		for _, s := range c.Stacks {
			sum += s.Values[i]
		}
		top = max(top, sum)
	}
	s := newScale(c.Bottom, top)
	if c.Unit == "" { // counts have no fractions
		s.step = math.Ceil(s.step)
		s.top = math.Ceil(top/s.step-1e-9) * s.step
	}
	c.drawScale(on, s)
	var keys []key
	for _, band := range c.Stacks {
		keys = append(keys, key{band.Name, band.Ink})
	}
	drawKeys(on, keys)
	step := (chartWidth - axisWidth - 12) / float64(len(c.Labels))
	wide := math.Min(step*0.72, 56)
	every := len(c.Labels)/14 + 1
	for i, label := range c.Labels {
		x, y := axisWidth+step*(float64(i)+0.5), s.y(s.bottom)
		for _, band := range c.Stacks {
			if v := band.Values[i] - s.bottom; v > 0 {
				high := math.Max(plotHeight*v/(s.top-s.bottom), 1)
				on.rect(x-wide/2, y-high, wide, high, band.Ink)
				y -= high
			}
		}
		if i%every == 0 {
			on.text(point{x, keyHeight + plotTop + plotHeight + 17}, atMiddle, inkQuiet, label)
		}
	}
}

func (c *Chart) drawLines(on canvas) {
	low, top := math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for _, v := range l.Values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				low, top = math.Min(low, v), math.Max(top, v)
			}
		}
	}
	if low > top {
		low, top = 0, 1
	}
	if low > 0 && low < top*0.6 {
		low = 0
	}
	s := newScale(low, top)
	c.drawScale(on, s)
	var keys []key
	for i, l := range c.Lines {
		ink := lineInks[i%len(lineInks)]
		keys = append(keys, key{l.Name, ink})
		for _, part := range l.parts(s) {
			on.path(part, ink)
		}
	}
	drawKeys(on, keys)
	const ticks = 6
	layout := "02 Jan 15:04"
	if c.To.Sub(c.From) > 4*24*time.Hour {
		layout = "02 Jan"
	}
	for i := range ticks + 1 {
		at := c.From.Add(c.To.Sub(c.From) * time.Duration(i) / ticks)
		anchor := atMiddle
		if i == ticks {
			anchor = atEnd
		}
		x := axisWidth + (chartWidth-axisWidth)*float64(i)/ticks
		on.text(point{x, keyHeight + plotTop + plotHeight + 17}, anchor, inkQuiet, at.Format(layout))
	}
}

// parts returns the segments of a line between gaps.
func (l *Line) parts(s scale) (out [][]point) {
	var part []point
	end := func() {
		if len(part) == 1 { // a single value becomes a short dash
			part = append(part, point{part[0].x + 2, part[0].y})
		}
		if len(part) > 0 {
			out = append(out, part)
		}
		part = nil
	}
	for i, v := range l.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			end()
			continue
		}
		part = append(part, point{axisWidth + (chartWidth-axisWidth)*(float64(i)+0.5)/float64(len(l.Values)), s.y(v)})
	}
	end()
	return out
}

type key struct {
	name string
	ink  Ink
}

// drawKeys draws the legend above the plot.
func drawKeys(on canvas, keys []key) {
	x := axisWidth
	room := (chartWidth - axisWidth) / float64(max(len(keys), 1))
	letters := int(room/6.6) - 4
	for _, k := range keys {
		name := shorten(k.name, max(letters, 6))
		on.rect(x, 5, 10, 10, k.ink)
		on.text(point{x + 16, 15}, atStart, inkText, name)
		x += math.Min(room, 40+7.2*float64(len([]rune(name))))
	}
}

// scale maps values to the height of the plot.
type scale struct {
	bottom, top, step float64
}

// newScale returns a scale that ends at a round number at or above top, with at
// most five steps.
func newScale(bottom, top float64) scale {
	if !(top > bottom) {
		top = bottom + 1
	}
	step := math.Pow(10, math.Floor(math.Log10((top-bottom)/4)))
	for _, times := range []float64{1, 2, 2.5, 5, 10} {
		if (top-bottom)/(step*times) <= 4 {
			step *= times
			break
		}
	}
	bottom = math.Floor(bottom/step+1e-9) * step
	return scale{bottom, math.Ceil(top/step-1e-9) * step, step}
}

func (s scale) y(v float64) float64 {
	return keyHeight + plotTop + plotHeight*(1-(v-s.bottom)/(s.top-s.bottom))
}

func (c *Chart) drawScale(on canvas, s scale) {
	for i := 0; ; i++ {
		v := s.bottom + float64(i)*s.step
		if v > s.top+s.step/2 || i > 12 {
			break
		}
		y := s.y(v)
		on.rect(axisWidth, y, chartWidth-axisWidth, 1, inkGrid)
		on.text(point{axisWidth - 8, y + 4}, atEnd, inkQuiet, figure(v)+c.Unit)
	}
}

// figure formats a value with at most four significant digits.
func figure(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	size := math.Abs(v)
	for _, unit := range []struct {
		from float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if size < unit.from {
			continue
		}
		if unit.name == "k" {
			unit.from = 1e3
		}
		return short(v/unit.from) + unit.name
	}
	return short(v)
}

func short(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	digits = min(max(digits, 0), 9)
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if digits > 0 {
		for text[len(text)-1] == '0' {
			text = text[:len(text)-1]
		}
		if text[len(text)-1] == '.' {
			text = text[:len(text)-1]
		}
	}
	return text
}

// shorten truncates a text to a number of letters.
func shorten(text string, letters int) string {
	if runes := []rune(text); len(runes) > letters {
		return string(runes[:letters-1]) + "…"
	}
	return text
}

// Ranked returns a chart of at most n of the largest numbers, by name.
func Ranked(title string, numbers map[string]float64, most int) Chart {
	type entry struct {
		name  string
		value float64
	}
	var all []entry
	for name, value := range numbers {
		all = append(all, entry{name, value})
	}
	slices.SortFunc(all, func(a, b entry) int {
		switch {
		case a.value != b.value && a.value > b.value:
			return -1
		case a.value != b.value:
			return 1
		case a.name < b.name:
			return -1
		}
		return 1
	})
	c := Chart{Title: title}
	for _, e := range all[:min(most, len(all))] {
		c.Labels = append(c.Labels, e.name)
		c.Ranks = append(c.Ranks, Rank{Ink: Bar, Value: e.value, Text: figure(e.value)})
	}
	return c
}
