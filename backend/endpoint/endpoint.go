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
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Handler handles the calls of one endpoint.
type Handler = resource.Handler

// Handlers holds the functions of a resource's endpoints. Handlers that its
// declaration does not need may be nil.
type Handlers struct {
	DB resource.DB // for the Extra of a resource

	List, Create, Get, Replace, Patch, Delete Handler

	Clear     Handler // removes all rows of the caller
	Batch     Handler
	Listing   func(resource.Listing) Handler
	Act       func(resource.Action[any]) Handler
	ActOnMany func(resource.Action[any]) Handler
	Bin       BinHandlers
	Props     PropHandlers
}

// BinHandlers holds the functions of a recycle bin's endpoints.
type BinHandlers struct{ List, Restore, Purge, RestoreMany, PurgeMany Handler }

// PropHandlers holds the functions of the endpoints for a row's properties.
type PropHandlers struct{ List, Add, Get, Replace, Patch, Delete Handler }

// declaration is a resource with the handlers of its endpoints.
type declaration struct {
	res     *resource.Untyped
	do      Handlers
	columns []column
	id      *resource.UntypedField

	one, many string // singular and plural of its rows in texts
}

// column is a field with its column.
type column struct {
	resource.Column
	field *resource.UntypedField
}

func declared(r *resource.Untyped, do Handlers) *declaration {
	noun := r.FullNoun()
	d := &declaration{res: r, do: do, id: &r.Fields[0], one: noun.One, many: noun.Many}
	for i, c := range r.Columns() {
		d.columns = append(d.columns, column{c, &r.Fields[i]})
		if c.Name == "id" {
			d.id = &r.Fields[i]
		}
	}
	return d
}

// Of returns the endpoints of a resource, with their documentation.
func Of(r *resource.Untyped, do Handlers) []resource.Endpoint {
	return declared(r, do).endpoints()
}

// endpoints returns all endpoints of the resource.
func (d *declaration) endpoints() []resource.Endpoint {
	r := d.res
	read, write := d.right(resource.Read), d.right(resource.Modify)
	changes := fails(wrong, d.missing(), clash, d.stale())
	all := d.amend(d.verbs())
	if r.Batch {
		all = append(all, d.batchEndpoint(write, changes))
	}
	if r.Bin != "" {
		all = append(all, d.binEndpoints(read, write, fails)...)
	}
	all = append(all, d.actions(r.Path+"/{id}", append(d.parentParam(), d.idParam()), changes)...)
	all = append(all, d.propEndpoints(read, write, fails)...)
	all = append(all, d.listings(read, fails)...)
	return d.settle(all)
}

// settle completes endpoints with properties that all of the resource have in
// common.
func (d *declaration) settle(all []resource.Endpoint) []resource.Endpoint {
	for i := range all {
		e := &all[i]
		e.Category, e.Noun = cmp.Or(e.Category, d.res.Category), cmp.Or(e.Noun, d.res.Noun())
		e.Published, e.Steady = d.res.PublishedPath(e.Path), d.res.Steady
	}
	return all
}

// verb is an endpoint with its name in the declaration.
type verb struct {
	is resource.Verb
	resource.Endpoint
}

// verbs returns the endpoints that have a Verb, without the Extra of the
// declaration.
func (d *declaration) verbs() []verb {
	r, all := d.res, d.usual()
	if r.Single > 0 {
		return d.single(all)
	}
	if r.Owner != "" {
		all = append(all, verb{resource.OnClear, resource.Endpoint{Method: "DELETE", Path: r.Path,
			Summary: "Remove all " + d.many, Right: d.right(resource.Modify), Handle: d.do.Clear}})
	}
	return all
}

// amend adds the Extra of the declaration to its endpoints. It panics if the
// Extra names a missing endpoint.
func (d *declaration) amend(all []verb) []resource.Endpoint {
	r := d.res
	at := func(is resource.Verb) int {
		k := slices.IndexFunc(all, func(v verb) bool { return v.is == is })
		if k < 0 {
			panic(fmt.Sprintf("endpoint: %s has no endpoint %q, or names it twice", r.Name, is))
		}
		return k
	}
	for _, is := range r.Without {
		k := at(is)
		all = slices.Delete(all, k, k+1)
	}
	for is, extra := range r.Extra {
		e := &all[at(is)].Endpoint
		e.Doc, e.Alias = cmp.Or(extra.Doc, e.Doc), extra.Alias
		e.Params, e.Files = slices.Concat(e.Params, extra.Params), slices.Concat(e.Files, extra.Files)
		if extra.Around != nil {
			e.Handle = extra.Around(d.do.DB, e.Handle)
		}
	}
	out := make([]resource.Endpoint, len(all))
	for i := range all {
		out[i] = all[i].Endpoint
	}
	return out
}

// usual returns the endpoints that every resource has.
func (d *declaration) usual() []verb {
	r, label := d.res, d.one
	one, body, row := r.Schema(), r.Schema(), r.Path+"/{id}"
	read, write := d.right(resource.Read), d.right(resource.Modify)
	missing, stale := d.missing(), d.stale()
	ids := append(d.parentParam(), d.idParam())
	return []verb{
		{resource.OnList, resource.Endpoint{
			Method: "GET", Path: r.Path, Summary: "List " + d.many,
			Doc:   "Returns the " + d.many + " that the caller can view, one page at a time.",
			Right: read, Params: append(d.parentParam(), d.listParams()...), Response: listSchema(one), Lines: &one,
			Errors: fails(wrong), Example: d.listExample(), Handle: d.do.List,
		}},
		{resource.OnCreate, resource.Endpoint{
			Method: "POST", Path: r.Path, Summary: "Add " + Article(label), Doc: r.Doc,
			Right: write, Params: d.parentParam(), Body: &body, Response: &one, Creates: true, Tagged: true,
			Errors: fails(wrong, clash), Example: d.example("", d.exampleBody(asExample)), Handle: d.do.Create,
		}},
		{resource.OnGet, resource.Endpoint{
			Method: "GET", Path: row, Summary: "Get one " + label,
			Doc:   "Returns one " + label + ", with an ETag for conditional requests.",
			Right: read, Params: append(append(slices.Clone(ids), fieldsParam), r.Query...),
			Response: &one, Tagged: true,
			Errors: fails(missing), Example: d.example(d.sample(), nil), Handle: d.do.Get,
		}},
		{resource.OnReplace, resource.Endpoint{
			Method: "PUT", Path: row, Summary: "Replace " + Article(label),
			Doc: "Replaces the " + label +
				": fields that are not given get their defaults. Read-only fields are accepted and ignored.",
			Right: write, Params: d.changeParams(ids), Body: &body, Response: &one, Tagged: true,
			Errors: fails(wrong, missing, clash, stale), Example: d.example(d.sample(), d.exampleBody(renamed)),
			Handle: d.do.Replace,
		}},
		{resource.OnPatch, resource.Endpoint{
			Method: "PATCH", Path: row, Summary: "Change some fields of " + Article(label),
			Doc:   "Changes only the fields that are given.",
			Right: write, Params: d.changeParams(ids), Body: &body, Response: &one, Tagged: true,
			Errors: fails(wrong, missing, clash, stale), Example: d.example(d.sample(), d.exampleBody(oneText)),
			Handle: d.do.Patch,
		}},
		{resource.OnDelete, resource.Endpoint{
			Method: "DELETE", Path: row, Summary: "Remove " + Article(label), Doc: "Removes the " + label + ".",
			Right: write, Params: append(slices.Clone(ids), d.flagParams(false)...),
			Errors: fails(missing, clash, stale), Example: d.example(d.sample(), nil), Handle: d.do.Delete,
		}},
	}
}

func (d *declaration) right(op resource.Operation) resource.Right {
	return resource.Right{Object: d.res.Object, Area: d.res.Area, Op: op}
}

// fails returns the failures that every endpoint can return, and more.
func fails(more ...resource.Failure) []resource.Failure {
	return append([]resource.Failure{{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
		{Kind: fault.Denied, When: "the user's role does not have the permission"},
		{Kind: fault.TooMany, When: "the rate limit is reached"}}, more...)
}

var (
	wrong = resource.Failure{Kind: fault.Invalid, When: "a parameter or a field of the body is wrong; errorDetail " +
		"names it"}
	clash = resource.Failure{Kind: fault.Conflict, When: "the name is taken, or the state does not allow it"}
)

func (d *declaration) missing() resource.Failure {
	return resource.Failure{Kind: fault.Unknown, When: "there is no such " + d.one + ", or you cannot view it"}
}

func (d *declaration) stale() resource.Failure {
	return resource.Failure{Kind: fault.Changed, When: "If-Match was given, and the " + d.one + " has changed"}
}
