package api

import (
	"context"
	"strings"
	"testing"
)

func TestThePageBeginsInTheThemeOfWhoIsSignedIn(t *testing.T) {
	for theme, want := range map[string]string{
		"light": `<html data-theme="light"><head>`, "dark": `<html data-theme="dark"><head>`, "system": `<html><head>`, "": `<html><head>`, `x" onload="`: `<html><head>`,
	} {
		p := newPortal(t, func(o *Options) {
			o.Theme = func(_ context.Context, userID int64) string {
				if userID == 0 {
					t.Error("nobody was asked for")
				}
				return theme
			}
		})
		if _, text := p.ask("GET /", "admin", ""); !strings.HasPrefix(text, want) {
			t.Errorf("theme %q: %s", theme, text)
		}
		if _, text := p.ask("GET /", "", ""); !strings.HasPrefix(text, "<html><head>") {
			t.Errorf("signed out: %s", text)
		}
	}
}
