package session

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

const portalOrigin = "https://portal.example.net"

// providerKey is slow to make.
var providerKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// testProvider is an OpenID Connect provider whose user always agrees.
type testProvider struct {
	t        *testing.T
	web      *httptest.Server
	parts    oidctest.Server       // discovery and keys
	claims   map[string]any        // of the ID token, over the valid ones; nil removes one
	info     map[string]any        // claims of the UserInfo endpoint, which fails without them
	key      *rsa.PrivateKey       // that signs
	requests map[string]url.Values // authorization requests by code
	refuses  bool                  // the token request
	now      func() time.Time
}

func newTestProvider(t *testing.T, now func() time.Time) *testProvider {
	p := &testProvider{t: t, claims: map[string]any{}, key: providerKey(), requests: map[string]url.Values{}, now: now}
	p.parts.PublicKeys = []oidctest.PublicKey{{PublicKey: providerKey().Public(), KeyID: "k1", Algorithm: "RS256"}}
	p.web = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.web.Close)
	p.parts.SetIssuer(p.web.URL)
	return p
}

func (p *testProvider) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/token":
		p.serveToken(w, r)
	case "/userinfo":
		w.Header().Set("Content-Type", "application/json")
		if p.info == nil || r.Header.Get("Authorization") != "Bearer a" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_ = json.NewEncoder(w).Encode(p.info)
	case "/.well-known/openid-configuration":
		discovery, plain := map[string]any{}, httptest.NewRecorder()
		p.parts.ServeHTTP(plain, r)
		must(p.t, json.Unmarshal(plain.Body.Bytes(), &discovery))
		discovery["userinfo_endpoint"] = p.web.URL + "/userinfo"
		_ = json.NewEncoder(w).Encode(discovery)
	default:
		p.parts.ServeHTTP(w, r)
	}
}

func (p *testProvider) serveToken(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	request := p.requests[r.Form.Get("code")]
	sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
	id, secret, _ := r.BasicAuth()
	w.Header().Set("Content-Type", "application/json")
	if request == nil || p.refuses || id != "spyglass" || secret != "client-secret" ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != request.Get("code_challenge") ||
		r.Form.Get("redirect_uri") != request.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	delete(p.requests, r.Form.Get("code")) // it is valid once
	claims := map[string]any{"iss": p.web.URL, "aud": "spyglass", "sub": "s-7", "nonce": request.Get("nonce"),
		"iat": p.now().Unix(), "exp": p.now().Add(time.Hour).Unix(), "preferred_username": "jo.doe",
		"email": "jo@example.net", "given_name": "Jo", "family_name": "Doe", "groups": []string{"netops", "staff"}}
	for name, value := range p.claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	text, err := json.Marshal(claims)
	must(p.t, err)
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "a", "token_type": "Bearer",
		"id_token": oidctest.SignIDToken(p.key, "k1", "RS256", string(text))})
}

// authorize follows a redirect to the provider, which returns the query of its response.
func (p *testProvider) authorize(to *Redirect) url.Values {
	p.t.Helper()
	u, err := url.Parse(to.URL)
	must(p.t, err)
	q := u.Query()
	if !strings.HasPrefix(to.URL, p.web.URL+"/auth?") || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "spyglass" ||
		q.Get("redirect_uri") != portalOrigin+"/oidc/callback" || q.Get("scope") != "openid profile email" ||
		len(q.Get("state")) < 26 || len(q.Get("nonce")) < 26 {
		p.t.Errorf("the redirect is %s", to.URL)
	}
	code := newSecret()
	p.requests[code] = q
	return url.Values{"code": {code}, "state": {q.Get("state")}}
}

// newOIDC returns a portal that signs in with a provider; change edits the settings.
func newOIDC(t *testing.T, change func(*people.SignIn)) (*fixture, *testProvider) {
	h := newFixture(t)
	p := newTestProvider(t, h.clock.Now)
	h.o.OIDC.Serve = true
	row := people.SignIn{ID: people.SignInID, Enabled: true, Name: "Acme", Issuer: p.web.URL, ClientID: "spyglass",
		ClientSecret: "client-secret", Scopes: "profile email", GroupsClaim: "groups", CreateUsers: true,
		GroupRoles: []people.GroupRole{{Group: "netops", RoleID: 2}, {Group: "admins", RoleID: 1}}}
	if change != nil {
		change(&row)
	}
	put(t, h, people.SignInRows, &row)
	h.user(t, "root", 1)
	return h, p
}

// enter signs in with the provider.
func (h *fixture) enter(t *testing.T, p *testProvider) (*Session, error) {
	t.Helper()
	to, err := h.BeginOIDC(t.Context(), portalOrigin)
	if err != nil {
		return nil, err
	}
	sess, _, err := h.FinishOIDC(t.Context(), portalOrigin, to.Cookie, p.authorize(to), "192.0.2.7")
	return sess, err
}

func TestProviderSignsInAndRenewsRoles(t *testing.T) {
	h, p := newOIDC(t, nil)
	first, err := h.enter(t, p)
	must(t, err)
	if first.Access.User != "jo.doe" || first.Access.Role != "manager" || first.Must != "" {
		t.Errorf("signed in as %s, %s, must %q", first.Access.User, first.Access.Role, first.Must)
	}
	u, err := resource.Get(t.Context(), h.db, people.UserRows, first.Access.UserID)
	must(t, err)
	if u.FirstName+" "+u.LastName != "Jo Doe" || u.Email != "jo@example.net" || u.OIDCSubject != "s-7" ||
		u.OIDCIssuer != p.web.URL || u.Password != "" || u.LastAuthIP != "192.0.2.7" {
		t.Errorf("the user is %+v", u)
	}
	for _, password := range []string{"", "x"} {
		if _, err := h.SignIn(t.Context(), "jo.doe", password, "192.0.2.7"); !fault.Is(err, fault.NoLogin) {
			t.Errorf("password %q: %v", password, err)
		}
	}

	// The subject decides, whatever else the provider says.
	p.claims = map[string]any{"preferred_username": "root", "email": "root@example.net", "groups": "admins"}
	again, err := h.enter(t, p)
	must(t, err)
	if again.Access.UserID != first.Access.UserID || again.Access.User != "jo.doe" || !again.Access.Admin {
		t.Errorf("signed in as %s, %s", again.Access.User, again.Access.Role)
	}
	if _, err := h.ByCookie(t.Context(), first.Secret); says(err) != ended {
		t.Errorf("the session with the former roles: %v", err)
	}
	if third, err := h.enter(t, p); err != nil || third.Access.UserID != first.Access.UserID {
		t.Error(err)
	}
	if _, err := h.ByCookie(t.Context(), again.Secret); err != nil {
		t.Errorf("the same roles end a session: %v", err)
	}
}

func TestClaimsThatTheIDTokenLacksAreFromUserInfo(t *testing.T) {
	all := map[string]any{"sub": "s-7", "preferred_username": "jo.doe", "email": "jo@example.net", "given_name": "Jo",
		"family_name": "Doe", "groups": []string{"netops"}}
	for _, tt := range []struct {
		name  string
		token map[string]any // claims of the ID token, over those that have only the subject
		info  map[string]any
		want  string // the new user, or the error
	}{
		{name: "only the subject", info: all, want: "jo.doe, Jo Doe, jo@example.net, manager"},
		{name: "groups in the ID token", token: map[string]any{"groups": "netops"}, info: all,
			want: "jo.doe, Jo Doe, jo@example.net, manager"},
		{name: "email and groups in the ID token", token: map[string]any{"email": "joan@example.net",
			"groups": "admins"}, info: all, want: "jo.doe, Jo Doe, joan@example.net, administrator"},
		{name: "user name and groups in the ID token", token: map[string]any{"preferred_username": "joan",
			"groups": "admins"}, info: all, want: "joan,  , joan@localhost, administrator"}, // without a request
		{name: "claims of another user", info: map[string]any{"sub": "s-8", "groups": "admins"},
			want: "no_login: you are in none of the groups that may sign in; ask an administrator of this portal"},
		{name: "failing endpoint", token: map[string]any{"groups": "netops"}, want: "s-7,  , s-7@localhost, manager"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, p := newOIDC(t, nil)
			p.info = tt.info
			p.claims = map[string]any{"preferred_username": nil, "email": nil, "given_name": nil, "family_name": nil,
				"groups": nil}
			maps.Copy(p.claims, tt.token)
			sess, err := h.enter(t, p)
			got := says(err)
			if err == nil {
				u, err := resource.Get(t.Context(), h.db, people.UserRows, sess.Access.UserID)
				must(t, err)
				got = fmt.Sprintf("%s, %s %s, %s, %s", u.Username, u.FirstName, u.LastName, u.Email, sess.Access.Role)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestProviderSignInIsRefused(t *testing.T) {
	h, p := newOIDC(t, nil)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	const notValid = "no_login: the response of Acme is not valid: expired, for another client, or not signed by it; " +
		"begin again"
	const notBegun = "no_login: this sign-in was not begun in this browser, or more than 10 minutes ago; begin again"
	for _, tt := range []struct {
		name     string
		settings func(*people.SignIn)
		provider func(*fixture, *testProvider)
		browser  func(h *fixture, to *Redirect, q url.Values)
		want     string
	}{
		{name: "wrong nonce", provider: func(_ *fixture, p *testProvider) { p.claims["nonce"] = "other" },
			want: "no_login: the response of Acme belongs to another sign-in; begin again"},
		{name: "expired token", provider: func(h *fixture, p *testProvider) {
			p.claims["exp"] = h.clock.Now().Add(-time.Minute).Unix()
		}, want: notValid},
		{name: "wrong audience", provider: func(_ *fixture, p *testProvider) { p.claims["aud"] = "other" },
			want: notValid},
		{name: "wrong issuer", provider: func(_ *fixture, p *testProvider) { p.claims["iss"] = "https://example.net" },
			want: notValid},
		{name: "no subject", provider: func(_ *fixture, p *testProvider) { p.claims["sub"] = "" },
			want: "no_login: the response of Acme names no user"},
		{name: "foreign key", provider: func(_ *fixture, p *testProvider) { p.key = other }, want: notValid},
		{name: "refused code", provider: func(_ *fixture, p *testProvider) { p.refuses = true },
			want: "no_login: Acme did not accept the sign-in of this portal; begin again, and check the client id " +
				"and secret in the settings"},
		{name: "no matching group", provider: func(_ *fixture, p *testProvider) { p.claims["groups"] = []string{"hr"} },
			want: "no_login: you are in none of the groups that may sign in; ask an administrator of this portal"},
		{name: "no groups", provider: func(_ *fixture, p *testProvider) { p.claims["groups"] = nil },
			want: "no_login: you are in none of the groups that may sign in; ask an administrator of this portal"},
		{name: "unknown user", settings: func(s *people.SignIn) { s.CreateUsers = false },
			want: "no_login: no user of this portal has your identity at Acme; ask an administrator to add a user " +
				"with the OpenID subject s-7"},
		{name: "name of a local user", provider: func(_ *fixture, p *testProvider) {
			p.claims["preferred_username"], p.claims["email"] = "ROOT", "root@example.net"
		}, want: "no_login: there is a user ROOT already, without your identity at Acme; ask an administrator to set " +
			"its OpenID subject to s-7"},
		{name: "wrong state", browser: func(_ *fixture, _ *Redirect, q url.Values) { q.Set("state", "other") },
			want: notBegun},
		{name: "no state", browser: func(_ *fixture, _ *Redirect, q url.Values) { q.Del("state") }, want: notBegun},
		{name: "no cookie", browser: func(_ *fixture, to *Redirect, _ url.Values) { to.Cookie = "" }, want: notBegun},
		{name: "another sealed value", browser: func(h *fixture, to *Redirect, _ url.Values) {
			to.Cookie = h.device(1)
		}, want: notBegun},
		{name: "too late", browser: func(h *fixture, _ *Redirect, _ url.Values) { h.clock.Pass(11 * time.Minute) },
			want: notBegun},
		{name: "denied", browser: func(_ *fixture, _ *Redirect, q url.Values) { q.Set("error", "access_denied") },
			want: `no_login: Acme refused the sign-in: "access_denied"`},
		{name: "provider away", browser: func(_ *fixture, _ *Redirect, q url.Values) { q.Set("code", "away") },
			want: "offline: Acme does not respond; try again later, or sign in with a password"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.claims, p.key, p.refuses = map[string]any{}, providerKey(), false
			change(t, h, people.SignInRows, people.SignInID, func(s *people.SignIn) { s.CreateUsers = true })
			if tt.settings != nil {
				change(t, h, people.SignInRows, people.SignInID, tt.settings)
			}
			if tt.provider != nil {
				tt.provider(h, p)
			}
			to, err := h.BeginOIDC(t.Context(), portalOrigin)
			must(t, err)
			query := p.authorize(to)
			if tt.browser != nil {
				tt.browser(h, to, query)
			}
			if query.Get("code") == "away" { // the last case
				p.web.Close()
			}
			// from another address each time: ten failures lock one
			sess, _, err := h.FinishOIDC(t.Context(), portalOrigin, to.Cookie, query, tt.name)
			if sess != nil || says(err) != tt.want {
				t.Errorf("got %v, want %s", says(err), tt.want)
			}
			if users, err := resource.Find(t.Context(), h.db, people.UserRows); err != nil || len(users) != 1 {
				t.Errorf("%d users, %v", len(users), err)
			}
		})
	}
	if _, err := h.SignIn(t.Context(), "root", password, "192.0.2.7"); err != nil {
		t.Errorf("the local administrator, with the provider away: %v", err)
	}
}

func TestProviderIsNotFloodedWithCodes(t *testing.T) {
	h, p := newOIDC(t, nil)
	p.refuses = true
	for i := range maxFails + 1 {
		want := fault.NoLogin
		if i == maxFails {
			want = fault.TooMany
		}
		if _, err := h.enter(t, p); !fault.Is(err, want) {
			t.Fatalf("failure %d: %v", i+1, err)
		}
	}
}

func TestProviderAwayAndSignInTurnedOff(t *testing.T) {
	h, p := newOIDC(t, nil)
	if name, err := h.ProviderName(t.Context()); err != nil || name != "Acme" {
		t.Errorf("the button says %q, %v", name, err)
	}
	p.web.Close()
	if _, err := h.enter(t, p); says(err) != "offline: Acme does not respond as an OpenID Connect provider; try again "+
		"later, or sign in with a password" {
		t.Errorf("away: %v", err)
	}
	change(t, h, people.SignInRows, people.SignInID, func(s *people.SignIn) { s.Enabled = false })
	if _, err := h.enter(t, p); says(err) != "unknown: signing in with a provider is turned off" {
		t.Errorf("turned off: %v", err)
	}
	change(t, h, people.SignInRows, people.SignInID, func(s *people.SignIn) { s.Enabled = true })
	h.o.OIDC.Serve = false // the desktop
	if name, err := h.ProviderName(t.Context()); err != nil || name != "" {
		t.Errorf("the button of the desktop says %q, %v", name, err)
	}
}

func TestUserWithAnIdentitySignsInWithTheProvider(t *testing.T) {
	h, p := newOIDC(t, func(s *people.SignIn) { s.CreateUsers, s.GroupRoles = false, nil })
	id := h.user(t, "jo", 4)
	change(t, h, people.UserRows, id, func(u *people.User) {
		u.OIDCIssuer, u.OIDCSubject, u.TwoFAEnabled, u.ForceChange = p.web.URL, "s-7", true, true
	})
	sess, err := h.enter(t, p)
	if err != nil || sess.Access.User != "jo" || sess.Access.Role != "readonly" || sess.Must != "" {
		t.Errorf("%+v, %v", sess, err)
	}
	change(t, h, people.UserRows, id, func(u *people.User) { u.Status = "suspended" })
	if _, err := h.enter(t, p); says(err) != "no_login: the user is suspended or may use only API tokens; ask an "+
		"administrator" {
		t.Errorf("suspended: %v", err)
	}
	change(t, h, people.UserRows, id, func(u *people.User) {
		u.Status, u.OIDCIssuer = "active", "https://other.example.net"
	})
	if _, err := h.enter(t, p); !strings.Contains(says(err), "no user of this portal has your identity") {
		t.Errorf("the same subject of another issuer: %v", err)
	}
}

func TestSignInSettingsAreValidated(t *testing.T) {
	h, _ := newOIDC(t, nil)
	for _, tt := range []struct {
		row  people.SignIn
		want string
	}{
		{people.SignIn{}, ""},
		{people.SignIn{Enabled: true, Name: "A", ClientID: "c", Issuer: "https://a.example/x"}, ""},
		{people.SignIn{Issuer: "http://127.0.0.1:8080"}, ""},
		{people.SignIn{Issuer: "http://a.example"}, "issuer"},
		{people.SignIn{Issuer: "https://a.example?x=1"}, "issuer"},
		{people.SignIn{Issuer: "https://u:p@a.example"}, "issuer"},
		{people.SignIn{Issuer: "javascript:alert(1)"}, "issuer"},
		{people.SignIn{Enabled: true, Name: "A", Issuer: "https://a.example"}, "clientId"},
		{people.SignIn{CreateUsers: true}, "groupRoles"},
		{people.SignIn{GroupRoles: []people.GroupRole{{Group: " ", RoleID: 2}}}, "groupRoles[0].group"},
		{people.SignIn{GroupRoles: []people.GroupRole{{Group: "a", Role: "nobody"}}}, "groupRoles[0].role"},
	} {
		err := h.db.Write(t.Context(), func(tx resource.Tx) error {
			return people.SignIns.Check(h.asSystem(t.Context(), tx), nil, &tt.row)
		})
		if field := fault.Of(err).Field; err == nil && tt.want != "" || err != nil && field != tt.want {
			t.Errorf("%+v: %v, want field %q", tt.row, err, tt.want)
		}
	}
	row := people.SignIn{GroupRoles: []people.GroupRole{{Group: "*", Role: "READONLY"}, {Group: "netops", RoleID: 2}}}
	must(t, h.db.Write(t.Context(), func(tx resource.Tx) error {
		return people.SignIns.Check(h.asSystem(t.Context(), tx), nil, &row)
	}))
	if got := row.RolesOf([]string{"netops"}); !slices.Equal(got, []int64{4, 2}) {
		t.Errorf("the roles are %v", got)
	}
}
