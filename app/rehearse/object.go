package rehearse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"spyglass/backend/resource"
)

// object is an object of a portal. Numbers are json.Number.
type object map[string]any

func readObject(text []byte) (object, error) {
	var o object
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err := dec.Decode(&o)
	return o, err
}

// id returns the id of the object as text; "" if it has none.
func (o object) id() string { return textOf(o["id"]) }

// textOf returns a number or a text; "" for anything else.
func textOf(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return ""
}

// nameKeys lists the keys of names, those that are unique first.
var nameKeys = []string{"displayName", "username", "groupName", "name", "title", "comment", "description"}

// name returns the name of the object for people.
func (o object) name() string {
	for _, key := range nameKeys {
		if text, ok := o[key].(string); ok && text != "" {
			return text
		}
	}
	return o.id()
}

// isZero reports whether a value says nothing: null, 0, false, or an empty text, list or
// object.
func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// isUsual reports whether a value is the default of a schema.
func isUsual(v any, s *resource.Schema) bool {
	if s.Default == nil {
		return isZero(v)
	}
	text, err := json.Marshal(s.Default)
	if err != nil {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var usual any
	return dec.Decode(&usual) == nil && same(v, usual)
}

// same compares values; null is like a missing key.
func same(a, b any) bool {
	if x, ok := a.(map[string]any); ok {
		y, ok := b.(map[string]any)
		if !ok {
			return false
		}
		for _, one := range []map[string]any{x, y} {
			for key := range one {
				if !same(x[key], y[key]) {
					return false
				}
			}
		}
		return true
	}
	if x, ok := a.([]any); ok {
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// isSecret reports whether a value is masked, or has the name of a secret.
func isSecret(name string, v any) bool {
	switch v := v.(type) {
	case string:
		return v == resource.Mask || v != "" && resource.SecretName(name)
	case json.Number:
		return resource.SecretName(name)
	}
	return false
}

// pair returns the name and the value of a name/value pair.
func pair(v any) (name string, value any, ok bool) {
	fields, ok := v.(map[string]any)
	if !ok {
		return "", nil, false
	}
	name, ok = fields["name"].(string)
	value, has := fields["value"]
	return name, value, ok && has
}

// masked returns a value without its secrets.
func masked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, one := range v {
			out[key] = masked(one)
			if isSecret(key, one) {
				out[key] = resource.Mask
			}
		}
		if name, value, ok := pair(v); ok && isSecret(name, value) {
			out["value"] = resource.Mask
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = masked(v[i])
		}
		return out
	}
	return v
}

// hidden lists fields that may hold a secret whatever their name: the address of a web
// hook often does. They are neither recorded nor compared.
var hidden = map[string][]string{integrationPath: {"url"}}

// clean returns an object of a list without its secrets.
func clean(list string, o object) object {
	out := object(masked(map[string]any(o)).(map[string]any))
	for _, field := range hidden[list] {
		if !isZero(out[field]) {
			out[field] = resource.Mask
		}
	}
	return out
}

// short returns a value as JSON for people, cut if it is long.
func short(v any) string {
	if v == nil {
		return "nothing"
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return cut(strings.TrimSpace(out.String()))
}

// cut returns a text for one line.
func cut(text string) string {
	if runes := []rune(text); len(runes) > 160 {
		return string(runes[:160]) + "…"
	}
	return text
}

// quoted returns a name in a sentence.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:80]) + "…"
	}
	return "“" + name + "”"
}

// covers reports whether a value has at least what is wanted: a portal adds ids to the
// objects in a list.
func covers(want, have any) bool {
	switch want := want.(type) {
	case map[string]any:
		has, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for key, v := range want {
			if !covers(v, has[key]) {
				return false
			}
		}
		return true
	case []any:
		has, ok := have.([]any)
		if !ok || len(has) != len(want) {
			return false
		}
		for i := range want {
			if !covers(want[i], has[i]) {
				return false
			}
		}
		return true
	}
	return same(want, have)
}
