package api

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// maxMessage limits the bytes of a message to /mcp.
const maxMessage = 1 << 20

// agentRoutes returns the routes of /mcp, the Model Context Protocol over HTTP. There is
// no GET: the portal starts no messages of its own, so there is no stream to keep open.
func agentRoutes(agents http.Handler) (routes []*route) {
	if agents == nil {
		return nil
	}
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		routes = append(routes, &route{
			Endpoint: resource.Endpoint{Method: method, Path: "/mcp", Right: resource.Right{Object: resource.Anyone},
				Limit: maxMessage},
			bucket: &bucket{}, agents: agents,
		})
	}
	return routes
}

var errNoBearer = fault.New(fault.NoLogin, "agents sign in with an API token: send Authorization: Bearer, and the "+
	"token")

// serveAgents passes the request on. It accepts bearer tokens only: the requests that a
// tool sends need the token again, and a signature is valid for one request.
func (x *exchange) serveAgents() error {
	scheme, _, _ := strings.Cut(x.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || x.access == nil || x.access.UserID == 0 {
		return errNoBearer
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	r := x.r.Clone(resource.WithCall(x.r.Context(), call))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(x.body)), int64(len(x.body))
	w := &held{header: http.Header{}, status: http.StatusOK}
	x.route.agents.ServeHTTP(w, r)
	maps.Copy(x.w.Header(), w.header)
	x.send(w.status, w.body.Bytes())
	return nil
}

// held is a response in memory. The tools limit its size.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *held) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) { h.status = status }

// Write implements http.ResponseWriter.
func (h *held) Write(b []byte) (int, error) { return h.body.Write(b) }
