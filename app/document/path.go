package document

import (
	"io"
	"math"
	"strings"
)

// Path returns the JSONPath of a node: $.items[0]['odd key']. For a match of a
// query it returns the path in the source body, as long as that is stored.
func (d *Document) Path(node int64) (path string, err error) {
	from, match := int64(-1), ""
	err = d.use(func(s *scanner) error {
		chain, err := d.find(s, node)
		path = s.jsonPath(chain)
		if err == nil && len(chain) > 1 && chain[1].index < len(d.origins) {
			from, match = d.origins[chain[1].index], s.jsonPath(chain[:2])
		}
		return err
	})
	if err == nil && from >= 0 {
		if whole, gone := d.source.Path(from); gone == nil {
			return whole + path[len(match):], nil
		}
	}
	return path, err
}

func (s *scanner) jsonPath(chain []member) string {
	var b strings.Builder
	b.WriteByte('$')
	for i, m := range chain {
		switch {
		case i == 0:
		case m.key < 0:
			b.WriteString("[" + itoa(m.index) + "]")
		default:
			key, _ := s.text(m.key, m.keyEnd, math.MaxInt32)
			if shortName(key) {
				b.WriteString("." + key)
			} else {
				b.WriteString("['" + quotedName(key) + "']")
			}
		}
	}
	return b.String()
}

// shortName reports whether a key may follow a dot (RFC 9535, 2.5.1.1).
func shortName(key string) bool {
	for i, r := range key {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r >= 0x80
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return key != ""
}

// quotedName escapes a key for single quotes (RFC 9535, 2.3.1.1).
func quotedName(key string) string {
	var b strings.Builder
	for _, r := range key {
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			b.WriteString(`\u` + "00" + string("0123456789abcdef"[r>>4]) + string("0123456789abcdef"[r&15]))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Value writes a node's value for copying: a decoded string without quotes,
// anything else exactly as in the body, of any size.
func (d *Document) Value(node int64, w io.Writer) error { return d.write(node, w, false) }

// Exact writes a node's value exactly as in the body, including strings.
func (d *Document) Exact(node int64, w io.Writer) error { return d.write(node, w, true) }

func (d *Document) write(node int64, w io.Writer, exact bool) error {
	return d.read(largeWindow, func(s *scanner) error {
		chain, err := d.find(s, node)
		if err != nil {
			return err
		}
		v := chain[len(chain)-1].value
		if exact || v.kind != String {
			_, err := io.Copy(w, io.NewSectionReader(s.body, v.start, v.end-v.start))
			return err
		}
		return s.pieces(v.start+1, v.end-1, func(text []byte) (bool, error) {
			_, err := w.Write(text)
			return true, err
		})
	})
}

// Key writes the decoded key of a node; nothing if it has none.
func (d *Document) Key(node int64) (key string, err error) {
	err = d.use(func(s *scanner) error {
		chain, err := d.find(s, node)
		if err != nil {
			return err
		}
		if m := chain[len(chain)-1]; m.key >= 0 {
			key, _ = s.text(m.key, m.keyEnd, math.MaxInt32)
		}
		return nil
	})
	return key, err
}

const pieceSize = 64 << 10

// pieces decodes the inside of a string piece by piece, until do returns stop.
func (s *scanner) pieces(from, to int64, do func(text []byte) (bool, error)) error {
	var out []byte
	for from < to {
		raw := s.bytes(from, min(to, from+pieceSize))
		if len(raw) == 0 {
			return s.err
		}
		text, used, _ := decode(out[:0], raw, math.MaxInt, from+int64(len(raw)) < to)
		out = text
		if more, err := do(text); err != nil || !more {
			return err
		}
		from += int64(used)
	}
	return nil
}
