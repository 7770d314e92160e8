package explorer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/app/diagnose"
	"spyglass/app/explorer"
	"spyglass/app/updates"
	"spyglass/app/workspace"
	"spyglass/backend/api"
	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/session"
	database "spyglass/backend/store"
)

// fixture is a portal with an Explorer on a real port.
type fixture struct {
	https    secureAddress
	atSignIn atSignIn
	updates  func(context.Context) (*updates.Update, error)
	*explorer.Explorer
	t         *testing.T
	dir       string
	base      string // "http://127.0.0.1:PORT"
	workspace *workspace.Workspace
	secrets   *ring
	links     []string
	dialogs   []string // names passed to SaveFile
	saveTo    string   // the path that SaveFile returns
	full      bool     // the window is full screen
	title     string   // of the window
	restarts  int
	allowed   string // networks that the Explorer may reach; set between requests
	refused   string
	quits     int
	server    *http.Server
	raw       atomic.Pointer[http.HandlerFunc] // handler of /api/raw/, for responses that no endpoint would give
}

const (
	cookieSecret = "cOoKiE-s3cr3t"
	csrfSecret   = "cSrF-t0k3n"
)

// window is an administrator in the desktop window, stranger a user without
// permissions in a browser, and windowed such a user in the window.
const (
	window   = 3
	stranger = 4
	windowed = 5

	windowSecret = "w1nd0w-s3cr3t"
)

// people maps the secrets of cookies to users 1 to 5.
type people struct{}

func (people) ByCookie(_ context.Context, secret string) (*session.Session, error) {
	var id int64
	if n, err := fmt.Sscanf(secret, cookieSecret+"-%d", &id); n != 1 || err != nil {
		return nil, fault.New(fault.NoLogin, "you are not signed in")
	}
	return &session.Session{Secret: secret, CSRF: csrfSecret,
		Access: &resource.Access{UserID: id, User: fmt.Sprintf("user%d", id), Role: "administrator",
			Admin: id < stranger}}, nil
}

func (people) ByToken(_ context.Context, authorization string, _ session.TokenRequest) (*resource.Access, error) {
	if authorization != "Bearer t0k3n" {
		return nil, fault.New(fault.NoLogin, "the token is wrong")
	}
	return &resource.Access{UserID: 9, User: "program", Admin: true}, nil
}

func (people) CheckSigner(context.Context, string, string) error {
	return fault.New(fault.NoLogin, "nobody signs")
}

func (people) AsRole(context.Context, *resource.Access, string, string, string) (*resource.Access, error) {
	return nil, fault.New(fault.Denied, "nobody has another role")
}

func (people) Redeem(context.Context, string) (*session.Session, error) {
	return nil, fault.New(fault.NoLogin, "there are no launch tokens here")
}

func (people) BeginOIDC(context.Context, string) (*session.Redirect, error) {
	return nil, fault.New(fault.Unknown, "there is no provider here")
}

func (people) FinishOIDC(context.Context, string, string, url.Values, string) (*session.Session, string, error) {
	return nil, "", fault.New(fault.Unknown, "there is no provider here")
}

func (people) IsWindow(secret string) bool { return secret == windowSecret }

// ring is a fake of the system keyring.
type ring struct {
	mu     sync.Mutex
	values map[string]string
}

func (r *ring) Get(name string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.values[name]; ok {
		return v, nil
	}
	return "", fault.New(fault.Unknown, "nothing is kept under that name")
}

func (r *ring) Set(name, secret string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[name] = secret
	return true
}

func (r *ring) Delete(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, name)
	return nil
}

func (h *fixture) OpenLink(link string) error {
	h.links = append(h.links, link)
	return nil
}

func (h *fixture) SaveFile(name string) (string, error) {
	h.dialogs = append(h.dialogs, name)
	return h.saveTo, nil
}

func (h *fixture) ChooseFolder(title string) (string, error) {
	h.dialogs = append(h.dialogs, title)
	return h.saveTo, nil
}

func (h *fixture) ToggleFullScreen() error {
	h.full = !h.full
	return nil
}

func (h *fixture) SetTitle(title string) error {
	h.title = title
	return nil
}

func (h *fixture) OpenFolder(path string) error {
	h.links = append(h.links, path)
	return nil
}

func (h *fixture) Quit() error {
	h.quits++
	return nil
}

func (h *fixture) Restart() error {
	h.restarts++
	return nil
}

func build(t *testing.T) *fixture { return buildWith(t, nil) }

// buildWith builds a fixture whose catalog has more endpoints than the portal serves.
// answerRaw handles requests below /raw/.
func buildWith(t *testing.T, more []resource.Endpoint) *fixture {
	t.Helper()
	return buildLogging(t, more, io.Discard)
}

// buildLogging is buildWith with a log for the test to read.
func buildLogging(t *testing.T, more []resource.Endpoint, to io.Writer) *fixture {
	t.Helper()
	return buildIn(t, t.TempDir(), &ring{values: map[string]string{}}, more, to)
}

// again restarts the fixture on another port.
func (h *fixture) again(more []resource.Endpoint) *fixture {
	h.t.Helper()
	h.Stop()
	h.Close()
	if err := h.workspace.Close(); err != nil {
		h.t.Fatal(err)
	}
	return buildIn(h.t, h.dir, h.secrets, more, io.Discard)
}

func buildIn(t *testing.T, dir string, secrets *ring, more []resource.Endpoint, to io.Writer) *fixture {
	t.Helper()
	h := &fixture{t: t, dir: dir, secrets: secrets}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.base = "http://" + listener.Addr().String()
	if h.workspace,
		err = workspace.Open(t.Context(), workspace.Options{Path: filepath.Join(h.dir, "workspace.db"),
		Secrets: h.secrets, Twice: true}); err != nil {
		t.Fatal(err)
	}
	tail := diagnose.NewTail(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
	log := slog.New(tail)
	h.Explorer, err = explorer.New(explorer.Options{
		Workspace: h.workspace, Catalog: append(endpoints(), more...), BaseURL: func() string {
			return h.base + "/api"
		},
		Address:    listener.Addr().String(),
		Cookie:     func(secret string) string { return "spyglass_ab12=" + secret },
		PortalName: func() string { return "Demo portal" }, Instance: "ab12", Version: "0.1.0", Demo: true,
		Desktop:  true,
		Networks: func() (check.Networks, error) { return check.NetworksOf(h.allowed, h.refused) },
		Folder:   h.dir, Tail: tail, Counts: func(context.Context) (map[string]int64, error) {
			return map[string]int64{"device": 7}, nil
		},
		Native: h, Databases: database.Files{}, HTTPS: &h.https, Trust: &h.https, Autostart: &h.atSignIn,
		Updates: func(ctx context.Context) (*updates.Update, error) { return h.updates(ctx) },
		Keyring: func() bool { return false }, DocumentDir: filepath.Join(h.dir, "documents"),
		Timeout: 20 * time.Second, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := api.New(api.Options{
		Endpoints: echoing(endpoints()), Explorer: h.Endpoints(), Sessions: people{},
		Hosts: []string{listener.Addr().String()}, Instance: "ab12", Version: "0.1.0", Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if raw := h.raw.Load(); raw != nil && strings.HasPrefix(r.URL.Path, "/api/raw/") {
			(*raw)(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = h.server.Serve(listener) })
	t.Cleanup(func() {
		h.Stop()
		_ = h.server.Close()
		serving.Wait()
		h.Close()
		if err := h.workspace.Close(); err != nil {
			t.Error(err)
		}
	})
	h.openAPI()
	return h
}

// answerRaw sets the handler of /api/raw/.
func (h *fixture) answerRaw(do http.HandlerFunc) { h.raw.Store(&do) }

// echoing returns endpoints that accept any query.
func echoing(endpoints []resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		endpoints[i].Any = true
	}
	return endpoints
}

// endpoints returns the endpoints of a small portal. They return the request.
func endpoints() []resource.Endpoint {
	echo := func(_ context.Context, c *resource.Call) (any, error) {
		return map[string]any{"vars": c.Vars, "query": c.Query, "body": string(c.Body), "user": c.Access.UserID,
			"lenient": c.Lenient}, nil
	}
	object := &resource.Schema{Type: "object", Properties: []resource.Key{
		{Name: "name", Required: true, Schema: resource.Text("What it is called")},
		{Name: "password", WriteOnly: true, Schema: resource.Schema{Type: "string", Format: "password"}},
		{Name: "pin", WriteOnly: true, Schema: resource.Schema{Type: "string", Format: "password"}},
	}}
	read := resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
	id := []resource.Param{{Name: "id", In: "path", Required: true, Schema: resource.Integer("Which"), Example: 7}}
	return []resource.Endpoint{
		{Method: "GET", Path: "/device/devices/{id}", Category: ground.CategoryDevices, Summary: "Get one device",
			Right: read, Params: id, Response: object, Example: resource.Example{Path: "/device/devices/7"},
			Handle: echo},
		{Method: "GET", Path: "/alert/alerts", Category: ground.CategoryAlerts, Summary: "List alerts", Right: read,
			Handle: func(context.Context, *resource.Call) (any, error) {
				return resource.JSON(`{"total":1204,"searchId":null,"items":[{"id":1},{"id":2},{"id":3}],"data":null}`),
					nil
			}},
		{Method: "POST", Path: "/device/devices", Category: ground.CategoryDevices, Summary: "Add a device",
			Doc: "Adds it.", Right: resource.Right{Object: resource.Setting, Area: "x", Op: resource.Modify},
			Body: object, Creates: true, Errors: []resource.Failure{{Kind: fault.Conflict, When: "the name is taken"}},
			Example: resource.Example{Query: [][2]string{{"a", "b"}},
				Body: json.RawMessage(`{"name":"<web>","tags":[1]}`)}, Handle: echo},
		{Method: "DELETE", Path: "/device/devices/{id}", Category: ground.CategoryDevices, Summary: "Remove a device",
			Right: read, Params: id, Handle: echo},
		{Method: "GET", Path: "/hidden", Summary: "Not published", Right: read, Handle: echo},
		{Method: "POST", Path: "/session", Category: ground.CategorySettings, Summary: "Sign in",
			Right: resource.Right{Object: resource.Open}, Body: object,
			Once: true, Response: &resource.Schema{
				Type: "object", Properties: []resource.Key{{Name: "csrfToken", Schema: resource.Text("")}}},
			Handle: func(_ context.Context, c *resource.Call) (any, error) {
				return resource.Response{Body: map[string]any{"csrfToken": csrfSecret, "came": c.Session.Cookie},
					SignIn: cookieSecret + "-new", CSRF: csrfSecret}, nil
			}},
	}
}

// answer is the response to an HTTP request.
type answer struct {
	status int
	header http.Header
	body   string
}

// call sends a request, such as "POST /explorer/send", as a user and validates the response.
func (h *fixture) call(user int, do, body string, headers ...string) answer {
	h.t.Helper()
	a := h.exchange(user, do, body, headers...)
	h.conforms(do, a)
	return a
}

// exchange sends a request as call does, but does not compare the response with the
// OpenAPI document. Tests use it to measure memory.
func (h *fixture) exchange(user int, do, body string, headers ...string) answer {
	h.t.Helper()
	request := h.request(context.Background(), user, do, body)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// said returns the message of an error.
func (h *fixture) said(a answer) string {
	h.t.Helper()
	var f struct{ ErrorMessage string }
	if err := json.Unmarshal([]byte(a.body), &f); err != nil {
		h.t.Fatal(a.body)
	}
	return f.ErrorMessage
}

func (h *fixture) request(ctx context.Context, user int, do, body string) *http.Request {
	h.t.Helper()
	method, path, _ := strings.Cut(do, " ")
	r, err := http.NewRequestWithContext(ctx, method, h.base+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Cookie", fmt.Sprintf("spyglass_ab12=%s-%d", cookieSecret, user))
	if user == window || user == windowed {
		r.Header.Set("Cookie", r.Header.Get("Cookie")+"; spyglass_ab12_window="+windowSecret)
	}
	r.Header.Set("X-CSRF-Token", csrfSecret)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// reply is the part of a /send response that tests check.
type reply struct {
	Status     int
	StatusText string
	Headers    [][2]string
	Bytes      int64
	Items      *int64
	Total      *int64
	Document   string
	JSON       bool
	Problem    string
	Binary     bool
	Rows       []map[string]any
	RowCount   int
	LineCount  int
	HistoryID  int64
	URL        string
	Quota      map[string]int64
}

// send sends a draft and expects a response from the portal.
func (h *fixture) send(user int, draft string) reply {
	h.t.Helper()
	a := h.call(user, "POST /explorer/send", `{"sendId":"s1","draft":`+draft+`}`)
	if a.status != 200 {
		h.t.Fatalf("%s returned %d %s", draft, a.status, a.body)
	}
	var r reply
	if err := json.Unmarshal([]byte(a.body), &r); err != nil {
		h.t.Fatal(err)
	}
	return r
}

// body is the whole body of a document.
func (h *fixture) body(user int, document string) string {
	h.t.Helper()
	a := h.call(user, "GET /explorer/documents/"+document+"/raw", "")
	if a.status != 200 {
		h.t.Fatalf("the document returned %d %s", a.status, a.body)
	}
	return a.body
}

// listen reads a user's events; the channel closes with the stream.
func (h *fixture) listen(user int) <-chan string {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	response, err := http.DefaultClient.Do(h.request(ctx, user, "GET /explorer/events", ""))
	if err != nil {
		h.t.Fatal(err)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Scan() // the first line of the stream, sent once it is subscribed
	events := make(chan string, 1000)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(events)
		name := ""
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = text
			} else if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				events <- name + " " + text
			}
		}
		if err := lines.Err(); err != nil && ctx.Err() == nil {
			h.t.Errorf("events of user %d: %v", user, err)
		}
	})
	h.t.Cleanup(func() { cancel(); _ = response.Body.Close(); reading.Wait() })
	return events
}

func next(t *testing.T, events <-chan string) string {
	t.Helper()
	select {
	case e, ok := <-events:
		if !ok {
			return "the end"
		}
		return e
	case <-time.After(10 * time.Second):
		t.Fatal("no event came within 10 s")
		return ""
	}
}
