package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// failures are the error responses, by status, under their names in OpenAPI.
var failures = []struct {
	kind fault.Kind
	name string
	when string
}{
	{fault.Running, "Running", "The request is accepted and still running; request it again"},
	{fault.Invalid, "Invalid", "The request is wrong; errorDetail names the field"},
	{fault.NoLogin, "NotSignedIn", "The caller is not signed in, the session has ended, or the token is wrong"},
	{fault.Denied, "Denied", "The role does not have the permission, the CSRF token is wrong, or the request " +
		"comes from another origin"},
	{fault.Unknown, "NotFound", "The object does not exist, or the caller cannot view it"},
	{fault.Conflict, "Conflict", "The object already exists, or its state does not allow the request"},
	{fault.Changed, "Changed", "The object has changed since the version in If-Match"},
	{fault.TooLarge, "TooLarge", "The body is too large"},
	{fault.MediaType, "NotJSON", "The body is not JSON"},
	{fault.TooMany, "TooMany", "The rate limit is reached; Retry-After says how many seconds to wait"},
	{fault.Internal, "InternalError", "The portal failed; errorDetail.requestId is the request id in its log"},
	{fault.Offline, "NoAnswer", "The other side does not respond"},
	{fault.Busy, "Busy", "The portal is overloaded, or the request is too expensive; Retry-After says how many " +
		"seconds to wait"},
	{fault.Full, "DiskFull", "The disk is full; nothing was written"},
}

// conditions returns the headers that make a request depend on the current
// version.
func conditions(e *resource.Endpoint) []any {
	header := func(name, doc string) []any {
		return []any{
			object{{"name", name}, {"in", "header"}, {"description", doc}, {"schema", object{{"type", "string"}}}}}
	}
	stale := func(f resource.Failure) bool { return f.Kind == fault.Changed }
	switch {
	case e.Tagged && e.Method == http.MethodGet:
		return header("If-None-Match", "ETag of a version that the caller has: 304 and no body if it is still the "+
			"current one")
	case slices.ContainsFunc(e.Errors, stale) && strings.Contains(e.Path, "{"):
		return header("If-Match", "ETag of the version the caller has read: 412 if it has changed since. Without "+
			"it the last write wins")
	}
	return nil
}

// linesDoc documents a list with one object per line.
func linesDoc(name string) string {
	return "With Accept: " + resource.LinesType + ", all matching rows, regardless of size and offset: one " + name +
		" per line, from one snapshot of the portal. An incomplete stream ends without the last chunk of its " +
		"transfer encoding."
}

// errorResponses returns the error responses of any of the endpoints.
func (c *components) errorResponses(endpoints []resource.Endpoint) object {
	var out object
	for _, f := range failures {
		if !slices.ContainsFunc(endpoints, func(e resource.Endpoint) bool {
			_, ok := c.failsWhen(&e, f.kind)
			return ok
		}) {
			continue
		}
		response := object{{"description", f.when}}
		headers := c.rates(rateRefs)
		if f.kind == fault.TooMany || f.kind == fault.Busy {
			headers = append(object{{"Retry-After", object{
				{"description", "Seconds until the request can be sent again"}, {"schema", object{{"type", "integer"}}},
			}}}, headers...)
		}
		example := object{{"errorMessage", strings.ToLower(f.when[:1]) + f.when[1:]},
			{"errorCode", 1000 + status[f.kind]}, {"errorDetail", nil}}
		response = append(response.with("headers", headers), member{"content", object{{"application/json", object{
			{"schema", object{{"$ref", "#/components/schemas/Error"}}}, {"example", example},
		}}}})
		out = append(out, member{f.name, response})
	}
	return out
}

// errorSchema describes the body of every error, with additional details.
func (c *components) errorSchema(details []resource.Key) object {
	all := object{
		{"field", object{{"type", "string"}, {"description", "Name of the invalid field or parameter"}}},
		{"reason", object{{"type", "string"}, {"description", "The reason"}}},
		{"allowed", object{{"type", "array"}, {"description", "The valid values"}, {"items", object{}}}},
		{"requestId", object{{"type", "string"}, {"description", "Of an internal error: the request id in the log"}}},
	}
	for _, k := range details {
		all = append(all, member{k.Name, c.schema(k.Schema, answerSide)})
	}
	return object{
		{"type", "object"},
		{"description", "The body of every error"},
		{"properties", object{
			{"errorMessage", object{{"type", "string"}, {"description", "One sentence for a person"}}},
			{"errorCode", object{{"type", "integer"}, {"description", "The HTTP status plus 1,000"},
				{"examples", []int{1404}}}},
			{"errorDetail", object{{"type", []string{"object", "null"}}, {"description", "Details for programs"},
				{"properties", all}}},
		}},
		{"required", []string{"errorMessage", "errorCode", "errorDetail"}},
	}
}

// rateHeaders are the headers of every response, while rate limits are on.
var rateHeaders = object{
	rateHeader("X-Rate-Limit-Limit", "Requests that this endpoint accepts in one window"),
	rateHeader("X-Rate-Limit-Remaining", "Requests that remain"),
	rateHeader("X-Rate-Limit-Window", "Length of the rolling window in seconds"),
}

// rates adds the headers of rate limits, if there are limits.
func (c *components) rates(headers object) object {
	if !c.limited {
		return nil
	}
	return headers
}

func rateHeader(name, doc string) member {
	return member{name, object{{"description", doc}, {"schema", object{{"type", "integer"}}}}}
}

var rateRefs = object{rateRef("X-Rate-Limit-Limit"), rateRef("X-Rate-Limit-Remaining"), rateRef("X-Rate-Limit-Window")}

func rateRef(name string) member {
	return member{name, object{{"$ref", "#/components/headers/" + name}}}
}

var securitySchemes = object{
	{"session", object{{"type", "apiKey"}, {"in", "cookie"}, {"name", "spyglass_instance"},
		{"description", "Set by POST /session; the name ends in the portal's instance id"}}},
	{"csrf", object{{"type", "apiKey"}, {"in", "header"}, {"name", "X-CSRF-Token"},
		{"description", "Required for writes with a session cookie; a GET with X-CSRF-Token: Fetch returns it"}}},
	{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"description", "An API token"}}},
	{"lmv1", object{{"type", "apiKey"}, {"in", "header"}, {"name", "Authorization"},
		{"description", "LMv1 accessId:signature:epochMillis; the signature is base64 of the lower-case hex of " +
			"HMAC-SHA256 with the access key over method, epochMillis, body and path after the mount"}}},
}

var (
	readers = []any{object{{"session", []any{}}}, object{{"bearer", []any{}}}, object{{"lmv1", []any{}}}}
	writers = []any{object{{"session", []any{}}, {"csrf", []any{}}}, object{{"bearer", []any{}}},
		object{{"lmv1", []any{}}}}
)

// escapeQuery escapes only what a query must not contain.
func escapeQuery(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune(`-._~:,*/!@()'$;`, r), r >= '0' && r <= '9', r >= 'a' && r <= 'z',
			r >= 'A' && r <= 'Z':
			out.WriteRune(r)
		case r == ' ':
			out.WriteString("%20")
		default:
			out.WriteString(url.QueryEscape(string(r)))
		}
	}
	return out.String()
}
