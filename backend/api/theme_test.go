package api

import (
	"context"
	"strings"
	"testing"
)

func TestPageStartsWithTheThemeOfTheUser(t *testing.T) {
	for want, look := range map[string]Look{
		`<html data-theme="light"><head>`: {"theme": "light"},
		`<html data-screen="fleet" data-theme="dark" data-view="monitor"><head>`: {"theme": "dark", "view": "monitor",
			"screen": "fleet"},
		`<html data-view="&#34; onload=&#34;x&lt;"><head>`: {"theme": "", "view": `" onload="x<`},
		`<html><head>`: nil,
	} {
		p := newPortal(t, func(o *Options) {
			o.Look = func(_ context.Context, userID int64) Look {
				if userID == 0 {
					t.Error("no user was requested")
				}
				return look
			}
		})
		if _, text := p.request("GET /", "admin", ""); !strings.HasPrefix(text, want) {
			t.Errorf("%+v: %s", look, text)
		}
		if _, text := p.request("GET /", "", ""); !strings.HasPrefix(text, "<html><head>") {
			t.Errorf("signed out: %s", text)
		}
	}
}
