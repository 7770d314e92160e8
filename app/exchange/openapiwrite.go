package exchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"spyglass/app/workspace"
)

// operation is one method of a path, as far as the requests show it.
type operation struct {
	Summary     string               `json:"summary,omitempty"`
	Description string               `json:"description,omitempty"`
	Tags        []string             `json:"tags,omitempty"`
	Parameters  []parameter          `json:"parameters,omitempty"`
	Body        *requestBody         `json:"requestBody,omitempty"`
	Responses   map[string]described `json:"responses"`

	at map[string]int // in Parameters, by place and name
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

// writeOpenAPI describes an API as far as the requests show it: paths,
// parameters, and bodies as examples. Requests with the same method and path
// become one operation.
func writeOpenAPI(b *Bundle) ([]byte, error) {
	w := &openAPIWriter{Bundle: b, paths: map[string]map[string]*operation{}, shapes: map[string]string{}}
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
	*Bundle
	paths  map[string]map[string]*operation
	shapes map[string]string // one path for paths that differ only in parameter names
}

func (w *openAPIWriter) folders(folders []workspace.Folder, tag string) {
	for _, f := range folders {
		own := tag
		if own == "" || len(f.Requests) > 0 {
			own = f.Name
		}
		for i := range f.Requests {
			if w.budget.Steps(rowSize+len(f.Requests[i].Draft.Path)) != nil {
				return // Write of the package returns the error
			}
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
		op = &operation{at: map[string]int{}, Summary: r.Name, Description: r.Doc, Tags: []string{tag},
			Responses: map[string]described{"default": {"The portal's response"}}}
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
		w.body(op, r)
	}
}

// template converts variables to {names}, with unique names, and returns the same
// template for paths that differ only in names.
func (w *openAPIWriter) template(path string) (string, []string) {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	var names []string
	used, next := map[string]bool{}, map[string]int{}
	var out strings.Builder
	last := 0
	for _, at := range anyParam.FindAllStringSubmatchIndex(path, -1) {
		name := ""
		for i := 2; i < 6; i += 2 {
			if at[i] >= 0 {
				name += path[at[i]:at[i+1]]
			}
		}
		name = cmp.Or(inName.Replace(name), "value")
		unique := name
		for n := max(next[name], 2); used[unique]; n++ {
			unique = fmt.Sprint(name, n)
			next[name] = n + 1
		}
		used[unique] = true
		names = append(names, unique)
		out.WriteString(braces.Replace(path[last:at[0]]) + "{" + unique + "}")
		last = at[1]
	}
	path = out.String() + braces.Replace(path[last:])
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

var (
	inName = strings.NewReplacer("/", "_", "?", "_", "#", "_")
	braces = strings.NewReplacer("{", "%7B", "}", "%7D") // unpaired braces are text
)

func (op *operation) add(p parameter) {
	key := p.In + " " + p.Name
	if _, have := op.at[key]; have || p.Name == "" {
		return
	}
	op.at[key] = len(op.Parameters)
	p.Schema = map[string]any{"type": "string"}
	op.Parameters = append(op.Parameters, p)
}

// describe completes a path parameter from its row.
func (op *operation) describe(row workspace.Row) {
	if i, have := op.at["path "+row.Key]; have {
		op.Parameters[i].Description, op.Parameters[i].Example = row.Doc, exampleOf(row.Value)
	}
}

func exampleOf(value string) any {
	if value == "" || strings.Contains(value, "{{") {
		return nil
	}
	return value
}

func (w *openAPIWriter) body(op *operation, r *workspace.Saved) {
	if op.Body == nil {
		op.Body = &requestBody{Content: map[string]*content{}}
	}
	kind, value, schema := "application/json", any(json.RawMessage(r.Draft.Body)), map[string]any{}
	if !json.Valid([]byte(r.Draft.Body)) || w.indented(r.Draft.Body) != nil {
		kind, value, schema = "text/plain", r.Draft.Body, map[string]any{"type": "string"}
	}
	c := op.Body.Content[kind]
	if c == nil {
		c = &content{Schema: schema, Examples: map[string]map[string]any{}}
		op.Body.Content[kind] = c
	}
	c.Examples[fmt.Sprintf("example%d", len(c.Examples)+1)] = map[string]any{"summary": r.Name, "value": value}
}

// indentedAt is the indentation of the lines of an example in the document.
const indentedAt = 10

// indented spends the cost of a JSON text written in lines: deeper nesting makes
// longer lines.
func (b *Bundle) indented(text string) error {
	level, size, quoted := indentedAt, len(text), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			level++
			size += 2 * level
		case c == ',':
			size += 2 * level
		case c == '}' || c == ']':
			level--
			size += 2 * level
		}
	}
	return b.budget.Bytes(size)
}
