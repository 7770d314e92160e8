package resource

import (
	"context"
	"strings"
)

// Verb names one of the endpoints that a resource has by default.
type Verb string

// The verbs, with the endpoints that they name.
const (
	OnList    Verb = "list"    // GET {path}
	OnCreate  Verb = "create"  // POST {path}
	OnGet     Verb = "get"     // GET {path}/{id}
	OnReplace Verb = "replace" // PUT {path}/{id}
	OnPatch   Verb = "patch"   // PATCH {path}/{id}
	OnDelete  Verb = "delete"  // DELETE {path}/{id}
	OnClear   Verb = "clear"   // DELETE {path}, if rows have an Owner
)

// Handler serves the calls of one endpoint.
type Handler = func(ctx context.Context, c *Call) (any, error)

// Extra holds the settings of one endpoint in addition to the rest of the
// declaration.
type Extra struct {
	Doc    string   // replaces the default text
	Params []Param  // after the usual parameters
	Files  []string // further media types of the response
	Alias  Alias    // a second path
	// Around returns a handler that replaces the default one, and may call it.
	Around func(db DB, usual Handler) Handler
}

// Alias is a second path of an endpoint for published clients; none if Path is
// empty.
type Alias struct{ Path, Summary string }

// WithAliases returns the endpoints, followed by those at their second paths,
// which have the same permissions, limits and docs.
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
