package across

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/payload"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// mapping rewrites the objects of one list for another portal.
type mapping struct {
	*Lists
	here, there *side
	sendID      string
	schema      *resource.Schema // of an object; nil if no catalog has it
	own         *names           // of the list itself
	others      map[string]*names
	lists       []func(*resource.Schema) string // of each portal: where the objects of ids are listed
}

// names relates the ids of the objects of one list to those of the other portal.
type names struct {
	here, there map[string]string // keys by id
	ids         map[string]any    // ids there, by key
	unmatched   bool              // no field identifies them
}

// learn prepares the mapping for lists that a field matches. It reports whether the other
// portal can create objects.
func (m *mapping) learn(key string) (creates bool) {
	m.own, m.others = namesBy(key, m.here.objects, m.there.objects), map[string]*names{}
	for _, one := range []*side{m.there, m.here} {
		m.lists = append(m.lists, resource.Listed(one.Target.Catalog.Endpoints))
	}
	post := creator(m.there.Exchange)
	if post != nil {
		m.schema = post.Body
		return true
	}
	if e := m.here.Out.Endpoint; creator(m.here.Exchange) != nil {
		m.schema = creator(m.here.Exchange).Body
	} else if e != nil {
		if _, items := catalog.Property(e.Response, "items"); items != nil {
			m.schema = items.Items
		}
	}
	return false
}

func namesBy(key string, here, there []*payload.Object) *names {
	out := &names{here: map[string]string{}, there: map[string]string{}, ids: map[string]any{}}
	for _, o := range here {
		out.here[o.ID()], _ = keyText(o, key)
	}
	for _, o := range there {
		name, _ := keyText(o, key)
		out.there[o.ID()], out.ids[name] = name, decoded(o.Values["id"])
	}
	return out
}

func decoded(text json.RawMessage) any {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

// namesOf reads a list of both portals. An unreadable one matches no ids.
func (m *mapping) namesOf(ctx context.Context, list string) *names {
	if known := m.others[list]; known != nil {
		return known
	}
	out := &names{unmatched: true}
	m.others[list] = out
	if list == "" {
		return out
	}
	draft := &workspace.Draft{Method: "GET", Path: list, Template: list}
	here, err := m.side(ctx, m.here.call, m.sendID, draft)
	if err != nil {
		return out
	}
	there, err := m.side(ctx, m.there.call, m.sendID, draft)
	if err != nil {
		return out
	}
	if keys := keysOf(here.objects, there.objects); len(keys) > 0 && keys[0] != "id" {
		*out = *namesBy(keys[0], here.objects, there.objects)
	}
	return out
}

// body returns the body that creates an object in the other portal: without fields that the portal
// sets and without secrets, and with the ids of the objects of the same names there. left
// lists the other omitted fields with the reasons; needs lists the objects to create first.
func (m *mapping) body(ctx context.Context, o *payload.Object) (text string, left []string, needs []Need) {
	c := &carrier{mapping: m, ctx: ctx, left: []string{}, needs: []Need{}}
	return encoded(c.fields(o)), c.left, c.needs
}

// shown returns the fields of an object to compare: the same as in a body, but with names
// in place of ids, and without empty values.
func (m *mapping) shown(ctx context.Context, o *payload.Object, theirs bool) map[string]any {
	c := &carrier{mapping: m, ctx: ctx, compares: true, theirs: theirs}
	out := c.fields(o)
	for name, v := range out {
		if slices.Contains([]string{`""`, "[]", "{}"}, encoded(v)) {
			delete(out, name)
		}
	}
	return out
}

// carrier rewrites one object.
type carrier struct {
	*mapping
	ctx      context.Context // of one comparison
	compares bool            // names in place of ids
	theirs   bool            // it is an object of the other portal
	left     []string
	needs    []Need
}

func (c *carrier) leave(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.left, text) {
		c.left = append(c.left, text)
	}
}

func (c *carrier) fields(o *payload.Object) map[string]any {
	fields := map[string]any{}
	for name, value := range o.Values {
		fields[name] = decoded(value)
	}
	return c.object(fields, c.schema, "")
}

// object rewrites an object. A key that its schema does not have is kept only where the
// schema has no keys at all.
func (c *carrier) object(fields map[string]any, s *resource.Schema, path string) map[string]any {
	out := map[string]any{}
	for _, name := range sortedKeys(fields) {
		key := s.Property(name)
		at := strings.TrimPrefix(path+"."+name, ".")
		var inner *resource.Schema
		switch {
		case fields[name] == nil:
			continue
		case key != nil:
			if inner = &key.Schema; key.ReadOnly || key.WriteOnly && fields[name] != resource.Mask {
				continue
			}
		case path == "" && name == "id", s != nil && len(s.Properties) > 0:
			continue
		}
		if v, ok := c.value(fields[name], inner, at); ok {
			out[name] = v
		}
	}
	return out
}

// value rewrites a value; false if the value is omitted.
func (c *carrier) value(v any, s *resource.Schema, path string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		if v["value"] == resource.Mask {
			c.leave("%s %v: a secret", path, v["name"])
			return nil, false
		}
		return c.object(v, s, path), true
	case []any:
		var items *resource.Schema
		if s != nil {
			if items = s.Items; s.Refs != "" && (items == nil || items.Refs == "") {
				items = &resource.Schema{Refs: s.Refs}
			}
		}
		out := []any{}
		for _, one := range v {
			if kept, ok := c.value(one, items, path); ok {
				out = append(out, kept)
			}
		}
		return out, true
	case json.Number:
		if s != nil && s.Refs != "" {
			return c.reference(v, s, path, true)
		}
	case string:
		if v == resource.Mask {
			c.leave("%s: a secret", path)
			return nil, false
		}
		if s != nil && s.Refs != "" && v != "" {
			return c.references(v, s, path), true
		}
	}
	return v, true
}

// references rewrites ids that a text joins by commas.
func (c *carrier) references(text string, s *resource.Schema, path string) string {
	var out []string
	for id := range strings.SplitSeq(text, ",") {
		if v, ok := c.reference(json.Number(strings.TrimSpace(id)), s, path, false); ok {
			out = append(out, fmt.Sprint(v))
		}
	}
	if c.compares {
		slices.Sort(out) // ids have another order in each portal
	}
	return strings.Join(out, ",")
}

// reference returns the id of the object of the same name in the other portal, or, to
// compare, its name. whole: it is the whole value of its field.
func (c *carrier) reference(id json.Number, s *resource.Schema, path string, whole bool) (any, bool) {
	if id == "0" {
		return id, true // none
	}
	known := c.own
	list := c.listOf(s)
	name, ok := known.key(id, c.theirs)
	if list != c.here.Out.Path || !ok {
		known = c.namesOf(c.ctx, list)
		name, ok = known.key(id, c.theirs)
	}
	if c.compares {
		if ok {
			return name, true
		}
		return id, true
	}
	there, have := known.ids[name]
	switch {
	case known.unmatched:
		c.leave("%s: its ids cannot be matched by name", path)
	case !ok:
		c.leave("%s: its object %s is unknown", path, id)
	case have:
		return there, true
	case known == c.own && whole && !strings.Contains(path, "."):
		c.needs = append(c.needs, Need{path, name})
	default:
		c.leave("%s: the other portal has no “%s”", path, name)
	}
	return nil, false
}

// listOf returns the path of the list of the objects that ids refer to; "" if it is unknown.
func (c *carrier) listOf(s *resource.Schema) string {
	for _, listed := range c.lists {
		if list := listed(s); list != "" {
			return list
		}
	}
	return ""
}

// key returns the key of an id of this portal, or of the other one.
func (n *names) key(id json.Number, theirs bool) (string, bool) {
	all := n.here
	if theirs {
		all = n.there
	}
	name, ok := all[id.String()]
	return name, ok
}
