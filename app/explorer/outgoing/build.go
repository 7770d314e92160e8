package outgoing

import (
	"regexp"
	"slices"
	"strings"

	"spyglass/app/explorer/serve"
	"spyglass/app/pairs"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Request is a request to send, without the session.
type Request struct {
	Method  string
	URL     string
	Headers [][2]string
	Body    string

	shown    string             // the URL with secret variables masked; "" for that of URL
	Endpoint *resource.Endpoint // in the catalog; nil if there is none
	Path     string             // below the mount, escaped
	Signed   bool               // it has its own Authorization header
}

// LenientMount is the path at which the portal serves published clients.
const LenientMount = "/santaba/rest"

var absolute = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)`)

// locate splits a typed path into the mount and the path below it.
func (t *Target) locate(typed string) (mount, rest string, err error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return "", "", fault.At("path", "the path is empty; select an endpoint, or enter a path like /device/devices")
	}
	var parts []string
	if strings.Contains(typed, "://") {
		parts = absolute.FindStringSubmatch(typed)
	}
	if parts != nil {
		if !t.is(parts[1], parts[2]) {
			return "", "", fault.At("path", "%s is another portal; this tab sends to %s only", parts[2], t.Host)
		}
		typed = typed[len(parts[0]):]
	}
	if !strings.HasPrefix(typed, "/") {
		typed = "/" + typed
	}
	for _, mount := range []string{t.mount, LenientMount} {
		if rest, ok := strings.CutPrefix(typed, mount); ok &&
			(rest == "" || strings.ContainsRune("/?", rune(rest[0]))) {
			return mount, rest, nil
		}
	}
	if parts != nil {
		return "", "", fault.At("path", "the API base URL is %s; %s is outside of it", t.URL, parts[0]+typed)
	}
	return t.mount, typed, nil
}

// is reports whether scheme and host are those of the portal; localhost counts as
// the same machine.
func (t *Target) is(scheme, host string) bool {
	origin := strings.ToLower(scheme + "://" + host)
	own := strings.ToLower(t.Origin)
	return origin == own || strings.Replace(origin, "://localhost:", "://127.0.0.1:", 1) == own
}

// Build builds the request of a draft.
func (t *Target) Build(f *Filler, d *workspace.Draft) (*Request, error) {
	out := &Request{Method: d.Method}
	mount, rest, err := t.locate(d.Path)
	if err != nil {
		return nil, err
	}
	rest, behind, _ := cutQuery(rest)
	var path, query filled
	if err := f.path(&path, rest, d.PathParams); err != nil {
		return nil, err
	}
	if err := f.query(&query, behind, d.Query); err != nil {
		return nil, err
	}
	out.Path = path.sent.String()
	out.URL = t.Origin + mount + out.Path + query.sent.String()
	if path.differs || query.differs {
		out.shown = t.Origin + mount + path.shown() + query.shown()
	}
	if out.Endpoint = t.Catalog.Match(d.Method, out.Path); out.Endpoint == nil && d.Template != "" {
		out.Endpoint = t.Catalog.Match(d.Method, d.Template)
	}
	if err := f.headers(out, d.Headers); err != nil {
		return nil, err
	}
	if workspace.HasBody(d.Method) {
		fill := f.fillJSON
		if kind := out.Header("Content-Type"); kind != "" && !strings.Contains(strings.ToLower(kind), "json") {
			fill = func(text string) (string, error) { return f.fillPlain("body", text) }
		}
		if out.Body, err = fill(d.Body); err != nil {
			return nil, err
		}
	}
	t.UsualHeaders(out)
	return out, f.verdict()
}

// cutQuery splits at the first ? outside of references.
func cutQuery(text string) (path, query string, found bool) {
	if i := strings.IndexByte(withoutReferences(text), '?'); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// withoutReferences returns a text of the same length in which references are
// replaced by x.
func withoutReferences(text string) string {
	if !mayRefer(text) {
		return text
	}
	return reference.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("x", len(s)) })
}

// parameter matches {id} in a path; a reference matches first.
var parameter = regexp.MustCompile(`\{\{[^{}]*\}\}|\{([^{}/]+)\}`)

// path fills in {parameters} and references of a path, which is all of out.
func (f *Filler) path(out *filled, typed string, params workspace.Rows) error {
	var missing []string
	last := 0
	var places [][]int
	if strings.Contains(typed, "{") {
		places = parameter.FindAllStringSubmatchIndex(typed, -1)
	}
	values := map[string]string{}
	for _, r := range slices.Backward(params) { // the first of duplicate names counts
		if r.On && strings.TrimSpace(r.Value) != "" {
			values[r.Key] = r.Value
		}
	}
	for _, at := range places {
		if at[2] < 0 {
			continue
		}
		if err := f.fillPath(out, typed[last:at[0]], typedPath); err != nil {
			return err
		}
		last = at[1]
		name := typed[at[2]:at[3]]
		value, have := values[name]
		if !have {
			missing = append(missing, name)
			out.add("{" + name + "}")
			continue
		}
		if err := f.fillPath(out, value, Segment); err != nil {
			return err
		}
	}
	if err := f.fillPath(out, typed[last:], typedPath); err != nil {
		return err
	}
	if len(missing) > 0 && f.manner != Shown {
		return &fault.Error{Kind: fault.Invalid, Field: "path", Message: "{" + missing[0] + "} needs a value",
			Detail: serve.Detail{Missing: missing}}
	}
	if !strings.ContainsAny(out.sent.String(), ".%") {
		return nil
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.ToUpper(out.sent.String()), "%2E", "."), "/") {
		if part == "." || part == ".." {
			return fault.At("path", "the path must not contain the segments . and ..")
		}
	}
	return nil
}

// query adds "?…" from the typed query and the rows, or "" if there are none.
func (f *Filler) query(out *filled, typed string, rows workspace.Rows) error {
	before := "?"
	if typed != "" {
		out.add(before)
		before = "&"
		if err := f.fillTyped(out, typed); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if !r.On || r.Key == "" && r.Value == "" {
			continue
		}
		field := "query." + r.Key
		out.add(before)
		before = "&"
		if err := f.fillQuery(out, field, r.Key, QueryText); err != nil {
			return err
		}
		out.add("=")
		if err := f.fillQuery(out, field, r.Value, QueryText); err != nil {
			return err
		}
	}
	return nil
}

// fillTyped fills in a query that was typed after the path. An & within double
// quotes belongs to the value.
func (f *Filler) fillTyped(out *filled, typed string) error {
	typed = pairs.Escape(typed, withoutReferences(typed))
	return f.fillQuery(out, "path", typed, typedQuery)
}

// forbidden lists headers that the connection or the session sets.
var forbidden = map[string]string{
	"Host":              "it is always the host of the portal",
	"Cookie":            "it is the cookie of your session; to act as another user, set Authorization",
	"Content-Length":    "it is calculated when the request is sent",
	"Connection":        "Spyglass manages the connection",
	"Keep-Alive":        "Spyglass manages the connection",
	"Proxy-Connection":  "Spyglass manages the connection",
	"Transfer-Encoding": "Spyglass manages the connection",
	"Te":                "Spyglass manages the connection",
	"Trailer":           "Spyglass manages the connection",
	"Upgrade":           "Spyglass manages the connection",
	"Expect":            "Spyglass manages the connection",
	"Accept-Encoding":   "Spyglass requests uncompressed responses, to show them as they are sent",
}

var token = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// headers adds the draft's own headers.
func (f *Filler) headers(out *Request, rows workspace.Rows) error {
	for _, r := range rows {
		if !r.On || r.Key == "" && r.Value == "" {
			continue
		}
		field := "headers." + r.Key
		name, err := f.fillHeader(field, r.Key)
		if err != nil {
			return err
		}
		value, err := f.fillHeader(field, r.Value)
		if err != nil {
			return err
		}
		name = strings.TrimSpace(name)
		why, no := forbidden[canonical(name)]
		switch {
		case no:
			return fault.At(field, "%s cannot be set: %s", name, why)
		case !token.MatchString(name) && (f.manner != Shown || !reference.MatchString(name)):
			return fault.At(field, "%q is not a valid header name; use letters, digits and hyphens", name)
		}
		out.Signed = out.Signed || canonical(name) == "Authorization"
		out.Headers = append(out.Headers, [2]string{name, strings.TrimSpace(value)})
	}
	return nil
}

// canonical returns a header's name with capitals after hyphens.
func canonical(name string) string {
	parts := strings.Split(strings.ToLower(name), "-")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "-")
}

// Header returns the value of a header; "" if it is not set.
func (o *Request) Header(name string) string {
	for _, h := range o.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// UsualHeaders adds the default headers that the draft does not set.
func (t *Target) UsualHeaders(out *Request) {
	usual := [][2]string{{"Accept", "application/json"}, {"User-Agent", "Spyglass/" + t.Version}}
	if workspace.HasBody(out.Method) {
		usual = append(usual, [2]string{"Content-Type", "application/json"})
	}
	for _, h := range usual {
		if !slices.ContainsFunc(out.Headers, func(have [2]string) bool { return strings.EqualFold(have[0], h[0]) }) {
			out.Headers = append(out.Headers, h)
		}
	}
}

// Session returns the headers with the caller's session, if the request is sent
// with it. Endpoints without sign-in do not get it, because signing in as another
// user would end the session.
func Session(out *Request, s resource.Session, cookie func(secret string) string) [][2]string {
	if out.Signed || s.Cookie == "" || out.Endpoint != nil && out.Endpoint.Right.Object == resource.Open {
		return nil
	}
	headers := [][2]string{{"Cookie", cookie(s.Cookie)}}
	if out.Method != "GET" && out.Header("X-CSRF-Token") == "" {
		headers = append(headers, [2]string{"X-CSRF-Token", s.CSRF})
	}
	return headers
}

// maskedLike masks the segments of an address, derived from the one of the request,
// that are masked there. A variable in a path fills one segment.
func (o *Request) maskedLike(address string) string {
	if o.shown == "" {
		return ""
	}
	segments := func(address string) []string {
		path, _, _ := strings.Cut(address, "?")
		return strings.Split(path, "/")
	}
	out, sent, shown := segments(address), segments(o.URL), segments(o.shown)
	for i := range min(len(out), len(sent), len(shown)) {
		if out[i] == sent[i] {
			out[i] = shown[i]
		}
	}
	return strings.Join(out, "/")
}

// By returns another request with those headers of this one that identify the
// caller.
func (o *Request) By(method, address, body string) *Request {
	out := &Request{Method: method, URL: address, Body: body, Endpoint: o.Endpoint, Path: o.Path, Signed: o.Signed,
		shown: o.maskedLike(address)}
	for _, h := range o.Headers {
		if slices.Contains([]string{"accept", "content-type", "content-length", "if-match", "if-none-match"},
			strings.ToLower(h[0])) {
			continue
		}
		out.Headers = append(out.Headers, h)
	}
	out.Headers = append(out.Headers, [2]string{"Accept", "application/json"})
	if body != "" {
		out.Headers = append(out.Headers, [2]string{"Content-Type", "application/json"})
	}
	return out
}

// Plain returns a request to a path below a portal's base.
func (t *Target) Plain(method, path, body string) *Request {
	out := &Request{Method: method, URL: t.URL + path, Path: path, Body: body}
	t.UsualHeaders(out)
	return out
}
