package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

// Endpoints are the routes of the resource, with all the catalog says of them.
func (t *Table[T]) Endpoints() []resource.Endpoint {
	r, label := t.res, t.res.Label
	one := r.Schema()
	body := r.Schema()
	row := r.Path + "/{id}"
	read := resource.Right{Object: r.Object, Area: r.Area, Op: resource.Read}
	write := resource.Right{Object: r.Object, Area: r.Area, Op: resource.Modify}
	ids := append(t.parentParam(), t.idParam())

	fails := func(more ...resource.Failure) []resource.Failure {
		return append([]resource.Failure{{Kind: fault.NoLogin, When: "nobody is signed in, or the token is wrong"}, {Kind: fault.Denied, When: "the role lacks the right"}, {Kind: fault.TooMany, When: "the rate limit is reached"}}, more...)
	}
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter or a field of the body is wrong; errorDetail names it"}
	missing := resource.Failure{Kind: fault.Unknown, When: "there is no such " + label + ", or it is not yours to see"}
	clash := resource.Failure{Kind: fault.Conflict, When: "the name is taken, or the state forbids it"}
	stale := resource.Failure{Kind: fault.Changed, When: "If-Match was given, and the " + label + " has changed"}

	all := []resource.Endpoint{
		{Method: "GET", Path: r.Path, Summary: "List " + plural(label), Doc: "Returns the " + plural(label) + " this account can see, one page at a time.",
			Right: read, Params: append(t.parentParam(), t.listParams()...), Answer: ListSchema(one), Lines: &one, Errors: fails(wrong), Example: t.listExample(), Handle: t.list},
		{Method: "POST", Path: r.Path, Summary: "Add " + article(label), Doc: r.Doc,
			Right: write, Params: t.parentParam(), Body: &body, Answer: &one, Creates: true, Tagged: true, Errors: fails(wrong, clash), Example: t.example("", t.exampleBody(asExample)), Handle: t.create},
		{Method: "GET", Path: row, Summary: "Get one " + label, Doc: "Returns one " + label + ", with an ETag for conditional requests.",
			Right: read, Params: append(append(slices.Clone(ids), fieldsParam), r.Asks...), Answer: &one, Tagged: true, Errors: fails(missing), Example: t.example(t.sample(), nil), Handle: t.get},
		{Method: "PUT", Path: row, Summary: "Replace " + article(label), Doc: "Replaces the " + label + ": what is not given returns to its default. Read-only fields are accepted and ignored.",
			Right: write, Params: t.changeParams(ids), Body: &body, Answer: &one, Tagged: true, Errors: fails(wrong, missing, clash, stale), Example: t.example(t.sample(), t.exampleBody(renamed)), Handle: t.replace},
		{Method: "PATCH", Path: row, Summary: "Change some fields of " + article(label), Doc: "Changes the fields that are given, and no others.",
			Right: write, Params: t.changeParams(ids), Body: &body, Answer: &one, Tagged: true, Errors: fails(wrong, missing, clash, stale), Example: t.example(t.sample(), t.exampleBody(oneText)), Handle: t.patch},
		{Method: "DELETE", Path: row, Summary: "Remove " + article(label), Doc: "Removes the " + label + ".",
			Right: write, Params: append(slices.Clone(ids), t.flagParams(false)...), Errors: fails(missing, clash, stale), Example: t.example(t.sample(), nil), Handle: t.erase},
	}
	if r.Owner != "" {
		all = append(all, resource.Endpoint{Method: "DELETE", Path: r.Path, Summary: "Remove all " + plural(label), Right: write, Handle: t.clear})
	}
	if r.Single > 0 {
		all = t.single(all)
	}
	if r.Batch {
		all = append(all, t.batchEndpoint(write, fails(wrong, missing, clash, stale)))
	}
	if r.Bin != "" {
		all = append(all, t.binEndpoints(read, write, fails)...)
	}
	all = append(all, t.actions(row, ids, fails(wrong, missing, clash, stale))...)
	all = slices.DeleteFunc(all, func(e resource.Endpoint) bool {
		return slices.Contains(r.Without, e.Method) || slices.Contains(r.Without, e.ID())
	})
	all = append(all, t.propEndpoints(read, write, fails)...)
	all = append(all, t.listings(read, fails)...)
	for i := range all {
		all[i].Category = cmp.Or(all[i].Category, r.Category)
	}
	return all
}

// plural is several of what a label names: "alert settings of a device".
func plural(label string) string {
	name, of, part := strings.Cut(label, " of ")
	if stem, ok := strings.CutSuffix(name, "y"); ok && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		name = stem + "ies"
	} else {
		name += "s"
	}
	if part {
		name += " of " + of
	}
	return name
}

func article(label string) string {
	if strings.ContainsRune("aeioAEIO", rune(label[0])) {
		return "an " + label
	}
	return "a " + label
}

// ListSchema is the envelope of a page of items.
func ListSchema(item resource.Schema) *resource.Schema {
	return &resource.Schema{Type: "object", Name: item.Name + "List", Doc: "One page, and how many there are in all.", Properties: []resource.Key{
		{Name: "total", Required: true, Schema: resource.Integer("How many match in all, whatever the page")},
		{Name: "searchId", Required: true, Schema: resource.Schema{Type: "string", Nullable: true, Doc: "Always null; kept for clients of the published API"}},
		{Name: "items", Required: true, Schema: resource.List(item, "The page")},
		{Name: "data", Required: true, Schema: resource.Schema{Type: "object", Nullable: true, Doc: "Always null; kept for clients of the published API"}},
	}}
}

var fieldsParam = resource.Param{Name: "fields", In: "query", Schema: resource.Text("Return only these fields, joined by commas. Smaller and faster."), Example: "id"}

func bound(n int64) *int64 { return &n }

func (t *Table[T]) listParams() []resource.Param {
	params := append(t.pageParams(), t.res.Asks...)
	if t.res.SoftBy != "" {
		params = append(params, resource.Param{Name: withDeleted, In: "query", Schema: resource.Schema{Type: "boolean", Doc: "Show deleted ones too, which are still in the recycle bin", Default: false}})
	}
	return params
}

func (t *Table[T]) pageParams() []resource.Param {
	return []resource.Param{
		{Name: "size", In: "query", Schema: resource.Schema{Type: "integer", Doc: "Items per page", Min: bound(1), Max: bound(resource.MaxSize), Default: int64(resource.DefaultSize)}, Example: int64(50)},
		{Name: "offset", In: "query", Schema: resource.Schema{Type: "integer", Doc: "Items to skip", Min: bound(0), Default: int64(0)}, Example: int64(0)},
		fieldsParam,
		{Name: "sort", In: "query", Schema: resource.Text("Field names, + in front for ascending, - for descending; several by comma. By id unless given."), Example: "+id"},
		{Name: "filter", In: "query", Schema: resource.Text(t.filterDoc()), Operators: t.operators()},
	}
}

// filterDoc has an example with fields of the list's own: a name, if there is one.
func (t *Table[T]) filterDoc() string {
	var text, id string
	named := func(field string) bool { return strings.HasSuffix(strings.ToLower(field), "name") }
	for _, c := range t.columns {
		ops := filter.Operators(c.Kind)
		switch {
		case c.Hidden || c.Kind == resource.KindPairs:
		case c.Name == "id" && slices.Contains(ops, ">"):
			id = ",id>:10"
		case slices.Contains(ops, "~") && (text == "" || c.Name == "displayName" || named(c.Name) && !named(text)):
			text = c.Name
		}
	}
	return fmt.Sprintf(`Conditions on fields, joined with , for and, || for or: %s~"web"%s`, text, id)
}

// operators returns the filter operators of each field.
func (t *Table[T]) operators() []resource.Operators {
	var all []resource.Operators
	var columns []resource.Column
	for _, c := range t.columns {
		columns = append(columns, c.Column)
	}
	for _, c := range append(columns, t.derivedColumns()...) {
		ops := filter.Operators(c.Kind)
		if c.Hidden || len(ops) == 0 {
			continue
		}
		names := []string{c.Name}
		if c.Kind == resource.KindPairs {
			names = []string{c.Name + ".name", c.Name + ".value"}
		}
		k := slices.IndexFunc(all, func(o resource.Operators) bool { return slices.Equal(o.Ops, ops) })
		if k < 0 {
			k = len(all)
			all = append(all, resource.Operators{Ops: ops})
		}
		all[k].Fields = append(all[k].Fields, names...)
	}
	return all
}

func (t *Table[T]) parentParam() []resource.Param { return parentParams(t.res.Parents) }

func parentParams(parents []resource.Parent) []resource.Param {
	var params []resource.Param
	for _, p := range parents {
		params = append(params, resource.Param{Name: p.Param, In: "path", Required: true, Schema: resource.Integer("Id of the " + p.Of), Example: p.Sample})
	}
	return params
}

// idParam is the row's id in the path.
func (t *Table[T]) idParam() resource.Param {
	p := resource.Param{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the " + t.res.Label), Example: t.res.Sample}
	if t.id.Prefix != "" {
		p.Schema, p.Example = resource.Text(p.Schema.Doc), t.sample()[1:]
	}
	return p
}

// sample is the path of the row that examples use, below the list.
func (t *Table[T]) sample() string { return fmt.Sprint("/", t.id.Prefix, t.res.Sample) }

// changeParams returns the parameters of PUT and PATCH.
func (t *Table[T]) changeParams(ids []resource.Param) []resource.Param {
	return append(t.withOpType(slices.Clone(ids)), t.flagParams(true)...)
}

func (t *Table[T]) withOpType(params []resource.Param) []resource.Param {
	if !t.res.OpTypes {
		return params
	}
	return append(slices.Clone(params), resource.Param{Name: "opType", In: "query", Schema: resource.Schema{
		Type: "string", Enum: []any{opRefresh, opReplace, opAdd}, Default: opRefresh,
		Doc: "customProperties: refresh replaces all, replace sets the given ones, add only adds missing ones",
	}})
}

// flagParams are the switches of DELETE, or of a change.
func (t *Table[T]) flagParams(change bool) []resource.Param {
	var params []resource.Param
	for _, flag := range t.res.Flags {
		if change && !flag.Writes {
			continue
		}
		params = append(params, resource.Param{Name: flag.Name, In: "query", Schema: resource.Schema{Type: "boolean", Doc: flag.Doc, Default: false}})
	}
	return params
}

// listExample returns an example that lists the first ten rows by id.
func (t *Table[T]) listExample() resource.Example {
	e := t.example("", nil)
	e.Query = [][2]string{{"size", "10"}, {"offset", "0"}, {"sort", "+id"}}
	return e
}

// example is a request that runs in the demo environment.
func (t *Table[T]) example(below string, body any) resource.Example {
	return resource.Example{Path: samplePath(t.res.Path, t.res.Parents) + below, Body: body}
}

// samplePath is the path with the ids of sample parents.
func samplePath(path string, parents []resource.Parent) string {
	for _, p := range parents {
		path = strings.ReplaceAll(path, "{"+p.Param+"}", fmt.Sprint(p.Sample))
	}
	return path
}

// How an example body is made from the examples of the fields.
type exampleKind int

const (
	asExample exampleKind = iota // every field that may be written
	renamed                      // the same under another name, so that it can follow the first
	oneText                      // only one, free text where there is some
	oneMore                      // under a third name, beside the other two
)

func (t *Table[T]) exampleBody(kind exampleKind) json.RawMessage {
	out, one := []byte{'{'}, t.freeField()
	for _, c := range t.columns {
		f := c.field
		if f.ReadOnly || f.Example == nil || kind == oneText && f.Name != one {
			continue
		}
		example := f.Example
		if kind == renamed && t.names(f.Name) {
			example = another(example)
		}
		if kind == oneMore && t.names(f.Name) {
			example = fmt.Sprint(example, "_2")
		}
		value, err := json.Marshal(example)
		if err != nil {
			panic(fmt.Sprintf("store: the example of %s.%s: %v", t.res.Name, f.Name, err))
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(resource.AppendString(out, f.Name), ':'), value...)
	}
	return append(out, '}')
}

// another is an example that differs from the first, where no two rows may share one.
func another(example any) any {
	switch v := example.(type) {
	case string:
		return v + "_renamed" // which goes in names of any sort
	case int:
		return v + 1
	}
	return example
}

// freeField is the field an example changes alone: what people write about the
// row, or the first that depends on no other.
func (t *Table[T]) freeField() string {
	for _, name := range []string{"description", "note", "firstName"} {
		if c := t.column(name); c != nil && c.field.Example != nil {
			return name
		}
	}
	for _, c := range t.columns {
		if f := c.field; !f.ReadOnly && !f.Required && f.Example != nil && f.Refs == "" && !t.names(f.Name) {
			return f.Name
		}
	}
	return ""
}

// names reports whether no two rows share the field.
func (t *Table[T]) names(field string) bool {
	return slices.ContainsFunc(t.res.Unique, func(set []string) bool { return slices.Contains(set, field) })
}
