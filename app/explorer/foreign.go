package explorer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	files "spyglass/app/exchange"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// known is the catalog that was made of a portal's document of that time.
type known struct {
	at      resource.Millis
	base    string
	catalog *catalog
}

// catalogOf is the portal's own catalog, the built-in one when it has none.
func (e *Explorer) catalogOf(ctx context.Context, p *workspace.Portal) (*catalog, error) {
	if p.CatalogFrom == "" {
		return e.catalog, nil
	}
	if have := e.abroad.knows(p); have != nil {
		return have, nil
	}
	text, err := e.o.Workspace.CatalogOf(ctx, p)
	if err != nil || text == nil {
		return e.catalog, err
	}
	made, err := judgedCatalog(ctx, text, p.BaseURL)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		e.o.Log.WarnContext(ctx, "the kept catalog of a portal cannot be read; the built-in one stands in", "portal", p.ID, "err", err)
		made = e.catalog
	}
	e.abroad.learn(p, made)
	return made, nil
}

func (a *abroad) knows(p *workspace.Portal) *catalog {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.known[p.ID]; k != nil && k.at == p.CatalogAt && k.base == p.BaseURL {
		return k.catalog
	}
	return nil
}

func (a *abroad) learn(p *workspace.Portal, made *catalog) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil {
		a.known = map[int64]*known{}
	}
	a.known[p.ID] = &known{p.CatalogAt, p.BaseURL, made}
}

// usualPlaces are where OpenAPI documents lie, below the base and then below the host.
var usualPlaces = []string{"/openapi.json", "/swagger.json", "/swagger/v1/swagger.json", "/v3/api-docs", "/v2/api-docs", "/api-docs"}

// readCatalog reads the portal's catalog and stores it. If it has none, the
// built-in catalog is used from then on.
func (e *Explorer) readCatalog(ctx context.Context, c *resource.Call) (any, error) {
	p, err := e.named(ctx, c)
	if err != nil {
		return nil, err
	}
	t, err := e.reach(p)
	if err != nil {
		return nil, err
	}
	if t.sign, _, err = e.wayIn(p); err != nil {
		return nil, err
	}
	from, text, made, err := e.findCatalog(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := e.o.Workspace.KeepCatalog(ctx, p, resource.MillisOf(c.At), from, text); err != nil {
		return nil, err
	}
	if made != nil {
		e.abroad.learn(p, made)
	}
	return e.shownPortal(p)
}

// findCatalog reads the address that the user gave, or the usual places.
func (e *Explorer) findCatalog(ctx context.Context, t *target) (from string, text []byte, made *catalog, err error) {
	if given := t.remote.CatalogURL; given != "" {
		text, made, err = e.catalogAt(ctx, t, given)
		if err == nil && made == nil {
			err = fault.At("catalogUrl", "there is no OpenAPI document in JSON at %s", given)
		}
		return given, text, made, err
	}
	places := []string{}
	for _, base := range []string{t.url, t.origin} {
		for _, path := range usualPlaces {
			if !slices.Contains(places, base+path) {
				places = append(places, base+path)
			}
		}
	}
	for _, place := range places {
		text, made, err = e.catalogAt(ctx, t, place)
		if err != nil || made != nil {
			return place, text, made, err
		}
	}
	return "", nil, nil, nil
}

// catalogAt reads one place; nil means that there is none. Another host gets no
// credential.
func (e *Explorer) catalogAt(ctx context.Context, t *target, place string) ([]byte, *catalog, error) {
	at, err := url.Parse(place)
	if err != nil {
		return nil, nil, fault.At("catalogUrl", "the address cannot be read")
	}
	out := &outgoing{Method: "GET", URL: place, path: at.EscapedPath(), signed: at.Scheme+"://"+at.Host != t.origin}
	t.usualHeaders(out)
	response, text, err := e.fetchUpTo(ctx, t, out, workspace.MaxCatalog)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK || !json.Valid(text) {
		return nil, nil, nil
	}
	made, err := judgedCatalog(ctx, text, t.url)
	if errors.Is(err, errNoCatalog) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, &fault.Error{Kind: fault.Offline, Field: "catalogUrl", Message: fmt.Sprintf("the OpenAPI document at %s cannot be read: %s", place, firstLine(err)), Err: err}
	}
	return text, made, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return string([]rune(line)[:min(len([]rune(line)), 200)])
}

var errNoCatalog = errors.New("this is no OpenAPI document")

// maxNesting limits the nesting of a document: its reader is recursive.
const maxNesting = 200

// judgedCatalog makes a catalog of a document, if that takes no more work than
// its size explains.
func judgedCatalog(ctx context.Context, text []byte, base string) (*catalog, error) {
	var head struct{ OpenAPI, Swagger any }
	if json.Unmarshal(text, &head) != nil || head.OpenAPI == nil && head.Swagger == nil {
		return nil, errNoCatalog
	}
	if err := files.CheckAPI(ctx, text); err != nil {
		return nil, err
	}
	return foreignCatalog(ctx, text, base)
}

// foreignCatalog makes a catalog of an OpenAPI 3 or Swagger 2 document.
func foreignCatalog(ctx context.Context, text []byte, base string) (*catalog, error) {
	doc, err := openAPI(text)
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
		return nil, fault.New(fault.Invalid, "it describes no requests")
	}
	slices.SortFunc(r.found, func(a, b foreign) int {
		return cmp.Or(strings.Compare(a.entry.Path, b.entry.Path), cmp.Compare(slices.Index(workspace.Methods, a.entry.Method), slices.Index(workspace.Methods, b.entry.Method)))
	})
	return r.catalog(doc)
}

func openAPI(text []byte) (*openapi3.T, error) {
	var head struct{ OpenAPI, Swagger any }
	if json.Unmarshal(text, &head) != nil || head.OpenAPI == nil && head.Swagger == nil {
		return nil, errNoCatalog
	}
	if nesting(text) > maxNesting {
		return nil, fault.New(fault.Invalid, "it is nested more than %d deep", maxNesting)
	}
	loader := openapi3.NewLoader()
	loader.ReadFromURIFunc = func(*openapi3.Loader, *url.URL) ([]byte, error) {
		return nil, errors.New("it refers to another document")
	}
	if head.OpenAPI != nil {
		doc, err := loader.LoadFromData(text)
		if err == nil && doc.Paths == nil {
			err = fault.New(fault.Invalid, "it describes no requests")
		}
		return doc, err
	}
	var old openapi2.T
	if err := json.Unmarshal(text, &old); err != nil {
		return nil, err
	}
	return openapi2conv.ToV3WithLoader(&old, loader, nil)
}

// nesting returns the depth of brackets outside of strings.
func nesting(text []byte) (deepest int) {
	level, inside, escaped := 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case inside:
			escaped, inside = c == '\\', c != '"'
		case c == '"':
			inside = true
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
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
			return "" // values may hold further names, and double with each
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

// catalog writes down what was found, tags in the document's order.
func (r *foreignReader) catalog(doc *openapi3.T) (*catalog, error) {
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
	made := &catalog{}
	for _, f := range r.found {
		made.endpoints = append(made.endpoints, f.endpoint)
	}
	page, err := pageOf(categories)
	made.page = func() (resource.Answer, error) { return page, nil }
	return made, err
}
