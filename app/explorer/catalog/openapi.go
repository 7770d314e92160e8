package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"spyglass/app/exchange"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// ErrNone is the error for a text that is not an OpenAPI document.
var ErrNone = errors.New("this is not an OpenAPI document")

// usualPlaces lists the usual paths of OpenAPI documents.
var usualPlaces = []string{"/openapi.json", "/swagger.json", "/swagger/v1/swagger.json", "/v3/api-docs", "/v2/api-docs",
	"/api-docs"}

// Places returns the addresses at which a portal usually has its document: below its
// base, and then below its host.
func Places(base, origin string) (places []string) {
	for _, below := range []string{base, origin} {
		for _, path := range usualPlaces {
			if !slices.Contains(places, below+path) {
				places = append(places, below+path)
			}
		}
	}
	return places
}

// Read reads the catalog from a document, unless that takes more work than its
// size explains.
func Read(ctx context.Context, text []byte, base string) (*Catalog, error) {
	var head struct{ OpenAPI, Swagger any }
	if json.Unmarshal(text, &head) != nil || head.OpenAPI == nil && head.Swagger == nil {
		return nil, ErrNone
	}
	doc, err := exchange.ReadAPI(ctx, text)
	if err != nil {
		return nil, err
	}
	r := newForeignReader(prefixOf(doc, base), len(text))
	for path, item := range doc.Paths.Map() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, method := range workspace.Methods {
			if op := item.GetOperation(method); op != nil {
				r.add(method, path, item, op)
			}
		}
	}
	if len(r.found) == 0 {
		return nil, fault.New(fault.Invalid, "it describes no endpoints")
	}
	slices.SortFunc(r.found, func(a, b foreign) int {
		return cmp.Or(strings.Compare(a.entry.Path, b.entry.Path),
			cmp.Compare(slices.Index(workspace.Methods, a.entry.Method),
				slices.Index(workspace.Methods, b.entry.Method)))
	})
	return r.catalog(doc)
}

// maxServer limits the length of a document's server address.
const maxServer = 2048

// prefixOf returns the path of the document's server beyond the portal's base.
func prefixOf(doc *openapi3.T, base string) string {
	if len(doc.Servers) == 0 {
		return ""
	}
	server := doc.Servers[0].URL
	for name, v := range doc.Servers[0].Variables {
		if v == nil || len(server)+strings.Count(server, "{"+name+"}")*len(v.Default) > maxServer {
			return "" // values may contain further names, and double with each
		}
		server = strings.ReplaceAll(server, "{"+name+"}", v.Default)
	}
	at, err := url.Parse(server)
	own, ownErr := url.Parse(base)
	if err != nil || ownErr != nil {
		return ""
	}
	rest, ok := strings.CutPrefix(strings.TrimRight(at.Path, "/"), strings.TrimRight(own.Path, "/"))
	if !ok || rest != "" && rest[0] != '/' {
		return ""
	}
	return rest
}

// catalog builds the catalog, with tags in the document's order.
func (r *foreignReader) catalog(doc *openapi3.T) (*Catalog, error) {
	categories := []category{}
	at := map[string]int{}
	place := func(name string) int {
		i, have := at[name]
		if !have {
			i = len(categories)
			at[name] = i
			categories = append(categories, category{Name: name})
		}
		return i
	}
	for _, tag := range doc.Tags {
		place(tag.Name)
	}
	for _, f := range r.found {
		part := &categories[place(f.entry.Category)]
		part.Endpoints = append(part.Endpoints, f.entry)
	}
	categories = slices.DeleteFunc(categories, func(c category) bool { return len(c.Endpoints) == 0 })
	made := &Catalog{}
	for _, f := range r.found {
		made.Endpoints = append(made.Endpoints, f.endpoint)
	}
	page, err := pageOf(categories)
	made.Page = func() (resource.Response, error) { return page, nil }
	return made, err
}
