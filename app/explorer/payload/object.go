// Package payload reads what portals respond with: objects, pages of lists, errors,
// rate limits and compressed bodies.
//
// Values keep the bytes that the portal sent: numbers keep their digits, and objects
// the order of their keys.
//
// # Units
//
// Sizes are bytes. A Quota's window and a Problem's RetryAfter are seconds.
//
// # Concurrency
//
// Everything works on its arguments alone, and starts no goroutines.
//
// # Errors
//
// ReadPage returns an error message for a body that is not a list, and io.ErrUnexpectedEOF for
// an incomplete list. ReadObject returns false if the body is not an object.
package payload

import (
	"encoding/json"
	"fmt"
	"strings"

	"spyglass/backend/resource"
)

// Object is one object as a portal returned it, with unchanged values.
type Object struct {
	Keys   []string // in order
	Values map[string]json.RawMessage
	Etag   string
}

// ReadObject reads one JSON object; false for anything else.
func ReadObject(body []byte) (*Object, bool) {
	node, err := resource.ParseObject(body, "the body")
	if err != nil {
		return nil, false
	}
	o := &Object{Keys: node.Keys, Values: map[string]json.RawMessage{}}
	for i, key := range node.Keys {
		o.Values[key] = json.RawMessage(node.Items[i].Raw)
	}
	return o, true
}

// Name returns the first display name, name or similar field of the object, or
// else its id.
func (o *Object) Name() string {
	for _, key := range []string{"displayName", "name", "username", "title", "description", "id"} {
		var text string
		if json.Unmarshal(o.Values[key], &text) == nil && text != "" {
			return text
		}
	}
	return strings.Trim(string(o.Values["id"]), `"`)
}

// Like reports whether another object has at least the same fields.
func (o *Object) Like(other *Object) bool {
	if other == nil {
		return false
	}
	for _, key := range o.Keys {
		if _, there := other.Values[key]; !there {
			return false
		}
	}
	return true
}

// ID returns the id of the object as text; "" if it has none.
func (o *Object) ID() string { return strings.Trim(string(o.Values["id"]), `"`) }

// Body returns a JSON object with some of the object's fields.
func (o *Object) Body(fields []string) string {
	out := []byte{'{'}
	for _, name := range fields {
		value, there := o.Values[name]
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

// Differing returns those fields that both objects have with different values.
func Differing(a, b *Object, fields []string) []string {
	var out []string
	for _, name := range fields {
		x, in := a.Values[name]
		y, also := b.Values[name]
		if in && also && !AlikeJSON(x, y) {
			out = append(out, name)
		}
	}
	return out
}

// Quoted returns a text as JSON.
func Quoted(text string) string { return string(resource.AppendString(nil, text)) }

// AlikeJSON compares two values, ignoring white space and the order of keys; numbers
// as they are written.
func AlikeJSON(a, b json.RawMessage) bool {
	x, err := resource.ParseJSON(a)
	y, wrong := resource.ParseJSON(b)
	return err == nil && wrong == nil && alike(&x, &y)
}

func alike(a, b *resource.Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		other := &b.Items[i]
		if a.Kind == '{' {
			other = b.Get(a.Keys[i])
		}
		if other == nil || !alike(&a.Items[i], other) {
			return false
		}
	}
	return true
}

// Listed joins names as "a, b and 3 more".
func Listed(names []string) string {
	switch n := len(names); {
	case n <= 2:
		return strings.Join(names, " and ")
	case n == 3:
		return names[0] + ", " + names[1] + " and " + names[2]
	default:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	}
}
