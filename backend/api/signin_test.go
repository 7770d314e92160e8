package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
	"spyglass/backend/session"
)

func TestSessionIsServedOnlyTheStepThatItMustComplete(t *testing.T) {
	p := newPortal(t, nil)
	ctx := t.Context()
	must(t, p.db.Write(ctx, func(tx resource.Tx) error {
		users, err := resource.Find(ctx, tx, people.UserRows,
			resource.Where{Field: "username", Op: "=", Value: "viewer"})
		if err != nil {
			return err
		}
		users[0].ForceChange, users[0].TwoFAEnabled = true, true
		return resource.Put(ctx, tx, people.UserRows, &users[0])
	}))
	s, err := p.sessions.SignIn(ctx, "viewer", password, "127.0.0.1")
	must(t, err)
	before := p.who["viewer"]
	p.who["viewer"] = login{cookie: s.Secret, csrf: s.CSRF}
	const change = `{"errorMessage":"you must change your password first; send PUT /session/password",` +
		`"errorCode":1403,"errorDetail":{"must":"changePassword"}}`
	const setUp = `{"errorMessage":"you must set up two-factor authentication first; send POST /session/2fa",` +
		`"errorCode":1403,"errorDetail":{"must":"setUp2fa"}}`
	p.play(t, []scenario{
		{do: "GET /api/device/devices", as: "viewer", code: 403, want: change},
		{do: "GET /santaba/rest/device/devices", as: "viewer", code: 403, want: change},
		{do: "GET /explorer/echo", as: "viewer", code: 403, want: change},
		{do: "GET /api/openapi.json", as: "viewer", code: 403, want: change},
		{do: "GET /api/session", as: "viewer", code: 200, want: `{"userId":2,"username":"viewer","role":"readonly",` +
			`"csrfToken":"` + s.CSRF + `","must":"changePassword"}`},
		{do: "GET /api/device/devices", as: "token", code: 200, want: noDevices},
	})
	response, text := p.request("PUT /api/session/password", "viewer", `{"password":"`+password+
		`","newPassword":"another horse"}`)
	if response.StatusCode != http.StatusOK || !strings.Contains(text, `"must":"setUp2fa"`) {
		t.Fatalf("the change: %d %s", response.StatusCode, text)
	}
	p.who["viewer"] = login{cookie: response.Cookies()[0].Value}
	p.play(t, []scenario{{do: "GET /api/device/devices", as: "viewer", code: 403, want: setUp}})
	p.who["viewer"] = before
	p.play(t, []scenario{{do: "GET /api/device/devices", as: "viewer", code: 401,
		want: `{"errorMessage":"you are not signed in, or the session has ended","errorCode":1401,` +
			`"errorDetail":null}`}})
}

// atProvider replaces the provider's part of the sessions.
type atProvider struct {
	*session.Service
	t *testing.T
}

func (a atProvider) BeginOIDC(_ context.Context, origin string) (*session.Redirect, error) {
	to := "https://login.example.net/auth?back=" + url.QueryEscape(origin)
	return &session.Redirect{URL: to, Cookie: "bound"}, nil
}

func (a atProvider) FinishOIDC(ctx context.Context, origin, cookie string, query url.Values, remote string) (
	*session.Session, string, error) {
	if cookie != "bound" || query.Get("code") != "c" || remote != "127.0.0.1" {
		return nil, "", fault.New(fault.NoLogin, "<this> sign-in was not begun here")
	}
	s, err := a.SignIn(ctx, "viewer", password, remote)
	return s, "device", err
}

func TestSignInWithAProviderSetsTheCookie(t *testing.T) {
	p := newPortal(t, func(o *Options) { o.Sessions = atProvider{o.Sessions.(*session.Service), t} })
	const navigates = "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document"
	response, _ := p.request("GET /oidc/start", "", "", strings.Split("Sec-Fetch-Site: same-origin\n"+navigates,
		"\n")...)
	cookies := response.Cookies()
	if at := response.Header.Get("Location"); response.StatusCode != http.StatusFound ||
		at != "https://login.example.net/auth?back="+url.QueryEscape("http://"+p.host) || len(cookies) != 1 {
		t.Fatalf("got %d to %q with %v", response.StatusCode, at, cookies)
	}
	if c := cookies[0]; c.Name != "spyglass_t1_oidc" || c.Value != "bound" || !c.HttpOnly ||
		c.SameSite != http.SameSiteLaxMode || c.MaxAge != 600 {
		t.Errorf("the cookie is %v", c)
	}
	response, text := p.request("GET /oidc/start?next=https://evil.example", "", "", "Sec-Fetch-Site: cross-site",
		"Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("begun by a foreign page: %d %s", response.StatusCode, text)
	}
	response, text = p.request("GET /oidc/callback?code=c&state=s", "", "", "Sec-Fetch-Site: cross-site",
		"Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Cookie: spyglass_t1_oidc=bound")
	set := map[string]*http.Cookie{}
	for _, c := range response.Cookies() {
		set[c.Name] = c
	}
	if s := set["spyglass_t1"]; response.StatusCode != http.StatusOK || !strings.Contains(text, "<title>Spyglass") ||
		s == nil || !s.HttpOnly || s.SameSite != http.SameSiteStrictMode || set["spyglass_t1_device"] == nil ||
		set["spyglass_t1_oidc"].MaxAge != -1 {
		t.Errorf("got %d %s with %v", response.StatusCode, text, set)
	}
	response, text = p.request("GET /oidc/callback?code=c&state=s", "", "")
	if response.StatusCode != http.StatusUnauthorized || len(response.Cookies()) != 1 ||
		!strings.Contains(text, "<p>&lt;this&gt; sign-in was not begun here.</p>") {
		t.Errorf("without the cookie: %d %s, %v", response.StatusCode, text, response.Cookies())
	}
	for _, do := range []string{"HEAD /oidc/callback?code=c", "POST /oidc/start"} {
		if response, _ := p.request(do, "", ""); response.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", do, response.StatusCode)
		}
	}
}

func TestSignInWithAProviderIsOffByDefault(t *testing.T) {
	p := newPortal(t, nil)
	for _, path := range []string{"/oidc/start", "/oidc/callback?code=c&state=s"} {
		if response, text := p.request("GET "+path, "", ""); response.StatusCode != http.StatusNotFound ||
			!strings.Contains(text, "<p>Signing in with a provider is turned off.</p>") {
			t.Errorf("%s: %d %s", path, response.StatusCode, text)
		}
	}
	p.play(t, []scenario{{do: "GET /api/session/provider", code: 200, want: `{"name":""}`}})
}
