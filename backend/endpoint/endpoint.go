// Package endpoint turns the declaration of a resource into the endpoints that
// serve it: paths, permissions, parameters, bodies, responses, errors,
// documentation and an example of each.
//
// It depends neither on tables nor on HTTP. The package that stores the rows
// (backend/store) supplies a Handler for each endpoint. Of panics, at the start
// of the program, if a declaration cannot be described, for example because its
// example is not JSON. Everything here is safe for concurrent use.
package endpoint

import (
	"cmp"
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Handler handles the calls of one endpoint.
type Handler = func(ctx context.Context, c *resource.Call) (any, error)

// Handlers are the functions behind the endpoints of a resource. Those that its
// declaration does not need may be nil.
type Handlers[T any] struct {
	List, Create, Get, Replace, Patch, Delete Handler

	Clear     Handler // removes all rows of the caller
	Batch     Handler
	Listing   func(resource.Listing) Handler
	Act       func(resource.Action[T]) Handler
	ActOnMany func(resource.Action[T]) Handler
	Bin       BinHandlers
	Props     PropHandlers
}

// BinHandlers are the functions behind the endpoints of a recycle bin.
type BinHandlers struct{ List, Restore, Purge, RestoreMany, PurgeMany Handler }

// PropHandlers are the functions behind the endpoints of a row's properties.
type PropHandlers struct{ List, Add, Get, Replace, Patch, Delete Handler }

// declaration is a resource and what its endpoints do.
type declaration[T any] struct {
	res     *resource.Resource[T]
	do      Handlers[T]
	columns []column[T]
	id      *resource.Field[T]

	one, many string // what texts call rows
}

// column is a field and the column that it declares.
type column[T any] struct {
	resource.Column
	field *resource.Field[T]
}

func declared[T any](r *resource.Resource[T], do Handlers[T]) *declaration[T] {
	noun := r.FullNoun()
	d := &declaration[T]{res: r, do: do, id: &r.Fields[0], one: noun.One, many: noun.Many}
	for i, c := range r.Columns() {
		d.columns = append(d.columns, column[T]{c, &r.Fields[i]})
		if c.Name == "id" {
			d.id = &r.Fields[i]
		}
	}
	return d
}

// Of returns the endpoints of a resource, with all that the catalog says of them.
func Of[T any](r *resource.Resource[T], do Handlers[T]) []resource.Endpoint {
	return declared(r, do).endpoints()
}

func (d *declaration[T]) endpoints() []resource.Endpoint {
	r, label := d.res, d.one
	one := r.Schema()
	body := r.Schema()
	row := r.Path + "/{id}"
	read := resource.Right{Object: r.Object, Area: r.Area, Op: resource.Read}
	write := resource.Right{Object: r.Object, Area: r.Area, Op: resource.Modify}
	ids := append(d.parentParam(), d.idParam())

	fails := func(more ...resource.Failure) []resource.Failure {
		return append([]resource.Failure{{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
			{Kind: fault.Denied, When: "the user's role does not have the permission"},
			{Kind: fault.TooMany, When: "the rate limit is reached"}}, more...)
	}
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter or a field of the body is wrong; errorDetail " +
		"names it"}
	missing := resource.Failure{Kind: fault.Unknown, When: "there is no such " + label + ", or you cannot view it"}
	clash := resource.Failure{Kind: fault.Conflict, When: "the name is taken, or the state does not allow it"}
	stale := resource.Failure{Kind: fault.Changed, When: "If-Match was given, and the " + label + " has changed"}

	all := []resource.Endpoint{
		{Method: "GET", Path: r.Path, Summary: "List " + d.many, Doc: "Returns the " + d.many +
			" that the caller can view, one page at a time.",
			Right: read, Params: append(d.parentParam(), d.listParams()...), Answer: listSchema(one), Lines: &one,
			Errors: fails(wrong), Example: d.listExample(), Handle: d.do.List},
		{Method: "POST", Path: r.Path, Summary: "Add " + Article(label), Doc: r.Doc,
			Right: write, Params: d.parentParam(), Body: &body, Answer: &one, Creates: true, Tagged: true,
			Errors: fails(wrong, clash), Example: d.example("", d.exampleBody(asExample)), Handle: d.do.Create},
		{Method: "GET", Path: row, Summary: "Get one " + label, Doc: "Returns one " + label +
			", with an ETag for conditional requests.",
			Right: read, Params: append(append(slices.Clone(ids), fieldsParam), r.Asks...), Answer: &one, Tagged: true,
			Errors: fails(missing), Example: d.example(d.sample(), nil), Handle: d.do.Get},
		{Method: "PUT", Path: row, Summary: "Replace " + Article(label), Doc: "Replaces the " + label +
			": fields that are not given get their defaults. Read-only fields are accepted and ignored.",
			Right: write, Params: d.changeParams(ids), Body: &body, Answer: &one, Tagged: true,
			Errors: fails(wrong, missing, clash, stale), Example: d.example(d.sample(), d.exampleBody(renamed)),
			Handle: d.do.Replace},
		{Method: "PATCH", Path: row, Summary: "Change some fields of " + Article(label),
			Doc:   "Changes only the fields that are given.",
			Right: write, Params: d.changeParams(ids), Body: &body, Answer: &one, Tagged: true,
			Errors: fails(wrong, missing, clash, stale), Example: d.example(d.sample(), d.exampleBody(oneText)),
			Handle: d.do.Patch},
		{Method: "DELETE", Path: row, Summary: "Remove " + Article(label), Doc: "Removes the " + label + ".",
			Right: write, Params: append(slices.Clone(ids), d.flagParams(false)...),
			Errors: fails(missing, clash, stale), Example: d.example(d.sample(), nil), Handle: d.do.Delete},
	}
	if r.Owner != "" {
		all = append(all, resource.Endpoint{Method: "DELETE", Path: r.Path, Summary: "Remove all " + d.many,
			Right: write, Handle: d.do.Clear})
	}
	if r.Single > 0 {
		all = d.single(all)
	}
	if r.Batch {
		all = append(all, d.batchEndpoint(write, fails(wrong, missing, clash, stale)))
	}
	if r.Bin != "" {
		all = append(all, d.binEndpoints(read, write, fails)...)
	}
	all = append(all, d.actions(row, ids, fails(wrong, missing, clash, stale))...)
	all = slices.DeleteFunc(all, func(e resource.Endpoint) bool {
		return slices.Contains(r.Without, e.Method) || slices.Contains(r.Without, e.ID())
	})
	all = append(all, d.propEndpoints(read, write, fails)...)
	all = append(all, d.listings(read, fails)...)
	for i := range all {
		all[i].Category, all[i].Noun = cmp.Or(all[i].Category, r.Category), cmp.Or(all[i].Noun, r.Noun())
	}
	return all
}
