// Package catalog describes the endpoints of a portal.
//
// New makes the catalog of the built-in portal of its endpoints; Read that of a remote
// one of its OpenAPI 3 or Swagger 2 document. A Catalog finds the endpoint of a path,
// the lists below an object and the endpoint that restores it, and names what an
// endpoint returns.
//
// # Units
//
// Limits of a document are bytes, and schemas in all.
//
// # Concurrency
//
// A Catalog never changes and is safe for concurrent use. Nothing starts goroutines.
//
// # Errors
//
// ErrNone: the text is no OpenAPI document. Others are sentences about what cannot be
// read in it. Read ends with the cause of its context.
package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"spyglass/backend/api"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Catalog holds a portal's endpoints. It is immutable.
type Catalog struct {
	Endpoints []resource.Endpoint
	Page      func() (resource.Response, error) // the catalog for the page
}

func pageOf(categories []category) (resource.Response, error) {
	text, err := Marshal(page{categories})
	return resource.Response{ETag: resource.ETag(text), Body: resource.JSON(bytes.Clone(text))}, err
}

// entry is one endpoint of the catalog.
type entry struct {
	ID         string    `json:"id" doc:"'GET /device/devices'"`
	Method     string    `json:"method" enum:"GET|POST|PUT|PATCH|DELETE"`
	Path       string    `json:"path"`
	Category   string    `json:"category"`
	Summary    string    `json:"summary"`
	Noun       string    `json:"noun" doc:"for what it returns, changes or removes: 'device group'; empty for none"`
	Doc        string    `json:"doc"`
	Permission string    `json:"permission"`
	Admin      bool      `json:"admin"`
	Deprecated bool      `json:"deprecated"`
	Params     []param   `json:"params"`
	Body       *schema   `json:"body"`
	Response   *schema   `json:"answer"`
	Status     int       `json:"status"`
	Errors     []failure `json:"errors"`
	Example    example   `json:"example"`
}

type param struct {
	Name     string `json:"name"`
	In       string `json:"in" enum:"path|query"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	Doc      string `json:"doc"`
	Format   string `json:"format,omitempty"`
	Enum     []any  `json:"enum,omitempty"`
	Default  any    `json:"default,omitempty"`
	Minimum  *int64 `json:"minimum,omitempty" null:"no"`
	Maximum  *int64 `json:"maximum,omitempty" null:"no"`
	Example  any    `json:"example,omitempty"`

	Operators []resource.Operators `json:"operators,omitempty" doc:"operators of the filter"`
}

// property is a value inside an object.
type property struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	schema
}

// schema is one value.
type schema struct {
	Type       string     `json:"type" enum:"object|array|string|integer|number|boolean|any"`
	Doc        string     `json:"doc,omitempty"`
	Format     string     `json:"format,omitempty"`
	Properties []property `json:"properties,omitempty"`
	Items      *schema    `json:"items,omitempty" null:"no"`
	Enum       []any      `json:"enum,omitempty"`
	Minimum    *int64     `json:"minimum,omitempty" null:"no"`
	Maximum    *int64     `json:"maximum,omitempty" null:"no"`
	MaxLength  int        `json:"maxLength,omitempty"`
	Default    any        `json:"default,omitempty"`
	Example    any        `json:"example,omitempty"`
	List       string     `json:"list,omitempty" doc:"the list of the objects whose ids it holds"`
}

type failure struct {
	Status int    `json:"status"`
	When   string `json:"when"`
}

type example struct {
	Path  string  `json:"path"`
	Query []pair  `json:"query"`
	Body  *string `json:"body"`
}

type pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type category struct {
	Name      string  `json:"name"`
	Endpoints []entry `json:"endpoints"`
}

// page is a catalog in the form that the page receives.
type page struct {
	Categories []category `json:"categories"`
}

// Schema describes a catalog as the page gets it.
func Schema() *resource.Schema {
	s := resource.SchemaOf(page{})
	s.Name = "Catalog"
	return &s
}

// New returns the catalog of endpoints. It is encoded at its first use.
func New(endpoints []resource.Endpoint) *Catalog {
	return &Catalog{Endpoints: endpoints, Page: sync.OnceValues(func() (resource.Response, error) {
		categories, err := categoriesOf(endpoints)
		if err != nil {
			return resource.Response{}, err
		}
		return pageOf(categories)
	})}
}

// categoriesOf returns the published endpoints by category: first in the portal's
// order, then in order of appearance.
func categoriesOf(endpoints []resource.Endpoint) ([]category, error) {
	names := slices.Clone(ground.Categories)
	for _, e := range endpoints {
		if e.Category != "" && !slices.Contains(names, e.Category) {
			names = append(names, e.Category)
		}
	}
	categories, listed := []category{}, resource.Listed(endpoints)
	for _, name := range names {
		part := category{Name: name}
		for i := range endpoints {
			if endpoints[i].Category != name {
				continue
			}
			one, err := entryOf(&endpoints[i], listed)
			if err != nil {
				return nil, err
			}
			part.Endpoints = append(part.Endpoints, one)
		}
		if len(part.Endpoints) > 0 {
			categories = append(categories, part)
		}
	}
	return categories, nil
}

func entryOf(e *resource.Endpoint, listed func(*resource.Schema) string) (entry, error) {
	out := entry{
		ID: e.ID(), Method: e.Method, Path: e.Path, Category: e.Category, Summary: e.Summary, Doc: e.Doc,
		Noun:       NounOf(e).One,
		Permission: e.Right.String(), Admin: e.Right.Object == resource.Setting,
		Params: []param{}, Body: schemaOf(e.Body, listed), Response: schemaOf(e.Response, listed),
		Status:  api.Success(e),
		Errors:  []failure{},
		Example: example{Path: e.Example.Path, Query: []pair{}},
	}
	for _, p := range e.Params {
		s := p.Schema
		out.Params = append(out.Params, param{
			Name: p.Name, In: p.In, Type: s.Type, Required: p.Required, Doc: s.Doc, Format: s.Format,
			Enum: s.Enum, Default: s.Default, Minimum: s.Min, Maximum: s.Max, Example: p.Example,
			Operators: p.Operators,
		})
	}
	for _, f := range e.Errors {
		out.Errors = append(out.Errors, failure{Status: api.Status(f.Kind), When: f.When})
	}
	if out.Example.Path == "" {
		out.Example.Path = e.Path
	}
	for _, q := range e.Example.Query {
		out.Example.Query = append(out.Example.Query, pair{Key: q[0], Value: q[1]})
	}
	if e.Example.Body == nil {
		return out, nil
	}
	body, err := pretty(e.Example.Body)
	if err != nil {
		return out, fmt.Errorf("example of %s: %w", e.ID(), err)
	}
	out.Example.Body = &body
	return out, nil
}

func schemaOf(s *resource.Schema, listed func(*resource.Schema) string) *schema {
	if s == nil {
		return nil
	}
	out := &schema{
		Type: s.Type, Doc: s.Doc, Format: s.Format, Items: schemaOf(s.Items, listed), List: listed(s),
		Enum: s.Enum, Minimum: s.Min, Maximum: s.Max, MaxLength: s.MaxLen, Default: s.Default, Example: s.Example,
	}
	for _, k := range s.Properties {
		out.Properties = append(out.Properties, property{k.Name, k.Required, k.ReadOnly, *schemaOf(&k.Schema, listed)})
	}
	return out
}

// Marshal returns JSON without escaping < and >.
func Marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// pretty returns an example's body with indentation and ordered keys.
func pretty(body any) (string, error) {
	text, ok := body.(json.RawMessage)
	if !ok {
		var err error
		if text, err = Marshal(body); err != nil {
			return "", err
		}
	}
	var out bytes.Buffer
	err := json.Indent(&out, text, "", "  ")
	return out.String(), err
}

// Match returns the endpoint for a path below the mount, escaped and with real
// ids; nil if there is none. Fixed segments take precedence over parameters.
func (c *Catalog) Match(method, path string) *resource.Endpoint {
	var best *resource.Endpoint
	most := -1
	for i := range c.Endpoints {
		e := &c.Endpoints[i]
		if e.Method != method {
			continue
		}
		if n := alike(e.Path, path); n > most {
			best, most = e, n
		}
	}
	return best
}

// alike counts the equal segments; -1 if the path does not match the template.
func alike(template, path string) (n int) {
	for more := true; more; {
		var wanted, part string
		var longer bool
		wanted, template, more = strings.Cut(template, "/")
		part, path, longer = strings.Cut(path, "/")
		switch {
		case more != longer:
			return -1
		case wanted == part:
			n++
		case !strings.HasPrefix(wanted, "{") || part == "":
			return -1
		}
	}
	return n
}

// Property returns a property of an object schema.
func Property(s *resource.Schema, name string) (writeOnly bool, inner *resource.Schema) {
	if p := s.Property(name); p != nil {
		return p.WriteOnly, &p.Schema
	}
	return false, nil
}
