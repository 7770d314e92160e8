package store

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

// propColumns lists the columns by which properties are filtered and sorted.
var propColumns = []resource.Column{
	{Name: "name", Kind: resource.KindText}, {Name: "value", Kind: resource.KindText}, {Name: "type", Kind: resource.KindText},
}

// propFields are the keys of a property, in their order.
var propFields = []string{"name", "value", "type", "inheritList", "secret"}

// propEndpoints returns the endpoints of single properties of a row.
func (t *Table[T]) propEndpoints(read, write resource.Right, fails func(...resource.Failure) []resource.Failure) []resource.Endpoint {
	p, label := t.res.Props, t.res.Label
	if p == nil {
		return nil
	}
	list := t.res.Path + "/{" + p.Param + "}/properties"
	path := fmt.Sprintf("%s/%d/properties", t.res.Path, t.res.Sample)
	row := []resource.Param{{Name: p.Param, In: "path", Required: true, Schema: resource.Integer("Id of the " + label), Example: t.res.Sample}}
	one := append(slices.Clone(row), resource.Param{Name: "name", In: "path", Required: true, Schema: resource.Text("Name of the property, percent-encoded"), Example: p.Sample})
	query := t.pageParams()
	for i := range query {
		if query[i].Operators != nil {
			query[i].Operators = []resource.Operators{{Fields: []string{"name", "value", "type"}, Ops: filter.Operators(resource.KindText)}}
			query[i].Schema.Doc = `Conditions, joined with , for and, || for or: name~"snmp",type:"custom"`
		}
		if query[i].Name == "sort" {
			query[i].Schema.Doc = "name, value or type, + in front for ascending, - for descending; several by comma. By name unless given."
		}
	}
	answer, added, changed := propSchema(false), propSchema(false), propSchema(true)
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter or a field of the body is wrong; errorDetail names it"}
	missing := resource.Failure{Kind: fault.Unknown, When: "there is no such " + label + ", it is not yours to see, or it has no such property of its own"}
	clash := resource.Failure{Kind: fault.Conflict, When: "the " + label + " has a property of that name already"}
	stale := resource.Failure{Kind: fault.Changed, When: "If-Match was given, and the property has changed"}
	sample := path + "/" + url.PathEscape(p.Sample)
	return []resource.Endpoint{
		{Method: "GET", Path: list, Summary: "List properties of " + article(label), Doc: "Returns all that applies to the " + label + ": its own properties, what it inherits, and what the portal knows.",
			Right: read, Params: append(slices.Clone(row), query...), Answer: ListSchema(answer), Errors: fails(wrong, missing), Example: resource.Example{Path: path, Query: [][2]string{{"size", "10"}, {"sort", "+name"}}}, Handle: t.listProps},
		{Method: "POST", Path: list, Summary: "Add a property to " + article(label), Doc: "Adds a property of the " + label + "'s own. It covers an inherited one of that name.",
			Right: write, Params: row, Body: &added, Answer: &answer, Creates: true, Tagged: true, Errors: fails(wrong, missing, clash), Example: resource.Example{Path: path, Body: map[string]string{"name": "asset.tag", "value": "KF-4711"}}, Handle: t.addProp},
		{Method: "GET", Path: list + "/{name}", Summary: "Get one property of " + article(label), Doc: "Returns one property as it applies, with an ETag for conditional requests.",
			Right: read, Params: append(slices.Clone(one), fieldsParam), Answer: &answer, Tagged: true, Errors: fails(missing), Example: resource.Example{Path: sample}, Handle: t.getProp},
		{Method: "PUT", Path: list + "/{name}", Summary: "Replace a property of " + article(label), Doc: "Sets the value of a property of the " + label + "'s own.",
			Right: write, Params: one, Body: &changed, Answer: &answer, Tagged: true, Errors: fails(wrong, missing, stale), Example: resource.Example{Path: sample, Body: map[string]string{"value": "as replaced"}}, Handle: t.setProp(true)},
		{Method: "PATCH", Path: list + "/{name}", Summary: "Change a property of " + article(label), Doc: "Sets the value of a property of the " + label + "'s own, when one is given.",
			Right: write, Params: one, Body: &changed, Answer: &answer, Tagged: true, Errors: fails(wrong, missing, stale), Example: resource.Example{Path: sample, Body: map[string]string{"value": "as changed"}}, Handle: t.setProp(false)},
		{Method: "DELETE", Path: list + "/{name}", Summary: "Remove a property of " + article(label), Doc: "Removes a property of the " + label + "'s own; one it inherits shows again.",
			Right: write, Params: one, Errors: fails(missing, stale), Example: resource.Example{Path: sample}, Handle: t.dropProp},
	}
}

// propSchema describes a property; in the body of a change its name is given
// by the path.
func propSchema(named bool) resource.Schema {
	s := resource.SchemaOf(resource.EntityProperty{})
	s.Doc = "A property as it applies."
	for i := range s.Properties {
		k := &s.Properties[i]
		k.ReadOnly = k.Name == "type" || k.Name == "inheritList" || named && k.Name == "name"
	}
	return s
}

// propsOf returns all properties that apply to a row, by name, secrets masked.
// Properties inherited from groups that the caller does not see apply, but the
// groups are not named.
func (t *Table[T]) propsOf(ctx context.Context, q asker, who *resource.Access, row T) ([]resource.EntityProperty, error) {
	p := t.res.Props
	all, at := []resource.EntityProperty{}, map[string]int{}
	find := func(prop resource.Property, kind string) *resource.EntityProperty {
		key := strings.ToLower(prop.Name)
		i, ok := at[key]
		if !ok {
			i, at[key] = len(all), len(all)
			all = append(all, resource.EntityProperty{Name: prop.Name, Value: prop.Shown(), Type: kind, InheritList: []resource.InheritanceProp{}, Secret: prop.Secret})
		}
		return &all[i]
	}
	for _, prop := range t.pairsOf(row, p.Field) {
		find(prop, resource.PropertyCustom)
	}
	if p.Inherited != nil {
		pairs, err := p.Inherited(ctx, q, storedText(t.column(p.From).field.At(row)))
		if err != nil {
			return nil, err
		}
		everywhere, groups := seesAll(who), []int64(nil)
		if !everywhere {
			_, groups = who.Groups(resource.Read)
		}
		for _, pair := range pairs {
			one := find(pair.Property, resource.PropertyInherit)
			if !everywhere && !slices.Contains(groups, pair.ID) {
				continue
			}
			one.InheritList = append(one.InheritList, resource.InheritanceProp{ID: pair.ID, FullPath: pair.FullPath, Value: pair.Shown(), Type: resource.PropertyCustom})
		}
	}
	for _, other := range p.Others {
		for _, prop := range t.pairsOf(row, other.Field) {
			find(prop, other.Type)
		}
	}
	slices.SortFunc(all, func(a, b resource.EntityProperty) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, nil
}

func (t *Table[T]) pairsOf(row T, field string) []resource.Property {
	return *t.column(field).field.At(row).(*[]resource.Property)
}

// propRow returns the call as one for the row itself, whose entity tag is
// another.
func (t *Table[T]) propRow(c *resource.Call) *resource.Call {
	row := *c
	row.Vars, row.IfMatch = map[string]string{"id": c.Vars[t.res.Props.Param]}, ""
	return &row
}

// readProps returns the properties that apply to the row of the path, for a caller who may see it.
func (t *Table[T]) readProps(ctx context.Context, c *resource.Call) ([]resource.EntityProperty, error) {
	c = t.propRow(c)
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	cond, err := t.visible(ctx, t.db, c, resource.Read)
	if err != nil {
		return nil, err
	}
	row, err := t.load(ctx, t.db, id, cond.text.String(), cond.args...)
	if err != nil {
		return nil, err
	}
	return t.propsOf(ctx, t.db, c.Access, row)
}

func knownPropFields(fields []string) error {
	for _, name := range fields {
		if !slices.Contains(propFields, name) {
			return fault.At("fields", "property has no field %q%s", name, resource.DidYouMean(name, propFields))
		}
	}
	return nil
}

func (t *Table[T]) listProps(ctx context.Context, c *resource.Call) (any, error) {
	q, err := resource.ParseQuery(c.Query, c.Lenient)
	if err != nil {
		return nil, err
	}
	if err := knownPropFields(q.Fields); err != nil {
		return nil, err
	}
	props, err := t.readProps(ctx, c)
	if err != nil {
		return nil, err
	}
	order, err := t.db.chooseProps(ctx, props, q)
	if err != nil {
		return nil, err
	}
	out := append(strconv.AppendInt([]byte(`{"total":`), int64(len(order)), 10), `,"searchId":null,"items":[`...)
	order = order[min(q.Offset, int64(len(order))):]
	for i, k := range order[:min(q.Size, int64(len(order)))] {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, propJSON(&props[k], q.Fields)...)
	}
	return resource.JSON(append(out, `],"data":null}`...)), nil
}

// chooseProps are the places of those that pass the filter, sorted. SQLite does
// it, so that a filter means the same everywhere.
func (db *DB) chooseProps(ctx context.Context, props []resource.EntityProperty, q resource.Query) ([]int, error) {
	f, err := filter.Parse(q.Filter, propColumns, nil)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(props)
	if err != nil {
		return nil, err
	}
	cond := &condition{}
	cond.and("1")
	filterProps(cond, f)
	order := ""
	for _, key := range q.Sort {
		if !slices.ContainsFunc(propColumns, func(c resource.Column) bool { return c.Name == key.Field }) {
			return nil, fault.At("sort", "property has no field %q to sort by%s", key.Field, resource.DidYouMean(key.Field, propFields[:3]))
		}
		order += quote(key.Field) + " COLLATE NOCASE"
		if key.Down {
			order += " DESC"
		}
		order += ", "
	}
	found, err := db.read.QueryContext(ctx, `WITH "p" AS (SELECT "key" AS "id", value->>'name' AS "name", value->>'value' AS "value", value->>'type' AS "type" FROM json_each(?))`+
		` SELECT "id" FROM "p" WHERE `+cond.text.String()+" ORDER BY "+order+`"id"`, append([]any{string(text)}, cond.args...)...)
	if err != nil {
		return nil, tooSlow(ctx, err)
	}
	return scanAll[int](found)
}

// filterProps adds what a filter over propColumns means.
func filterProps(c *condition, f *filter.Filter) {
	if f == nil {
		return
	}
	var either []string
	var args []any
	for _, all := range f.Any {
		var one condition
		for _, cond := range all {
			place := quote(cond.Column.Name)
			if cond.Column.Name == "_all" {
				place = `"name" || ' ' || "value"`
			}
			text, more := values(place, resource.KindText, cond.Op, cond.Values)
			one.and(text, more...)
		}
		either, args = append(either, "("+one.text.String()+")"), append(args, one.args...)
	}
	c.and("("+strings.Join(either, " OR ")+")", args...)
}

func propJSON(p *resource.EntityProperty, fields []string) []byte {
	out := resource.AppendString([]byte(`{"name":`), p.Name)
	out = resource.AppendString(append(out, `,"value":`...), p.Value)
	out = resource.AppendString(append(out, `,"type":`...), p.Type)
	out = append(out, `,"inheritList":[`...)
	for i, from := range p.InheritList {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(out, `{"id":`...), from.ID, 10)
		out = resource.AppendString(append(out, `,"fullpath":`...), from.FullPath)
		out = resource.AppendString(append(out, `,"value":`...), from.Value)
		out = append(resource.AppendString(append(out, `,"type":`...), from.Type), '}')
	}
	out = append(out, ']')
	if p.Secret {
		out = append(out, `,"secret":true`...)
	}
	out = append(out, '}')
	if len(fields) > 0 {
		return resource.PickKeys(nil, out, fields)
	}
	return out
}
