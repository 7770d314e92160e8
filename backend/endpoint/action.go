package endpoint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// actions returns the endpoints of the named changes; fails has the failures that
// every endpoint can return.
func (d *declaration) actions(row string, ids []resource.Param, fails []resource.Failure) []resource.Endpoint {
	var all []resource.Endpoint
	one := d.res.Schema()
	for _, a := range d.res.Actions {
		op := cmp.Or(a.Op, resource.Modify)
		e := resource.Endpoint{
			Method: "POST", Path: row + "/" + a.Name, Summary: a.Summary, Doc: a.Doc,
			Right: resource.Right{Object: d.res.Object, Area: d.res.Area, Op: op}, Params: slices.Clone(ids),
			Response: &one, Tagged: true,
			Errors: fails, Example: d.example(d.sample()+"/"+a.Name, a.Example), Handle: d.do.Act(a),
		}
		if a.Takes != nil {
			body := resource.SchemaOf(a.Takes)
			e.Body = &body
		}
		all = append(all, e)
		if a.Many != "" {
			all = append(all, d.manyOf(a, e))
		}
	}
	return all
}

// manyOf returns the endpoint that runs an action on many rows.
func (d *declaration) manyOf(a resource.Action[any], one resource.Endpoint) resource.Endpoint {
	body, example := d.idList(a.Many), map[string]any{a.Many: []string{fmt.Sprint(d.res.Sample)}}
	if one.Body != nil {
		body.Properties = append(body.Properties, one.Body.Properties...)
		text, err := json.Marshal(a.Example)
		if err == nil {
			err = json.Unmarshal(text, &example)
		}
		if err != nil {
			panic(fmt.Sprintf("endpoint: the example of %s.%s: %v", d.res.Name, a.Name, err))
		}
	}
	body.Name = d.res.Schema().Name + strings.ToUpper(a.Name[:1]) + a.Name[1:] + "Many"
	response := resource.ResultsSchema()
	one.Path, one.Tagged = d.res.Path+"/"+a.Name, false
	one.Summary = strings.Replace(one.Summary, Article(d.one), "many "+d.many, 1)
	one.Doc = a.Doc + " Applies to up to 1,000 " + d.many + " in one transaction. " + oneByOne
	one.Params, one.Body, one.Response = d.parentParam(), body, &response
	one.Example = d.example("/"+a.Name, example)
	one.Handle = d.do.ActOnMany(a)
	return one
}

// single returns the endpoints of a resource with a single row: those of a row,
// at the path itself, without endpoints that list, add or remove rows.
func (d *declaration) single(all []verb) []verb {
	path, label := d.res.Path, d.one
	says := map[resource.Verb][2]string{
		resource.OnGet: {"Get the " + label, "Returns the " + label + ", with an ETag for conditional requests."},
		resource.OnReplace: {"Replace the " + label, "Replaces the " + label +
			": fields that are not given get their defaults. Read-only fields are accepted and ignored."},
		resource.OnPatch: {"Change some of the " + label, "Changes only the fields that are given."},
	}
	var kept []verb
	for _, e := range all {
		words, ok := says[e.is]
		if !ok {
			continue
		}
		e.Path, e.Example.Path, e.Summary, e.Doc = path, samplePath(path, d.res.Parents), words[0], words[1]
		e.Params = slices.DeleteFunc(slices.Clone(e.Params), func(p resource.Param) bool {
			return p.In == "path" && p.Name == "id"
		})
		if len(d.res.Parents) == 0 {
			e.Errors = slices.DeleteFunc(slices.Clone(e.Errors),
				func(f resource.Failure) bool { return f.Kind == fault.Unknown })
		}
		kept = append(kept, e)
	}
	return kept
}
