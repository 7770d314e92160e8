package explorer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"spyglass/backend/resource"
)

// object is one resource as a portal returns it: its fields, as sent.
type object struct {
	keys   []string // in their order
	values map[string]json.RawMessage
	etag   string
}

// readObject reads one JSON object; false for anything else.
func readObject(body []byte) (*object, bool) {
	node, err := resource.ParseJSON(body)
	if err != nil || node.Kind != '{' {
		return nil, false
	}
	o := &object{keys: node.Keys, values: map[string]json.RawMessage{}}
	for i, key := range node.Keys {
		o.values[key] = json.RawMessage(node.Items[i].Raw)
	}
	return o, true
}

// name returns the first display name, name or similar field that the object
// has, or else its id.
func (o *object) name() string {
	for _, key := range []string{"displayName", "name", "username", "title", "description", "id"} {
		var text string
		if json.Unmarshal(o.values[key], &text) == nil && text != "" {
			return text
		}
	}
	return strings.Trim(string(o.values["id"]), `"`)
}

// like reports whether another object shows at least the fields of this one.
func (o *object) like(other *object) bool {
	if other == nil {
		return false
	}
	for _, key := range o.keys {
		if _, there := other.values[key]; !there {
			return false
		}
	}
	return true
}

// id returns the id of the object as text; empty when it has none.
func (o *object) id() string { return strings.Trim(string(o.values["id"]), `"`) }

// body returns a JSON object of some of the object's fields.
func (o *object) body(fields []string) string {
	out := []byte{'{'}
	for _, name := range fields {
		value, there := o.values[name]
		if !there || string(value) == "null" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(resource.AppendString(out, name), ':'), value...)
	}
	return string(append(out, '}'))
}

// differing returns those of fields that both objects have, with different values.
func differing(a, b *object, fields []string) []string {
	var out []string
	for _, name := range fields {
		x, in := a.values[name]
		y, also := b.values[name]
		if in && also && !alikeJSON(x, y) {
			out = append(out, name)
		}
	}
	return out
}

// quoted returns a text as JSON.
func quoted(text string) string { return string(resource.AppendString(nil, text)) }

// alikeJSON compares two values apart from spaces and the order of keys.
func alikeJSON(a, b json.RawMessage) bool {
	x, ok := plain(a)
	y, also := plain(b)
	return ok && also && reflect.DeepEqual(x, y)
}

// plain is a value with numbers kept as they are written.
func plain(value json.RawMessage) (out any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	return out, dec.Decode(&out) == nil
}

// listed joins names as "a, b and 3 more".
func listed(names []string) string {
	switch n := len(names); {
	case n <= 2:
		return strings.Join(names, " and ")
	case n == 3:
		return names[0] + ", " + names[1] + " and " + names[2]
	default:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	}
}
