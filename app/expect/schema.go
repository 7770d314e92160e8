package expect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Schema checks that the body matches the schema of the endpoint in the catalog.
var Schema = Kind{
	ID: "schema", Label: "Body", Doc: "The body has the keys and types that the catalog declares.",
	Ops: []*Op{&Declared},
	read: func(_ context.Context, r *Response, _ string) (Value, bool, error) {
		if r.Schema == nil {
			return Value{}, false, fault.New(fault.Invalid, "the catalog declares no JSON response for this request")
		}
		if r.Status/100 != 2 {
			return Value{Text: fmt.Sprintf("status %d, for which the catalog declares no schema", r.Status)}, true, nil
		}
		body, err := r.Body()
		if err != nil {
			return Value{}, false, err
		}
		node, err := resource.ParseJSON(body)
		if err != nil {
			return Value{Text: fault.Of(err).Message}, true, nil
		}
		m := &mismatches{partial: r.Partial}
		m.value(node, r.Schema, "$")
		return Value{Text: m.text(), Also: m.also()}, true, nil
	},
}

// Declared is the operator of Schema.
var Declared = Op{ID: "declared", Label: "matches the schema in the catalog",
	passes: func(v Value, _ string) (bool, error) { return v.Also == conforms, nil }}

const (
	conforms      = "conforms"
	maxMismatches = 20
)

// mismatches collects the differences between a body and its schema.
type mismatches struct {
	partial bool // objects may lack keys
	list    []string
}

func (m *mismatches) also() string {
	if len(m.list) == 0 {
		return conforms
	}
	return ""
}

func (m *mismatches) text() string {
	if len(m.list) == 0 {
		return "matches"
	}
	return strings.Join(m.list, "\n")
}

func (m *mismatches) say(path, format string, args ...any) {
	switch len(m.list) {
	case maxMismatches:
		m.list = append(m.list, "…")
	case maxMismatches + 1:
	default:
		m.list = append(m.list, path+" "+fmt.Sprintf(format, args...))
	}
}

// full reports whether more differences would not be listed.
func (m *mismatches) full() bool { return len(m.list) > maxMismatches }

// value compares a value with its schema; path is its JSONPath.
func (m *mismatches) value(n resource.Node, s *resource.Schema, path string) {
	switch {
	case m.full() || n.Kind == 'n' && s.Nullable:
	case len(s.AnyOf) > 0:
		m.anyOf(n, s, path)
	case !isOf(n, s.Type):
		m.say(path, "is %s, not %s", kindOfNode(n), s.Type)
	case n.Kind == '{':
		m.object(n, s, path)
	case n.Kind == '[':
		m.array(n, s, path)
	default:
		m.scalar(n, s, path)
	}
}

// isOf reports whether a value has the type of a schema.
func isOf(n resource.Node, kind string) bool {
	have := kindOfNode(n)
	return kind == "" || kind == "any" || have == kind || kind == "integer" && have == "number" && whole(n.Text)
}

func (m *mismatches) anyOf(n resource.Node, s *resource.Schema, path string) {
	for i := range s.AnyOf {
		one := &mismatches{partial: m.partial}
		if one.value(n, &s.AnyOf[i], path); len(one.list) == 0 {
			return
		}
	}
	m.say(path, "is none of the %d declared forms", len(s.AnyOf))
}

func (m *mismatches) object(n resource.Node, s *resource.Schema, path string) {
	for i := range s.Properties {
		k := &s.Properties[i]
		in := n.Get(k.Name)
		switch {
		case k.WriteOnly:
		case in != nil:
			m.value(*in, &k.Schema, path+member(k.Name))
		case (k.Required || k.Shown) && !k.Sparse && !m.partial:
			m.say(path, "lacks %s", k.Name)
		}
	}
}

// member returns the step to a key in a JSONPath.
func member(key string) string {
	plain := key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if plain && (key[0] < '0' || key[0] > '9') {
		return "." + key
	}
	return "[" + strconv.Quote(key) + "]"
}

func (m *mismatches) array(n resource.Node, s *resource.Schema, path string) {
	if s.Length > 0 && len(n.Items) != s.Length {
		m.say(path, "has %d items, not %d", len(n.Items), s.Length)
	}
	if s.Items == nil {
		return
	}
	for i, item := range n.Items {
		if m.full() {
			return
		}
		m.value(item, s.Items, path+"["+strconv.Itoa(i)+"]")
	}
}

func (m *mismatches) scalar(n resource.Node, s *resource.Schema, path string) {
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(one any) bool { return isValue(n, one) }) {
		m.say(path, "is %s, which is not one of the declared values", Cut(string(n.Raw)))
	}
	if n.Kind == '"' && s.MaxLen > 0 && utf8.RuneCountInString(n.Text) > s.MaxLen {
		m.say(path, "has %d characters, more than %d", utf8.RuneCountInString(n.Text), s.MaxLen)
	}
	if n.Kind != '0' {
		return
	}
	if c, ok := compareTo(n.Text, s.Min); ok && c < 0 {
		m.say(path, "is %s, less than %d", n.Text, *s.Min)
	}
	if c, ok := compareTo(n.Text, s.Max); ok && c > 0 {
		m.say(path, "is %s, more than %d", n.Text, *s.Max)
	}
}

func compareTo(text string, limit *int64) (c int, ok bool) {
	if limit == nil {
		return 0, false
	}
	return compare(text, strconv.FormatInt(*limit, 10))
}

// isValue reports whether a value is one of an enum.
func isValue(n resource.Node, one any) bool {
	text, err := json.Marshal(one)
	if err != nil {
		return false
	}
	declared, err := resource.ParseJSON(text)
	return err == nil && same(n, declared)
}
