package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"spyglass/backend/resource"
)

// sink is a minimal http.ResponseWriter, so that a benchmark measures only the handler.
type sink struct{ head http.Header }

func (s *sink) Header() http.Header         { return s.head }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(int)             {}

// BenchmarkRequestPath measures the overhead of this package and the session for
// an endpoint that returns a constant.
func BenchmarkRequestPath(b *testing.B) {
	page := resource.JSON(noDevices)
	ready := resource.Endpoint{
		Method: "GET", Path: "/test/things/{id}/parts", Right: resource.Right{Object: resource.DeviceGroup,
			Op: resource.Read},
		Handle: func(context.Context, *resource.Call) (any, error) { return page, nil },
	}
	p := newPortal(b, func(o *Options) {
		o.Endpoints = append(o.Endpoints, ready)
		o.Limits = func(string) Limit { return Limit{Requests: 1 << 20, Window: 1} }
	})
	r := httptest.NewRequestWithContext(b.Context(), "GET", "http://"+p.host+"/api/test/things/7/parts?size=50&"+
		"fields=id,name&filter=displayName~%22web%22", nil)
	r.AddCookie(&http.Cookie{Name: "spyglass_t1", Value: p.who["admin"].cookie})
	w := &sink{head: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.head)
		p.Config.Handler.ServeHTTP(w, r)
	}
}
