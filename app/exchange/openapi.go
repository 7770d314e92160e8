package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// Lines at the top level of a YAML file.
var (
	openAPILine = regexp.MustCompile(`(?m)^["']?openapi["']?\s*:`)
	swaggerLine = regexp.MustCompile(`(?m)^["']?swagger["']?\s*:`)
)

// OpenAPI is an API description, version 3, as JSON or YAML. It becomes one
// request for each operation, in a folder for each tag.
var OpenAPI = Format{
	ID: "openapi", Label: "OpenAPI 3", Family: "OpenAPI 3",
	Ext: "openapi.json", Type: "application/json",
	Is:    func(f *File) bool { return f.has("openapi") || f.isYAML(openAPILine) },
	Read:  readAPI,
	Write: writeOpenAPI,
}

// Swagger is an API description of version 2.0, as JSON or YAML.
var Swagger = Format{
	ID: "swagger", Label: "Swagger 2.0", Family: "Swagger 2.0",
	Ext: "swagger.json", Type: "application/json",
	Is:   func(f *File) bool { return f.has("swagger") || f.isYAML(swaggerLine) },
	Read: readAPI,
}

func readAPI(f *File) (*Found, error) {
	doc, err := f.api()
	if err != nil {
		return nil, err
	}
	return f.described(doc)
}

// ReadAPI reads an OpenAPI 3 or Swagger 2.0 document, unless that takes more work
// than its size explains.
func ReadAPI(ctx context.Context, text []byte) (*openapi3.T, error) {
	f := &File{Name: "it", Text: text, budget: budgetFor(ctx, len(text))}
	if err := f.open(); err != nil {
		return nil, err
	}
	return f.api()
}

// api reads the document. It does not follow references to other files.
func (f *File) api() (*openapi3.T, error) {
	if err := f.asJSON(); err != nil {
		return nil, err
	}
	if err := f.references(); err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	loader.ReadFromURIFunc = func(*openapi3.Loader, *url.URL) ([]byte, error) {
		return nil, errors.New("it refers to another file")
	}
	read, kind := loader.LoadFromData, "OpenAPI 3"
	if f.has("swagger") {
		kind = "Swagger 2.0"
		read = func(text []byte) (*openapi3.T, error) {
			var old openapi2.T
			if err := json.Unmarshal(text, &old); err != nil {
				return nil, err
			}
			return openapi2conv.ToV3WithLoader(&old, loader, nil)
		}
	}
	doc, err := read(f.Text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s is not a valid %s document: %s", f.name(), kind, firstLine(err))
	}
	if doc.Paths.Len() == 0 {
		return nil, fault.New(fault.Invalid, "%s describes no paths", f.name())
	}
	return doc, nil
}

// described converts an API description to requests.
func (f *File) described(doc *openapi3.T) (*Found, error) {
	top := workspace.Folder{Name: f.stem("API")}
	if doc.Info != nil && doc.Info.Title != "" {
		top.Name, top.Doc = doc.Info.Title, doc.Info.Description
	}
	tags := map[string]int{} // index of each tag's folder
	for _, path := range doc.Paths.InMatchingOrder() {
		if err := f.operations(&top, tags, path, doc.Paths.Value(path)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(top.Folders, func(a, b workspace.Folder) int { return strings.Compare(a.Name, b.Name) })
	if len(doc.Servers) > 0 {
		f.notes.say("The server %s was not imported: requests go to the portal of their tab.", doc.Servers[0].URL)
	}
	if doc.Security != nil {
		f.notes.say("Its authentication was not imported: the portal's sign-in is used.")
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

func (f *File) operations(top *workspace.Folder, tags map[string]int, path string, item *openapi3.PathItem) error {
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
		tag = plain(tag)
		at, have := tags[tag]
		if !have {
			at = len(top.Folders)
			tags[tag] = at
			top.Folders = append(top.Folders, workspace.Folder{Name: tag})
		}
		top.Folders[at].Requests = append(top.Folders[at].Requests, r)
		if err := f.budget.Bytes(len(r.Name) + len(r.Doc) + len(r.Draft.Body)); err != nil {
			return err
		}
	}
	return nil
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
		if f.budget.Bytes(rowSize+len(p.Name)+len(p.Description)) != nil {
			break // the caller checks that it is spent
		}
		row := workspace.Row{On: p.Required, Key: p.Name, Value: f.paramExample(p), Doc: p.Description}
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

func (f *File) paramExample(p *openapi3.Parameter) string {
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
		if f.budget.Bytes(len(v)) != nil {
			return ""
		}
		return v
	}
	if !f.weigh(v, 0) {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// bodyExample returns the example of a JSON body, or one generated from its
// schema.
func (f *File) bodyExample(b *openapi3.RequestBody) string {
	media := b.Content.Get("application/json")
	if media == nil {
		if len(b.Content) > 0 {
			f.notes.add("%s whose body is not JSON: the body was not imported.")
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
		v = (&sampler{f, 500}).of(media.Schema, nil)
	} else if !f.weigh(v, 0) {
		return ""
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

// sampler generates examples from schemas.
type sampler struct {
	*File
	left int // values
}

// of returns a value that matches a schema. It stops at recursive schemas, after
// a few levels, and after a number of values.
func (s *sampler) of(ref *openapi3.SchemaRef, above []*openapi3.Schema) any {
	if s.left--; ref == nil || ref.Value == nil || len(above) > 8 || s.left < 0 || slices.Contains(above, ref.Value) {
		return nil
	}
	v := s.plain(ref.Value, append(slices.Clip(above), ref.Value))
	if v == nil || s.budget.Err() != nil {
		return nil
	}
	return v
}

// given returns a value from the file, if the budget allows another copy.
func (s *sampler) given(v any, above []*openapi3.Schema) any {
	if !s.weigh(v, len(above)) {
		return nil
	}
	return v
}

func (s *sampler) plain(schema *openapi3.Schema, inside []*openapi3.Schema) any {
	switch {
	case schema.Example != nil:
		return s.given(schema.Example, inside)
	case schema.Default != nil:
		return s.given(schema.Default, inside)
	case len(schema.Enum) > 0:
		return s.given(schema.Enum[0], inside)
	case len(schema.AllOf) > 0:
		return s.merged(schema, inside)
	case len(schema.OneOf) > 0:
		return s.of(schema.OneOf[0], inside)
	case len(schema.AnyOf) > 0:
		return s.of(schema.AnyOf[0], inside)
	case schema.Type.Is("array"):
		if item := s.of(schema.Items, inside); item != nil {
			return []any{item}
		}
		return []any{}
	case schema.Type.Is("object") || len(schema.Properties) > 0:
		return s.merged(schema, inside)
	case schema.Type.Is("integer"), schema.Type.Is("number"):
		return 0
	case schema.Type.Is("boolean"):
		return false
	case schema.Type.Is("string"):
		return ""
	}
	return nil
}

func (s *sampler) merged(schema *openapi3.Schema, inside []*openapi3.Schema) any {
	out := map[string]any{}
	for _, part := range schema.AllOf {
		if in, ok := s.of(part, inside).(map[string]any); ok {
			for k, v := range in {
				out[k] = v
			}
		}
	}
	if s.left < 0 || s.budget.Steps(len(schema.Properties)) != nil {
		return out
	}
	for _, name := range sortedKeys(schema.Properties) {
		p := schema.Properties[name]
		if p == nil || p.Value == nil || p.Value.ReadOnly {
			continue
		}
		if v := s.of(p, inside); v != nil && s.budget.Bytes(len(name)+4*len(inside)) == nil {
			out[name] = v
		}
	}
	return out
}
