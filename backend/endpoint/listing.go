package endpoint

import (
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// listings returns the endpoints of further lists of the same rows.
func (d *declaration) listings(read resource.Right,
	fails func(...resource.Failure) []resource.Failure) []resource.Endpoint {
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter is wrong; errorDetail names it"}
	one := d.res.Schema()
	var all []resource.Endpoint
	for _, l := range d.res.Lists {
		e := resource.Endpoint{
			Method: "GET", Path: l.Path, Category: l.Category, Summary: l.Summary, Doc: l.Doc,
			Noun:  l.Noun,
			Right: read, Params: slices.Concat(d.pageParams(), d.res.Query, l.Query), Response: listSchema(one),
			Lines: &one, Errors: fails(wrong), Example: d.listExample(),
			Handle: d.do.Listing(l),
		}
		e.Example.Path = l.Path
		if l.Of != "" {
			e.Params = append(
				append(parentParams(l.Above), resource.Param{Name: l.Param, In: "path", Required: true,
					Schema: resource.Integer("Id of the " + l.Of), Example: l.Sample}), e.Params...)
			e.Errors = fails(wrong, resource.Failure{Kind: fault.Unknown, When: "there is no such " + l.Of +
				", or you cannot view it"})
			e.Example.Path = samplePath(l.Path,
				append(slices.Clip(l.Above), resource.Parent{Param: l.Param, Sample: l.Sample}))
		}
		all = append(all, e)
	}
	return all
}
