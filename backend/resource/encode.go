package resource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// AppendJSON appends the JSON of a row: every stored field that is not
// write-only, in the order of the declaration, with masked secrets. The store
// adds derived values.
func (r *Untyped) AppendJSON(out []byte, row any) ([]byte, error) {
	out = append(out, '{')
	first := true
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Keeps != nil {
			out = f.appendKept(out, row)
			continue
		}
		if f.WriteOnly || f.If != nil && !f.If(row) {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(AppendString(out, f.Name), ':')
		if id, ok := f.At(row).(*TextID); ok {
			out = append(strconv.AppendInt(append(append(out, '"'), f.Prefix...), int64(*id), 10), '"')
			continue
		}
		var err error
		if out, err = appendValue(out, f.At(row)); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", f.Name, r.Name, err)
		}
	}
	return append(out, '}'), nil
}

func appendValue(out []byte, at any) ([]byte, error) {
	switch p := at.(type) {
	case *int64:
		return strconv.AppendInt(out, *p, 10), nil
	case *Seconds:
		return strconv.AppendInt(out, int64(*p), 10), nil
	case *Millis:
		return strconv.AppendInt(out, int64(*p), 10), nil
	case *bool:
		return strconv.AppendBool(out, *p), nil
	case *string:
		return AppendString(out, *p), nil
	case *IDs:
		return AppendString(out, p.String()), nil
	case *float64:
		if math.IsNaN(*p) || math.IsInf(*p, 0) {
			return append(out, "null"...), nil
		}
		return strconv.AppendFloat(out, *p, 'g', -1, 64), nil
	case *[]Property:
		return AppendProperties(out, Masked(*p)), nil
	}
	text, err := Encode(at)
	return append(out, text...), err
}

// Encode returns a value as readable JSON: it does not escape > and &.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// AppendProperties appends a list of name/value pairs, unmasked.
func AppendProperties(out []byte, props []Property) []byte {
	out = append(out, '[')
	for i, p := range props {
		if i > 0 {
			out = append(out, ',')
		}
		out = AppendString(append(out, `{"name":`...), p.Name)
		out = AppendString(append(out, `,"value":`...), p.Value)
		if p.Secret {
			out = append(out, secretFlag...)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// secretFlag is the JSON of a property that a user has marked as secret.
const secretFlag = `,"secret":true`

// WithoutFlags returns a response without the flags of secret properties, which
// the published API does not have. It can search for the key with its quotes,
// because quotes in texts are escaped.
func WithoutFlags(response []byte) []byte {
	flag := []byte(secretFlag + "}")
	if !bytes.Contains(response, flag) {
		return response
	}
	return bytes.ReplaceAll(response, flag, []byte("}"))
}

// ReadProperties parses the output of AppendProperties. Values without escapes,
// which are most, are substrings of the text.
func ReadProperties(text string) ([]Property, error) {
	props := make([]Property, 0, strings.Count(text, `{"name":`))
	if strings.IndexByte(text, '\\') >= 0 {
		err := json.Unmarshal([]byte(text), &props)
		return props, err
	}
	for rest := strings.TrimPrefix(text, "["); rest != "]"; rest = strings.TrimPrefix(rest, ",") {
		name, after, ok := strings.Cut(strings.TrimPrefix(rest, `{"name":"`), `","value":"`)
		value, after, quoted := strings.Cut(after, `"`)
		after, secret := strings.CutPrefix(after, secretFlag)
		after, closed := strings.CutPrefix(after, "}")
		if !ok || !quoted || !closed {
			return nil, fmt.Errorf("no list of properties: %.40q", text)
		}
		props, rest = append(props, Property{name, value, secret}), after
	}
	return props, nil
}

// FindKey returns the raw value of a top-level key in an object that this package
// encoded, or nil.
func FindKey(object []byte, name string) []byte {
	for at := 1; at < len(object)-1; {
		var key, value []byte
		if key, value, at = NextKey(object, at); string(key) == name {
			return value
		}
	}
	return nil
}

// NextKey returns the top-level key at an offset of an object that this package encoded,
// its raw value, and the offset of the next key. The first is at 1; the last one ends
// where the object does. It skips over values itself, since lists call it for each row and
// key: it validates nothing again and does not allocate.
func NextKey(object []byte, at int) (key, value []byte, next int) {
	colon := skipValue(object, at)
	end := skipValue(object, colon+1)
	return object[at+1 : colon-1], object[colon+1 : end], end + 1
}

// SelectKeys appends an object with the given keys of an object that this package
// encoded, in the order of names. It omits missing keys.
func SelectKeys(out, object []byte, names []string) []byte {
	out = append(out, '{')
	for _, name := range names {
		if value := FindKey(object, name); value != nil {
			if out[len(out)-1] != '{' {
				out = append(out, ',')
			}
			out = append(append(AppendString(out, name), ':'), value...)
		}
	}
	return append(out, '}')
}

// skipValue returns the offset after the value that begins at at. The JSON must
// be valid and without spaces, as this package encodes it.
func skipValue(in []byte, at int) int {
	depth := 0
	for at < len(in) {
		switch in[at] {
		case '"':
			for at++; in[at] != '"'; at++ {
				if in[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',', ':':
			if depth == 0 {
				return at
			}
		}
		at++
		if depth == 0 && (at == len(in) || in[at] == ',' || in[at] == ':' || in[at] == '}' || in[at] == ']') {
			return at
		}
	}
	return at
}
