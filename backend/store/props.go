package store

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// propColumns lists the columns by which properties are filtered and sorted.
var propColumns = []resource.Column{
	{Name: "name", Kind: resource.KindText}, {Name: "value", Kind: resource.KindText},
	{Name: "type", Kind: resource.KindText},
}

// propTable describes a table of propColumns to the engine.
var propTable = func() *engine.Table {
	t := &engine.Table{Name: "property"}
	for _, c := range propColumns {
		t.Columns = append(t.Columns, engine.Column{Name: c.Name, Kind: c.Kind})
	}
	return t
}()

// propFields are the keys of a property, in their order.
var propFields = []string{"name", "value", "type", "inheritList", "secret"}

// propsOf returns all properties that apply to a row, sorted by name, with masked
// secrets. It includes properties inherited from groups that the caller may not
// view, without naming these groups.
func (t *Table) propsOf(ctx context.Context, q querier, who *resource.Access,
	row any) ([]resource.EntityProperty, error) {
	p := t.res.Props
	all, at := []resource.EntityProperty{}, map[string]int{}
	find := func(prop resource.Property, kind string) *resource.EntityProperty {
		key := strings.ToLower(prop.Name)
		i, ok := at[key]
		if !ok {
			i, at[key] = len(all), len(all)
			all = append(all, resource.EntityProperty{Name: prop.Name, Value: prop.Shown(), Type: kind,
				InheritList: []resource.InheritanceProp{}, Secret: prop.Secret})
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
			one.InheritList = append(one.InheritList, resource.InheritanceProp{ID: pair.ID, FullPath: pair.FullPath,
				Value: pair.Shown(), Type: resource.PropertyCustom})
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

func (t *Table) pairsOf(row any, field string) []resource.Property {
	return *t.column(field).field.At(row).(*[]resource.Property)
}

// propRow returns the call as one for the row itself, which has a different
// entity tag.
func (t *Table) propRow(c *resource.Call) *resource.Call {
	row := *c
	row.Vars, row.IfMatch = map[string]string{"id": c.Vars[t.res.Props.Param]}, ""
	return &row
}

// readProps returns the properties that apply to the row of the path, for a
// caller who may view the row.
func (t *Table) readProps(ctx context.Context, c *resource.Call) ([]resource.EntityProperty, error) {
	c = t.propRow(c)
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	cond, err := t.visible(ctx, t.db, c, resource.Read)
	if err != nil {
		return nil, err
	}
	row, err := t.load(ctx, t.db, id, cond.all)
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

func (t *Table) listProps(ctx context.Context, c *resource.Call) (any, error) {
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
	shown := resource.PageOf(q, order)
	return pageJSON(nil, int64(len(order)), len(shown), func(out []byte, i int) ([]byte, error) {
		return append(out, propJSON(&props[shown[i]], q.Fields)...), nil
	})
}

// chooseProps returns the indexes of the properties that pass the filter, sorted.
// The engine evaluates the filter, so that it means the same for every list.
func (db *DB) chooseProps(ctx context.Context, props []resource.EntityProperty, q resource.Query) ([]int, error) {
	f, err := filter.Parse(q.Filter, propColumns, nil)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(props)
	if err != nil {
		return nil, err
	}
	var order []engine.Order
	for _, key := range q.Sort {
		if !slices.ContainsFunc(propColumns, func(c resource.Column) bool { return c.Name == key.Field }) {
			return nil, fault.At("sort", "property has no field %q to sort by%s", key.Field,
				resource.DidYouMean(key.Field, propFields[:3]))
		}
		order = append(order, engine.Order{Column: key.Field, Down: key.Down})
	}
	order = append(order, engine.Order{Column: engine.Place})
	places, err := db.base.Arrange(ctx, propTable, text, filterProps(f), order)
	if err != nil {
		return nil, tooSlow(ctx, err)
	}
	return places, nil
}

// filterProps converts a filter over propColumns to a condition.
func filterProps(f *filter.Filter) engine.Cond {
	if f == nil {
		return nil
	}
	var either engine.Any
	for _, conds := range f.Any {
		var all engine.All
		for _, cond := range conds {
			one := engine.Matches{Column: cond.Column.Name, Op: cond.Op, Values: cond.Values}
			if one.Column == "_all" {
				one.Column, one.With = "name", "value"
			}
			all = append(all, one)
		}
		either = append(either, all)
	}
	return either
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
		return resource.SelectKeys(nil, out, fields)
	}
	return out
}
