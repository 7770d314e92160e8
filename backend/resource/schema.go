package resource

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Schema describes one JSON value: for the catalog, for OpenAPI and for the docs.
type Schema struct {
	Type       string // object array string integer number boolean any
	Doc        string
	Format     string // "epoch-seconds", "epoch-milliseconds", "password", …
	Name       string // of a shared object type, "Device"
	Properties []Key
	Items      *Schema
	Length     int      // for an array of fixed length; 0: any length
	Again      bool     // an object nested in itself: only its Name is set
	AnyOf      []Schema // the value is one of these; the Type is empty then
	Enum       []any
	Min, Max   *int64
	MaxLen     int
	Default    any
	Example    any
	Nullable   bool
	Counts     Noun   // what a number counts
	Refs       string // the resource that its ids refer to, or the path that lists them
}

// Key is one key of an object schema.
type Key struct {
	Name      string
	Required  bool // in a body, and always in a response
	Shown     bool // always in a response
	Sparse    bool // in some responses only
	ReadOnly  bool
	WriteOnly bool
	Schema    Schema
}

// Property returns a key of an object schema; nil if it has none of that name, or if s
// is nil.
func (s *Schema) Property(name string) *Key {
	if s == nil {
		return nil
	}
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return &s.Properties[i]
		}
	}
	return nil
}

// Text returns the schema of a string.
func Text(doc string) Schema { return Schema{Type: "string", Doc: doc} }

// Integer returns the schema of an integer.
func Integer(doc string) Schema { return Schema{Type: "integer", Doc: doc} }

// Boolean returns the schema of a boolean.
func Boolean(doc string) Schema { return Schema{Type: "boolean", Doc: doc} }

// List returns an array of items.
func List(items Schema, doc string) Schema {
	return Schema{Type: "array", Doc: doc, Items: &items}
}

// Properties returns the schema of a list of name/value pairs.
func Properties(doc string) Schema { return List(SchemaOf(Property{}), doc) }

// Schema describes a whole row in requests and responses.
func (r *Untyped) Schema() Schema {
	s := Schema{Type: "object", Name: title(string(r.Name)), Doc: r.Doc}
	row := r.New()
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Keeps != nil {
			s.Properties = append(s.Properties, f.Keeps...)
			continue
		}
		s.Properties = append(s.Properties, Key{
			Name: f.Name, Required: f.Required, ReadOnly: f.ReadOnly, WriteOnly: f.WriteOnly, Sparse: f.If != nil,
			Schema: f.schema(row),
		})
	}
	for _, d := range r.Derived {
		p := Key{Name: d.Name, ReadOnly: true, Schema: d.Schema}
		p.Schema.Doc, p.Schema.Example, p.Schema.Counts = d.Doc, d.Example, d.Counts
		s.Properties = append(s.Properties, p)
	}
	return s
}

func (f *UntypedField) schema(row any) Schema {
	s := Schema{}
	switch p := f.At(row).(type) {
	case *int64:
		s.Type = "integer"
	case *Seconds:
		s.Type, s.Format = "integer", "epoch-seconds"
	case *Millis:
		s.Type, s.Format = "integer", "epoch-milliseconds"
	case *float64:
		s.Type = "number"
	case *bool:
		s.Type = "boolean"
	case *string:
		s.Type, s.MaxLen = "string", f.maxLen()
	case *TextID:
		s.Type, s.Format = "string", "id"
	case *IDs:
		s.Type, s.Format = "string", "comma-separated-ids"
	default:
		s = SchemaOf(reflect.ValueOf(p).Elem().Interface())
		if f.Loose {
			s = loose(s)
		}
	}
	if f.WriteOnly {
		s.Format = "password"
	}
	s.Doc, s.Enum, s.Min, s.Max, s.Default, s.Example, s.Refs = f.Doc, f.OneOf, f.Min, f.Max, f.Default,
		f.Example, f.Refs
	if !s.shows(s.Example) {
		s.Example = nil // it is an example of a body; a response has more keys
	}
	return s
}

// shows reports whether an example has all keys, at any depth, that each response
// has and a body may omit. A missing example lacks nothing.
func (s *Schema) shows(example any) bool {
	text, err := json.Marshal(example)
	if err != nil {
		panic(fmt.Sprintf("resource: an example of %s: %v", s.Doc, err))
	}
	var value any
	return json.Unmarshal(text, &value) == nil && s.showsIn(value)
}

func (s *Schema) showsIn(value any) bool {
	switch value := value.(type) {
	case []any:
		return s.Items == nil || !slices.ContainsFunc(value, func(item any) bool { return !s.Items.showsIn(item) })
	case map[string]any:
		return !slices.ContainsFunc(s.Properties, func(k Key) bool {
			inner, has := value[k.Name]
			return has && !k.Schema.showsIn(inner) || !has && k.Shown
		})
	}
	return true
}

// loose returns the schema with all keys optional in a body.
func loose(s Schema) Schema {
	if s.Items != nil {
		items := loose(*s.Items)
		s.Items = &items
	}
	s.Properties = slices.Clone(s.Properties)
	for i := range s.Properties {
		k := &s.Properties[i]
		k.Required, k.Shown, k.Schema = false, k.Required, loose(k.Schema)
	}
	return s
}

func (f *UntypedField) maxLen() int {
	if f.MaxLen == 0 {
		return 1024
	}
	return f.MaxLen
}

// SchemaOf describes a Go value by its type: json tags name the keys, doc tags
// explain them, refs tags name the resource of ids, and a pointer may be null,
// unless a null tag says "no" because nil is omitted. A body tag of "optional"
// marks a key that every response has and a body may omit. An enum tag lists the
// values of a string, separated by |, instead of those of its type. A type with a
// Schema method describes itself, and the fields of an embedded struct are keys
// of the enclosing struct.
func SchemaOf(v any) Schema { return schemaOfType(reflect.TypeOf(v)) }

// Described is a type whose JSON differs from its fields.
type Described interface{ Schema() Schema }

// schemaOfType describes a type; inside are the enclosing types, the outermost
// first.
func schemaOfType(t reflect.Type, inside ...reflect.Type) Schema {
	if own, ok := reflect.Zero(t).Interface().(Described); ok && t.Kind() != reflect.Pointer {
		return own.Schema()
	}
	if t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[JSON]() {
		return Schema{Type: "any"}
	}
	if t == reflect.TypeFor[[]byte]() { // Base64, as encoding/json writes it
		return Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOfType(t.Elem(), inside...)
		s.Nullable = true
		return s
	case reflect.String:
		return Schema{Type: "string"}
	case reflect.Bool:
		return Schema{Type: "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		return Schema{Type: "integer"}
	case reflect.Float64:
		return Schema{Type: "number"}
	case reflect.Slice:
		return List(schemaOfType(t.Elem(), inside...), "")
	case reflect.Array:
		s := List(schemaOfType(t.Elem(), inside...), "")
		s.Length = t.Len()
		return s
	case reflect.Struct:
		return schemaOfStruct(t, inside)
	case reflect.Interface, reflect.Map:
		return Schema{Type: "any"}
	}
	panic(fmt.Sprintf("resource: no schema for %s", t))
}

func schemaOfStruct(t reflect.Type, inside []reflect.Type) Schema {
	s := Schema{Type: "object", Name: t.Name()}
	if slices.Contains(inside, t) {
		s.Again = true
		return s
	}
	s.Properties = keysOf(t, append(slices.Clip(inside), t))
	return s
}

func keysOf(t reflect.Type, inside []reflect.Type) (keys []Key) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous {
			keys = append(keys, keysOf(f.Type, inside)...)
		}
		if name == "" || name == "-" {
			continue
		}
		p := Key{Name: name, Required: !strings.Contains(options, "omit"), Schema: schemaOfType(f.Type, inside...)}
		if f.Tag.Get("body") == "optional" {
			p.Required, p.Shown = false, true
		}
		p.Schema.Doc, p.Schema.Refs = f.Tag.Get("doc"), f.Tag.Get("refs")
		p.Schema.Nullable = p.Schema.Nullable && f.Tag.Get("null") != "no"
		if words, ok := f.Tag.Lookup("enum"); ok {
			p.Schema.Enum = nil
			for word := range strings.SplitSeq(words, "|") {
				p.Schema.Enum = append(p.Schema.Enum, word)
			}
		}
		keys = append(keys, p)
	}
	return keys
}

// Listed returns a function that returns the path at which all objects of a
// schema are listed; "" if endpoints have none.
func Listed(endpoints []Endpoint) func(s *Schema) string {
	paths := map[string]string{}
	for i := range endpoints {
		e := &endpoints[i]
		if e.Method != "GET" || e.Category == "" || e.Response == nil || strings.Contains(e.Path, "{") {
			continue
		}
		for _, k := range e.Response.Properties {
			if k.Name == "items" && k.Schema.Items != nil && paths[k.Schema.Items.Name] == "" {
				paths[k.Schema.Items.Name] = e.Path
			}
		}
	}
	return func(s *Schema) string {
		if s.Refs == "" || s.Refs[0] == '/' {
			return s.Refs
		}
		return paths[title(s.Refs)]
	}
}

func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
