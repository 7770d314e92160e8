// Package remote connects to the remote portals of users: it signs in and out, signs
// requests, reads catalogs and tests connections.
//
// Callers need the permission Right, because a remote portal can be anything that this
// machine can reach.
//
// # Units
//
// Timeouts of portals are seconds, times epoch milliseconds.
//
// # Concurrency
//
// Portals is safe for concurrent use; its exported fields are set before the first
// use. It starts no goroutines. HangUp closes the idle connections.
//
// # Errors
//
// fault.Denied: the role may not send to other portals. fault.Offline: the portal does
// not respond as one. fault.Invalid names the field of the portal's settings that is
// wrong, or the password.
package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"spyglass/app/explorer/client"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Portals reaches the remote portals of users.
type Portals struct {
	*send.Sender
	Own      netip.AddrPort                 // where this process listens
	Networks func() (check.Networks, error) // networks that requests to remote portals may reach; nil: all
	Instance string                         // the built-in portal's id
	Demo     bool

	abroad abroad
}

// HangUp closes idle connections.
func (r *Portals) HangUp() { r.abroad.hangUp() }

// Endpoints returns the endpoints of portals.
func (r *Portals) Endpoints() []resource.Endpoint {
	portal := workspace.Portals.Schema()
	portal.Name = "PortalTrial" // for a stored portal, only the changes
	for i := range portal.Properties {
		portal.Properties[i].Required = false
	}
	try := serve.Call("POST", "/portals/test", "Test the connection to a portal", r.tryPortal)
	try.Body = &portal
	return []resource.Endpoint{
		serve.Get("/portals/all", "List the built-in and the remote portals",
			func(ctx context.Context, c *resource.Call) (*shownPortals, error) {
				all, err := r.All(ctx, c)
				return &shownPortals{all}, err
			}),
		try,
		serve.Post("/portals/{id}/session", "Sign in to a portal", &portalLogins, r.signInAt),
		serve.Call("DELETE", "/portals/{id}/session", "Sign out of a portal", r.signOutAt),
		serve.Call("POST", "/portals/{id}/catalog", "Reload a portal's catalog", r.readCatalog),
	}
}

type shownPortals struct {
	Items []Shown `json:"items"`
}

// portalLogin is the body of /portals/{id}/session.
type portalLogin struct{ Username, Password, Code string }

var portalLogins = resource.Resource[*portalLogin]{Name: "login", Label: "sign-in",
	Fields: []resource.Field[*portalLogin]{
		{Name: "username", At: func(l *portalLogin) any { return &l.Username }, Doc: "The user name at the portal",
			Required: true,
			MaxLen:   255},
		{Name: "password", At: func(l *portalLogin) any { return &l.Password }, Doc: "Not kept", Required: true,
			MaxLen: 1024},
		{Name: "code", At: func(l *portalLogin) any { return &l.Code }, Doc: "Of the authenticator app, for a user " +
			"with two-factor authentication", MaxLen: 64},
	}}

// named returns the portal with the id in the path.
func (r *Portals) named(ctx context.Context, c *resource.Call) (*workspace.Portal, error) {
	if err := mayReach(c.Access); err != nil {
		return nil, err
	}
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	return r.Workspace.PortalOf(ctx, c.Access.UserID, id)
}

// signInAt signs in to another Spyglass portal and stores the session.
func (r *Portals) signInAt(ctx context.Context, c *resource.Call, in *portalLogin) (*Shown, error) {
	p, err := r.named(ctx, c)
	if err != nil {
		return nil, err
	}
	if p.Auth != workspace.AuthSession {
		return nil, fault.New(fault.Conflict, "%s does not use a sign-in; select User name and password in its "+
			"settings first", p.Name)
	}
	t, err := r.reach(p)
	if err != nil {
		return nil, err
	}
	t.ReadOnly = false // signing in changes no data
	login := map[string]string{"username": in.Username, "password": in.Password}
	if in.Code != "" { // an older portal does not know the key
		login["code"] = in.Code
	}
	body, err := json.Marshal(login)
	if err != nil {
		return nil, err
	}
	response, text, err := r.FetchSmall(ctx, t, t.Plain("POST", "/session", string(body)))
	if err != nil {
		return nil, err
	}
	s, err := sessionOf(t, response, text)
	if err != nil {
		return nil, err
	}
	if err := r.Workspace.KeepSession(ctx, p, s); err != nil {
		return nil, err
	}
	return r.shownPortal(p)
}

// sessionOf reads the response to a sign-in.
func sessionOf(t *outgoing.Target, response *http.Response, text []byte) (*workspace.PortalSession, error) {
	var me struct {
		Username, Role, CSRFToken, ErrorMessage, Must string

		ErrorDetail struct{ SecondFactor string }
	}
	isJSON := json.Unmarshal(text, &me) == nil
	switch {
	case response.StatusCode == http.StatusUnauthorized && me.ErrorDetail.SecondFactor == "required":
		return nil, fault.At("code", "%s requires a code of your authenticator app", t.Name)
	case response.StatusCode == http.StatusUnauthorized && me.ErrorDetail.SecondFactor != "":
		return nil, fault.At("code", "%s does not accept this code; type the next one", t.Name)
	case me.Must != "":
		return nil, fault.At("password", "%s requires a new password or a second factor first; sign in on its own "+
			"page once", t.Name)
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusBadRequest && isJSON:
		return nil, fault.At("password", "%s does not accept this user name and password", t.Name)
	case response.StatusCode == http.StatusTooManyRequests:
		wait, _ := time.ParseDuration(response.Header.Get("Retry-After") + "s")
		return nil, &fault.Error{Kind: fault.TooMany, Field: "password", Message: "too many sign-ins at " + t.Name,
			RetryAfter: max(wait, time.Second)}
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return nil, &fault.Error{Kind: fault.Offline, Field: "baseUrl", Message: leadsAway(t, response)}
	case response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusMethodNotAllowed:
		return nil, &fault.Error{Kind: fault.Offline, Field: "baseUrl", Message: fmt.Sprintf("there is no sign-in at "+
			"%s (it responded with %d). Check the address: the API of a Spyglass portal ends in /api", t.URL,
			response.StatusCode)}
	case response.StatusCode > 299 || !isJSON || me.CSRFToken == "":
		return nil, &fault.Error{Kind: fault.Offline, Field: "auth", Message: fmt.Sprintf("%s does not accept a "+
			"sign-in with a user name (it responded with %d); use an API token instead", t.URL, response.StatusCode)}
	}
	for _, cookie := range response.Cookies() {
		if cookie.Value != "" && cookie.MaxAge >= 0 {
			return &workspace.PortalSession{Cookie: cookie.Name + "=" + cookie.Value, CSRF: me.CSRFToken,
				User: me.Username, Role: me.Role}, nil
		}
	}
	return nil, &fault.Error{Kind: fault.Offline, Field: "auth", Message: t.URL + " created no session; use an API " +
		"token instead"}
}

// leadsAway describes the target of a redirect that is not followed.
func leadsAway(t *outgoing.Target, response *http.Response) string {
	to, err := response.Location()
	if err != nil {
		return fmt.Sprintf("%s redirects without an address", t.Host)
	}
	return fmt.Sprintf("%s redirects to %s://%s; if that is your portal, use its address", t.Host, to.Scheme, to.Host)
}

// signed returns the portal that a call names, and the target of requests to it
// with its sign-in.
func (r *Portals) signed(ctx context.Context, c *resource.Call) (*workspace.Portal, *outgoing.Target, error) {
	p, err := r.named(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	t, err := r.reach(p)
	if err != nil {
		return nil, nil, err
	}
	t.Sign, _, err = r.wayIn(p)
	return p, t, err
}

// signOutAt deletes a session, and ends it at the portal if the portal responds.
func (r *Portals) signOutAt(ctx context.Context, c *resource.Call) (*Shown, error) {
	p, t, err := r.signed(ctx, c)
	if err != nil {
		return nil, err
	}
	t.ReadOnly, t.Timeout = false, min(t.Timeout, 5*time.Second)
	if _, _, err := r.FetchSmall(ctx, t, t.Plain("DELETE", "/session", "")); err != nil {
		r.Log.InfoContext(ctx, "a session at another portal could not be ended: no response", "portal", p.ID)
	}
	if err := r.Workspace.KeepSession(ctx, p, nil); err != nil {
		return nil, err
	}
	return r.shownPortal(p)
}

// tried is the result of a connection test to a portal.
type tried struct {
	MS       float64 `json:"ms"`
	Status   int     `json:"status"`
	Version  string  `json:"version"`
	User     string  `json:"user" doc:"user of the credential; empty if the portal does not return it"`
	Sentence string  `json:"sentence" doc:"what to do next; empty for nothing"`
	OK       bool    `json:"ok"`
	BaseURL  string  `json:"baseUrl" doc:"where the API begins; differs from the given address if that has no path"`
}

// usualPaths lists the usual base paths of the API on a host.
var usualPaths = []string{"/api", "/santaba/rest"}

// tryPortal tests the connection to a portal as described in the body.
func (r *Portals) tryPortal(ctx context.Context, c *resource.Call) (*tried, error) {
	if err := mayReach(c.Access); err != nil {
		return nil, err
	}
	p, secret, proxyPassword, err := r.Workspace.Try(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := p.MaySend(); err != nil {
		return nil, err
	}
	t := &outgoing.Target{Name: p.Name, URL: p.BaseURL, Version: r.Version, Remote: p, Catalog: r.Catalog,
		Timeout: min(time.Duration(p.Timeout)*time.Second, 15*time.Second)}
	t.Place()
	tried := *p
	tried.ID = 0
	if t.Client, err = r.dialling(&tried, proxyPassword); err != nil {
		return nil, err
	}
	defer t.Client.CloseIdle()
	if t.Sign, err = r.tryingIn(p, secret); err != nil {
		return nil, err
	}
	return r.locate(ctx, t, p)
}

// locate tests the connection to a target. If its address has no path and is not an
// API, locate also tries the usual paths.
func (r *Portals) locate(ctx context.Context, t *outgoing.Target, p *workspace.Portal) (*tried, error) {
	host := strings.TrimSuffix(t.URL, "/")
	given, err := r.whoIs(ctx, t, p)
	if err != nil || host != t.Origin || given.isPortal() {
		return given, err
	}
	for _, path := range usualPaths {
		t.URL = host + path
		t.Place()
		if found, err := r.whoIs(ctx, t, p); err == nil && found.isPortal() {
			return found, nil
		}
	}
	return given, nil
}

// isPortal reports whether the response came from the API of a portal, which has the
// path that was requested.
func (t *tried) isPortal() bool {
	return t.OK && t.Status != http.StatusNotFound && t.Status != http.StatusMethodNotAllowed
}

// tryingIn returns the authentication for a portal that is not stored yet.
func (r *Portals) tryingIn(p *workspace.Portal, secret string) (func(*outgoing.Request) [][2]string, error) {
	if p.Auth != workspace.AuthSession {
		return signing(p, secret), nil
	}
	if p.ID == 0 {
		return unsigned, nil
	}
	sign, _, err := r.wayIn(p)
	return sign, err
}

func (r *Portals) whoIs(ctx context.Context, t *outgoing.Target, p *workspace.Portal) (*tried, error) {
	began := time.Now()
	response, text, err := r.FetchSmall(ctx, t, t.Plain("GET", "/setting/version", ""))
	if err != nil {
		return nil, err
	}
	out := &tried{MS: client.Millis(time.Since(began)), Status: response.StatusCode, BaseURL: t.URL}
	var about struct {
		Version string
		Data    struct{ Version string }
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	isJSON := strings.HasSuffix(kind, "json") && json.Valid(text)
	if isJSON {
		_ = json.Unmarshal(text, &about)
		out.Version = about.Version + about.Data.Version
	}
	switch status := response.StatusCode; {
	case status >= 300 && status < 400:
		out.Sentence = leadsAway(t, response)
	case status == http.StatusUnauthorized && p.Auth == workspace.AuthSession:
		out.OK, out.Sentence = true, "Connected. Sign in to use it."
	case status == http.StatusUnauthorized && p.Auth == workspace.AuthNone:
		out.Sentence = "Connected, but it requires authentication: choose a token, or a user name and password."
	case status == http.StatusUnauthorized:
		return nil, fault.At("secret", "%s rejects this credential", t.Host)
	case status == http.StatusProxyAuthRequired:
		return nil, fault.At("proxyPassword", "the proxy rejects its user name or password")
	case status >= 500:
		out.Sentence = fmt.Sprintf("It responds with an error (%s). Try again later.", response.Status)
	case !isJSON:
		out.Sentence = fmt.Sprintf("This address responds, but it is not an API (%s). Check the path: the API of a "+
			"Spyglass portal ends in /api.", kindName(kind))
	case status > 299:
		out.OK, out.Sentence = true, "Connected. It is an API, but not a Spyglass portal."
	default:
		out.OK = true
		out.User, err = r.fetchUser(ctx, t)
	}
	return out, err
}

func kindName(kind string) string {
	if kind == "" {
		return "no content type"
	}
	return kind
}

// fetchUser returns the name of the user whose credentials are used, if the portal
// reports it.
func (r *Portals) fetchUser(ctx context.Context, t *outgoing.Target) (string, error) {
	response, text, err := r.FetchSmall(ctx, t, t.Plain("GET", "/session", ""))
	if err != nil {
		return "", err
	}
	var me struct{ Username string }
	if response.StatusCode != http.StatusOK || json.Unmarshal(text, &me) != nil {
		return "", nil
	}
	return me.Username, nil
}
