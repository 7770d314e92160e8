package rehearse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"spyglass/backend/resource"
)

// carrier rewrites the objects of a portal as bodies for another portal.
type carrier struct {
	*kinds
	// to returns the id in the other portal; false if it has no such object. Ids of
	// computed objects are left out of lists: the portal itself puts them there.
	to   func(list, id string) (there string, computed, ok bool)
	note func(why Why, field, text string)
}

// body returns the fields of an object that a body may set: without those that the portal
// sets and without secrets, with ids as in the other portal.
func (c *carrier) body(k *kind, o object) map[string]any { return c.object(o, k.schema, "") }

// object rewrites an object; nil if it makes no sense in the other portal.
func (c *carrier) object(fields map[string]any, s *resource.Schema, path string) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v, key := fields[name], s.Property(name)
		at := strings.TrimPrefix(path+"."+name, ".")
		switch {
		case v == nil, key != nil && key.ReadOnly:
			continue
		case name == "id" && (key == nil || c.listed(&key.Schema) == ""): // the portal sets it
			continue
		case key == nil && s != nil && len(s.Properties) > 0:
			if !isZero(v) {
				c.note(UnknownField, at, "the rehearsal does not have this field")
			}
			continue
		case key != nil && key.WriteOnly, isSecret(name, v):
			if !isZero(v) {
				c.note(Secret, at, "secrets are not copied")
			}
			continue
		}
		var inner *resource.Schema
		if key != nil {
			inner = &key.Schema
		}
		if kept, ok := c.value(v, inner, at); ok {
			out[name] = kept
		}
	}
	if out["objectType"] == "deviceGroup" { // of a privilege, whose id is a text without a declared reference
		if id, ok := out["objectId"].(string); ok && id != "" && id != "*" {
			there, _, ok := c.to(groupsPath, id)
			if !ok {
				c.note(Reference, path, "a privilege for a device group that was not copied")
				return nil
			}
			out["objectId"] = there
		}
	}
	return out
}

// value rewrites a value; false: the value is dropped.
func (c *carrier) value(v any, s *resource.Schema, path string) (any, bool) {
	list := ""
	if s != nil {
		list = c.listed(s)
	}
	switch v := v.(type) {
	case map[string]any:
		if name, value, ok := pair(v); ok && isSecret(name, value) {
			c.note(Secret, path+" "+name, "secrets are not copied")
			return nil, false
		}
		out := c.object(v, s, path)
		return out, out != nil
	case []any:
		return c.items(v, s, path), true
	case json.Number:
		if s != nil && s.Refs != "" {
			return c.reference(list, v, path)
		}
	case string:
		if list != "" && v != "" {
			return c.ids(list, v, path)
		}
	}
	return v, true
}

func (c *carrier) items(v []any, s *resource.Schema, path string) []any {
	var items *resource.Schema
	if s != nil {
		items = s.Items
		if s.Refs != "" && (items == nil || items.Refs == "") {
			items = &resource.Schema{Refs: s.Refs}
		}
	}
	out := []any{}
	for _, one := range v {
		if kept, ok := c.value(one, items, path); ok {
			out = append(out, kept)
		}
	}
	return out
}

// reference rewrites an id. list is empty if the portal lists no such objects.
func (c *carrier) reference(list string, id json.Number, path string) (any, bool) {
	if id == "0" || strings.HasPrefix(id.String(), "-") {
		return id, true // none
	}
	there, computed, ok := c.to(list, id.String())
	if computed && ok && there == "" {
		return nil, false // the other portal has its own
	}
	if !ok {
		c.missing(list, id.String(), path)
		return nil, false
	}
	if strings.HasPrefix(there, "{{") { // an object that is created first
		return newID(there), true
	}
	return json.Number(there), true
}

// newID is the reference to the id of a new object where an id is a number.
type newID string

// MarshalJSON marks the reference, so that textOfBody finds it.
func (n newID) MarshalJSON() ([]byte, error) { return json.Marshal("\x00" + string(n)) }

var marked = regexp.MustCompile(`"\\u0000(\{\{\w+\}\})"`)

// textOfBody returns a body as JSON in which {{name}} is the id of a new object.
func textOfBody(body map[string]any) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(body)
	return marked.ReplaceAllString(strings.TrimSpace(out.String()), "$1"), err
}

// ids rewrites a text of ids, "1,2,3".
func (c *carrier) ids(list, text, path string) (any, bool) {
	var out []string
	for id := range strings.SplitSeq(text, ",") {
		there, computed, ok := c.to(list, strings.TrimSpace(id))
		switch {
		case computed:
		case ok:
			out = append(out, there)
		default:
			c.missing(list, id, path)
		}
	}
	return strings.Join(out, ","), len(out) > 0
}

func (c *carrier) missing(list, id, path string) {
	if list == "" {
		c.note(Reference, path, "objects of this kind are not copied")
		return
	}
	c.note(Reference, path, fmt.Sprintf("%s/%s was not copied", list, id))
}
