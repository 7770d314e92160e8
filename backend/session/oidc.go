package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc" // Apache-2.0: discovery, keys and ID tokens
	"golang.org/x/oauth2"               // BSD-3-Clause: the authorization code flow

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// OIDC configures signing in with OpenID Connect.
type OIDC struct {
	Serve  bool   // whether the portal offers it
	Secret string // of the client; the settings' own comes first
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

// Redirect is the first step of a sign-in at a provider.
type Redirect struct {
	URL    string // at the provider
	Cookie string // binds the browser to the response
}

// RedirectLasts is the longest time of a sign-in at a provider.
const RedirectLasts = 10 * time.Minute

const (
	providerTimeout = 10 * time.Second
	maxProviderBody = 1 << 20
	// providerLasts is the lifetime of the cached discovery document of a provider. It is
	// short: a sign-in must not lead the browser to a provider that no longer responds.
	providerLasts = time.Minute

	statePlace = "oidc cookie" // no other sealed value is accepted as a cookie
)

// redirectState is the encrypted content of the cookie of a Redirect: any node of the
// portal can complete the sign-in.
type redirectState struct {
	State, Nonce, Verifier, Issuer string

	Begun int64 // Unix seconds
}

// provider is the cached discovery document of an issuer.
type provider struct {
	mu     sync.Mutex
	issuer string
	found  *oidc.Provider
	at     time.Duration
}

// ProviderName returns the name on the sign-in page's button; "" for no button.
func (s *Service) ProviderName(ctx context.Context) (string, error) {
	settings, err := s.oidcSettings(ctx)
	if err != nil || settings == nil {
		return "", err
	}
	return settings.Name, nil
}

// oidcSettings returns the settings; nil if the portal does not offer it.
func (s *Service) oidcSettings(ctx context.Context) (*people.SignIn, error) {
	if !s.o.OIDC.Serve {
		return nil, nil
	}
	settings, err := resource.Lookup(ctx, s.db, people.SignInRows, people.SignInID)
	if err != nil || settings == nil || !settings.Enabled {
		return nil, err
	}
	return settings, nil
}

// BeginOIDC begins a sign-in at the provider. origin is that of the portal's page to
// which the provider sends the browser back.
func (s *Service) BeginOIDC(ctx context.Context, origin string) (*Redirect, error) {
	settings, client, err := s.oidcClient(ctx, origin)
	if err != nil {
		return nil, err
	}
	state := redirectState{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Issuer: settings.Issuer, Begun: s.clock().Unix()}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return &Redirect{
		URL:    client.AuthCodeURL(state.State, oidc.Nonce(state.Nonce), oauth2.S256ChallengeOption(state.Verifier)),
		Cookie: s.db.Seal(statePlace, text),
	}, nil
}

// oidcClient returns the settings, and the portal as a client of their provider.
func (s *Service) oidcClient(ctx context.Context, origin string) (*people.SignIn, *oauth2.Config, error) {
	settings, err := s.oidcSettings(ctx)
	if err != nil {
		return nil, nil, err
	}
	if settings == nil {
		return nil, nil, fault.New(fault.Unknown, "signing in with a provider is turned off")
	}
	at, err := s.provider(settings)
	if err != nil {
		return nil, nil, err
	}
	scopes := []string{oidc.ScopeOpenID}
	for _, scope := range strings.Fields(settings.Scopes) {
		if scope != oidc.ScopeOpenID {
			scopes = append(scopes, scope)
		}
	}
	return settings, &oauth2.Config{
		ClientID: settings.ClientID, ClientSecret: cmp.Or(settings.ClientSecret, s.o.OIDC.Secret),
		Endpoint: at.Endpoint(), RedirectURL: origin + "/oidc/callback", Scopes: scopes,
	}, nil
}

// provider returns the issuer's discovery document, from memory if it is recent.
func (s *Service) provider(settings *people.SignIn) (*oidc.Provider, error) {
	p := &s.oidc
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil && p.issuer == settings.Issuer && s.now()-p.at < providerLasts {
		return p.found, nil
	}
	// its keys are read later, too: the context of a request must not end it
	found, err := oidc.NewProvider(oidc.ClientContext(context.Background(), s.oidcHTTP), settings.Issuer)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Offline, Message: settings.Name + " does not respond as an OpenID " +
			"Connect provider; try again later, or sign in with a password", Err: err}
	}
	p.issuer, p.found, p.at = settings.Issuer, found, s.now()
	return found, nil
}

// newOIDCClient returns the HTTP client for providers: bounded in time and size. It
// follows no redirects, which could lead the client secret to another host.
func newOIDCClient(o OIDC) *http.Client {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Timeout: providerTimeout, CheckRedirect: stay, Transport: limited{&http.Transport{
		DialContext: dial, TLSHandshakeTimeout: providerTimeout, MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}}}
}

// limited caps the bodies of responses.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxProviderBody), response.Body}
	}
	return response, err
}

// FinishOIDC completes a sign-in: query is what the provider sent through the browser,
// cookie that of BeginOIDC. It also returns the secret by which the browser is
// recognized next time.
func (s *Service) FinishOIDC(ctx context.Context, origin, cookie string, query url.Values, remote string) (
	sess *Session, device string, err error) {
	ctx, cancel := context.WithTimeout(ctx, providerTimeout)
	defer cancel()
	ctx = oidc.ClientContext(ctx, s.oidcHTTP)
	settings, client, err := s.oidcClient(ctx, origin)
	if err != nil {
		return nil, "", err
	}
	state, ok := s.stateOfCookie(cookie)
	if !ok || subtle.ConstantTimeCompare([]byte(state.State), []byte(query.Get("state"))) != 1 ||
		state.Issuer != settings.Issuer {
		return nil, "", fault.New(fault.NoLogin, "this sign-in was not begun in this browser, or more than 10 minutes "+
			"ago; begin again")
	}
	if reason := query.Get("error"); reason != "" {
		return nil, "", fault.New(fault.NoLogin, "%s refused the sign-in: %q", settings.Name,
			cmp.Or(query.Get("error_description"), reason))
	}
	keys := []digest{digestOf("provider from " + network(remote))} // each attempt is a request to the provider
	if err := s.beginAttempt(ctx, keys); err != nil {
		return nil, "", err
	}
	who, err := s.exchange(ctx, settings, client, state, query.Get("code"))
	if err != nil {
		s.failedAttempt(ctx, keys)
		s.log.WarnContext(ctx, "a sign-in with OpenID Connect failed", "issuer", settings.Issuer, "err", err)
		s.note(ctx, s.change("sign-in-failed", "unknown", "Failed to sign in with "+settings.Name, remote))
		return nil, "", err
	}
	s.succeededAttempt(ctx, keys, keys[0])
	userID, err := s.acceptIdentity(ctx, settings, who)
	if err != nil {
		s.note(ctx, s.change("sign-in-failed", cmp.Or(who.username(), "unknown"),
			"Failed to sign in with "+settings.Name, remote))
		return nil, "", err
	}
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, "", err
	}
	user := everyone.byID[userID]
	if user == nil || !user.maySignIn() {
		return nil, "", errSuspended()
	}
	if sess, err = s.open(ctx, user, false, steps{}); err != nil { // the provider requires second factors
		return nil, "", err
	}
	s.recordSignIn(ctx, user, "", remote)
	return sess, s.device(userID), nil
}

func errSuspended() error {
	return fault.New(fault.NoLogin, "the user is suspended or may use only API tokens; ask an administrator")
}

func (s *Service) stateOfCookie(cookie string) (state redirectState, ok bool) {
	text, err := s.db.Unseal(statePlace, cookie)
	if cookie == "" || err != nil || json.Unmarshal(text, &state) != nil || state.State == "" {
		return state, false
	}
	age := s.clock().Sub(time.Unix(state.Begun, 0))
	return state, age >= -time.Minute && age <= RedirectLasts
}

// identity holds the claims of a provider about a user.
type identity struct {
	issuer, subject string
	claims          map[string]any
}

// text returns a claim without control characters, at most 128 bytes of it; "" if it is
// missing.
func (i *identity) text(claim string) string {
	text, _ := i.claims[claim].(string)
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text))
	return strings.ToValidUTF8(text[:min(len(text), 128)], "")
}

// username returns a valid user name for a new user.
func (i *identity) username() string {
	name := cmp.Or(i.text("preferred_username"), i.text("email"), i.text("sub"))
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(":/\\ ", r) {
			return '-'
		}
		return r
	}, name)
}

// groups returns the values of a claim, which is a list of texts or one text.
func (i *identity) groups(claim string) (all []string) {
	switch value := i.claims[claim].(type) {
	case string:
		all = append(all, value)
	case []any:
		for _, v := range value {
			if text, ok := v.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// exchange exchanges the code for an ID token, and verifies it.
func (s *Service) exchange(ctx context.Context, settings *people.SignIn, client *oauth2.Config,
	state redirectState, code string) (*identity, error) {
	at, err := s.provider(settings)
	if err != nil {
		return nil, err
	}
	tokens, err := client.Exchange(ctx, code, oauth2.VerifierOption(state.Verifier))
	if err != nil {
		if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.Response.StatusCode < 500 {
			return nil, &fault.Error{Kind: fault.NoLogin, Message: settings.Name + " did not accept the sign-in of " +
				"this portal; begin again, and check the client id and secret in the settings", Err: err}
		}
		return nil, &fault.Error{Kind: fault.Offline, Message: settings.Name + " does not respond; try again later, " +
			"or sign in with a password", Err: err}
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := at.Verifier(&oidc.Config{ClientID: settings.ClientID, Now: s.clock}).Verify(ctx, raw)
	if err != nil {
		return nil, &fault.Error{Kind: fault.NoLogin, Message: "the response of " + settings.Name + " is not valid: " +
			"expired, for another client, or not signed by it; begin again", Err: err}
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(state.Nonce)) != 1 {
		return nil, fault.New(fault.NoLogin, "the response of %s belongs to another sign-in; begin again",
			settings.Name)
	}
	if token.Subject == "" {
		return nil, fault.New(fault.NoLogin, "the response of %s names no user", settings.Name)
	}
	who := &identity{issuer: token.Issuer, subject: token.Subject}
	if err := token.Claims(&who.claims); err != nil {
		return nil, err
	}
	s.addUserInfo(ctx, at, settings, oauth2.StaticTokenSource(tokens), who)
	return who, nil
}

// addUserInfo adds claims that the ID token lacks. A provider may send those of the scopes
// profile and email only from its UserInfo endpoint (OpenID Connect Core 1.0, section 5.4).
// If the endpoint fails, the ID token has to do.
func (s *Service) addUserInfo(ctx context.Context, at *oidc.Provider, settings *people.SignIn,
	tokens oauth2.TokenSource, who *identity) {
	lacksGroups := len(settings.GroupRoles) > 0 && who.claims[settings.GroupsClaim] == nil
	lacksName := settings.CreateUsers && who.claims["preferred_username"] == nil
	if at.UserInfoEndpoint() == "" || !lacksGroups && !lacksName {
		return
	}
	more := map[string]any{}
	info, err := at.UserInfo(ctx, tokens)
	if err == nil {
		err = info.Claims(&more)
	}
	if err != nil {
		s.log.WarnContext(ctx, "the UserInfo endpoint failed", "issuer", settings.Issuer, "err", err)
		return
	}
	if info.Subject != who.subject { // of another user
		return
	}
	for _, claim := range []string{"preferred_username", "email", "given_name", "family_name", settings.GroupsClaim} {
		if who.claims[claim] == nil {
			who.claims[claim] = more[claim]
		}
	}
}

// acceptIdentity returns the id of the user with this identity, with renewed roles. It
// creates the user if the settings allow it.
func (s *Service) acceptIdentity(ctx context.Context, settings *people.SignIn, who *identity) (id int64, err error) {
	roles := settings.RolesOf(who.groups(settings.GroupsClaim))
	if len(settings.GroupRoles) > 0 && len(roles) == 0 {
		return 0, fault.New(fault.NoLogin, "you are in none of the groups that may sign in; ask an administrator of "+
			"this portal")
	}
	ctx = s.asPortal(ctx)
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		found, err := resource.Find(ctx, tx, people.UserRows,
			resource.Where{Field: "oidcSubject", Op: "=", Value: who.subject})
		if err != nil {
			return err
		}
		for i := range found {
			if found[i].OIDCIssuer == who.issuer && found[i].OIDCSubject == who.subject {
				id = found[i].ID
				return s.renewRoles(ctx, tx, &found[i], roles)
			}
		}
		if !settings.CreateUsers {
			return fault.New(fault.NoLogin, "no user of this portal has your identity at %s; ask an administrator to "+
				"add a user with the OpenID subject %s", settings.Name, who.subject)
		}
		id, err = s.addIdentity(ctx, tx, settings, who, roles)
		return err
	})
	return id, err
}

// renewRoles gives a user the roles of their groups, if the settings have any.
func (s *Service) renewRoles(ctx context.Context, tx resource.Tx, u *people.User, roles []int64) error {
	if p := (&person{row: *u}); !p.maySignIn() {
		return errSuspended()
	}
	if len(roles) == 0 || people.HoldsExactly(u, roles) {
		return nil
	}
	now := *u
	now.Roles = people.RefsTo(roles)
	if err := people.Users.Check(s.asSystem(ctx, tx), u, &now); err != nil {
		return err
	}
	return resource.Put(ctx, tx, people.UserRows, &now)
}

func (s *Service) addIdentity(ctx context.Context, tx resource.Tx, settings *people.SignIn, who *identity,
	roles []int64) (int64, error) {
	u, err := people.Users.Defaults()
	if err != nil {
		return 0, err
	}
	u.Username = who.username()
	u.FirstName, u.LastName, u.Email = who.text("given_name"), who.text("family_name"),
		mailOf(cmp.Or(who.text("email"), u.Username))
	u.OIDCIssuer, u.OIDCSubject, u.Roles = who.issuer, who.subject, people.RefsTo(roles)
	same, err := resource.Find(ctx, tx, people.UserRows, resource.Where{Field: "username", Op: "=", Value: u.Username})
	if err != nil {
		return 0, err
	}
	if len(same) > 0 { // never taken over by name: the provider may not be where it comes from
		return 0, fault.New(fault.NoLogin, "there is a user %s already, without your identity at %s; ask an "+
			"administrator to set its OpenID subject to %s", u.Username, settings.Name, who.subject)
	}
	if err := people.Users.Check(s.asSystem(ctx, tx), nil, u); err != nil {
		return 0, err
	}
	err = resource.Put(ctx, tx, people.UserRows, u)
	return u.ID, err
}
