package resource

import (
	"encoding/json"
	"slices"
	"strings"

	"spyglass/backend/fault"
)

// Foreign holds, by key, values that clients of the published API send and that
// the portal stores without interpreting them. A row has one such field; its
// Keeps declares the keys.
type Foreign map[string]json.RawMessage

// keptDoc is the catalog text for each key of a Foreign field.
const keptDoc = "Kept for clients of the published API"

// Keeping declares keys of one type, separated by spaces in names: "boolean",
// "integer", "string", "any", or a list of one of these, such as "[]integer".
func Keeping(kind, names string) []Key {
	s := Schema{Type: kind}
	if of, ok := strings.CutPrefix(kind, "[]"); ok {
		s = List(Schema{Type: of}, "")
	}
	s.Doc = keptDoc
	var keys []Key
	for name := range strings.FieldsSeq(names) {
		keys = append(keys, Key{Name: name, Sparse: true, Schema: s})
	}
	return keys
}

// KeptField returns the field that holds these keys. It has no key of its own in
// JSON.
func KeptField[T any](at func(T) *Foreign, keys ...[]Key) Field[T] {
	return Field[T]{
		Name: "kept", At: func(row T) any { return at(row) }, Doc: keptDoc, WriteOnly: true,
		Keeps: slices.Concat(keys...),
	}
}

const maxKept = 64 << 10 // bytes of one value

// setKept stores the given keys.
func (f *UntypedField) setKept(row any, b *Body) error {
	at := f.At(row).(*Foreign)
	now := Foreign{}
	for key, value := range *at {
		now[key] = value
	}
	for _, k := range f.Keeps {
		n := b.node.Get(k.Name)
		if n == nil {
			continue
		}
		if n.Kind == 'n' {
			delete(now, k.Name)
			continue
		}
		text := n.Raw
		if b.lenient {
			text = loosen(nil, *n, k.Schema)
		}
		if err := k.Schema.takes(k.Name, text); err != nil {
			return err
		}
		if name := secretIn(*n); name != "" {
			return fault.At(k.Name, "%s contains %.80s; this portal does not store secrets there", k.Name, name)
		}
		value, err := json.Marshal(json.RawMessage(text)) // removes white space
		if err != nil {
			return err
		}
		now[k.Name] = value
	}
	*at = now
	return nil
}

// secretIn returns the name of a secret in a value, as a key or as a name beside
// a value; "" for none.
func secretIn(n Node) string {
	for _, pair := range secretValues(nil, n) {
		if pair.Text != Mask {
			return "a value with the name of a secret"
		}
	}
	for i, item := range n.Items {
		if i < len(n.Keys) && SecretName(n.Keys[i]) && !item.isEmpty() && item.Text != Mask {
			return n.Keys[i]
		}
		if name := secretIn(item); name != "" {
			return name
		}
	}
	return ""
}

// takes returns an error if the value has another type.
func (s Schema) takes(name string, text []byte) error {
	n, err := ParseJSON(text)
	switch {
	case err != nil:
		return at(err, name)
	case len(text) > maxKept:
		return fault.At(name, "%s is longer than %d bytes", name, maxKept)
	case s.Type == "string" && n.Kind != '"':
		return fault.At(name, "%s must be a text in double quotes", name)
	case s.Type == "boolean" && n.Kind != 't' && n.Kind != 'f':
		return fault.At(name, "%s must be true or false", name)
	case s.Type == "integer":
		if _, ok := wholeNumber(n.Text, false); n.Kind != '0' || !ok {
			return fault.At(name, "%s must be a whole number", name)
		}
	case s.Type == "array":
		if n.Kind != '[' {
			return fault.At(name, "%s must be a list", name)
		}
		for _, item := range n.Items {
			if err := s.Items.takes(name, item.Raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendKept appends the stored keys to an object.
func (f *UntypedField) appendKept(out []byte, row any) []byte {
	kept := *f.At(row).(*Foreign)
	for i := 0; i < len(f.Keeps) && len(kept) > 0; i++ {
		if value, ok := kept[f.Keeps[i].Name]; ok {
			if out[len(out)-1] != '{' {
				out = append(out, ',')
			}
			out = append(append(AppendString(out, f.Keeps[i].Name), ':'), value...)
		}
	}
	return out
}

// Keeps reports whether the name is a key of the Foreign field.
func (r *Untyped) Keeps(name string) bool { return slices.Contains(r.KeptNames(), name) }

// KeptNames returns the keys of the Foreign field.
func (r *Untyped) KeptNames() []string {
	var names []string
	for i := range r.Fields {
		for _, k := range r.Fields[i].Keeps {
			names = append(names, k.Name)
		}
	}
	return names
}
