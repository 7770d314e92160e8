package resource

import (
	"context"
	"strings"
)

// Verb names one of the endpoints that every resource has unless it says otherwise.
type Verb string

// The verbs, with the endpoints that they name.
const (
	OnList    Verb = "list"    // GET {path}
	OnCreate  Verb = "create"  // POST {path}
	OnGet     Verb = "get"     // GET {path}/{id}
	OnReplace Verb = "replace" // PUT {path}/{id}
	OnPatch   Verb = "patch"   // PATCH {path}/{id}
	OnDelete  Verb = "delete"  // DELETE {path}/{id}
	OnClear   Verb = "clear"   // DELETE {path}, where rows have an Owner
)

// Handler serves the calls of one endpoint.
type Handler = func(ctx context.Context, c *Call) (any, error)

// Extra is what one endpoint of a resource has beyond what follows from the rest
// of the declaration.
type Extra struct {
	Doc    string   // instead of the usual text
	Params []Param  // after the usual ones
	Files  []string // further media types of the response
	Alias  Alias    // a second path
	// Around returns the handler in place of the usual one, which it may call.
	Around func(db DB, usual Handler) Handler
}

// Alias is a second path at which published clients expect an endpoint; none when
// it has no Path.
type Alias struct{ Path, Summary string }

// WithAliases returns the endpoints, followed by those at the second paths. Rights,
// limits and docs are those of the endpoint itself.
func WithAliases(endpoints []Endpoint) []Endpoint {
	all := endpoints[:len(endpoints):len(endpoints)]
	for _, e := range endpoints {
		own := e.Path
		if e.Alias.Path == "" {
			continue
		}
		e.Path, e.Summary, e.Alias = e.Alias.Path, e.Alias.Summary, Alias{}
		e.Doc = strings.TrimSpace(e.Doc) + " The same as " + e.Method + " " + own +
			", under the path of published clients."
		e.Example.Path = strings.Replace(e.Example.Path, own, e.Path, 1)
		all = append(all, e)
	}
	return all
}
