package outgoing

import (
	"encoding/json"
	"io"
	"strings"

	"spyglass/backend/resource"
)

// Limits of the state of a BodyMask.
const (
	longestName = 256      // bytes of a key, or of a name beside a value
	mostHeld    = 64 << 10 // bytes that wait for the name beside a value
	mostLevels  = 1000
)

// BodyMask is a Writer that copies a JSON body and puts stars in the place of
// texts and numbers that a name says are secret: the key they are below, or the
// name beside a "value". It reads each byte once and keeps little of the body.
// A value that waits too long for its name is masked. What is no JSON passes as
// it is, and so does what is nested deeper than any response of a portal.
//
// It reads JSON itself because responses pass through it in pieces, and any size
// and any mistake in them have to: ParseJSON and encoding/json hold a whole value.
type BodyMask struct {
	To     io.Writer
	Masked bool // something was
	after  bool // a backslash in a text that is too long to keep

	buf    []byte // what is not written yet
	levels []maskLevel
	began  int // in buf: where the text or number at hand begins
	state  byte
	plain  bool // the rest passes as it is
}

// maskLevel is an object or a list that is open.
type maskLevel struct {
	object, key bool   // it is an object; a key comes next
	name        string // the key at hand
	secret      bool   // all below the key at hand is
	below       bool   // all in it is, because of a key above
	paired      bool   // its name, or its flag, says that its value is
	from, to    int    // of its value in buf, while that waits for a name; 0: none does
}

// stars replaces a masked value.
const stars = `"` + resource.Mask + `"`

// States of a bodyMask beside 0: within a text, behind a backslash in one,
// within a number or a word, and within a text that is too long to keep, which
// passes or is left out.
const (
	inText   = '"'
	inEscape = '\\'
	inWord   = 'w'
	inLong   = 'l'
	inLeft   = 'x'
)

// Write implements io.Writer. It fails only where the Writer below does.
func (m *BodyMask) Write(p []byte) (int, error) {
	for i, c := range p {
		if m.plain {
			m.buf = append(m.buf, p[i:]...)
			break
		}
		m.step(c)
		if len(m.buf) > mostHeld {
			m.tooLong()
			m.release()
			if err := m.flush(); err != nil {
				return i, err
			}
		}
	}
	return len(p), m.flush()
}

// Close writes what is left.
func (m *BodyMask) Close() error {
	l := m.level()
	if m.state == inWord || (m.state == inText || m.state == inEscape) && l != nil && !l.key { // cut off
		m.scalar()
	}
	m.began, m.state = 0, 0
	m.release()
	return m.flush()
}

// tooLong decides at once about a text that is too long to keep.
func (m *BodyMask) tooLong() {
	if m.state == 0 || len(m.buf)-m.began <= mostHeld/2 {
		return
	}
	l := m.level()
	m.after = m.state == inEscape
	switch {
	case m.state == inWord: // no JSON
		m.plain = true
	case l != nil && !l.key && (l.secret || l.object && l.name == "value"):
		m.buf = append(m.buf[:m.began], stars[:len(stars)-1]...)
		m.state, m.Masked = inLeft, true
	default:
		m.state = inLong
	}
}

// long goes through a text that tooLong decided about.
func (m *BodyMask) long(c byte) {
	if ends := c == '"' && !m.after; ends || m.state == inLong {
		m.buf = append(m.buf, c)
		if ends {
			m.state = 0
			if l := m.level(); l != nil && l.key {
				l.key, l.name, l.secret = false, "", l.below
			}
		}
	}
	m.after = c == '\\' && !m.after
}

func (m *BodyMask) step(c byte) {
	switch m.state {
	case inLong, inLeft:
		m.long(c)
		return
	case inEscape:
		m.state = inText
		m.buf = append(m.buf, c)
		return
	case inText:
		m.buf = append(m.buf, c)
		switch c {
		case '\\':
			m.state = inEscape
		case '"':
			m.state = 0
			m.text()
		}
		return
	case inWord:
		if c > ' ' && !strings.ContainsRune(`,:]}["{`, rune(c)) {
			m.buf = append(m.buf, c)
			return
		}
		m.state = 0
		m.scalar()
	}
	m.buf = append(m.buf, c)
	switch {
	case c == '"':
		m.began, m.state = len(m.buf)-1, inText
	case c == '{' || c == '[':
		m.open(c == '{')
	case c == '}' || c == ']':
		m.levels = m.levels[:max(len(m.levels)-1, 0)]
	case c == ',':
		if l := m.level(); l != nil {
			l.key, l.secret = l.object, l.below
		}
	case c > ' ' && c != ':':
		m.began, m.state = len(m.buf)-1, inWord
	}
}

// level returns the innermost that is open; nil outside of all.
func (m *BodyMask) level() *maskLevel {
	if len(m.levels) == 0 {
		return nil
	}
	return &m.levels[len(m.levels)-1]
}

func (m *BodyMask) open(object bool) {
	if m.plain = len(m.levels) >= mostLevels; m.plain {
		m.release()
		return
	}
	above := m.level()
	below := above != nil && above.secret
	m.levels = append(m.levels, maskLevel{object: object, key: object, secret: below, below: below})
}

// text judges a text that has ended: it is a key or a value.
func (m *BodyMask) text() {
	l := m.level()
	if l == nil || !l.key {
		m.scalar()
		return
	}
	l.key, l.name = false, m.plainText()
	l.secret = l.below || SecretKey(l.name)
}

// plainText returns the current text without its quotes; of a long one its
// beginning and its end, which identify names.
func (m *BodyMask) plainText() string {
	raw, out := m.buf[m.began:], ""
	if len(raw) > longestName {
		return string(raw[len(raw)-longestName : len(raw)-1])
	}
	if json.Unmarshal(raw, &out) != nil {
		return strings.Trim(string(raw), `"`)
	}
	return out
}

// scalar judges a text, a number or a word that has ended.
func (m *BodyMask) scalar() {
	l := m.level()
	if l == nil {
		return
	}
	first := m.buf[m.began]
	word := first != '"' && strings.IndexByte("tfn", first) >= 0
	switch {
	case !word && (l.secret || l.object && l.paired && l.name == "value"):
		m.star(m.began, len(m.buf))
	case !word && l.object && l.name == "value":
		l.from, l.to = m.began, len(m.buf)
	case l.object && (l.name == "name" && first == '"' && SecretKey(m.plainText()) || l.name == "secret" &&
		first == 't'):
		l.paired = true
		if l.to > 0 {
			m.star(l.from, l.to)
			l.from, l.to = 0, 0
		}
	}
}

// star masks a part of buf, after which nothing is pending.
func (m *BodyMask) star(from, to int) {
	if to-from == len(`""`) && m.buf[from] == '"' {
		return // an empty text hides nothing
	}
	if string(m.buf[from:to]) == stars {
		return
	}
	rest := string(m.buf[to:])
	m.buf = append(append(m.buf[:from], stars...), rest...)
	m.Masked = true
}

// release masks all that still waits for a name.
func (m *BodyMask) release() {
	for i := len(m.levels) - 1; i >= 0; i-- {
		if l := &m.levels[i]; l.to > 0 {
			before := len(m.buf)
			m.star(l.from, l.to)
			m.began += len(m.buf) - before
			l.from, l.to = 0, 0
		}
	}
}

// flush writes what neither waits nor is at hand.
func (m *BodyMask) flush() error {
	end := len(m.buf)
	if m.state != 0 && m.state != inLong && m.state != inLeft && !m.plain {
		end = m.began
	}
	for i := range m.levels {
		if l := &m.levels[i]; l.to > 0 {
			end = min(end, l.from)
		}
	}
	if end == 0 {
		return nil
	}
	_, err := m.To.Write(m.buf[:end])
	m.buf = m.buf[:copy(m.buf, m.buf[end:])]
	m.began -= end
	for i := range m.levels {
		if l := &m.levels[i]; l.to > 0 {
			l.from, l.to = l.from-end, l.to-end
		}
	}
	return err
}
