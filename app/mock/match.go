package mock

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/pairs"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

var (
	variable = regexp.MustCompile(`\{\{[^{}]*\}\}`)
	param    = regexp.MustCompile(`^\{([^{}/]+)\}$`)
	bare     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\{\{[^{}]*\}\}`) // texts, and variables outside of them
	mounted  = regexp.MustCompile(`^/(?:api|santaba/rest)(?:/|$)`)
)

// value is a part of a recorded request: a text, or a pattern for several texts.
type value struct {
	text    string
	pattern *regexp.Regexp // nil for a text
}

// valueOf returns the value of a text with variables and masked secrets.
func valueOf(text string) value {
	if !variable.MatchString(text) && !strings.Contains(text, resource.Mask) {
		return value{text: text}
	}
	var out strings.Builder
	out.WriteString("(?s)^")
	for i, part := range variable.Split(strings.ReplaceAll(text, resource.Mask, "{{}}"), -1) {
		if i > 0 {
			out.WriteString(".*")
		}
		out.WriteString(regexp.QuoteMeta(part))
	}
	return value{text: text, pattern: regexp.MustCompile(out.String() + "$")}
}

// fits returns how much of the text only fits because the value is a pattern: 0 or 1.
func (v *value) fits(text string) (cost int, ok bool) {
	switch {
	case v.text == text:
		return 0, true
	case v.pattern != nil && v.pattern.MatchString(text):
		return 1, true
	}
	return 0, false
}

// pair is a parameter of a query.
type pair struct {
	key string
	value
}

// request is a request to match.
type request struct {
	method  string
	mount   string // "/api", "/santaba/rest" or nothing
	path    []value
	query   []pair
	shown   string // "GET /device/devices?size=50", secrets masked
	body    string
	json    *resource.Node // of the body; nil: it is not JSON
	example func(*entry) bool
}

// entry is a recorded request to match, with its response.
type entry struct {
	*Recorded
	request
}

// prepare prepares a recorded request.
func prepare(r *Recorded) *entry {
	e := &entry{Recorded: r, request: request{method: strings.ToUpper(r.Method)}}
	e.address(r.URL, func(segment string) value {
		if m := param.FindStringSubmatch(segment); m != nil {
			own := valueOf("{{}}")
			if own.text = segment; r.Params[m[1]] != "" && !variable.MatchString(r.Params[m[1]]) {
				own.text = r.Params[m[1]]
			}
			return own
		}
		return valueOf(segment)
	}, valueOf)
	e.setBody(r.Body)
	return e
}

// incoming returns a request that was received.
func incoming(r *http.Request, body []byte) *request {
	in := &request{method: r.Method}
	if in.method == http.MethodHead {
		in.method = http.MethodGet
	}
	plain := func(text string) value { return value{text: text} }
	in.address(r.URL.RequestURI(), plain, plain)
	in.setBody(string(body))
	code, name := r.Header.Get("X-Mock-Response-Code"), r.Header.Get("X-Mock-Response-Name")
	in.example = func(e *entry) bool {
		return (code == "" || code == strconv.Itoa(e.Status)) && (name == "" || name == e.Name)
	}
	return in
}

// address reads an address, or a path with its query.
func (r *request) address(raw string, segment, other func(string) value) {
	raw, _, _ = strings.Cut(raw, "#")
	path, query, _ := strings.Cut(raw, "?")
	if at := strings.Index(path, "://"); at >= 0 {
		_, path, _ = strings.Cut(path[at+len("://"):], "/")
	}
	path = "/" + strings.Trim(path, "/")
	r.mount = strings.TrimSuffix(mounted.FindString(path), "/")
	r.shown = r.method + " " + path
	for part := range strings.SplitSeq(strings.Trim(path[len(r.mount):], "/"), "/") {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		r.path = append(r.path, segment(part))
	}
	for _, p := range pairs.Split(query) {
		key, text, _ := strings.Cut(p, "=")
		r.query = append(r.query, pair{unescape(key), other(unescape(text))})
	}
	if query != "" {
		r.shown += "?" + new(outgoing.Masker).Query(query)
	}
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// setBody reads the body, if a request with the method has one.
func (r *request) setBody(body string) {
	if !workspace.HasBody(r.method) {
		return
	}
	r.body = strings.TrimSpace(body)
	quoted := bare.ReplaceAllStringFunc(body, func(part string) string { // {"id": {{id}}}
		if part[0] == '"' {
			return part
		}
		return `"` + part + `"`
	})
	for _, text := range []string{body, quoted} {
		if node, err := resource.ParseJSON([]byte(text)); err == nil {
			r.json = &node
			return
		}
	}
}

// find returns the recorded request that fits best; nil if none does.
func (m *Mock) find(in *request) *entry {
	var best *entry
	var least int
	for _, e := range m.all {
		if cost, ok := e.fits(in, m.Loose); ok && (best == nil || cost <= least) {
			best, least = e, cost
		}
	}
	return best
}

// Costs of what differs. One of a higher kind outweighs all of the lower ones.
const (
	otherMount = 100
	otherBody  = 1_000
	otherQuery = 10_000
)

// fits reports whether an entry may be the response to a request, and how much of it is only like
// the recorded one.
func (e *entry) fits(in *request, loose bool) (cost int, ok bool) {
	if e.method != in.method || !in.example(e) {
		return 0, false
	}
	cost, ok = e.pathFits(in)
	if !ok {
		return 0, false
	}
	query, sameQuery := e.queryFits(in)
	body, sameBody := e.bodyFits(in)
	if !loose && (!sameQuery || !sameBody) {
		return 0, false
	}
	cost += query + body
	if !sameQuery {
		cost += otherQuery * (1 + len(e.differing(in)))
	}
	if !sameBody {
		cost += otherBody
	}
	if e.mount != "" && e.mount != in.mount {
		cost += otherMount
	}
	return cost, true
}

func (e *entry) pathFits(in *request) (cost int, ok bool) {
	if len(e.path) != len(in.path) {
		return 0, false
	}
	for i := range e.path {
		n, ok := e.path[i].fits(in.path[i].text)
		if !ok {
			return 0, false
		}
		cost += n
	}
	return cost, true
}

// queryFits compares the parameters in any order.
func (e *entry) queryFits(in *request) (cost int, ok bool) {
	if len(e.query) != len(in.query) {
		return 0, false
	}
	left := slices.Clone(e.query)
	for _, given := range in.query {
		at, least := -1, 2
		for i := range left {
			if n, ok := left[i].fits(given.text); ok && left[i].key == given.key && n < least {
				at, least = i, n
			}
		}
		if at < 0 {
			return 0, false
		}
		cost += least
		left = slices.Delete(left, at, at+1)
	}
	return cost, true
}

// differing returns the names of the parameters that differ, sorted.
func (e *entry) differing(in *request) (names []string) {
	for _, p := range append(slices.Clone(e.query), in.query...) {
		of := func(q []pair) (values []string) {
			for _, other := range q {
				if other.key == p.key {
					values = append(values, other.text)
				}
			}
			return values
		}
		own, given := of(e.query), of(in.query)
		like := len(own) == len(given)
		for i := range own {
			if like {
				v := valueOf(own[i])
				_, like = v.fits(given[i])
			}
		}
		if !like && !slices.Contains(names, p.key) {
			names = append(names, p.key)
		}
	}
	slices.Sort(names)
	return names
}

// bodyFits compares JSON regardless of the order of keys and of spaces, and any other
// body as text.
func (e *entry) bodyFits(in *request) (cost int, ok bool) {
	if e.json != nil && in.json != nil {
		ok = like(e.json, in.json, &cost)
		return cost, ok
	}
	v := valueOf(e.body)
	return v.fits(in.body)
}

// like compares JSON with a recorded value. It counts what only fits a pattern.
func like(recorded, given *resource.Node, cost *int) bool {
	if recorded.Kind == '"' {
		v := valueOf(recorded.Text)
		if given.Kind != '"' && (v.pattern == nil || given.Kind == '{' || given.Kind == '[') {
			return false
		}
		n, ok := v.fits(given.Text)
		*cost += n
		return ok
	}
	if recorded.Kind != given.Kind || len(recorded.Items) != len(given.Items) {
		return false
	}
	if recorded.Kind == '0' {
		return sameNumber(recorded.Text, given.Text)
	}
	for i := range recorded.Items {
		other := &given.Items[i]
		if recorded.Kind == '{' {
			other = given.Get(recorded.Keys[i])
		}
		if other == nil || !like(&recorded.Items[i], other, cost) {
			return false
		}
	}
	return true
}

// sameNumber compares numbers: 1.0 is 1. Long integers keep all their digits.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a+b, ".eE") {
		return false
	}
	x, err := strconv.ParseFloat(a, 64)
	y, wrong := strconv.ParseFloat(b, 64)
	return err == nil && wrong == nil && x == y
}

// unmatched returns the error for a request that nothing fits.
func (m *Mock) unmatched(in *request) *fault.Error {
	var nearest *entry
	var least int
	for _, e := range m.all {
		if far := e.distance(in); nearest == nil || far <= least {
			nearest, least = e, far
		}
	}
	f := fault.New(fault.Unknown, "no response is recorded for %s", short(in.shown))
	if nearest != nil {
		f.Message += fmt.Sprintf("; the nearest is %s, %s", short(nearest.shown), nearest.difference(in))
		f.Detail = map[string]any{"nearest": nearest.shown, "recorded": nearest.From}
	}
	return f
}

// short cuts a long address in a sentence.
func short(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// distance returns the distance of a recorded request from another request.
func (e *entry) distance(in *request) (far int) {
	const segment, method, query, body = 1_000_000, 500_000, 1_000, 100
	longest := max(len(e.path), len(in.path))
	for i := range longest {
		if i >= len(e.path) || i >= len(in.path) {
			far += segment
		} else if _, ok := e.path[i].fits(in.path[i].text); !ok {
			far += segment
		}
	}
	if e.method != in.method {
		far += method
	}
	if far += query * len(e.differing(in)); far == 0 {
		if _, ok := e.bodyFits(in); !ok {
			far += body
		}
	}
	return far
}

// difference describes the part in which a recorded request differs from another request.
func (e *entry) difference(in *request) string {
	if _, ok := e.pathFits(in); !ok {
		return "which has another path"
	}
	if e.method != in.method {
		return "which has another method"
	}
	if names := e.differing(in); len(names) > 0 {
		return "which differs in " + payload.Listed(names)
	}
	if _, ok := e.bodyFits(in); !ok {
		return "which has another body"
	}
	return "which is another example"
}
