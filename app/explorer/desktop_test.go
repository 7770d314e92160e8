package explorer_test

import (
	"context"
	"testing"

	"spyglass/app/updates"
	"spyglass/backend/fault"
)

// atSignIn fakes the system setting that opens the window at sign-in.
type atSignIn struct {
	on    bool
	fails error
}

func (s *atSignIn) On() (bool, error) { return s.on, nil }

func (s *atSignIn) Set(on bool) error {
	if s.fails == nil {
		s.on = on
	}
	return s.fails
}

func TestOnlyTheWindowSetsThatItOpensAtSignIn(t *testing.T) {
	h := build(t)
	const get, post = "GET /explorer/native/autostart", "POST /explorer/native/autostart"
	for _, do := range []string{get, post} {
		if a := h.call(1, do, `{"on":true}`); a.status != 403 || h.atSignIn.on {
			t.Errorf("%s from a browser: %d %s", do, a.status, a.body)
		}
	}
	for _, tt := range []struct{ do, body, want string }{
		{get, "", `{"available":true,"on":false}`},
		{post, `{"on":true}`, `{"available":true,"on":true}`},
		{get, "", `{"available":true,"on":true}`},
		{post, `{"on":false}`, `{"available":true,"on":false}`},
	} {
		if a := h.call(window, tt.do, tt.body); a.status != 200 || a.body != tt.want {
			t.Errorf("%s %s: %d %s, want %s", tt.do, tt.body, a.status, a.body, tt.want)
		}
	}
	h.atSignIn.fails = fault.New(fault.Conflict, "/home/kim/.config/autostart: read-only file system")
	const want = "the system's setting cannot be changed: /home/kim/.config/autostart: read-only file system"
	if a := h.call(window, post, `{"on":true}`); a.status != 409 || h.said(a) != want {
		t.Errorf("on a read-only disk: %d %s", a.status, a.body)
	}
}

func TestAdministratorsCheckForUpdatesOnRequest(t *testing.T) {
	h := build(t)
	checks := 0
	h.updates = func(context.Context) (*updates.Update, error) {
		checks++
		return &updates.Update{Version: "0.2.0", Link: "https://example.net/spyglass", Newer: true}, nil
	}
	if a := h.call(1, "GET /explorer/about", ""); a.status != 200 || checks > 0 {
		t.Errorf("%d %s, after %d checks", a.status, a.body, checks)
	}
	if a := h.call(stranger, "POST /explorer/updates", ""); a.status != 403 || checks > 0 {
		t.Errorf("a user who is no administrator: %d %s", a.status, a.body)
	}
	const want = `{"link":"https://example.net/spyglass","newer":true,"version":"0.2.0"}`
	if a := h.call(1, "POST /explorer/updates", ""); a.status != 200 || a.body != want || checks != 1 {
		t.Errorf("%d %s after %d checks, want %s", a.status, a.body, checks, want)
	}
}
