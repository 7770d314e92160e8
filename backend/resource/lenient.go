package resource

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// loosen appends the value as published clients mean it (wire.md, Two mounts):
// booleans and numbers may be quoted, texts may be unquoted, and unknown keys are
// ignored.
func loosen(out []byte, n Node, s Schema) []byte {
	switch {
	case n.Kind == '[' && s.Items != nil:
		out = append(out, '[')
		for i, item := range n.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = loosen(out, named(item, *s.Items), *s.Items)
		}
		return append(out, ']')
	case n.Kind == '{' && s.Type == "object":
		out = append(out, '{')
		for i := range s.Properties {
			k := &s.Properties[i]
			value := n.Get(k.Name)
			if value == nil {
				continue
			}
			if out[len(out)-1] != '{' {
				out = append(out, ',')
			}
			out = loosen(append(AppendString(out, k.Name), ':'), *value, k.Schema)
		}
		return append(out, '}')
	case s.Type == "string" && n.Kind == '0':
		return AppendString(out, n.Text)
	case s.Type == "boolean" && n.Kind == '"' && isBoolean(n.Text):
		return append(out, strings.ToLower(n.Text)...)
	case s.Type == "integer" && (n.Kind == '"' || n.Kind == '0'):
		if v, ok := wholeNumber(n.Text, true); ok {
			return strconv.AppendInt(out, v, 10)
		}
	case s.Type == "number" && n.Kind == '"':
		if v, err := strconv.ParseFloat(n.Text, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return strconv.AppendFloat(out, v, 'g', -1, 64)
		}
	}
	return append(out, n.Raw...)
}

// boolean parses true or false; if lenient, also in quotes and in any letter
// case.
func (n *Node) boolean(lenient bool) (isTrue, ok bool) {
	switch {
	case n.Kind == 't' || n.Kind == 'f':
		return n.Kind == 't', true
	case lenient && n.Kind == '"':
		return strings.EqualFold(n.Text, "true"), isBoolean(n.Text)
	}
	return false, false
}

// named returns an object for an item that was sent as its name or its id alone.
func named(n Node, s Schema) Node {
	key := map[byte]string{'"': "name", '0': "id"}[n.Kind]
	if s.Type != "object" || key == "" ||
		!slices.ContainsFunc(s.Properties, func(k Key) bool { return k.Name == key }) {
		return n
	}
	return Node{Kind: '{', Keys: []string{key}, Items: []Node{n}}
}

func isBoolean(text string) bool {
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}

// wholeNumber parses "12"; if lenient, also "12.0", which languages without
// integers write.
func wholeNumber(text string, lenient bool) (int64, bool) {
	if v, err := strconv.ParseInt(text, 10, 64); err == nil || !lenient {
		return v, err == nil
	}
	const exact = 1 << 53 // beyond it a float may represent another integer
	v, err := strconv.ParseFloat(text, 64)
	return int64(v), err == nil && v == math.Trunc(v) && math.Abs(v) <= exact
}

// KeepKeys returns a body with only these keys, for a PATCH with patchFields. It
// returns a body that is not an object unchanged.
func KeepKeys(body []byte, names []string) ([]byte, error) {
	n, err := ParseJSON(body)
	if err != nil || n.Kind != '{' {
		return body, err
	}
	kept := Schema{Type: "object"}
	for _, name := range names {
		kept.Properties = append(kept.Properties, Key{Name: name, Schema: Schema{Type: "any"}})
	}
	return loosen(nil, n, kept), nil
}
