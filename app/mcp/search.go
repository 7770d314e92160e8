package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/backend/api"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Limits of searches and descriptions.
const (
	usualFound = 15
	mostFound  = 50
	mostFields = 150
	mostDoc    = 240 // characters of the doc of a field
)

// methods are the methods of endpoints.
var methods = []any{"GET", "POST", "PUT", "PATCH", "DELETE"}

// addReading adds the tools that read the catalog and the API.
func (s *Server) addReading(to *tools) {
	add(to, tool{
		name: "search_endpoints", title: "Search API endpoints",
		about: "Find endpoints of the portal's REST API by words, such as \"maintenance windows of a device\". " +
			"Returns their method, path and summary, the best match first; without words, all categories.",
		enums:  map[string][]any{"method": methods},
		bounds: map[string][2]float64{"limit": {1, mostFound}},
	}, searchEndpoints)
	add(to, tool{
		name: "describe_endpoint", title: "Describe an API endpoint",
		about: "Show what an endpoint takes and returns: parameters, filter fields and operators, fields of the body " +
			"and of the response, and an example that works.",
	}, describeEndpoint)
	add(to, tool{
		name: "call_endpoint", title: "Read from the API",
		about: "Send a GET to one endpoint and return the response. It never changes anything. For long lists, use " +
			"list_items; narrow any list with filter and fields.",
	}, callEndpoint)
	add(to, tool{
		name: "list_items", title: "Read a list",
		about: "Page through a list and return up to max_items items. Filters look like " +
			"displayName~\"web\",hostStatus:\"dead\"; a comma means and, || means or. fields=id,displayName returns " +
			"only these fields.",
		bounds: map[string][2]float64{"max_items": {1, mostItems}},
	}, listItems)
	s.addChart(to)
}

type searchIn struct {
	Query    string `json:"query,omitempty" jsonschema:"words to look for"`
	Method   string `json:"method,omitempty" jsonschema:"only endpoints with this method"`
	Category string `json:"category,omitempty" jsonschema:"only endpoints of this category"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many to return, 15 by default"`
}

// foundEndpoint is an endpoint in the result of a search.
type foundEndpoint struct {
	Endpoint string `json:"endpoint"`
	Category string `json:"category"`
	Summary  string `json:"summary"`
}

func searchEndpoints(_ context.Context, c *toolCall, in *searchIn) (*result, error) {
	all := published(c.target.Catalog)
	if len(all) == 0 {
		return nil, noCatalog(c.target)
	}
	if strings.TrimSpace(in.Query) == "" && in.Category == "" && in.Method == "" {
		return categoriesOf(all), nil
	}
	found := search(all, in.Query, in.Method, in.Category, len(all))
	limit := min(cmp.Or(in.Limit, usualFound), mostFound)
	out := []foundEndpoint{}
	for _, e := range found[:min(limit, len(found))] {
		out = append(out, foundEndpoint{e.ID(), e.Category, e.Summary})
	}
	text := fmt.Sprintf("%s found.", amount(len(found), "endpoint"))
	switch {
	case len(found) == 0:
		text = "No endpoint matches. Try fewer or other words; without words, the tool returns all categories."
	case len(found) > len(out):
		text = fmt.Sprintf("%d endpoints found, the best %d returned; for more, narrow the search or raise limit.",
			len(found), len(out))
	}
	return &result{text: text, data: map[string]any{"endpoints": out, "total": len(found)}}, nil
}

// published returns the endpoints that a catalog shows.
func published(c *catalog.Catalog) []resource.Endpoint {
	var out []resource.Endpoint
	for i := range c.Endpoints {
		if c.Endpoints[i].Category != "" {
			out = append(out, c.Endpoints[i])
		}
	}
	return out
}

func noCatalog(t *outgoing.Target) error {
	return fault.New(fault.Unknown, "%s has no OpenAPI document at a usual path, so its endpoints are unknown; "+
		"call_endpoint works with a path that you know", t.Host)
}

func categoriesOf(all []resource.Endpoint) *result {
	type category struct {
		Name      string `json:"name"`
		Endpoints int    `json:"endpoints"`
	}
	out := []category{}
	for i := range all {
		at := slices.IndexFunc(out, func(c category) bool { return c.Name == all[i].Category })
		if at < 0 {
			out, at = append(out, category{Name: all[i].Category}), len(out)
		}
		out[at].Endpoints++
	}
	return &result{text: fmt.Sprintf("%s in %s.", amount(len(all), "endpoint"), amount(len(out), "category")),
		data: map[string]any{"categories": out}}
}

// search returns the endpoints that match best, the best first.
func search(all []resource.Endpoint, query, method, category string, limit int) []*resource.Endpoint {
	type scored struct {
		e     *resource.Endpoint
		score int
	}
	var found []scored
	wanted := wordsOf(query)
	for i := range all {
		e := &all[i]
		if method != "" && e.Method != method || category != "" && !strings.EqualFold(e.Category, category) {
			continue
		}
		if score := scoreOf(e, wanted); score > 0 || len(wanted) == 0 {
			found = append(found, scored{e, score})
		}
	}
	slices.SortStableFunc(found, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(len(x.e.Path), len(y.e.Path)))
	})
	out := []*resource.Endpoint{}
	for _, f := range found[:min(limit, len(found))] {
		out = append(out, f.e)
	}
	return out
}

// scoreOf rates how well an endpoint matches words. All words together count more than
// one of them several times.
func scoreOf(e *resource.Endpoint, wanted []string) int {
	noun := catalog.NounOf(e)
	places := []struct {
		words  []string
		weight int
	}{
		{wordsOf(e.Summary), 6}, {wordsOf(noun.One), 5}, {wordsOf(e.Path), 4}, {wordsOf(e.Category), 2},
		{[]string{stem(strings.ToLower(e.Method))}, 2}, {wordsOf(e.Doc), 1},
	}
	score, hits := 0, 0
	for _, word := range wanted {
		best := 0
		for _, p := range places {
			if slices.Contains(p.words, word) {
				best = max(best, 2*p.weight)
			} else if len(word) > 3 && slices.ContainsFunc(p.words, func(w string) bool {
				return strings.HasPrefix(w, word)
			}) {
				best = max(best, p.weight)
			}
		}
		score += best
		if best > 0 {
			hits++
		}
	}
	of := wordsOf(noun.One)
	if len(of) > 0 && !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(wanted, w) }) {
		score += 2 // "devices" are devices rather than device groups
	}
	return score * hits
}

// empty lists words that say nothing about an endpoint.
var empty = []string{"a", "an", "the", "of", "for", "to", "in", "on", "all", "and", "or", "with", "how", "do", "i",
	"my", "me", "is", "are", "what", "which", "who"}

// wordsOf returns the words of a text or a path, in lower case and in the singular.
func wordsOf(text string) []string {
	var spaced strings.Builder
	last := ' '
	for _, r := range text {
		if 'A' <= r && r <= 'Z' && 'a' <= last && last <= 'z' {
			spaced.WriteByte(' ') // deviceGroups
		}
		spaced.WriteRune(r)
		last = r
	}
	var out []string
	for _, word := range strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80
	}) {
		if word = stem(word); !slices.Contains(empty, word) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// stem returns a word without the ending of the plural.
func stem(word string) string {
	if one, ok := strings.CutSuffix(word, "ies"); ok && len(one) > 2 {
		return one + "y"
	}
	if strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 3 {
		return word[:len(word)-1]
	}
	return word
}

type describeIn struct {
	Endpoint string `json:"endpoint" jsonschema:"method and path as search_endpoints returns them, such as GET /device/devices"`
}

// field describes a parameter, or a field of a body or of a response.
type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Doc      string `json:"doc,omitempty"`
	Required bool   `json:"required,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	Secret   bool   `json:"writeOnly,omitempty"`
	Enum     []any  `json:"enum,omitempty"`
	Default  any    `json:"default,omitempty"`
	Minimum  *int64 `json:"minimum,omitempty"`
	Maximum  *int64 `json:"maximum,omitempty"`
	Example  any    `json:"example,omitempty"`
}

// described is the result of describe_endpoint.
type described struct {
	Endpoint   string               `json:"endpoint"`
	Summary    string               `json:"summary"`
	Doc        string               `json:"doc,omitempty"`
	Permission string               `json:"permission,omitempty"`
	PathParams []field              `json:"path_params,omitempty"`
	Query      []field              `json:"query,omitempty"`
	Filter     []resource.Operators `json:"filter_operators,omitempty"`
	Body       []field              `json:"body,omitempty"`
	Response   []field              `json:"response,omitempty"`
	List       bool                 `json:"list" `
	Example    example              `json:"example"`
	Errors     []string             `json:"errors,omitempty"`
}

type example struct {
	Path  string            `json:"path"`
	Query map[string]string `json:"query,omitempty"`
	Body  any               `json:"body,omitempty"`
}

func describeEndpoint(_ context.Context, c *toolCall, in *describeIn) (*result, error) {
	e, err := c.endpoint(in.Endpoint)
	if err != nil {
		return nil, err
	}
	out := &described{Endpoint: e.ID(), Summary: e.Summary, Doc: e.Doc, Example: exampleOf(e)}
	if e.Right.Object != resource.Anyone && e.Right.Object != resource.Open {
		out.Permission = e.Right.String()
	}
	for _, p := range e.Params {
		f := fieldOf(p.Name, &resource.Key{Required: p.Required, Schema: p.Schema})
		f.Doc = p.Schema.Doc // a filter's whole grammar
		f.Example = p.Example
		if p.In == "path" {
			out.PathParams = append(out.PathParams, f)
			continue
		}
		out.Query = append(out.Query, f)
		out.Filter = append(out.Filter, p.Operators...)
	}
	shape := e.Response
	if _, items := catalog.Property(shape, "items"); items != nil && items.Items != nil {
		out.List, shape = true, items.Items
	}
	var cut [2]bool
	out.Body, cut[0] = fieldsOf(e.Body)
	out.Response, cut[1] = fieldsOf(shape)
	for _, f := range e.Errors {
		out.Errors = append(out.Errors, fmt.Sprintf("%d when %s", api.Status(f.Kind), f.When))
	}
	text := e.Summary + "."
	if out.List {
		text += " It returns a list; the response fields are those of one item."
	}
	if cut[0] || cut[1] {
		text += fmt.Sprintf(" Only the first %d fields are shown.", mostFields)
	}
	return &result{text: text, data: out}, nil
}

// endpoint returns the endpoint that a model names.
func (c *toolCall) endpoint(name string) (*resource.Endpoint, error) {
	if len(c.target.Catalog.Endpoints) == 0 {
		return nil, noCatalog(c.target)
	}
	method, path, ok := strings.Cut(strings.TrimSpace(name), " ")
	if !ok {
		method, path = "GET", method
	}
	path, _, _ = strings.Cut(strings.TrimSpace(path), "?")
	if e := c.target.Catalog.Match(strings.ToUpper(method), path); e != nil {
		return e, nil
	}
	return nil, fault.At("endpoint", "there is no endpoint %s%s", fault.Quote(name),
		c.near(&outgoing.Request{Path: path}))
}

// fieldsOf returns the fields of an object, with dotted names for fields of nested objects. It
// reports whether it omitted any.
func fieldsOf(s *resource.Schema) (out []field, cut bool) {
	if s == nil {
		return nil, false
	}
	var collect func(prefix string, keys []resource.Key, depth int)
	collect = func(prefix string, keys []resource.Key, depth int) {
		for i := range keys {
			k := &keys[i]
			if cut = cut || len(out) >= mostFields; cut {
				return
			}
			out = append(out, fieldOf(prefix+k.Name, k))
			inner := &k.Schema
			name := prefix + k.Name + "."
			if inner.Items != nil {
				inner, name = inner.Items, prefix+k.Name+"[]."
			}
			if depth < 2 {
				collect(name, inner.Properties, depth+1)
			}
		}
	}
	collect("", s.Properties, 0)
	return out, cut
}

func fieldOf(name string, k *resource.Key) field {
	s := &k.Schema
	f := field{Name: name, Type: s.Type, Doc: shorten(s.Doc, mostDoc), Required: k.Required && !k.ReadOnly,
		ReadOnly: k.ReadOnly, Secret: k.WriteOnly, Enum: s.Enum, Default: s.Default, Minimum: s.Min, Maximum: s.Max,
		Example: s.Example}
	if s.Format != "" {
		f.Type += " (" + s.Format + ")"
	}
	if s.Type == "array" && s.Items != nil && s.Items.Type != "" {
		f.Type = "array of " + s.Items.Type
	}
	if text, err := json.Marshal(f.Example); err != nil || len(text) > 200 {
		f.Example = nil
	}
	return f
}

func exampleOf(e *resource.Endpoint) example {
	out := example{Path: cmp.Or(e.Example.Path, e.Path), Query: map[string]string{}, Body: e.Example.Body}
	for _, q := range e.Example.Query {
		out.Query[q[0]] = q[1]
	}
	return out
}

// shorten truncates a text to a number of characters.
func shorten(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
