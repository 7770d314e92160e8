package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// demoFleet is the demo portal with a user for each role that a test needs. A test that
// changes data gets a copy of its data folder.
type demoFleet struct {
	data    string
	group   string                 // id of the group that limits the roles
	roles   map[string][]privilege // by name
	bearers map[string]string
}

// privilege is "read deviceGroup *", "write setting useraccess".
type privilege struct{ operation, object, id string }

// boundTo is the demo group that limits the roles.
const boundTo = "Oslo"

// newFleet starts a demo portal with a role, a user and a token for each name
// that roles returns for the id of the group.
func newFleet(t *testing.T, roles func(group string) map[string][]privilege) *demoFleet {
	t.Helper()
	o := options(t)
	o.Demo = true
	demoIn(t, o.Data)
	s := start(t, o)
	f := &demoFleet{data: o.Data, bearers: map[string]string{"administrator": token(t, o, "admin")}}
	admin := f.on(t, s, "administrator")
	var found struct{ Items []struct{ ID json.Number } }
	admin.read("/device/groups?fields=id&filter="+url.QueryEscape(`name:"`+boundTo+`"`), &found)
	f.group = found.Items[0].ID.String()
	f.roles = roles(f.group)
	for _, name := range slices.Sorted(maps.Keys(f.roles)) {
		type sent struct {
			Object    string `json:"objectType"`
			ID        string `json:"objectId"`
			Operation string `json:"operation"`
		}
		privileges := []sent{}
		for _, p := range f.roles[name] {
			privileges = append(privileges, sent{p.object, p.id, p.operation})
		}
		role := name
		if !slices.Contains(builtIn, name) {
			role = "matrix-" + strings.ReplaceAll(name, " ", "-")
			admin.must("POST", "/setting/roles", map[string]any{"name": role, "privileges": privileges})
		}
		user := "m-" + strings.ReplaceAll(name, " ", "-")
		admin.must("POST", "/setting/admins", map[string]any{"username": user, "apionly": true,
			"email": "m@example.net", "roles": []map[string]string{{"name": role}}})
		f.bearers[name] = token(t, o, user)
	}
	stop(t, s)
	return f
}

// builtIn lists the roles of every portal.
var builtIn = []string{"administrator", "manager", "ackonly", "readonly"}

// copy starts another portal on a copy of the data.
func (f *demoFleet) copy(t *testing.T) *server.Server {
	t.Helper()
	o := options(t)
	o.NoLimits = true
	copyPortal(t, f.data, o.Data)
	_ = os.Remove(filepath.Join(o.Data, "lock"))
	return start(t, o)
}

// member is a user who sends requests.
type member struct {
	t      *testing.T
	mount  string // URL of the mount
	bearer string
	client *http.Client
}

func (f *demoFleet) on(t *testing.T, s *server.Server, who string) *member {
	return &member{t: t, mount: s.Origin() + "/api", bearer: f.bearers[who], client: &http.Client{Timeout: time.Minute}}
}

// reply is a response; of an event stream, only the headers.
type reply struct {
	status int
	text   string
}

// send sends a body unchanged; an empty body is none.
func (m *member) send(method, path, kind, body string) reply {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), method, m.mount+path, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	if m.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+m.bearer)
	}
	if body != "" {
		r.Header.Set("Content-Type", cmp.Or(kind, "application/json"))
	}
	response, err := m.client.Do(r)
	if err != nil {
		m.t.Fatalf("%s %.200s: %v", method, path, err)
	}
	defer response.Body.Close()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return reply{response.StatusCode, ""}
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		m.t.Fatalf("%s %.200s: %v", method, path, err)
	}
	return reply{response.StatusCode, string(text)}
}

func (m *member) get(path string) reply { m.t.Helper(); return m.send(http.MethodGet, path, "", "") }

// read sends a GET that must succeed.
func (m *member) read(path string, into any) {
	m.t.Helper()
	r := m.get(path)
	if err := json.Unmarshal([]byte(r.text), into); err != nil || r.status != http.StatusOK {
		m.t.Fatalf("%s returns %v (%v)", path, r, err)
	}
}

// must sends a write that must succeed.
func (m *member) must(method, path string, body any) {
	m.t.Helper()
	if r := m.send(method, path, "", asJSON(m.t, body)); r.status >= 300 {
		m.t.Fatalf("%s %s returns %d %s", method, path, r.status, r.text)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// example sends the example of an endpoint; 1 replaces missing ids.
func (m *member) example(e *resource.Endpoint) reply {
	m.t.Helper()
	path := unnamedBy(cmp.Or(e.Example.Path, e.Path), "1")
	for i, q := range e.Example.Query {
		path += string("?&"[min(i, 1)]) + url.QueryEscape(q[0]) + "=" + url.QueryEscape(q[1])
	}
	body := ""
	if e.Example.Body != nil {
		body = asJSON(m.t, e.Example.Body)
	} else if e.Body != nil {
		body = "{}"
	}
	return m.send(e.Method, path, "", body)
}

func unnamedBy(path, id string) string { return strings.ReplaceAll(unnamed(path), "{}", id) }

// inOrder sorts endpoints so that all their examples work: reads first,
// deletions last, children before their parents, and the session
// at the end.
func inOrder(endpoints []resource.Endpoint) []resource.Endpoint {
	order := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	out := slices.Clone(endpoints)
	slices.SortStableFunc(out, func(a, b resource.Endpoint) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Method), slices.Index(order, b.Method)),
			-cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")))
	})
	return out
}

// failure decodes the error body of wire.md; ok is false for other bodies.
func (r reply) failure() (code int, right string, ok bool) {
	if !isFailure(r.text, r.status) {
		return 0, "", false
	}
	var f struct {
		ErrorCode   int
		ErrorDetail struct{ Right string }
	}
	_ = json.Unmarshal([]byte(r.text), &f) // ignore details with other types
	return f.ErrorCode, f.ErrorDetail.Right, true
}

func (r reply) String() string { return fmt.Sprintf("%d %.300s", r.status, r.text) }
