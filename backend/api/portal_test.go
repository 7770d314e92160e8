package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/session"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

const password = "correct horse battery"

// now is the time on every portal's clock in these tests.
var now = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)

// served is a portal with a real listener and a real database.
type served struct {
	*httptest.Server
	t        testing.TB
	host     string
	db       *store.DB
	sessions *session.Service
	log      *record
	who      map[string]login // by the names that scenarios use
	ended    chan error       // the error with which GET /test/events ended
}

// login holds the credentials that a scenario uses.
type login struct{ cookie, csrf, bearer string }

// record is a log for concurrent reads and writes.
type record struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var ui = fstest.MapFS{
	"index.html": {Data: []byte(`<html><head><meta name="csp-nonce" content="" ` +
		`/><title>Spyglass</title></head></html>`)},
	"spyglass.svg":     {Data: []byte(`<svg/>`)},
	"assets/app-4f.js": {Data: []byte(strings.Repeat("export const answer = 42\n", 20))},
	".gitkeep":         {Data: nil},
}

// newPortal starts a portal with the users admin and viewer, who has only view
// access, and an API token of admin.
func newPortal(t testing.TB, change func(*Options)) *served {
	p := &served{t: t, log: &record{}, who: map[string]login{"": {}}, ended: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(p.log, nil))
	endpoints := p.open(log)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p.host = listener.Addr().String()
	o := Options{
		Endpoints: append(endpoints, p.testEndpoints()...), Explorer: []resource.Endpoint{echo("GET", "/echo"),
			echo("POST", "/echo")},
		Page: ui, Sessions: p.sessions,
		Hosts:    []string{p.host, "localhost:" + p.host[strings.LastIndexByte(p.host, ':')+1:]},
		Instance: "t1", Version: setting.APIVersion, Limits: DefaultLimit, Log: log, Clock: func() time.Time {
			return now
		},
	}
	if change != nil {
		change(&o)
	}
	handler, err := New(o)
	must(t, err)
	p.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	p.Start()
	t.Cleanup(p.Close)
	return p
}

// open creates the database with its initial rows and the endpoints on it.
func (p *served) open(log *slog.Logger) []resource.Endpoint {
	t, ctx := p.t, p.t.Context()
	db := storetest.Open(t, store.Options{Log: log, Clock: func() time.Time { return now }, Zone: time.UTC})
	var endpoints []resource.Endpoint
	endpoints = append(endpoints, storetest.Add(t, db, &fleet.Groups)...)
	endpoints = append(endpoints, storetest.Add(t, db, &fleet.Devices)...)
	endpoints = append(endpoints, storetest.Add(t, db, &collector.Collectors)...)
	endpoints = append(endpoints, storetest.Add(t, db, &people.Roles)...)
	endpoints = append(endpoints, storetest.Add(t, db, &people.Users)...)
	endpoints = append(endpoints, storetest.Add(t, db, &people.Tokens)...)
	storetest.Add(t, db, &people.UserGroups)
	storetest.Add(t, db, &people.RoleGroups)
	storetest.Add(t, db, &setting.Settings) // not served here; rules read them
	storetest.Add(t, db, &collector.CollectorGroups)
	storetest.Add(t, db, &alert.RecipientGroups)
	storetest.Add(t, db, &alert.Chains)
	storetest.Add(t, db, &fleet.Functions)
	storetest.Add(t, db, &alert.Alerts)
	storetest.Add(t, db, &datasource.DataSources)
	storetest.Add(t, db, &datasource.UpdateReasons)
	storetest.Add(t, db, &fleet.UnsettledRows)
	storetest.Add(t, db, &fleet.DeviceDataSources)
	storetest.Add(t, db, &fleet.Instances)
	endpoints = append(endpoints, storetest.Add(t, db, &audit.AuditLogs)...)
	db.SetAuditor(audit.Audit)
	must(t, db.Write(ctx, func(tx resource.Tx) error { return portal.Seed(ctx, tx, resource.SecondsOf(now)) }))

	p.db = db
	storetest.Add(t, db, &session.Credentials)
	var err error
	p.sessions, err = session.New(db, session.Options{Instance: "t1", Log: log})
	must(t, err)
	t.Cleanup(func() { must(t, p.sessions.Stop(context.Background())) })
	for _, user := range [][2]string{{"admin", "administrator"}, {"viewer", "readonly"}} {
		_, err := p.sessions.AddUser(ctx, user[0], password, user[1])
		must(t, err)
		s, err := p.sessions.SignIn(ctx, user[0], password, "127.0.0.1")
		must(t, err)
		p.who[user[0]] = login{cookie: s.Secret, csrf: s.CSRF}
	}
	id, err := p.sessions.UserID(ctx, "admin")
	must(t, err)
	token, err := p.sessions.CreateToken(ctx, id, "test", "admin")
	must(t, err)
	p.who["token"] = login{bearer: token.Bearer}
	return append(append(endpoints, p.sessions.Endpoints()...), setting.VersionEndpoint("test"))
}

// echo returns an endpoint that returns the request as it received it.
func echo(method, path string) resource.Endpoint {
	return resource.Endpoint{
		Method: method, Path: path, Right: resource.Right{Object: resource.Anyone}, Limit: 100,
		Handle: func(_ context.Context, c *resource.Call) (any, error) {
			return map[string]any{
				"vars": c.Vars, "query": c.Query, "body": string(c.Body), "lenient": c.Lenient, "user": c.Access.User,
				"mount": c.Base[strings.LastIndex(c.Base, ":")+6:], "remote": c.Remote, "at": c.At.Unix(),
			}, nil
		},
	}
}

// testEndpoints returns endpoints for cases that no resource covers.
func (p *served) testEndpoints() []resource.Endpoint {
	get := func(path string, handle func(context.Context, *resource.Call) (any, error)) resource.Endpoint {
		return resource.Endpoint{Method: "GET", Path: path, Right: resource.Right{Object: resource.Anyone},
			Handle: handle}
	}
	upload := echo("POST", "/test/upload")
	upload.Upload, upload.Limit = "file", 4096
	ofGroup := echo("GET", "/setting/collectors/groups/{id}/test")
	ofGroup.Published = collector.CollectorGroups.PublishedPath(ofGroup.Path)
	return []resource.Endpoint{
		upload,
		echo("GET", "/test/echo/{name}"), echo("POST", "/test/echo/{name}"), echo("GET", "/test/echo/fixed"),
		ofGroup,
		get("/test/panic", func(context.Context, *resource.Call) (any, error) { panic("the kettle is empty") }),
		get("/test/broken", func(context.Context, *resource.Call) (any, error) {
			return nil, errors.New("no such table: secret")
		}),
		get("/test/offline", func(context.Context, *resource.Call) (any, error) {
			return nil, fault.New(fault.Offline, "127.0.0.1:9 refuses the connection")
		}),
		get("/test/slow", func(ctx context.Context, _ *resource.Call) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		get("/test/tagged", func(context.Context, *resource.Call) (any, error) {
			return resource.Response{ETag: `"v7"`, Body: resource.JSON(`{"v":7}`)}, nil
		}),
		get("/test/report", func(context.Context, *resource.Call) (any, error) {
			return resource.Response{Type: "text/html; charset=utf-8", Filename: `a/b "<ü>.html`,
				Stream: func(w io.Writer) error {
					_, err := io.WriteString(w, "<script>alert(1)</script>")
					return err
				}}, nil
		}),
		get("/test/half", func(context.Context, *resource.Call) (any, error) {
			return resource.Response{Type: "text/csv", Stream: func(w io.Writer) error {
				_, _ = io.WriteString(w, strings.Repeat("1,web\n", 1000))
				return errors.New("the disk went away")
			}}, nil
		}),
		get("/test/early", func(context.Context, *resource.Call) (any, error) {
			return resource.Response{Type: "text/csv", Filename: "x.csv", Stream: func(io.Writer) error {
				return fault.New(fault.Conflict, "the report still runs")
			}}, nil
		}),
		get("/test/events", func(ctx context.Context, _ *resource.Call) (any, error) {
			return resource.Response{Events: func(send func(...resource.Event) error) error {
				err := send(resource.Event{Name: "hello", Data: map[string]string{"text": "<a\nb>"}})
				if err == nil {
					<-ctx.Done()
				}
				p.ended <- context.Cause(ctx)
				return nil
			}}, nil
		}),
	}
}

// request sends a request, such as "GET /api/x", with "Name: value" headers, with the
// credentials of a login in who.
func (p *served) request(do, as, body string, headers ...string) (*http.Response, string) {
	p.t.Helper()
	method, path, _ := strings.Cut(do, " ")
	r, err := http.NewRequestWithContext(p.t.Context(), method, "http://"+p.host+path, strings.NewReader(body))
	must(p.t, err)
	r.Header.Set("Accept-Encoding", "identity")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	who, known := p.who[as]
	if !known {
		p.t.Fatalf("no login has the name %q", as)
	}
	if who.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "spyglass_t1", Value: who.cookie})
		r.Header.Set("X-CSRF-Token", who.csrf)
	}
	if who.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+who.bearer)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		more, another, _ := strings.Cut(h, "+ ")
		switch {
		case another != "" && value == "": // another value of an existing header
			r.Header.Add(more, another)
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Add(name, value)
			if name != "Origin" && name != "Sec-Fetch-Site" {
				r.Header.Set(name, value)
			}
		}
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	must(p.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		text = append(text, "…"+err.Error()...)
	}
	return response, string(text)
}
