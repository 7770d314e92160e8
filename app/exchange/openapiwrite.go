package exchange

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"spyglass/app/workspace"
)

// operation is one method of a path, as far as requests tell of it.
type operation struct {
	Summary     string               `json:"summary,omitempty"`
	Description string               `json:"description,omitempty"`
	Tags        []string             `json:"tags,omitempty"`
	Parameters  []parameter          `json:"parameters,omitempty"`
	Body        *requestBody         `json:"requestBody,omitempty"`
	Responses   map[string]described `json:"responses"`
}

type described struct {
	Description string `json:"description"`
}

type parameter struct {
	Name        string         `json:"name"`
	In          string         `json:"in"`
	Required    bool           `json:"required,omitempty"`
	Description string         `json:"description,omitempty"`
	Schema      map[string]any `json:"schema"`
	Example     any            `json:"example,omitempty"`
}

type requestBody struct {
	Content map[string]*content `json:"content"`
}

type content struct {
	Schema   map[string]any            `json:"schema"`
	Examples map[string]map[string]any `json:"examples,omitempty"`
}

var anyParam = regexp.MustCompile(`\{\{\s*\$?([^{}]*?)\s*\}\}|\{([^{}/]+)\}`)

// writeOpenAPI describes what the requests show of an API: their paths, their
// parameters and their bodies as examples. Requests of one method and path are
// one operation.
func writeOpenAPI(b *Bundle) ([]byte, error) {
	w := &openAPIWriter{paths: map[string]map[string]*operation{}, shapes: map[string]string{}}
	w.folders(b.Folders, "")
	name := b.Name
	if len(b.Folders) == 1 {
		name = b.Folders[0].Name
	}
	doc := map[string]any{
		"openapi": "3.0.3",
		"info":    map[string]any{"title": name, "version": "1.0.0"},
		"servers": []any{map[string]any{"url": b.BaseURL}},
		"paths":   w.paths,
	}
	return json.MarshalIndent(doc, "", "  ")
}

type openAPIWriter struct {
	paths  map[string]map[string]*operation
	shapes map[string]string // the path that stands for all that differ in names only
}

func (w *openAPIWriter) folders(folders []workspace.Folder, tag string) {
	for _, f := range folders {
		own := tag
		if own == "" || len(f.Requests) > 0 {
			own = f.Name
		}
		for i := range f.Requests {
			w.request(&f.Requests[i], own)
		}
		w.folders(f.Folders, own)
	}
}

func (w *openAPIWriter) request(r *workspace.Saved, tag string) {
	d := &r.Draft
	path, search, _ := strings.Cut(d.Path, "?")
	if d.Template != "" {
		path = d.Template
	}
	path, names := w.template(path)
	if w.paths[path] == nil {
		w.paths[path] = map[string]*operation{}
	}
	op := w.paths[path][strings.ToLower(d.Method)]
	if op == nil {
		op = &operation{Summary: r.Name, Description: r.Doc, Tags: []string{tag}, Responses: map[string]described{"default": {"What the portal answers"}}}
		w.paths[path][strings.ToLower(d.Method)] = op
		for _, name := range names {
			op.add(parameter{Name: name, In: "path", Required: true})
		}
	}
	for _, p := range d.PathParams {
		op.describe(p)
	}
	_, typed := (&File{}).address("?" + search)
	for _, q := range append(typed, d.Query...) {
		op.add(parameter{Name: q.Key, In: "query", Description: q.Doc, Example: exampleOf(q.Value)})
	}
	for _, h := range d.Headers {
		if !slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(h.Key)) {
			op.add(parameter{Name: h.Key, In: "header", Description: h.Doc, Example: exampleOf(h.Value)})
		}
	}
	if strings.TrimSpace(d.Body) != "" && workspace.HasBody(d.Method) {
		op.body(r)
	}
}

// template makes {names} of variables, once each, and the same of paths that
// differ in names only.
func (w *openAPIWriter) template(path string) (string, []string) {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	var names []string
	path = anyParam.ReplaceAllStringFunc(path, func(found string) string {
		m := anyParam.FindStringSubmatch(found)
		name := strings.NewReplacer("/", "_", "?", "_", "#", "_").Replace(m[1] + m[2])
		if name == "" {
			name = "value"
		}
		for unique, n := name, 2; ; unique, n = fmt.Sprint(name, n), n+1 {
			if !slices.Contains(names, unique) {
				names = append(names, unique)
				return "{" + unique + "}"
			}
		}
	})
	path = strings.NewReplacer("{", "\x00", "}", "\x01").Replace(path) // braces that are no pair are text
	for _, name := range names {
		path = strings.Replace(path, "\x00"+name+"\x01", "{"+name+"}", 1)
	}
	path = strings.NewReplacer("\x00", "%7B", "\x01", "%7D").Replace(path)
	shape := anyParam.ReplaceAllString(path, "{}")
	if same, ok := w.shapes[shape]; ok {
		names = nil
		for _, m := range anyParam.FindAllStringSubmatch(same, -1) {
			names = append(names, m[2])
		}
		return same, names
	}
	w.shapes[shape] = path
	return path, names
}

func (op *operation) add(p parameter) {
	if p.Name == "" || slices.ContainsFunc(op.Parameters, func(have parameter) bool { return have.In == p.In && have.Name == p.Name }) {
		return
	}
	p.Schema = map[string]any{"type": "string"}
	op.Parameters = append(op.Parameters, p)
}

// describe completes a path parameter by its row.
func (op *operation) describe(row workspace.Row) {
	for i := range op.Parameters {
		if p := &op.Parameters[i]; p.In == "path" && p.Name == row.Key {
			p.Description, p.Example = row.Doc, exampleOf(row.Value)
		}
	}
}

func exampleOf(value string) any {
	if value == "" || strings.Contains(value, "{{") {
		return nil
	}
	return value
}

func (op *operation) body(r *workspace.Saved) {
	if op.Body == nil {
		op.Body = &requestBody{Content: map[string]*content{}}
	}
	kind, value, schema := "application/json", any(json.RawMessage(r.Draft.Body)), map[string]any{}
	if !json.Valid([]byte(r.Draft.Body)) {
		kind, value, schema = "text/plain", r.Draft.Body, map[string]any{"type": "string"}
	}
	c := op.Body.Content[kind]
	if c == nil {
		c = &content{Schema: schema, Examples: map[string]map[string]any{}}
		op.Body.Content[kind] = c
	}
	c.Examples[fmt.Sprintf("example%d", len(c.Examples)+1)] = map[string]any{"summary": r.Name, "value": value}
}
