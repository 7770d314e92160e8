package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

// noIDs lists texts that are never valid ids.
var noIDs = []string{
	"0", "-1", "x", "1.0", "1e3", "9223372036854775807", "9223372036854775808", "%00", "%ff", "1%20OR%201=1", "1;drop",
	"'", "..%2f1", "1%0d%0aX-Evil:1",
	strings.Repeat("9", 4000),
}

// noBodies lists bodies that are not JSON objects.
var noBodies = []string{
	" ", "null", "[]", `"x"`, "1", "true", "{", "{}{}", `{"a":1,"a":2}`, "\xff", `[{}]`, `{"x":NaN}`,
	strings.Repeat("[", 40) + strings.Repeat("]", 40),
	strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33),
}

// noValues lists values that are invalid for a key of the type.
var noValues = map[string][]string{
	"string":  {"null", "{}", "-1", `"\u0000"`, `"x' OR 1=1 --"`, `"-1,x"`},
	"integer": {"{}", `"x"`, "-1", "1.5", "99999999999999999999"},
	"number":  {"[]", `"NaN"`, "1e400"},
	"boolean": {"{}", "-1", `"maybe"`},
	"array":   {"{}", "[null]", `[{"id":{}}]`, `["x"]`},
	"object":  {"[]", `"x"`, `{"id":{}}`, `{"":null}`},
	"any":     {"null", "1e400", "[[]]"},
}

// noQueries lists values that are invalid for the parameter.
var noQueries = map[string][]string{
	"filter": {
		`id`, `id>`, `;`, `id:1 OR 1=1`, `id:1;DROP TABLE device`, `' OR '1'='1`, `nofield:1`, `rowid>0`, `body~"x"`,
		`id:"\`, "id~\"\x00\"", "\xff\xfe:1", `(((((`,
		`id:1` + strings.Repeat(`||id:1`, 6000), `id:1` + strings.Repeat(`|1`, 6000), strings.Repeat(`(`, 4000),
	},
	"sort": {"rowid", "body", "id;DROP TABLE device", `"id" DESC`, "id,id,id,id,id,id,id,id,id", "\xff",
		"(SELECT 1)"},
	"fields": {"rowid", "body", `id"`, "id;", "\x00", strings.Repeat("x", 20000)},
	"size":   {"0", "-1", "x", "1e3", "99999999999999999999", "1 OR 1"},
	"offset": {"-1", "x", "9223372036854775808"},
}

// attacked is a portal that its administrator attacks. No response may be a 5xx or an
// error in another form.
type attacked struct {
	t     *testing.T
	who   *member
	tries int
}

func attack(t *testing.T) (*attacked, []resource.Endpoint) {
	t.Helper()
	t.Parallel()
	f := newFleet(t, func(string) map[string][]privilege { return nil })
	s := f.copy(t)
	published := slices.DeleteFunc(inOrder(s.Endpoints()), func(e resource.Endpoint) bool {
		return e.Right.Object == resource.Open
	})
	return &attacked{t: t, who: f.on(t, s, "administrator")}, published
}

// try sends a request; want is its status, 0 for any below 500.
func (a *attacked) try(e *resource.Endpoint, path, kind, body string, want int) {
	a.t.Helper()
	a.tries++
	r := a.who.send(e.Method, path, kind, body)
	switch {
	case r.status >= 500 || want != 0 && r.status != want:
		a.t.Errorf("%s %.150q %.100q returns %v, want %d", e.ID(), path, body, r, want)
	case r.status >= 400 && !isFailure(r.text, r.status):
		a.t.Errorf("%s %.150q %.100q returns %v, which is no error of ours", e.ID(), path, body, r)
	case want == 400 && !strings.Contains(r.text, `"errorDetail":`):
		a.t.Errorf("%s %.150q %.100q returns %v", e.ID(), path, body, r)
	}
}

// enough fails the test if it tried too few requests, because then the endpoints differ from
// the assumptions in this file.
func (a *attacked) enough() {
	a.t.Helper()
	if a.tries < 500 {
		a.t.Errorf("%d requests only", a.tries)
	}
}

func TestRandomQueriesDoNotCrashEndpoints(t *testing.T) {
	a, endpoints := attack(t)
	for _, e := range endpoints {
		if e.Method != http.MethodGet {
			continue
		}
		path := unnamedBy(orPath(&e), "1")
		for _, p := range e.Params {
			if p.In != "query" {
				continue
			}
			for _, wrong := range noQueries[p.Name] {
				a.try(&e, path+"?"+p.Name+"="+url.QueryEscape(wrong), "", "", 400)
			}
			for _, wrong := range []string{"", "\x00", "\xff", "x' OR 1=1 --", "-9223372036854775809",
				strings.Repeat("9", 3000)} {
				a.try(&e, path+"?"+p.Name+"="+url.QueryEscape(wrong), "", "", 0)
			}
		}
		a.try(&e, path+"?%zz=1", "", "", 400)
	}
	a.enough()
}

func TestRandomIDsDoNotCrashEndpoints(t *testing.T) {
	a, endpoints := attack(t)
	for _, e := range endpoints {
		template, real := strings.Split(e.Path, "/"), strings.Split(orPath(&e), "/")
		for i, segment := range template {
			if !strings.HasPrefix(segment, "{") || len(real) != len(template) {
				continue
			}
			want, zero := 0, false // some parameters accept 0 for none
			if k := slices.IndexFunc(e.Params, func(p resource.Param) bool {
				return p.In == "path" && "{"+p.Name+
					"}" == segment
			}); k >= 0 && e.Params[k].Schema.Type == "integer" {
				want, zero = 404, e.Params[k].Schema.Min != nil
			}
			body := ""
			if e.Body != nil {
				body = asJSON(t, e.Example.Body)
			}
			for _, wrong := range noIDs {
				if zero && wrong == "0" {
					continue
				}
				if n, err := strconv.Atoi(wrong); segment == "{requestId}" && err == nil && n > 0 {
					continue // an expired poll has a status and no error
				}
				changed := slices.Clone(real)
				changed[i] = wrong
				a.try(&e, unnamedBy(strings.Join(changed, "/"), "1"), "", body, want)
			}
		}
	}
	a.enough()
}

func TestRandomBodiesDoNotCrashEndpoints(t *testing.T) {
	a, endpoints := attack(t)
	native := a.who.mount
	for _, mount := range []string{native, strings.Replace(native, "/api", "/santaba/rest", 1)} {
		a.who.mount = mount
		for _, e := range endpoints {
			if e.Body == nil {
				continue
			}
			path := unnamedBy(orPath(&e), "1")
			want := 400
			if e.Body.Type != "object" || !mustBeGiven(&e) {
				want = 0
			}
			for _, wrong := range noBodies {
				a.try(&e, path, "", wrong, want)
			}
			a.try(&e, path, "text/plain", "{}", 415)
			a.try(&e, path, "application/x-www-form-urlencoded", "a=b", 415)
			if e.Upload == "" {
				a.try(&e, path, "multipart/form-data; boundary=x", "--x--", 415)
			} else {
				for _, wrong := range []string{"--x--", "--x\r\n\r\n--x--", "--x\r\nContent-Disposition: form-data; " +
					"name=\"" + e.Upload + "\"; filename=\"../../x\"\r\n\r\n{\r\n--x--\r\n", "\x00"} {
					a.try(&e, path, "multipart/form-data; boundary=x", wrong, 0)
				}
			}
			a.values(&e, path)
		}
	}
	a.enough()
}

// mustBeGiven reports whether an endpoint reads its body as an object with
// arbitrary keys.
func mustBeGiven(e *resource.Endpoint) bool { return len(e.Body.Properties) > 0 }

// values sends bodies with a single key. The portal ignores the value of a key that it
// sets itself.
func (a *attacked) values(e *resource.Endpoint, path string) {
	a.t.Helper()
	for _, k := range e.Body.Properties {
		all := noValues[k.Schema.Type]
		if k.ReadOnly || strings.Contains(a.who.mount, "santaba") { // the mount coerces values, so fewer are invalid
			all = all[:1]
		}
		for _, wrong := range all {
			a.try(e, path, "", fmt.Sprintf("{%s:%s}", asJSON(a.t, k.Name), wrong), 0)
		}
	}
}
