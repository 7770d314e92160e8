// Package api serves the portal over HTTP: it mounts endpoints, authorizes
// requests, and maps results and faults to status codes. No other package uses
// status codes.
//
// # The road of a request
//
// A request passes these checks in order: host, origin, endpoint, authentication,
// CSRF token, permission, rate limit, body; then the endpoint's Handle runs. Each
// check can refuse, in one place (guard.go), and every refusal has the same body:
//
//	{"errorMessage": "size is a whole number from 1 to 1000", "errorCode": 1400,
//	 "errorDetail": {"field": "size", "reason": "size is a whole number from 1 to 1000"}}
//
// # Mounts
//
// /api and /santaba/rest serve the portal's endpoints and share their rate
// limits; /explorer serves the Explorer's, with a limit for each user, and what
// is below no prefix, /metrics and /mcp among it, has one for each user or address; /
// serves the page and /launch exchanges a one-time token for the session cookie. HEAD goes
// wherever GET does. Refused requests count, too, for each user or address.
//
// # Concurrency
//
// The handler is safe for any number of requests and starts no goroutine that
// outlives its request. A stream ends when its request, its session or its
// token ends.
//
// # Errors
//
// A fault of kind Internal, a foreign error and a panic are logged once, with
// the request id that the caller gets; nothing else is logged.
package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"spyglass/backend/resource"
	"spyglass/backend/session"
)

// Sessions identifies the caller. For an invalid credential it returns
// fault.NoLogin; Redeem uses up its token.
type Sessions interface {
	ByCookie(ctx context.Context, secret string) (*session.Session, error)
	ByToken(ctx context.Context, authorization string, r session.TokenRequest) (*resource.Access, error)
	CheckSigner(ctx context.Context, authorization, remote string) error
	AsRole(ctx context.Context, who *resource.Access, role, path, remote string) (*resource.Access, error)
	Redeem(ctx context.Context, token string) (*session.Session, error)
	IsWindow(secret string) bool
	BeginOIDC(ctx context.Context, origin string) (*session.Redirect, error)
	FinishOIDC(ctx context.Context, origin, cookie string, query url.Values, remote string) (*session.Session, string,
		error)
}

// Options configures a handler.
type Options struct {
	Endpoints []resource.Endpoint                          // the portal's, below /api and /santaba/rest
	Explorer  []resource.Endpoint                          // below /explorer, with their own OpenAPI document
	Details   []resource.Key                               // of the errors of Explorer
	Page      fs.FS                                        // the built UI, index.html at its root; nil for none
	Look      func(ctx context.Context, userID int64) Look // appearance of the page; may be nil
	Sessions  Sessions
	Hosts     []string // the only Host values that are served, "127.0.0.1:8443"
	Instance  string   // suffix of the session cookie's name, because cookies ignore ports
	Secure    bool     // served over TLS
	// HTTPS has the Host values of connections over TLS to a portal that is not Secure; nil: none.
	HTTPS   *SecureHosts
	Version string // of the API, in OpenAPI

	Root     []resource.Endpoint // without a prefix, such as /metrics; not in OpenAPI
	Observer Observer            // receives every response; may be nil

	// Agents serves /mcp to callers with a bearer token. Its requests have the whole
	// body, and a context from which resource.CallOf returns the caller; may be nil.
	Agents http.Handler

	// BodyBudget is the maximum number of bytes of request bodies in memory at
	// once; DefaultBodyBudget when 0.
	BodyBudget int64

	// Trouble may delay or refuse a valid request to the portal, as demo
	// incidents do; may be nil.
	Trouble func(ctx context.Context, e *resource.Endpoint) error

	Damaged func(err error) bool // reports whether a database file is damaged; nil: never

	Limits func(method string) Limit // of each endpoint, called for every request; nil: no limits
	Log    *slog.Logger
	Clock  func() time.Time // time.Now when nil
}

// New returns the handler of one portal. It fails if endpoints contradict each
// other.
func New(o Options) (http.Handler, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	h := &handler{
		Options: o, started: time.Now(), hosts: map[string]*site{},
		plainCookie:  session.CookieName(o.Instance, false),
		secureCookie: session.CookieName(o.Instance, true),
		bodies:       newBodyBudget(cmp.Or(o.BodyBudget, DefaultBodyBudget)),
		quotas:       quotas{by: map[caller]*bucket{}},
	}
	scheme := "http://"
	if o.Secure {
		scheme = "https://"
	}
	h.Hosts = slices.Clone(o.Hosts)
	slices.Sort(h.Hosts)
	h.Hosts = slices.Compact(h.Hosts)
	for _, host := range h.Hosts {
		h.hosts[host] = newSite(scheme + host)
	}
	err := errors.Join(distinct(o.Endpoints), distinct(explored(o.Explorer)))
	if err != nil {
		return nil, err
	}
	routes := append(newRoutes(o.Endpoints), documentRoute(func() ([]byte, error) {
		return OpenAPI(o.Endpoints, native.prefix, o.Version)
	}))
	explorerRoutes := append(newRoutes(o.Explorer), documentRoute(func() ([]byte, error) {
		return explorerOpenAPI(o.Explorer, o.Details, o.Version)
	}))
	for _, part := range []struct {
		m      *mount
		routes []*route
	}{{&native, routes}, {&lenient, withPublished(routes)}, {&explorer, explorerRoutes}} {
		m := *part.m
		if m.root, err = newTree(part.routes); err != nil {
			return nil, fmt.Errorf("%s: %w", m.prefix, err)
		}
		h.mounts = append(h.mounts, &m)
	}
	h.own = &mount{}
	if h.own.root, err = newTree(append(newRoutes(o.Root), agentRoutes(o.Agents)...)); err != nil {
		return nil, err
	}
	if h.Observer == nil {
		h.Observer = unobserved{}
	}
	h.page, err = newPage(o.Page)
	return h, err
}

// documentRoute returns the route of an OpenAPI document, which is built on the
// first request.
func documentRoute(make func() ([]byte, error)) *route {
	return &route{
		Endpoint: resource.Endpoint{Method: http.MethodGet, Path: "/openapi.json",
			Right: resource.Right{Object: resource.Anyone}, Steady: true},
		bucket: &bucket{},
		file:   newFile("application/json", make),
	}
}

// Look is the user's appearance settings, which are sent with the page for its
// first paint: values by the names of data- attributes. Empty ones are omitted.
type Look map[string]string

// Observer is notified of the handler's responses and streams. Its methods are
// called concurrently.
type Observer interface {
	// Responded is called when a response begins; took is the time until then.
	Responded(method string, status int, took time.Duration)
	// Listens is called with 1 when an event stream begins, and with -1 when it ends.
	Listens(more int)
}

type unobserved struct{}

func (unobserved) Responded(string, int, time.Duration) {}
func (unobserved) Listens(int)                          {}

type handler struct {
	Options
	plainCookie, secureCookie string // names of the session cookie

	started time.Time // start of the rate limits' clock, which never jumps
	hosts   map[string]*site
	mounts  []*mount
	own     *mount // paths without a prefix
	page    *page
	bodies  *bodyBudget
	quotas  quotas
}

// site is one of the portal's origins, with the URL of each mount.
type site struct {
	origin string
	base   map[string]string // by prefix
}

func newSite(origin string) *site {
	s := &site{origin: origin, base: map[string]string{}}
	for _, m := range []mount{native, lenient, explorer, {}} {
		s.base[m.prefix] = origin + m.prefix
	}
	return s
}

// mount is a set of endpoints below one prefix, with its settings.
type mount struct {
	prefix  string
	lenient bool // for published clients (wire.md, Two mounts)
	portal  bool // has rate and time limits, and the version header
	root    *node
}

var (
	native   = mount{prefix: "/api", portal: true}
	lenient  = mount{prefix: "/santaba/rest", portal: true, lenient: true}
	explorer = mount{prefix: "/explorer"}
)

// ServeHTTP handles one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{handler: h, w: w, r: r, method: r.Method, path: r.URL.EscapedPath(), came: time.Now()}
	if r.Method == http.MethodHead { // the same without a body, which net/http omits
		x.method = http.MethodGet
	}
	defer x.releaseBody()
	defer x.rescue()
	if r.ContentLength != 0 {
		x.hurryBody()
	}
	if err := x.serve(); err != nil {
		x.fail(err)
	}
	if time.Since(x.came) > time.Second { // allow time to write the rest of the response
		x.extendWrite()
	}
}

func (x *exchange) serve() error {
	x.fixedHeaders()
	for _, m := range x.mounts {
		if rest, ok := strings.CutPrefix(x.path, m.prefix); ok && (rest == "" || rest[0] == '/') {
			x.mount, x.path = m, rest
			return x.serveEndpoint()
		}
	}
	if len(x.own.root.methods(x.path)) > 0 {
		x.mount = x.own
		return x.serveEndpoint()
	}
	if err := x.servePage(); err != nil {
		return x.chargeRefusal(err)
	}
	return nil
}

// exchange is one request and its response.
type exchange struct {
	*handler
	w      http.ResponseWriter
	r      *http.Request
	came   time.Time
	method string // GET for HEAD too
	begun  bool   // the status has been sent
	path   string // still escaped; relative to the mount once that is known

	site    *site
	mount   *mount // nil for the page
	route   *route
	values  []string // of the path parameters, in order, still escaped
	body    []byte
	taken   bool                // body has been read
	purse   *semaphore.Weighted // the part of the body budget that the body was taken from
	held    int64               // bytes taken from it
	session *session.Session
	access  *resource.Access
	charged bool  // counted against a rate limit
	limit   Limit // that one
	left    int   // remaining requests
}

func (x *exchange) serveEndpoint() error {
	if err := x.guard(); err != nil {
		return err
	}
	if x.mount.portal && !x.mount.lenient {
		if err := x.checkQuery(); err != nil {
			return err
		}
	}
	if x.route.file != nil {
		return x.route.file.serve(x, "no-store")
	}
	if x.route.agents != nil {
		return x.serveAgents()
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	return x.handle(call)
}

// maxQuery limits how long a query may take (trust.md, rule 7).
const maxQuery = 2 * time.Second

// handle runs the endpoint. Its context ends with the request. A request to the
// portal has maxQuery to begin its response; a streamed response may take longer.
func (x *exchange) handle(call *resource.Call) error {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	calling := resource.WithCall(ctx, call)
	var watch *time.Timer
	if x.mount.portal && x.method == http.MethodGet {
		watch = time.AfterFunc(maxQuery, func() { cancel(errSlow) })
		calling = resource.WithPause(calling, func() func() {
			if !watch.Stop() {
				return func() {} // too late
			}
			return func() { watch.Reset(maxQuery) }
		})
	}
	out, err := x.route.Handle(calling, call)
	if watch != nil {
		watch.Stop()
	}
	if err != nil {
		if context.Cause(ctx) == errSlow {
			return errSlow
		}
		return err
	}
	var response resource.Response
	switch out := out.(type) {
	case resource.Response:
		response = out
	case *resource.Response:
		response = *out
	default:
		response.Body = out
	}
	x.responseHeaders(&response)
	switch {
	case response.Events != nil:
		return x.sendEvents(ctx, cancel, response.Events)
	case response.Stream != nil:
		return x.sendStream(ctx, cancel, &response)
	}
	return x.sendBody(&response)
}
