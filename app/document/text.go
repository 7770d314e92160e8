package document

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxText      = 2000 // characters of a value or key in a row
	previewText  = 40   // characters of a value in a preview
	previewParts = 4    // children in a preview
	previewSize  = 100  // approximate bytes of a preview
	hintLook     = 64   // children to search for a name
)

func itoa[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// quoteByte formats a byte for a problem sentence.
func quoteByte(c byte) string {
	if c > ' ' && c < 0x7f {
		return string(rune(c))
	}
	return "the byte 0x" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// decode appends up to limit characters of the inside of a JSON string to dst,
// with U+FFFD for invalid UTF-8. It returns the number of bytes of raw it used:
// fewer than all if it reached limit, or if more is set and raw ends within a
// character.
func decode(dst, raw []byte, limit int, more bool) (text []byte, used, chars int) {
	i := 0
	for i < len(raw) && chars < limit {
		c := raw[i]
		if c < utf8.RuneSelf && c != '\\' {
			dst = append(dst, c)
			i++
			chars++
			continue
		}
		if more && len(raw)-i < 12 { // the longest character is a pair of \uXXXX
			break
		}
		if c == '\\' {
			r, n := unescape(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		} else {
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
		chars++
	}
	return dst, i, chars
}

// unescape reads one escape sequence.
func unescape(raw []byte) (rune, int) {
	if len(raw) < 2 {
		return utf8.RuneError, len(raw)
	}
	switch raw[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(raw)
		if r < 0 {
			return utf8.RuneError, len(raw)
		}
		if utf16.IsSurrogate(r) {
			if low := hex4(raw[6:]); low >= 0 {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
			return utf8.RuneError, 6
		}
		return r, 6
	}
	return rune(raw[1]), 2
}

// hex4 reads \uXXXX; -1 if raw does not begin with one.
func hex4(raw []byte) rune {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

// text decodes the string at [start, end), which includes its quotes, and
// reports whether it has more than limit characters.
func (s *scanner) text(start, end int64, limit int) (string, bool) {
	from, to := start+1, end-1
	part := min(to, from+12*int64(limit))
	raw := s.bytes(from, part)
	out, used, _ := decode(nil, raw, limit, part < to)
	return string(out), from+int64(used) < to
}

// literal returns the text of a scalar: a decoded string, anything else as in the
// body.
func (s *scanner) literal(v value, limit int) (string, bool) {
	if v.kind == String {
		return s.text(v.start, v.end, limit)
	}
	end := min(v.end, v.start+int64(limit))
	return string(s.bytes(v.start, end)), end < v.end
}

// preview returns a short preview of a collapsed container: { id: 7, name: "web",
// … }.
func (s *scanner) preview(v value) string {
	left, right := "{", "}"
	if v.kind == Array {
		left, right = "[", "]"
	}
	if v.count == 0 {
		return left + right
	}
	var b strings.Builder
	b.WriteString(left)
	walk := s.from(v, v.first())
	for {
		m, ok := walk.next()
		if !ok {
			break
		}
		if m.index > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		if m.index == previewParts || b.Len() > previewSize || v.kind == Array && m.container() {
			b.WriteString("…")
			break
		}
		if v.kind == Object {
			key, cut := s.text(m.key, m.keyEnd, previewText)
			b.WriteString(ellipsis(key, cut) + ": ")
		}
		b.WriteString(s.brief(m.value))
	}
	b.WriteString(" " + right)
	return b.String()
}

// brief returns a value within a preview.
func (s *scanner) brief(v value) string {
	switch {
	case v.kind == Object && v.count > 0:
		return "{…}"
	case v.kind == Object:
		return "{}"
	case v.kind == Array && v.count > 0:
		return "[…]"
	case v.kind == Array:
		return "[]"
	}
	text, cut := s.literal(v, previewText)
	if text = ellipsis(text, cut); v.kind == String {
		text = `"` + strings.Map(printable, text) + `"`
	}
	return text
}

func ellipsis(s string, cut bool) string {
	if cut {
		return s + "…"
	}
	return s
}

// printable replaces control characters that would break a one-line text.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// hint returns the name of an object: its displayName or else its name.
func (s *scanner) hint(v value) string {
	name := ""
	walk := s.from(v, v.first())
	for m, ok := walk.next(); ok && m.index < hintLook; m, ok = walk.next() {
		if m.kind != String && m.kind != Number {
			continue
		}
		switch key, _ := s.text(m.key, m.keyEnd, previewText); key {
		case "displayName":
			text, cut := s.literal(m.value, previewSize)
			return ellipsis(text, cut)
		case "name":
			text, cut := s.literal(m.value, previewSize)
			name = ellipsis(text, cut)
		}
	}
	return name
}
