package outgoing

import (
	"encoding/json"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Characters that are not escaped, in addition to letters and digits.
const (
	inSegment = "-._~!$'()*,;:@=&+"
	inQuery   = "-._~!$()*,:;@/?"
)

const hexDigits = "0123456789ABCDEF"

// escape percent-encodes every byte except letters, digits and those in safe.
func escape(text, safe string) string {
	is := func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(safe, c) >= 0
	}
	plain := 0 // how many bytes need no escape
	for plain < len(text) && is(text[plain]) {
		plain++
	}
	if plain == len(text) {
		return text
	}
	var out strings.Builder
	out.WriteString(text[:plain])
	for _, c := range []byte(text[plain:]) {
		if is(c) {
			out.WriteByte(c)
		} else {
			out.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return out.String()
}

// mend escapes a text that may be partly escaped: it keeps valid %XX.
func mend(text, safe string) string {
	if strings.IndexByte(text, '%') < 0 {
		return escape(text, safe)
	}
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			out.WriteString(escape(text, safe))
			return out.String()
		}
		out.WriteString(escape(text[:i], safe))
		if i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			out.WriteString(text[i : i+3])
			text = text[i+3:]
			continue
		}
		out.WriteString("%25")
		text = text[i+1:]
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// Segment escapes a text as one segment of a path.
func Segment(text string) string { return escape(text, inSegment) }

func typedPath(text string) string { return mend(text, inSegment+"/") }

// QueryText escapes a text as a key or a value of a query.
func QueryText(text string) string { return escape(text, inQuery) }

// typedQuery escapes a typed query, but keeps its separators.
func typedQuery(text string) string { return mend(text, inQuery+"=&+") }

// asIs returns the text unchanged, for places without an encoding.
func asIs(text string) string { return text }

// fillPath resolves references in a part of the path.
func (f *Filler) fillPath(out *filled, text string, literal func(string) string) error {
	return f.fill(out, "path", text, literal, func(name, value string) (string, error) {
		if value == "" {
			return "", fault.At("path", "{{%s}} is empty; a segment of the path needs a value", name)
		}
		return Segment(value), nil
	})
}

// fillQuery resolves references in a key or a value of the query.
func (f *Filler) fillQuery(out *filled, field, text string, literal func(string) string) error {
	return f.fill(out, field, text, literal, func(_, value string) (string, error) { return QueryText(value), nil })
}

// fillPlain resolves references in a text without an encoding.
func (f *Filler) fillPlain(field, text string) (string, error) {
	if !mayRefer(text) {
		return text, nil
	}
	out := filled{sentOnly: true}
	err := f.fill(&out, field, text, asIs, func(_, value string) (string, error) { return value, nil })
	return out.sent.String(), err
}

// Text resolves the references of a text beside the request, such as the value of a
// check. A variable without a value is an error if the filler is strict.
func (f *Filler) Text(field, text string) (string, error) {
	f.field, f.unknown, f.missed = "", nil, nil
	text, err := f.fillPlain(field, text)
	if err == nil && len(f.unknown) > 0 && f.manner == Strict {
		err = fault.At(field, "{{%s}} has no value; set one under Variables", f.unknown[0])
	}
	return text, err
}

// fillHeader resolves references in a header.
func (f *Filler) fillHeader(field, text string) (string, error) {
	text, err := f.fillPlain(field, text)
	if err == nil && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		err = fault.At(field, "a header must be one line without control characters")
	}
	return text, err
}

// fillJSON resolves references in a JSON text: within quotes a value is
// escaped, outside it must be a whole JSON value.
func (f *Filler) fillJSON(text string) (string, error) {
	out := filled{sentOnly: true}
	last, quoted := 0, false
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		before := text[last:at[0]]
		quoted = endsQuoted(before, quoted)
		out.add(before)
		last = at[1]
		whole := !quoted && standsAlone(out.sent.String(), text[at[1]:])
		err := f.one(&out, "body", text[at[0]:at[1]], text[at[2]:at[3]], asIs,
			func(name, value string) (string, error) {
				switch {
				case quoted:
					in := resource.AppendString(nil, value)
					return string(in[1 : len(in)-1]), nil
				case !whole || !json.Valid([]byte(value)):
					return "", fault.At("body", `{{%s}} is not in quotes, and is not a valid JSON value; write `+
						`"{{%s}}"`, name, name)
				}
				return value, nil
			})
		if err != nil {
			return "", err
		}
	}
	out.add(text[last:])
	return out.sent.String(), nil
}

// endsQuoted reports whether text ends inside a JSON string; quoted says whether
// it begins inside one.
// It counts quotes: a text with {{references}} in it is not JSON yet.
func endsQuoted(text string, quoted bool) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '\\' && quoted:
			i++
		}
	}
	return quoted
}

// standsAlone reports whether a value between the two texts is a complete JSON
// value.
func standsAlone(before, after string) bool {
	before, after = strings.TrimRight(before, " \t\r\n"), strings.TrimLeft(after, " \t\r\n")
	return (before == "" || strings.ContainsRune("[{:,", rune(before[len(before)-1]))) &&
		(after == "" || strings.ContainsRune("]}:,", rune(after[0])))
}
