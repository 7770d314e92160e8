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

// BodyMask is a Writer that copies a JSON body and replaces texts and numbers by
// stars if a name marks them as secret: the key above them, or the name beside a
// "value". It reads each byte once and buffers little of the body. A value that
// waits too long for its name is masked. Anything that is not JSON passes
// unchanged, and so does anything nested deeper than a portal's response.
//
// It reads JSON itself because responses pass through it in pieces, and any size
// and any mistake in them have to: ParseJSON and encoding/json hold a whole value.
type BodyMask struct {
	To     io.Writer
	Masked bool // something was masked
	after  bool // after a backslash in a text that is too long to buffer

	buf    []byte // bytes not written yet
	levels []maskLevel
	began  int // index in buf at which the current text or number begins
	state  byte
	plain  bool // the rest passes unchanged
}

// maskLevel is an open object or list.
type maskLevel struct {
	object, key bool   // it is an object; the next text is a key
	name        string // the current key
	secret      bool   // everything below the current key is secret
	below       bool   // everything in it is secret, because of a key above
	paired      bool   // its name, or its flag, marks its value as secret
	from, to    int    // range of its value in buf, while that waits for a name; 0: none
}

// stars replaces a masked value.
const stars = `"` + resource.Mask + `"`

// States of a BodyMask other than 0: inside a text, after a backslash in one,
// inside a number or a word, and inside a text that is too long to buffer, which
// passes or is omitted.
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

// Close writes the rest.
func (m *BodyMask) Close() error {
	l := m.level()
	if m.state == inWord || (m.state == inText || m.state == inEscape) && l != nil && !l.key { // truncated
		m.scalar()
	}
	m.began, m.state = 0, 0
	m.release()
	return m.flush()
}

// tooLong decides immediately about a text that is too long to buffer.
func (m *BodyMask) tooLong() {
	if m.state == 0 || len(m.buf)-m.began <= mostHeld/2 {
		return
	}
	l := m.level()
	m.after = m.state == inEscape
	switch {
	case m.state == inWord: // not JSON
		m.plain = true
	case l != nil && !l.key && (l.secret || l.object && l.name == "value"):
		m.buf = append(m.buf[:m.began], stars[:len(stars)-1]...)
		m.state, m.Masked = inLeft, true
	default:
		m.state = inLong
	}
}

// long continues a text that tooLong has decided about.
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

// level returns the innermost open level; nil if there is none.
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

// text handles a complete text: it is a key or a value.
func (m *BodyMask) text() {
	l := m.level()
	if l == nil || !l.key {
		m.scalar()
		return
	}
	l.key, l.name = false, m.plainText()
	l.secret = l.below || SecretKey(l.name)
}

// plainText returns the current text without its quotes; for a long one, its
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

// scalar handles a complete text, number or word.
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

// star masks a part of buf; no value waits afterwards.
func (m *BodyMask) star(from, to int) {
	if to-from == len(`""`) && m.buf[from] == '"' {
		return // an empty text is not secret
	}
	if string(m.buf[from:to]) == stars {
		return
	}
	rest := string(m.buf[to:])
	m.buf = append(append(m.buf[:from], stars...), rest...)
	m.Masked = true
}

// release masks all values that still wait for a name.
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

// flush writes everything except values that wait and the current text.
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
