package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"spyglass/backend/fault"
)

func TestProbesNeedNoCredentials(t *testing.T) {
	s := start(t, options(t))
	for _, path := range []string{"/healthz", "/readyz"} {
		response, err := http.Get(s.Origin() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusOK ||
			string(body) != `{"status":"ok"}` {
			t.Errorf("%s: %d %q %v", path, response.StatusCode, body, err)
		}
	}
}

func TestAPortalWithoutItsDatabaseIsNotReady(t *testing.T) {
	s := start(t, options(t))
	ended, end := context.WithCancel(t.Context())
	end() // as after the time limit
	if err := s.Ready(ended); !fault.Is(err, fault.Busy) {
		t.Errorf("got %v, want fault.Busy", err)
	}
}
