package document

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	lineSize  = 1000     // bytes of one row of the Raw view
	lineMarks = 256      // maximum rows between two marks
	lineBytes = 64 << 10 // approximate bytes between two marks
)

// Line is one row of the Raw view: a line of the body, or a piece of a line that
// is longer than 1,000 bytes.
type Line struct {
	Row    int    `json:"row"`            // from 0
	Line   int    `json:"line"`           // line of the body, from 1; pieces of one line have the same
	Offset int64  `json:"offset"`         // of its first byte in the body
	Text   string `json:"text"`           // without the line break; U+FFFD for bytes that are not UTF-8
	Part   bool   `json:"part,omitempty"` // continues the previous row
}

// lineMark is the position of the beginning of a row of the Raw view.
type lineMark struct {
	at   int64
	row  int
	line int
	part bool
}

// splitter splits text into rows of the Raw view. A row ends after a line feed,
// or before the character that would make it too long.
type splitter struct {
	at    int64 // offset of the next byte
	here  lineMark
	begin func(lineMark)
}

func (x *splitter) feed(p []byte) {
	x.at += int64(len(p))
	for len(p) > 0 {
		pos := x.at - int64(len(p)) // of p[0]
		room := int(x.here.at + lineSize - pos)
		if room > 0 {
			part := p[:min(room, len(p))]
			if i := bytes.IndexByte(part, '\n'); i >= 0 {
				x.next(pos+int64(i)+1, false)
				p = p[i+1:]
			} else {
				p = p[len(part):]
			}
			continue
		}
		switch { // the row is full
		case p[0] == '\n':
			x.next(pos+1, false)
			p = p[1:]
		case utf8.RuneStart(p[0]) || room <= -utf8.UTFMax: // longer than any character: not UTF-8
			x.next(pos, true)
		default:
			p = p[1:]
		}
	}
}

func (x *splitter) next(at int64, part bool) {
	x.here.at, x.here.part = at, part
	x.here.row++
	if !part {
		x.here.line++
	}
	x.begin(x.here)
}

// lineIndex records the position of every few hundredth row of the Raw view.
type lineIndex struct {
	splitter
	marks []lineMark
}

func newLineIndex() *lineIndex {
	first := lineMark{line: 1}
	x := &lineIndex{marks: []lineMark{first}}
	x.splitter = splitter{here: first, begin: x.mark}
	return x
}

func (x *lineIndex) mark(m lineMark) {
	last := x.marks[len(x.marks)-1]
	if m.row-last.row >= lineMarks || m.at-last.at >= lineBytes {
		x.marks = append(x.marks, m)
	}
}

// rows returns the number of rows: a line feed at the end does not begin one.
func (x *lineIndex) rows() int {
	if x.here.at == x.at {
		return x.here.row
	}
	return x.here.row + 1
}

// from returns the last mark for which before returns true.
func (x *lineIndex) from(before func(lineMark) bool) lineMark {
	i := sort.Search(len(x.marks), func(i int) bool { return !before(x.marks[i]) })
	return x.marks[max(i-1, 0)]
}

// Lines returns count rows of the Raw view from a row on, counted from 0, and the
// total number of rows.
func (d *Document) Lines(from, count int) (lines []Line, total int, err error) {
	total = d.lines.rows()
	lines = []Line{}
	err = d.use(func(s *scanner) error {
		from = max(from, 0)
		to := min(from+min(max(count, 0), maxRows), total)
		if from >= to {
			return nil
		}
		starts := s.split(d.lines.from(func(m lineMark) bool { return m.row <= from }), from, to)
		for i, m := range starts {
			end := d.size
			if i+1 < len(starts) {
				end = starts[i+1].at
			}
			if m.row < to {
				lines = append(lines, Line{m.row, m.line, m.at, lineText(s.bytes(m.at, end)), m.part})
			}
		}
		return nil
	})
	return lines, total, err
}

// split returns the positions of the rows from from up to and including to, up to
// the end of the body.
func (s *scanner) split(mark lineMark, from, to int) (starts []lineMark) {
	keep := func(m lineMark) {
		if m.row >= from && m.row <= to {
			starts = append(starts, m)
		}
	}
	keep(mark)
	x := splitter{at: mark.at, here: mark, begin: keep}
	for x.here.row < to {
		w := s.rest(x.at)
		if len(w) == 0 {
			break
		}
		x.feed(w[:min(len(w), smallWindow)])
	}
	return starts
}

func lineText(raw []byte) string {
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSuffix(raw, []byte("\r"))), "\uFFFD")
}

// rowAt returns the row of the Raw view that holds an offset.
func (d *Document) rowAt(s *scanner, at int64) int {
	x := splitter{here: d.lines.from(func(m lineMark) bool { return m.at <= at }), begin: func(lineMark) {}}
	x.at = x.here.at
	row := x.here.row
	x.begin = func(m lineMark) {
		if m.at <= at {
			row = m.row
		}
	}
	for x.at <= at {
		w := s.rest(x.at)
		if len(w) == 0 {
			break
		}
		x.feed(w[:min(int64(len(w)), at+1-x.at)])
	}
	return row
}
