package explorer_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"spyglass/app/trust"
	"spyglass/backend/fault"
	"spyglass/backend/localca"
	"spyglass/backend/server"
)

// secureAddress is a fake of the portal's TLS address and of the trust stores.
type secureAddress struct {
	mu      sync.Mutex
	set     server.HTTPS
	trusted bool
	noted   []string
	fails   error
}

func (s *secureAddress) HTTPSState() server.HTTPSState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return server.HTTPSState{HTTPS: s.set, Switchable: true, Addresses: []string{"https://acme.example.test:8443"},
		Hosts: localca.Hosts{File: "/etc/hosts", Line: "127.0.0.1 acme.example.test"}}
}

func (s *secureAddress) SetHTTPS(_ context.Context, to server.HTTPS) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = to
	return s.fails
}

func (s *secureAddress) Note(_ context.Context, sentence string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted = append(s.noted, sentence)
	return nil
}

func (s *secureAddress) States(context.Context, trust.Authority) []trust.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []trust.State{{Store: "This computer", Trusted: s.trusted}}
}

func (s *secureAddress) Add(context.Context, trust.Authority) error    { return s.trust(true) }
func (s *secureAddress) Remove(context.Context, trust.Authority) error { return s.trust(false) }

func (s *secureAddress) trust(trusted bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails == nil {
		s.trusted = trusted
	}
	return s.fails
}

func TestWindowTurnsHTTPSAndTrustOnAndOff(t *testing.T) {
	h := build(t)
	const on = `{"on":true,"port":8443,"names":["acme.example.test"]}`
	for _, do := range []string{"POST /explorer/https", "POST /explorer/https/trust", "POST /explorer/https/untrust"} {
		if a := h.call(1, do, on); a.status != 403 {
			t.Errorf("%s from elsewhere than the window: %d %s", do, a.status, a.body)
		}
	}
	if a := h.call(stranger, "GET /explorer/https", ""); a.status != 403 {
		t.Errorf("a user who is no administrator: %d %s", a.status, a.body)
	}
	if a := h.call(window, "POST /explorer/https/trust", ""); a.status != 404 ||
		!strings.Contains(a.body, "has no certificate authority") {
		t.Errorf("before there is an authority: %d %s", a.status, a.body)
	}
	if a := h.call(window, "POST /explorer/https", `{"on":true,"port":0}`); a.status != 400 ||
		!strings.Contains(a.body, `"field":"port"`) {
		t.Errorf("a wrong port: %d %s", a.status, a.body)
	}
	a := h.call(window, "POST /explorer/https", on)
	for _, want := range []string{`"on":true`, `"names":["acme.example.test"]`, `"switchable":true`, `"stores":[]`,
		`"hostsLine":"127.0.0.1 acme.example.test"`} {
		if a.status != 200 || !strings.Contains(a.body, want) {
			t.Errorf("turned on: %d %s, want %s", a.status, a.body, want)
		}
	}
	_, err := localca.Open(localca.Options{Data: h.dir, Instance: "ab12", Log: slog.New(slog.NewTextHandler(io.Discard,
		nil))})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ do, want string }{
		{"POST /explorer/https/trust", `"trusted":true`}, {"POST /explorer/https/untrust", `"trusted":false`},
	} {
		if a := h.call(window, tt.do, ""); a.status != 200 || !strings.Contains(a.body, tt.want) {
			t.Errorf("%s: %d %s", tt.do, a.status, a.body)
		}
	}
	if a := h.call(1, "GET /explorer/https", ""); a.status != 200 || !strings.Contains(a.body, `"switchable":false`) ||
		!strings.Contains(a.body, `"stores":[]`) || strings.Contains(a.body, "PRIVATE") {
		t.Errorf("from a browser: %d %s", a.status, a.body)
	}
	h.https.fails = fault.New(fault.Denied, "only root can change the store of this computer. Run: sudo x")
	if a := h.call(window, "POST /explorer/https/trust", ""); a.status != 403 || !strings.Contains(h.said(a),
		"sudo x") {
		t.Errorf("without root: %d %s", a.status, a.body)
	}
	if len(h.https.noted) != 2 {
		t.Errorf("the audit log has %q", h.https.noted)
	}
}
