package api

import (
	"bytes"
	"fmt"
	"slices"

	"spyglass/backend/resource"
)

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
		out = append(append(resource.AppendString(out, m.key), ':'), value...)
	}
	return append(out, '}'), nil
}

// with adds a key, unless the value is the zero value of its type.
func (o object) with(key string, value any) object {
	switch v := value.(type) {
	case nil:
		return o
	case string:
		if v == "" {
			return o
		}
	case int:
		if v == 0 {
			return o
		}
	case *int64:
		if v == nil {
			return o
		}
	case bool:
		if !v {
			return o
		}
	case []any:
		if len(v) == 0 {
			return o
		}
	case []string:
		if len(v) == 0 {
			return o
		}
	case object:
		if len(v) == 0 {
			return o
		}
	}
	return append(o, member{key, value})
}

// noun adds the singular and plural for the objects that o describes.
func (o object) noun(n resource.Noun) object { return o.with("x-noun", n.One).with("x-plural", n.Many) }

// side is the use of a schema, in a body or a response: required and shown keys
// differ.
type side int

const (
	answerSide side = iota
	bodySide        // of POST and PUT
	patchSide       // all keys are optional
)

var suffixes = [...]string{answerSide: "", bodySide: "Body", patchSide: "Changes"}

// components holds the named schemas. Each name has one content: if a body
// differs from the response, it gets its own name, DeviceBody.
type components struct {
	schemas object
	texts   map[string][]byte
	limited bool            // the endpoints have rate limits
	partial map[string]bool // objects with selectable fields (fields=)
	listed  func(*resource.Schema) string
}

// schema returns a JSON Schema, as a reference if it has a name.
func (c *components) schema(s resource.Schema, at side) object {
	if s.Type != "object" || s.Name == "" {
		return c.inline(s, at)
	}
	name := title(s.Name)
	if !s.Again {
		name = c.name(s, at)
	}
	ref := object{{"$ref", "#/components/schemas/" + name}}
	if s.Nullable {
		ref = object{{"anyOf", []any{ref, object{{"type", "null"}}}}}
	}
	return ref.with("description", s.Doc)
}

func (c *components) name(s resource.Schema, at side) string {
	plain := title(s.Name)
	s.Doc, s.Nullable, s.Default = "", false, nil // the user of the schema sets these
	content := c.inline(s, at)
	text, err := content.MarshalJSON()
	if err != nil {
		text = fmt.Append(nil, err) // fails again when the document is written
	}
	for _, suffix := range suffixes {
		if bytes.Equal(c.texts[plain+suffix], text) {
			return plain + suffix
		}
	}
	name := plain
	if c.texts[name] != nil {
		name = plain + suffixes[at]
	}
	for n := 2; c.texts[name] != nil; n++ {
		if bytes.Equal(c.texts[name], text) {
			return name
		}
		name = fmt.Sprint(plain, suffixes[at], n)
	}
	c.texts[name] = text
	c.schemas = append(c.schemas, member{name, content})
	return name
}

func (c *components) inline(s resource.Schema, at side) object {
	var o object
	enum := s.Enum
	switch {
	case s.Type == "any" && s.Nullable: // equivalent, but some validators accept null only if it is named
		o = o.with("type", []string{"null", "object", "array", "string", "number", "boolean"})
	case s.Type == "any":
	case s.AnyOf != nil:
		all := make([]any, len(s.AnyOf))
		for i, one := range s.AnyOf {
			all[i] = c.schema(one, at)
		}
		o = o.with("anyOf", all)
	case s.Nullable:
		o = o.with("type", []string{s.Type, "null"})
		if len(enum) > 0 {
			enum = append(slices.Clone(enum), nil)
		}
	default:
		o = o.with("type", s.Type)
	}
	o = o.with("description", s.Doc).with("format", s.Format).with("enum", enum)
	o = o.with("minimum", s.Min).with("maximum", s.Max).with("maxLength", s.MaxLen)
	if s.Items != nil {
		o = o.with("items", c.schema(*s.Items, nested(at))).with("minItems", s.Length).with("maxItems", s.Length)
	}
	if s.Type == "object" {
		o = c.properties(o, s, at)
	}
	if s.Default != nil {
		o = append(o, member{"default", s.Default}) // false and 0 are defaults too
	}
	if s.Example != nil {
		o = append(o, member{"examples", []any{s.Example}})
	}
	if list := c.listed(&s); list != "" {
		o = append(o, member{"x-list", list})
	}
	return o.noun(s.Counts)
}

func (c *components) properties(o object, s resource.Schema, at side) object {
	properties := object{}
	var required []string
	for _, k := range s.Properties {
		if k.WriteOnly && at == answerSide {
			continue
		}
		p := c.schema(k.Schema, nested(at)).with("readOnly", k.ReadOnly).with("writeOnly", k.WriteOnly)
		properties = append(properties, member{k.Name, p})
		if (k.Required || k.Shown) && at == answerSide && !c.partial[s.Name] || k.Required && at == bodySide &&
			!k.ReadOnly {
			required = append(required, k.Name)
		}
	}
	return o.with("properties", properties).with("required", required)
}

// nested returns the side of a nested schema: a changed key is always sent whole.
func nested(at side) side {
	if at == patchSide {
		return bodySide
	}
	return at
}
