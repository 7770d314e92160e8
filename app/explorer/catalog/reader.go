package catalog

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"spyglass/app/pairs"
	"spyglass/backend/resource"
)

// Limits of what is read from a document: its schemas may be recursive, and a
// schema that is used a thousand times is copied a thousand times.
const (
	maxShapes = 400_000 // total schemas
	shapeSize = 100     // bytes of a schema without its texts

	// Texts that many requests share are copied for each.
	spareBytes   = 16 << 20
	bytesPerByte = 16
	maxBytes     = 64 << 20

	mostOfOne = 3_000 // for one request
	deepest   = 10    // levels of nesting
)

// foreign is one request in another portal's document.
type foreign struct {
	endpoint resource.Endpoint
	entry    entry
}

// foreignReader reads endpoints from a document.
type foreignReader struct {
	prefix string
	left   int // schemas that may still be copied
	bytes  int // bytes of texts and values that may still be copied
	one    int // schemas left for the current request
	above  []*openapi3.Schema
	looked map[*openapi3.Schema]*look
	found  []foreign
}

// look caches properties of a schema, which may be used a thousand times.
type look struct {
	bytes    int // bytes of its own texts and values
	names    []string
	required map[string]bool
}

func newForeignReader(prefix string, size int) *foreignReader {
	return &foreignReader{
		prefix: prefix, left: maxShapes, bytes: min(spareBytes+bytesPerByte*size, maxBytes),
		looked: map[*openapi3.Schema]*look{},
	}
}

// afford spends n bytes of the budget, if there are enough left.
func (r *foreignReader) afford(n int) bool {
	if n > r.bytes {
		return false
	}
	r.bytes -= n
	return true
}

// text returns a text of the document, or "" if the budget is exceeded.
func (r *foreignReader) text(s string) string {
	if !r.afford(len(s)) {
		return ""
	}
	return s
}

// value returns a value of the document, or nil if the budget is exceeded.
func (r *foreignReader) value(v any) any {
	if v == nil || !r.afford(weightOf(v)) {
		return nil
	}
	return v
}

// weightOf returns the approximate size of a value in JSON.
func weightOf(v any) int {
	n := 4
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, in := range v {
			n += weightOf(in)
		}
	case map[string]any:
		for key, in := range v {
			n += len(key) + weightOf(in)
		}
	}
	return n
}

// spent reports whether the budget for schemas is exceeded, at least for this
// request.
func (r *foreignReader) spent() bool { return r.left < 0 || r.one < 0 || r.bytes < shapeSize }

func (r *foreignReader) look(s *openapi3.Schema) *look {
	if have := r.looked[s]; have != nil {
		return have
	}
	l := &look{bytes: shapeSize + len(cmp.Or(s.Description, s.Title)) + len(s.Format),
		required: make(map[string]bool, len(s.Required))}
	for _, v := range []any{s.Enum, s.Default, s.Example, s.Const} {
		if v != nil {
			l.bytes += weightOf(v)
		}
	}
	if len(s.Examples) > 0 {
		l.bytes += weightOf(s.Examples[0])
	}
	if list, ok := s.Extensions["x-list"].(string); ok {
		l.bytes += len(r.prefix) + len(list)
	}
	for name := range s.Properties {
		l.names = append(l.names, name)
	}
	slices.Sort(l.names)
	for _, name := range s.Required {
		l.required[name] = true
	}
	r.looked[s] = l
	return l
}

func (r *foreignReader) add(method, path string, item *openapi3.PathItem, op *openapi3.Operation) {
	r.one = mostOfOne
	if !r.afford(2 * (len(r.prefix) + len(path))) { // its example has a path, too
		return
	}
	e := resource.Endpoint{
		Method: method, Path: r.prefix + path, Category: "Other", Doc: r.text(op.Description),
		Summary: cmp.Or(r.text(op.Summary), r.text(item.Summary), r.text(op.OperationID), method+" "+path),
		Right:   resource.Right{Object: resource.Anyone}, Noun: r.noun(op.Extensions),
	}
	if len(op.Tags) > 0 {
		e.Category = cmp.Or(r.text(op.Tags[0]), e.Category)
	}
	if op.Security != nil && len(*op.Security) == 0 {
		e.Right.Object = resource.Open
	}
	r.params(&e, append(slices.Clone(item.Parameters), op.Parameters...))
	if op.RequestBody != nil && op.RequestBody.Value != nil && method != "GET" {
		r.body(&e, op.RequestBody.Value)
	}
	status, failures := r.responses(&e, op)
	e.Creates = method == "POST" && status == 201
	e.Once, _ = op.Extensions["x-once"].(bool)
	if example, ok := op.Extensions["x-example"].(string); ok {
		e.Example.Path, e.Example.Query = splitExample(example)
	}
	shown, err := entryOf(&e, resource.Listed(nil))
	if err != nil {
		return // the example cannot be encoded
	}
	shown.Status, shown.Errors, shown.Deprecated = status, failures, op.Deprecated
	// Spyglass repeats the permission in the description for other readers;
	// earlier versions called it a right.
	if shown.Permission, _ = op.Extensions["x-right"].(string); shown.Permission != "" {
		shown.Doc = strings.TrimSuffix(shown.Doc, "Right needed: "+shown.Permission+".")
		shown.Doc = strings.TrimSpace(strings.TrimSuffix(shown.Doc, "Required permission: "+shown.Permission+"."))
	}
	shown.Admin = strings.Contains(shown.Permission, "on settings")
	r.found = append(r.found, foreign{e, shown})
}

// noun reads the noun and the plural that Spyglass portals provide.
func (r *foreignReader) noun(says map[string]any) resource.Noun {
	one, _ := says["x-noun"].(string)
	many, _ := says["x-plural"].(string)
	if one == "" || many == "" {
		return resource.Noun{}
	}
	return resource.Noun{One: r.text(one), Many: r.text(many)}
}

// splitExample returns the path and the query of "/device/devices?size=10".
func splitExample(text string) (path string, query [][2]string) {
	path, rest, _ := strings.Cut(text, "?")
	for _, pair := range pairs.Split(rest) {
		key, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		plain, err2 := url.QueryUnescape(value)
		if key != "" && err == nil && err2 == nil {
			query = append(query, [2]string{name, plain})
		}
	}
	return path, query
}

func (r *foreignReader) params(e *resource.Endpoint, all openapi3.Parameters) {
	real := e.Path
	last := map[[2]string]int{}
	for i, ref := range all {
		if p := ref.Value; p != nil {
			last[[2]string{p.Name, p.In}] = i
		}
	}
	for i, ref := range all {
		p := ref.Value
		if p == nil || p.In != "path" && p.In != "query" {
			continue
		}
		if last[[2]string{p.Name, p.In}] != i {
			continue // the operation's own parameter overrides the path's
		}
		if r.one--; r.spent() || !r.afford(len(p.Name)+shapeSize) {
			break
		}
		out := resource.Param{Name: p.Name, In: p.In, Required: p.Required || p.In == "path",
			Schema: resource.Schema{Type: "string"}, Example: r.value(p.Example)}
		if p.Schema != nil {
			out.Schema = r.schema(p.Schema, 0)
		}
		out.Schema.Doc = cmp.Or(r.text(p.Description), out.Schema.Doc)
		if out.Example == nil {
			out.Example = out.Schema.Example
		}
		if operators, err := json.Marshal(p.Extensions["x-filter-operators"]); err == nil {
			_ = json.Unmarshal(operators, &out.Operators) // ignore another format
		}
		if out.In == "path" && out.Example != nil {
			name, value := "{"+p.Name+"}", url.PathEscape(plainText(out.Example))
			if r.afford(strings.Count(real, name) * len(value)) {
				real = strings.ReplaceAll(real, name, value)
			}
		}
		e.Params = append(e.Params, out)
	}
	e.Example.Path = real
}

func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// jsonOf returns the JSON variant of a content.
func jsonOf(content openapi3.Content) *openapi3.MediaType {
	if m := content.Get("application/json"); m != nil {
		return m
	}
	for kind, m := range content {
		if strings.HasSuffix(kind, "+json") {
			return m
		}
	}
	return nil
}

func (r *foreignReader) body(e *resource.Endpoint, body *openapi3.RequestBody) {
	m := jsonOf(body.Content)
	if m == nil {
		return
	}
	s := resource.Schema{Type: "any"}
	if m.Schema != nil {
		s = r.schema(m.Schema, 0)
	}
	e.Body = &s
	e.Example.Body = r.value(m.Example)
	for _, name := range slices.Sorted(mapKeys(m.Examples)) {
		if ref := m.Examples[name]; e.Example.Body == nil && ref.Value != nil {
			e.Example.Body = r.value(ref.Value.Value)
		}
	}
	if e.Example.Body == nil {
		e.Example.Body = sampleOf(&s)
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// responses reads the success response of an operation and its failures.
func (r *foreignReader) responses(e *resource.Endpoint, op *openapi3.Operation) (status int, failures []failure) {
	status, failures = 0, []failure{}
	if op.Responses == nil {
		return 200, failures
	}
	for _, code := range slices.Sorted(mapKeys(op.Responses.Map())) {
		response := op.Responses.Value(code).Value
		n, err := strconv.Atoi(strings.ReplaceAll(strings.ToUpper(code), "XX", "00"))
		if err != nil || response == nil {
			continue
		}
		if n >= 400 {
			when := ""
			if response.Description != nil {
				when = r.text(*response.Description)
			}
			failures = append(failures, failure{n, when})
		}
		if n < 200 || n > 299 || status != 0 {
			continue
		}
		status = n
		if m := jsonOf(response.Content); m != nil && m.Schema != nil {
			s := r.schema(m.Schema, 0)
			e.Response = &s
		}
	}
	return cmp.Or(status, 200), failures
}

// schema copies a schema, within the limits.
func (r *foreignReader) schema(ref *openapi3.SchemaRef, depth int) resource.Schema {
	s := ref.Value
	out := resource.Schema{Type: "any"}
	r.left--
	r.one--
	if s == nil || r.spent() || !r.afford(r.look(s).bytes) {
		return out
	}
	out = resource.Schema{
		Type: typeOf(s), Doc: cmp.Or(s.Description, s.Title), Format: s.Format, Enum: s.Enum, Default: s.Default,
		Example: s.Example,
		Min:     whole(s.Min), Max: whole(s.Max), Nullable: s.Nullable || s.Type.Includes("null"),
	}
	if s.MaxLength != nil && *s.MaxLength < math.MaxInt32 {
		out.MaxLen = int(*s.MaxLength)
	}
	if out.Example == nil && len(s.Examples) > 0 {
		out.Example = s.Examples[0]
	}
	if list, ok := s.Extensions["x-list"].(string); ok && strings.HasPrefix(list, "/") {
		out.Refs = r.prefix + list
	}
	out.Counts = r.noun(s.Extensions)
	if s.Const != nil {
		out.Enum = []any{s.Const}
	}
	if depth >= deepest || slices.Contains(r.above, s) {
		return out // it is recursive, or nested too deep
	}
	r.above = append(r.above, s)
	defer func() { r.above = r.above[:len(r.above)-1] }()
	if s.Items != nil {
		items := r.schema(s.Items, depth+1)
		out.Items, out.Type = &items, "array"
	}
	r.properties(&out, s, depth)
	for _, part := range s.AllOf {
		if r.spent() {
			break
		}
		more := r.schema(part, depth)
		merge(&out, &more)
	}
	for _, parts := range [][]*openapi3.SchemaRef{s.OneOf, s.AnyOf} {
		for _, part := range parts {
			if r.spent() {
				break
			}
			if out.Type != "any" || part.Value == nil || part.Value.Type.Is("null") {
				continue
			}
			more := r.schema(part, depth)
			merge(&out, &more)
		}
	}
	return out
}

func (r *foreignReader) properties(out *resource.Schema, s *openapi3.Schema, depth int) {
	if len(s.Properties) > 0 {
		out.Type = "object"
	}
	l := r.look(s)
	for _, name := range l.names {
		if r.spent() || !r.afford(len(name)) {
			break
		}
		p := s.Properties[name]
		key := resource.Key{Name: name, Required: l.required[name], Schema: r.schema(p, depth+1)}
		if p.Value != nil {
			key.ReadOnly, key.WriteOnly = p.Value.ReadOnly, p.Value.WriteOnly || p.Value.Format == "password"
		}
		out.Properties = append(out.Properties, key)
	}
	slices.SortStableFunc(out.Properties, func(a, b resource.Key) int {
		return cmp.Compare(btoi(b.Required), btoi(a.Required))
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// merge adds the contents of more to out.
func merge(out, more *resource.Schema) {
	if out.Type == "any" {
		out.Type = more.Type
	}
	out.Doc, out.Format = cmp.Or(out.Doc, more.Doc), cmp.Or(out.Format, more.Format)
	if out.Items == nil {
		out.Items = more.Items
	}
	if out.Enum == nil {
		out.Enum = more.Enum
	}
	if out.Example == nil {
		out.Example = more.Example
	}
	for _, k := range more.Properties {
		if !slices.ContainsFunc(out.Properties, func(have resource.Key) bool { return have.Name == k.Name }) {
			out.Properties = append(out.Properties, k)
		}
	}
}

func typeOf(s *openapi3.Schema) string {
	for _, t := range []string{"object", "array", "string", "integer", "number", "boolean"} {
		if s.Type.Includes(t) {
			return t
		}
	}
	return "any"
}

// whole returns a bound if it is a whole number.
func whole(f *float64) *int64 {
	if f == nil || *f != math.Trunc(*f) || math.Abs(*f) > 1<<53 {
		return nil
	}
	n := int64(*f)
	return &n
}

// sampleOf returns a value that the schema allows, without read-only keys.
func sampleOf(s *resource.Schema) any {
	switch {
	case s.Example != nil:
		return s.Example
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type {
	case "object":
		out := map[string]any{}
		for i := range s.Properties {
			if k := &s.Properties[i]; !k.ReadOnly {
				out[k.Name] = sampleOf(&k.Schema)
			}
		}
		return out
	case "array":
		if s.Items == nil {
			return []any{}
		}
		return []any{sampleOf(s.Items)}
	case "integer", "number":
		if s.Min != nil {
			return *s.Min
		}
		return 0
	case "boolean":
		return false
	case "string":
		return ""
	}
	return nil
}
