package endpoint

import (
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

// WithDeleted is the query parameter that makes a list include deleted rows.
const WithDeleted = "includeDeletedResources"

// The values of opType say how PUT and PATCH treat customProperties (wire.md,
// Writes).
const (
	Refresh = "refresh" // replace all
	Replace = "replace" // set the given properties and keep the others
	Add     = "add"     // add only missing properties
)

// listSchema returns the envelope of a page of items.
func listSchema(item resource.Schema) *resource.Schema {
	return &resource.Schema{Type: "object", Name: item.Name + "List", Doc: "One page, and the total number.",
		Properties: []resource.Key{
			{Name: "total", Required: true, Schema: resource.Integer("Number of all matches, on all pages")},
			{Name: "searchId", Required: true, Schema: resource.Schema{Type: "string", Nullable: true,
				Doc: "Always null; kept for clients of the published API"}},
			{Name: "items", Required: true, Schema: resource.List(item, "The page")},
			{Name: "data", Required: true, Schema: resource.Schema{Type: "object", Nullable: true,
				Doc: "Always null; " +
					"kept for clients of the published API"}},
		}}
}

var fieldsParam = resource.Param{Name: "fields", In: "query", Schema: resource.Text("Return only these fields, " +
	"comma-separated. Smaller and faster."), Example: "id"}

func bound(n int64) *int64 { return &n }

func (d *declaration) listParams() []resource.Param {
	params := append(d.pageParams(), d.res.Query...)
	if d.res.SoftBy != "" {
		params = append(params,
			resource.Param{Name: WithDeleted, In: "query",
				Schema: resource.Schema{Type: "boolean", Doc: "Include deleted ones in the recycle " +
					"bin", Default: false}})
	}
	return params
}

func (d *declaration) pageParams() []resource.Param {
	return []resource.Param{
		{Name: "size", In: "query", Schema: resource.Schema{Type: "integer", Doc: "Items per page", Min: bound(1),
			Max: bound(resource.MaxSize), Default: int64(resource.DefaultSize)}, Example: int64(50)},
		{Name: "offset", In: "query", Schema: resource.Schema{Type: "integer", Doc: "Items to skip", Min: bound(0),
			Default: int64(0)}, Example: int64(0)},
		fieldsParam,
		{Name: "sort", In: "query", Schema: resource.Text("Field names, with + for ascending or - for descending, " +
			"comma-separated; default: by id."), Example: "+id"},
		{Name: "filter", In: "query", Schema: resource.Text(d.filterDoc()), Operators: d.operators()},
	}
}

// filterDoc documents filters, with an example that uses fields of the list: a
// name, if there is one.
func (d *declaration) filterDoc() string {
	var text, id string
	named := func(field string) bool { return strings.HasSuffix(strings.ToLower(field), "name") }
	for _, c := range d.columns {
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
func (d *declaration) operators() []resource.Operators {
	var all []resource.Operators
	var columns []resource.Column
	for _, c := range d.columns {
		columns = append(columns, c.Column)
	}
	for _, c := range append(columns, d.res.DerivedColumns()...) {
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

func (d *declaration) parentParam() []resource.Param { return parentParams(d.res.Parents) }

func parentParams(parents []resource.Parent) []resource.Param {
	var params []resource.Param
	for _, p := range parents {
		params = append(params, resource.Param{Name: p.Param, In: "path", Required: true,
			Schema: resource.Integer("Id of the " + p.Of), Example: p.Sample})
	}
	return params
}

// idParam returns the row's id in the path.
func (d *declaration) idParam() resource.Param {
	p := resource.Param{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the " + d.one),
		Example: d.res.Sample}
	if d.id.Prefix != "" {
		p.Schema, p.Example = resource.Text(p.Schema.Doc), d.sample()[1:]
	}
	return p
}

// sample returns the path of the row that examples use.
func (d *declaration) sample() string { return fmt.Sprint("/", d.id.Prefix, d.res.Sample) }

// changeParams returns the parameters of PUT and PATCH.
func (d *declaration) changeParams(ids []resource.Param) []resource.Param {
	return append(d.withOpType(slices.Clone(ids)), d.flagParams(true)...)
}

func (d *declaration) withOpType(params []resource.Param) []resource.Param {
	if !d.res.OpTypes {
		return params
	}
	return append(slices.Clone(params), resource.Param{Name: "opType", In: "query", Schema: resource.Schema{
		Type: "string", Enum: []any{Refresh, Replace, Add}, Default: Refresh,
		Doc: "customProperties: refresh replaces all, replace sets the given ones, add only adds missing ones",
	}})
}

// flagParams returns the flags of DELETE, or of a change.
func (d *declaration) flagParams(change bool) []resource.Param {
	var params []resource.Param
	for _, flag := range d.res.Flags {
		if change && !flag.Writes {
			continue
		}
		params = append(params,
			resource.Param{Name: flag.Name, In: "query", Schema: resource.Schema{Type: "boolean", Doc: flag.Doc,
				Default: false}})
	}
	return params
}
