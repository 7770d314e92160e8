package api

import (
	"context"
	"strings"
	"testing"
)

func TestThePageBeginsInTheLookOfWhoIsSignedIn(t *testing.T) {
	for want, look := range map[string]Look{
		`<html data-theme="light"><head>`: {Theme: "light"}, `<html data-theme="dark" data-view="monitor" data-screen="fleet"><head>`: {"dark", "monitor", "fleet"},
		`<html data-view="api"><head>`: {Theme: "system", View: "api"}, `<html><head>`: {`x" onload="`, `x" onload="`, ` x`},
	} {
		p := newPortal(t, func(o *Options) {
			o.Look = func(_ context.Context, userID int64) Look {
				if userID == 0 {
					t.Error("nobody was asked for")
				}
				return look
			}
		})
		if _, text := p.ask("GET /", "admin", ""); !strings.HasPrefix(text, want) {
			t.Errorf("%+v: %s", look, text)
		}
		if _, text := p.ask("GET /", "", ""); !strings.HasPrefix(text, "<html><head>") {
			t.Errorf("signed out: %s", text)
		}
	}
}
