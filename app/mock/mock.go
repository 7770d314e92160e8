// Package mock serves recorded responses, for tests without a network.
//
// New prepares what was recorded, and a Mock serves it. A Mock checks no credentials: any
// token, LMv1 signature or none is accepted.
//
// # Matching
//
// A request gets the recorded response to the same method, path, query and, for writes,
// body. The order of parameters and of keys does not matter. The API of a portal is at
// /api and at /santaba/rest; a response that was recorded at one is used at the other if
// there is no better one. In recorded requests, variables, such as {{id}}, path parameters,
// such as {id}, and masked secrets stand for any value. If several fit, the one with the
// fewest of them is used, and then the last recorded one.
//
// # Memory
//
// Bodies stay compressed until they are sent.
//
// # Concurrency
//
// A Mock is safe for concurrent use. It starts no goroutines.
//
// # Errors
//
// A request without a match gets 404 with the body that every portal sends, whose message
// names the nearest recorded request.
package mock

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/api"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
)

// Recorded is a request with its response.
type Recorded struct {
	From    string      `json:"from"` // for the log: "request 12 of the history"
	Name    string      `json:"name"` // of an example; empty for others
	Method  string      `json:"method"`
	URL     string      `json:"url"`  // an address, or a path below the portal's API
	Body    string      `json:"body"` // of the request
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"` // of the response
	Zipped  []byte      `json:"zipped"`  // its body, of a workspace.Zipper

	// Params are the values of {parameters} in the URL, which stand for any value if
	// nothing fits better.
	Params map[string]string `json:"params"`
}

// Options configures a Mock.
type Options struct {
	Recorded []Recorded // the last of equal responses is used
	Loose    bool       // the query and the body may differ if nothing fits better
	Latency  time.Duration
	Fail     Failing
	Local    bool // refuse requests that name another host than this machine
	Log      *slog.Logger
}

// Failing fails a part of the requests, evenly spread. The zero value fails none.
type Failing struct {
	Status  int
	Percent int
}

// ReadFailing reads a text such as 429:10%.
func ReadFailing(text string) (Failing, error) {
	status, percent, ok := strings.Cut(strings.TrimSuffix(text, "%"), ":")
	s, err := strconv.Atoi(status)
	p, wrong := strconv.Atoi(percent)
	if !ok || err != nil || wrong != nil || s < 400 || s > 599 || p < 1 || p > 100 {
		return Failing{}, fault.New(fault.Invalid, "--fail must be a status from 400 to 599 and a percentage, such as "+
			"429:10%%, not %q", text)
	}
	return Failing{s, p}, nil
}

// fails reports whether the nth request, from 1, fails.
func (f Failing) fails(n int64) bool { return n*int64(f.Percent)/100 > (n-1)*int64(f.Percent)/100 }

// Mock is a handler that serves recorded responses.
type Mock struct {
	Options
	all   []*entry
	count atomic.Int64 // of requests
}

// New returns a Mock.
func New(o Options) *Mock {
	m := &Mock{Options: o}
	for i := range o.Recorded {
		m.all = append(m.all, prepare(&o.Recorded[i]))
	}
	return m
}

// maxBody limits the bytes of a request body.
const maxBody = 16 << 20

// ServeHTTP implements http.Handler.
func (m *Mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := m.count.Add(1)
	log := m.Log.With("method", r.Method, "path", r.URL.Path)
	if m.Latency > 0 {
		select {
		case <-time.After(m.Latency):
		case <-r.Context().Done():
			return
		}
	}
	if m.Local && !loopback.Host((&url.URL{Host: r.Host}).Hostname()) { // an attacker may point a name to this address
		m.refuse(w, log, fault.New(fault.Denied, "the mock is available only at 127.0.0.1 and localhost"))
		return
	}
	if m.Fail.fails(n) {
		m.fail(w, log)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			m.refuse(w, log, fault.New(fault.TooLarge, "the body has more than %d MiB", maxBody>>20))
		}
		return
	}
	in := incoming(r, body)
	found := m.find(in)
	if found == nil {
		m.refuse(w, log, m.unmatched(in))
		return
	}
	var response bytes.Buffer
	if err := workspace.Unzip(found.Zipped, &response); len(found.Zipped) > 0 && err != nil {
		m.refuse(w, log, &fault.Error{Kind: fault.Internal, Message: found.From + " is damaged", Err: err})
		return
	}
	log.Info("response", "status", found.Status, "matched", found.From)
	found.write(w, response.Bytes(), r.Method)
}

// fail sends the status that part of the requests get.
func (m *Mock) fail(w http.ResponseWriter, log *slog.Logger) {
	log.Info("failed on purpose", "status", m.Fail.Status)
	_, body := api.Failure(fault.New(fault.TooMany, "the mock fails %d%% of all requests", m.Fail.Percent))
	// the code in the body follows the status
	body = bytes.Replace(body, []byte(`"errorCode":1429`), []byte(`"errorCode":`+strconv.Itoa(1000+m.Fail.Status)), 1)
	if m.Fail.Status == http.StatusTooManyRequests || m.Fail.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	respond(w, m.Fail.Status, body)
}

func (m *Mock) refuse(w http.ResponseWriter, log *slog.Logger, f *fault.Error) {
	status, body := api.Failure(f)
	log.Info("no response", "status", status, "why", f.Message)
	respond(w, status, body)
}

func respond(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have disconnected
}

// unsent lists headers of a recorded response that belong to its connection.
var unsent = []string{"connection", "content-encoding", "content-length", "date", "keep-alive", "set-cookie",
	"strict-transport-security", "trailer", "transfer-encoding", "upgrade"}

// write sends the recorded response.
func (e *entry) write(w http.ResponseWriter, body []byte, method string) {
	for _, h := range e.Headers {
		if !slices.Contains(unsent, strings.ToLower(h[0])) {
			w.Header().Add(h[0], h[1])
		}
	}
	if w.Header().Get("Content-Type") == "" && len(body) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(e.Status)
	if method != http.MethodHead && e.Status != http.StatusNoContent && e.Status != http.StatusNotModified {
		_, _ = w.Write(body) // the client may have disconnected
	}
}
