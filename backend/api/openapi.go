package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// OpenAPI describes the endpoints of the portal that have a category, in OpenAPI
// 3.1. base is the mount's URL or path.
func OpenAPI(endpoints []resource.Endpoint, base, version string) ([]byte, error) {
	return describe(endpoints, base, portalInfo(version), nil, true)
}

// explorerOpenAPI describes all endpoints below /explorer, and the details of their
// errors.
func explorerOpenAPI(endpoints []resource.Endpoint, details []resource.Key, version string) ([]byte, error) {
	return describe(explored(endpoints), explorer.prefix, explorerInfo(version), details, false)
}

// explored returns the endpoints in one category, because those below /explorer
// are not published elsewhere. They have no examples of bodies.
func explored(endpoints []resource.Endpoint) []resource.Endpoint {
	all := slices.Clone(endpoints)
	for i := range all {
		all[i].Category, all[i].Example.Body = "Explorer", nil
	}
	return all
}

// describe returns the document of the endpoints that have a category. A response
// whose format is a media type ("text/csv") is described as text of that type; an
// object with such a format describes the content of that type. limited endpoints
// have rate limits.
func describe(endpoints []resource.Endpoint, base string, info object, details []resource.Key, limited bool) (
	[]byte, error) {
	published := slices.DeleteFunc(slices.Clone(endpoints), func(e resource.Endpoint) bool { return e.Category == "" })
	c := &components{texts: map[string][]byte{"Error": {}}, partial: map[string]bool{}, limited: limited,
		listed: resource.Listed(endpoints)}
	for i := range published {
		c.notePartial(&published[i])
	}
	for i := range published { // responses first, so that they get the plain names
		if response := published[i].Response; response != nil {
			c.schema(*response, answerSide)
		}
	}
	var paths object
	at := map[string]int{}
	for i := range published {
		e := &published[i]
		k, known := at[e.Path]
		if !known {
			k = len(paths)
			at[e.Path] = k
			paths = append(paths, member{e.Path, object{}})
		}
		paths[k].value = append(paths[k].value.(object),
			member{strings.ToLower(e.Method), c.operation(e, operationID(e))})
	}
	failed := c.errorSchema(details) // may add schemas
	return encode(object{
		{"openapi", "3.1.0"},
		{"info", info},
		{"servers", []any{object{{"url", base}}}},
		{"security", readers},
		{"tags", tags(published)},
		{"paths", paths},
		{"components", object{
			{"schemas", append(object{{"Error", failed}}, c.schemas...)},
			{"responses", c.errorResponses(published)},
			{"headers", append(object{{"ETag", object{{"description", "Version of the object, for " +
				"If-Match and If-None-Match"}, {"schema", object{{"type", "string"}}}}}}, c.rates(rateHeaders)...)},
			{"securitySchemes", securitySchemes},
		}},
	})
}

// distinct fails if two endpoints have the same name in OpenAPI.
func distinct(endpoints []resource.Endpoint) error {
	ids := map[string]string{}
	for i := range endpoints {
		e := &endpoints[i]
		if e.Category == "" {
			continue
		}
		id := operationID(e)
		if other, taken := ids[id]; taken {
			return fmt.Errorf("%s and %s are both called %s", other, e.ID(), id)
		}
		ids[id] = e.ID()
	}
	return nil
}

// notePartial records the object from which fields= selects keys: the response,
// or its items.
func (c *components) notePartial(e *resource.Endpoint) {
	if e.Response == nil || !slices.ContainsFunc(e.Params, func(p resource.Param) bool { return p.Name == "fields" }) {
		return
	}
	for _, k := range e.Response.Properties {
		if k.Name == "items" && k.Schema.Items != nil {
			c.partial[k.Schema.Items.Name] = true
			return
		}
	}
	c.partial[e.Response.Name] = true
}

// operationID returns "getDeviceDevicesById" for GET /device/devices/{id}.
func operationID(e *resource.Endpoint) string {
	id := strings.ToLower(e.Method)
	for segment := range strings.SplitSeq(strings.TrimPrefix(e.Path, "/"), "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			segment = "by" + title(strings.TrimSuffix(name, "}"))
		}
		for word := range strings.FieldsFuncSeq(segment,
			func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
			id += title(word)
		}
	}
	return id
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (c *components) operation(e *resource.Endpoint, id string) object {
	doc := e.Doc
	if doc != "" {
		doc += "\n\n"
	}
	o := object{
		{"operationId", id}, {"tags", []string{e.Category}}, {"summary", e.Summary},
		{"description", doc + "Required permission: " + e.Right.String() + "."},
	}
	var params []any
	for _, p := range e.Params {
		params = append(params, c.parameter(e, p))
	}
	params = append(params, conditions(e)...)
	o = o.with("parameters", params)
	if e.Body != nil {
		o = o.with("requestBody", c.requestBody(e))
	}
	o = append(o, member{"responses", c.responses(e)})
	switch {
	case e.Right.Object == resource.Open:
		o = append(o, member{"security", []any{}})
	case e.Method != http.MethodGet:
		o = append(o, member{"security", writers})
	}
	o = append(o, member{"x-right", e.Right.String()}, member{"x-example", exampleURL(e)})
	if e.Once {
		o = append(o, member{"x-once", true})
	}
	return o.noun(e.Noun)
}

func (c *components) parameter(e *resource.Endpoint, p resource.Param) object {
	s := p.Schema
	doc := s.Doc
	s.Doc = ""
	o := object{{"name", p.Name}, {"in", p.In}}.with("required", p.Required || p.In == "path").with("description", doc)
	o = append(o, member{"schema", c.schema(s, bodySide)})
	if example := paramExample(e, p); example != nil {
		o = append(o, member{"example", example})
	}
	if p.Operators != nil {
		o = append(o, member{"x-filter-operators", p.Operators})
	}
	return o
}

// paramExample returns the value in the endpoint's example request, or the parameter's own.
func paramExample(e *resource.Endpoint, p resource.Param) any {
	if p.In == "path" {
		template, real := strings.Split(e.Path, "/"), strings.Split(e.Example.Path, "/")
		i := slices.Index(template, "{"+p.Name+"}")
		if i >= 0 && i < len(real) && len(real) == len(template) && !strings.HasPrefix(real[i], "{") {
			return typed(p.Schema.Type, real[i])
		}
	}
	for _, q := range e.Example.Query {
		if p.In == "query" && q[0] == p.Name {
			return typed(p.Schema.Type, q[1])
		}
	}
	return p.Example
}

func typed(kind, text string) any {
	var value any = text
	var err error
	switch kind {
	case "integer":
		value, err = strconv.ParseInt(text, 10, 64)
	case "number":
		value, err = strconv.ParseFloat(text, 64)
	case "boolean":
		value, err = strconv.ParseBool(text)
	}
	if err != nil {
		return text
	}
	return value
}

// exampleURL returns the example request's path and query.
func exampleURL(e *resource.Endpoint) string {
	url := e.Example.Path
	if url == "" {
		url = e.Path
	}
	for i, q := range e.Example.Query {
		url += string("?&"[min(i, 1)]) + escapeQuery(q[0]) + "=" + escapeQuery(q[1])
	}
	return url
}

func (c *components) requestBody(e *resource.Endpoint) object {
	at := bodySide
	if e.Method == http.MethodPatch {
		at = patchSide
	}
	media := object{{"schema", c.schema(*e.Body, at)}}
	if e.Example.Body != nil {
		media = append(media, member{"example", e.Example.Body})
	}
	content := object{{"application/json", media}}
	if e.Upload != "" {
		file := object{{"type", "string"}, {"contentMediaType", "application/json"}}
		content = append(content, member{uploadType, object{{"schema", object{
			{"type", "object"}, {"properties", object{{e.Upload, file}}}, {"required", []string{e.Upload}},
		}}}})
	}
	return object{{"required", true}, {"content", content}}
}

func (c *components) responses(e *resource.Endpoint) object {
	doc := "Done"
	if e.Creates {
		doc = "Created"
	}
	kind, s := "application/json", object{{"type", "object"}}
	if e.Response != nil {
		s = c.schema(*e.Response, answerSide)
		if strings.Contains(e.Response.Format, "/") {
			kind = e.Response.Format
			if e.Response.Type != "object" {
				s = object{{"type", "string"}}
			}
		}
	}
	content := object{{kind, object{{"schema", s}}}}
	if e.Lines != nil {
		content = append(content,
			member{resource.LinesType,
				object{
					{"schema", object{{"type", "string"}, {"description", linesDoc(c.name(*e.Lines, answerSide))}}}}})
	}
	for _, file := range e.Files {
		content = append(content, member{file, object{{"schema", object{{"type", "string"}}}}})
	}
	headers := c.rates(rateRefs)
	if e.Tagged {
		headers = append(object{{"ETag", object{{"$ref", "#/components/headers/ETag"}}}}, headers...)
	}
	out := object{{strconv.Itoa(Success(e)),
		append(object{{"description", doc}}.with("headers", headers), member{"content", content})}}
	if e.Tagged && e.Method == http.MethodGet {
		out = append(out, member{strconv.Itoa(http.StatusNotModified), object{{"description", "If-None-Match matches " +
			"the current version; no body"}, {"headers", headers}}})
	}
	for _, f := range failures {
		if when, ok := c.failsWhen(e, f.kind); ok {
			ref := object{{"$ref", "#/components/responses/" + f.name}}
			out = append(out, member{strconv.Itoa(status[f.kind]), ref.with("description", when)})
		}
	}
	return out
}

// failsWhen returns when the endpoint returns an error of that kind: its own
// text, or "" for the default one. Every endpoint has the errors of the guard.
func (c *components) failsWhen(e *resource.Endpoint, kind fault.Kind) (when string, ok bool) {
	for _, f := range e.Errors {
		if f.Kind == kind {
			when, ok = strings.TrimPrefix(when+"; "+f.When, "; "), true
		}
	}
	switch kind {
	case fault.Internal, fault.Denied: // the origin is wrong, even without a permission
		ok = true
	case fault.TooMany:
		ok = ok || c.limited
	case fault.NoLogin:
		ok = ok || e.Right.Object != resource.Open
	case fault.Invalid:
		ok = ok || e.Body != nil || len(e.Params) > 0
	case fault.Busy:
		ok = ok || e.Method == http.MethodGet || e.Body != nil
	case fault.TooLarge, fault.MediaType:
		ok = ok || e.Body != nil
	case fault.Unknown:
		ok = ok || strings.Contains(e.Path, "{")
	}
	return when, ok
}
