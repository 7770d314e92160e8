package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/outgoing"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Limits of sessions.
const (
	idleTime     = 30 * time.Minute
	mostSessions = 500
	mostOfUser   = 20 // the oldest ends when there is another
)

// Portal is the portal of a Handler.
type Portal struct {
	Name      func() string
	Address   func() string // of the listener, "127.0.0.1:8443"
	Origin    func() string // "http://127.0.0.1:8443"
	Handler   http.Handler  // takes requests to Origin
	Endpoints []resource.Endpoint
}

// Handler serves /mcp. It expects a request that the portal has authenticated, with its
// caller in the context (resource.CallOf).
type Handler struct {
	portal  Portal
	client  *client.Client
	catalog *catalog.Catalog
	server  *Server
	reads   *sdk.Server
	writes  *sdk.Server
	stream  *sdk.StreamableHTTPHandler

	mu       sync.Mutex
	sessions []session // oldest first
}

// session is a session of the protocol.
type session struct {
	id   string
	user int64
}

// remoteHeader carries the caller's address from ServeHTTP to the tools. Clients cannot
// set it.
const remoteHeader = "Spyglass-Remote"

// sessionHeader is the header with the id of a session.
const sessionHeader = "Mcp-Session-Id"

// NewHandler returns the handler of a portal's /mcp. Reach and Refused of the options are
// set here.
func NewHandler(o Options, p Portal) *Handler {
	h := &Handler{portal: p, catalog: catalog.New(p.Endpoints)}
	h.client = client.Over(inside{p})
	o.Reach = h.reach
	o.Refused = "An administrator can allow changes with agentsMayWrite in the portal settings"
	h.server = NewServer(o)
	h.reads, h.writes = h.server.protocol(false, callerOf), h.server.protocol(true, callerOf)
	h.stream = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		if o.Writes() {
			return h.writes
		}
		return h.reads
	}, &sdk.StreamableHTTPOptions{JSONResponse: true, SessionTimeout: idleTime,
		DisableLocalhostProtection: true, // the portal has checked the host
	})
	return h
}

// callerOf returns the caller of a request: the headers of each request have its token.
func callerOf(r *sdk.CallToolRequest) *Caller {
	c := &Caller{Agent: clientOf(r)}
	if r.Extra != nil {
		_, c.Token, _ = strings.Cut(r.Extra.Header.Get("Authorization"), " ")
		c.Token = strings.TrimSpace(c.Token)
		c.Owner, c.Remote, _ = strings.Cut(r.Extra.Header.Get(remoteHeader), " ")
	}
	return c
}

// ServeHTTP handles a message. A session belongs to the user who began it.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := resource.CallOf(r.Context())
	user := call.Access.UserID
	r.Header.Set(remoteHeader, fmt.Sprintf("%d.%d %s", user, call.Access.RoleID, call.Remote))
	id := r.Header.Get(sessionHeader)
	if id != "" && !h.owns(user, id) {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	if id == "" && !h.room(user) {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions of agents are open; try again in a minute", http.StatusServiceUnavailable)
		return
	}
	h.stream.ServeHTTP(w, r)
	if began := w.Header().Get(sessionHeader); id == "" && began != "" {
		h.began(user, began)
	}
}

func (h *Handler) owns(user int64, id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.id == id {
			return s.user == user
		}
	}
	return false
}

// open returns the sessions of the protocol that are still open, by id.
func (h *Handler) open() map[string]*sdk.ServerSession {
	all := map[string]*sdk.ServerSession{}
	for _, server := range []*sdk.Server{h.reads, h.writes} {
		for s := range server.Sessions() {
			all[s.ID()] = s
		}
	}
	return all
}

// room makes room for another session of a user: it ends the user's oldest if there are
// too many. It returns false if all users together have too many.
func (h *Handler) room(user int64) bool {
	open := h.open()
	h.mu.Lock()
	var left []session
	own := 0
	for _, s := range h.sessions {
		if open[s.id] != nil {
			left = append(left, s)
			if s.user == user {
				own++
			}
		}
	}
	var end *sdk.ServerSession
	for i, s := range left {
		if own >= mostOfUser && s.user == user {
			end = open[s.id]
			left = append(left[:i], left[i+1:]...)
			break
		}
	}
	h.sessions = left
	full := len(left) >= mostSessions
	h.mu.Unlock()
	if end != nil {
		_ = end.Close()
	}
	return !full
}

func (h *Handler) began(user int64, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions = append(h.sessions, session{id: id, user: user})
}

// Close ends all sessions.
func (h *Handler) Close() {
	for _, s := range h.open() {
		_ = s.Close()
	}
}

// reach returns the portal with the caller's token.
func (h *Handler) reach(_ context.Context, c *Caller) (*outgoing.Target, error) {
	t := &outgoing.Target{Name: h.portal.Name(), URL: h.portal.Origin() + "/api", Version: h.server.o.Version,
		Catalog: h.catalog, Client: h.client, Timeout: timeout, Secrets: []string{c.Token},
		Sign: func(*outgoing.Request) [][2]string { return [][2]string{{"Authorization", "Bearer " + c.Token}} }}
	t.Place()
	return t, nil
}

// inside passes requests to the portal in this process. They need no connection and no
// certificate, and come from the address of the agent.
type inside struct{ portal Portal }

// RoundTrip implements http.RoundTripper.
func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.Host, in.RequestURI = i.portal.Address(), r.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	if remote, _ := r.Context().Value(remoteKey{}).(string); remote != "" {
		in.RemoteAddr = net.JoinHostPort(remote, "0")
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	w := &kept{header: http.Header{}}
	if err := w.serve(i.portal.Handler, in); err != nil {
		return nil, err
	}
	return &http.Response{Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, ContentLength: int64(w.body.Len()),
		Body: io.NopCloser(&w.body), Request: r}, nil
}

// kept is a response in memory, up to a limit.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
	over   bool
}

// serve runs a handler. A handler that aborts its response because it is too long truncates it,
// and readers of the response then report that it is too long.
func (k *kept) serve(h http.Handler, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); {
		case p == nil || p == http.ErrAbortHandler && k.over:
		case p == http.ErrAbortHandler:
			err = fault.New(fault.Offline, "the portal broke its response off")
		default:
			panic(p)
		}
		if k.status == 0 {
			k.status = http.StatusOK
		}
	}()
	h.ServeHTTP(k, r)
	return nil
}

// Header implements http.ResponseWriter.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader implements http.ResponseWriter.
func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

var errTooLong = errors.New("the response is too long")

// Write implements http.ResponseWriter.
func (k *kept) Write(b []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	room := maxResponse + 1 - k.body.Len()
	if len(b) <= room {
		return k.body.Write(b)
	}
	k.over = true
	n, _ := k.body.Write(b[:room])
	return n, errTooLong
}
