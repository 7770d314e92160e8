package endpoint

import (
	"fmt"
	"net/url"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

// propEndpoints returns the endpoints of single properties of a row.
func (d *declaration) propEndpoints(read, write resource.Right,
	fails func(...resource.Failure) []resource.Failure) []resource.Endpoint {
	p, label := d.res.Props, d.one
	if p == nil {
		return nil
	}
	list := d.res.Path + "/{" + p.Param + "}/properties"
	path := fmt.Sprintf("%s/%d/properties", d.res.Path, d.res.Sample)
	row := []resource.Param{{Name: p.Param, In: "path", Required: true, Schema: resource.Integer("Id of the " + label),
		Example: d.res.Sample}}
	one := append(slices.Clone(row), resource.Param{Name: "name", In: "path", Required: true,
		Schema: resource.Text("Name of the property, percent-encoded"), Example: p.Sample})
	query := d.pageParams()
	for i := range query {
		if query[i].Operators != nil {
			query[i].Operators = []resource.Operators{
				{Fields: []string{"name", "value", "type"}, Ops: filter.Operators(resource.KindText)}}
			query[i].Schema.Doc = `Conditions, joined with , for and, || for or: name~"snmp",type:"custom"`
		}
		if query[i].Name == "sort" {
			query[i].Schema.Doc = "name, value or type, with + for ascending or - for descending, comma-separated; " +
				"default: by name."
		}
	}
	response, added, changed := propSchema(false), propSchema(false), propSchema(true)
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter or a field of the body is wrong; errorDetail " +
		"names it"}
	missing := resource.Failure{Kind: fault.Unknown, When: "there is no such " + label +
		", you cannot view it, or it has no such custom property"}
	clash := resource.Failure{Kind: fault.Conflict, When: "the " + label + " already has a property of that name"}
	stale := resource.Failure{Kind: fault.Changed, When: "If-Match was given, and the property has changed"}
	sample := path + "/" + url.PathEscape(p.Sample)
	all := []resource.Endpoint{
		{Method: "GET", Path: list, Summary: "List properties of " + Article(label),
			Doc: "Returns all properties that apply to the " + label +
				": its own, inherited ones, and those set by the portal.",
			Right: read, Params: append(slices.Clone(row), query...), Response: listSchema(response),
			Errors:  fails(wrong, missing),
			Example: resource.Example{Path: path, Query: [][2]string{{"size", "10"}, {"sort", "+name"}}},
			Handle:  d.do.Props.List},
		{Method: "POST", Path: list, Summary: "Add a property to " + Article(label),
			Doc: "Adds a custom property to the " +
				label + ". It overrides an inherited property of the same name.",
			Right: write, Params: row, Body: &added, Response: &response, Creates: true, Tagged: true,
			Errors:  fails(wrong, missing, clash),
			Example: resource.Example{Path: path, Body: map[string]string{"name": "asset.tag", "value": "KF-4711"}},
			Handle:  d.do.Props.Add},
		{Method: "GET", Path: list + "/{name}", Summary: "Get one property of " + Article(label),
			Doc:   "Returns one property with its effective value, and an ETag for conditional requests.",
			Right: read, Params: append(slices.Clone(one), fieldsParam), Response: &response, Tagged: true,
			Errors: fails(missing), Example: resource.Example{Path: sample}, Handle: d.do.Props.Get},
		{Method: "PUT", Path: list + "/{name}", Summary: "Replace a property of " + Article(label),
			Doc:   "Sets the value of a custom property of the " + label + ".",
			Right: write, Params: one, Body: &changed, Response: &response, Tagged: true,
			Errors:  fails(wrong, missing, stale),
			Example: resource.Example{Path: sample, Body: map[string]string{"value": "as replaced"}},
			Handle:  d.do.Props.Replace},
		{Method: "PATCH", Path: list + "/{name}", Summary: "Change a property of " + Article(label),
			Doc:   "Sets the value of a custom property of the " + label + ", if one is given.",
			Right: write, Params: one, Body: &changed, Response: &response, Tagged: true,
			Errors:  fails(wrong, missing, stale),
			Example: resource.Example{Path: sample, Body: map[string]string{"value": "as changed"}},
			Handle:  d.do.Props.Patch},
		{Method: "DELETE", Path: list + "/{name}", Summary: "Remove a property of " + Article(label),
			Doc:   "Removes a custom property of the " + label + "; an inherited one of the same name applies again.",
			Right: write, Params: one, Errors: fails(missing, stale), Example: resource.Example{Path: sample},
			Handle: d.do.Props.Delete},
	}
	for i := range all {
		all[i].Noun = resource.Regular("property")
	}
	return all
}

// propSchema describes a property. In the body of a change, the path contains its
// name.
func propSchema(named bool) resource.Schema {
	s := resource.SchemaOf(resource.EntityProperty{})
	s.Doc = "A property with its effective value."
	for i := range s.Properties {
		k := &s.Properties[i]
		k.ReadOnly = k.Name == "type" || k.Name == "inheritList" || named && k.Name == "name"
	}
	return s
}
