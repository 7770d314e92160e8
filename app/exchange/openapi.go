package exchange

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// openAPILine is what a YAML file of that kind has at its top.
var openAPILine = regexp.MustCompile(`(?m)^["']?openapi["']?\s*:`)

// OpenAPI is a description of an API, version 3, as JSON or YAML: one request
// for each operation, in a folder for each tag.
var OpenAPI = Format{
	ID: "openapi", Label: "OpenAPI 3", Ext: "openapi.json", Type: "application/json",
	Is: func(f *File) bool { return f.has("openapi") || f.isYAML(openAPILine) },
	Read: func(f *File) (*Found, error) {
		if err := shallow(f); err != nil {
			return nil, err
		}
		doc, err := apiLoader().LoadFromData(f.Text)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s is no OpenAPI 3 that can be read: %s", f.name(), firstLine(err))
		}
		return f.described(doc)
	},
	Write: writeOpenAPI,
}

// apiLoader follows no reference out of the file.
func apiLoader() *openapi3.Loader {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = false
	loader.ReadFromURIFunc = func(*openapi3.Loader, *url.URL) ([]byte, error) {
		return nil, errors.New("it refers to another file")
	}
	return loader
}

// described is what a description of an API holds.
func (f *File) described(doc *openapi3.T) (*Found, error) {
	if doc.Paths.Len() == 0 {
		return nil, fault.New(fault.Invalid, "%s describes no paths", f.name())
	}
	top := workspace.Folder{Name: f.stem("API")}
	if doc.Info != nil && doc.Info.Title != "" {
		top.Name, top.Doc = doc.Info.Title, doc.Info.Description
	}
	for _, path := range doc.Paths.InMatchingOrder() {
		f.operations(&top, path, doc.Paths.Value(path))
	}
	slices.SortStableFunc(top.Folders, func(a, b workspace.Folder) int { return strings.Compare(a.Name, b.Name) })
	if len(doc.Servers) > 0 {
		f.notes.say("The server %s was left out: requests go to the portal of their tab.", doc.Servers[0].URL)
	}
	if doc.Security != nil {
		f.notes.say("Its ways to sign in were left out: the portal's is used.")
	}
	return &Found{Folders: []workspace.Folder{top}}, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if runes := []rune(line); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return line
}

func (f *File) operations(top *workspace.Folder, path string, item *openapi3.PathItem) {
	for _, method := range append(slices.Clone(workspace.Methods), "HEAD", "OPTIONS", "TRACE", "CONNECT") {
		op := item.GetOperation(method)
		if op == nil {
			continue
		}
		if _, ok := f.methodOf(method); !ok {
			continue
		}
		r := workspace.Saved{Name: op.Summary, Doc: op.Description, Draft: f.operation(method, path, item, op)}
		if r.Doc == "" && op.Summary == "" {
			r.Name = op.OperationID
		}
		tag := "Other"
		if len(op.Tags) > 0 {
			tag = op.Tags[0]
		}
		at := slices.IndexFunc(top.Folders, func(in workspace.Folder) bool { return in.Name == plain(tag) })
		if at < 0 {
			at = len(top.Folders)
			top.Folders = append(top.Folders, workspace.Folder{Name: plain(tag)})
		}
		top.Folders[at].Requests = append(top.Folders[at].Requests, r)
	}
}

func (f *File) operation(method, path string, item *openapi3.PathItem, op *openapi3.Operation) workspace.Draft {
	d := workspace.Draft{Method: method, Path: path, Mode: "form"}
	values := map[string]workspace.Row{}
	seen := map[string]bool{}
	for _, ref := range append(slices.Clone(op.Parameters), item.Parameters...) {
		p := ref.Value
		if p == nil || seen[p.In+" "+p.Name] {
			continue
		}
		seen[p.In+" "+p.Name] = true
		row := workspace.Row{On: p.Required, Key: p.Name, Value: paramExample(p), Doc: p.Description}
		switch p.In {
		case "path":
			values[p.Name] = row
		case "query":
			d.Query = append(d.Query, row)
		case "header":
			if row, ok := f.header(row); ok {
				d.Headers = append(d.Headers, row)
			}
		}
	}
	d.PathParams = params(path, values)
	if op.RequestBody != nil && op.RequestBody.Value != nil {
		d.Body = f.bodyExample(op.RequestBody.Value)
	}
	return d
}

func paramExample(p *openapi3.Parameter) string {
	v := p.Example
	if v == nil && p.Schema != nil && p.Schema.Value != nil {
		if v = p.Schema.Value.Default; v == nil {
			v = p.Schema.Value.Example
		}
	}
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// bodyExample is the example of a JSON body, or one made from its schema.
func (f *File) bodyExample(b *openapi3.RequestBody) string {
	media := b.Content.Get("application/json")
	if media == nil {
		if len(b.Content) > 0 {
			f.notes.add("%s whose body is not JSON: the body was left out.")
		}
		return ""
	}
	v := media.Example
	for _, name := range sortedKeys(media.Examples) {
		if v == nil && media.Examples[name].Value != nil {
			v = media.Examples[name].Value.Value
		}
	}
	if v == nil {
		budget := 500
		v = sample(media.Schema, nil, &budget)
	}
	if v == nil {
		return ""
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sample is a value that a schema would take. It ends where a schema holds
// itself, after a few levels, and after so many values.
func sample(ref *openapi3.SchemaRef, above []*openapi3.Schema, budget *int) any {
	if *budget--; ref == nil || ref.Value == nil || len(above) > 8 || *budget < 0 || slices.Contains(above, ref.Value) {
		return nil
	}
	s := ref.Value
	inside := append(slices.Clip(above), s)
	switch {
	case s.Example != nil:
		return s.Example
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AllOf) > 0:
		return merged(s, inside, budget)
	case len(s.OneOf) > 0:
		return sample(s.OneOf[0], inside, budget)
	case len(s.AnyOf) > 0:
		return sample(s.AnyOf[0], inside, budget)
	case s.Type.Is("array"):
		if item := sample(s.Items, inside, budget); item != nil {
			return []any{item}
		}
		return []any{}
	case s.Type.Is("object") || len(s.Properties) > 0:
		return merged(s, inside, budget)
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 0
	case s.Type.Is("boolean"):
		return false
	case s.Type.Is("string"):
		return ""
	}
	return nil
}

func merged(s *openapi3.Schema, inside []*openapi3.Schema, budget *int) any {
	out := map[string]any{}
	for _, part := range s.AllOf {
		if in, ok := sample(part, inside, budget).(map[string]any); ok {
			for k, v := range in {
				out[k] = v
			}
		}
	}
	for _, name := range sortedKeys(s.Properties) {
		p := s.Properties[name]
		if p == nil || p.Value == nil || p.Value.ReadOnly {
			continue
		}
		if v := sample(p, inside, budget); v != nil {
			out[name] = v
		}
	}
	return out
}
