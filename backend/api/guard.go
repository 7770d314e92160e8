package api

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/session"
)

// guard checks a request to an endpoint, and counts it towards its limit even if
// it is refused.
func (x *exchange) guard() error {
	if err := x.check(); err != nil {
		return x.chargeRefusal(err)
	}
	return nil
}

// check applies every rule for a request before the endpoint itself runs. The
// order matters: before the caller is authenticated, no check reveals permissions
// or counts against an endpoint's limit.
func (x *exchange) check() error {
	if err := x.checkHost(); err != nil {
		return err
	}
	if x.foreign() {
		return errForeign
	}
	if err := x.checkSingle(); err != nil {
		return err
	}
	if err := x.find(); err != nil {
		return err
	}
	if err := x.identify(); err != nil {
		return err
	}
	if err := x.checkToken(); err != nil {
		return err
	}
	if err := x.checkFinished(); err != nil {
		return err
	}
	if err := x.narrow(); err != nil {
		return err
	}
	if err := x.checkRight(); err != nil {
		return err
	}
	if err := x.charge(); err != nil {
		return err
	}
	if x.Trouble != nil && x.mount.portal {
		if err := x.Trouble(x.r.Context(), &x.route.Endpoint); err != nil {
			return err
		}
	}
	return x.checkType()
}

var (
	errForeign = fault.New(fault.Denied, "a page of another origin cannot send requests to this portal")
	errNoLogin = fault.New(fault.NoLogin, "you are not signed in; sign in, or send an API token")
	errLimited = fault.New(fault.Denied, "a caller that is limited to a role cannot use the Explorer, because its "+
		"history has responses that only the whole user may view")
	errBounded = fault.New(fault.Denied, "a token that expires or is limited to a role cannot change users, roles, "+
		"tokens or reports, because these could give it more permissions")
	errPreview = fault.New(fault.Denied, "a preview as another role can only read; send a GET that changes nothing")
	errForged  = fault.New(fault.Denied, "the X-CSRF-Token header does not match this session; send a GET with "+
		"X-CSRF-Token: Fetch to get the token")
	errSlow = &fault.Error{
		Kind: fault.Busy, RetryAfter: maxQuery,
		Message: "this takes longer than 2 seconds; request less, with a smaller size or a narrower filter, or try " +
			"again when the portal has less to do",
	}
)

// checkHost refuses host names that an attacker points to this address (DNS
// rebinding).
func (x *exchange) checkHost() error {
	sites, names := x.hosts, x.Hosts
	if !x.Secure && x.secure() {
		sites, names = x.HTTPS.now()
	}
	if x.site = sites[x.r.Host]; x.site == nil {
		return fault.New(fault.Denied, "this portal is available only at %s", strings.Join(names, " and "))
	}
	return nil
}

// secure reports whether the request came over TLS.
func (x *exchange) secure() bool { return x.Secure || x.r.TLS != nil }

// cookie returns the name of the session cookie: browsers accept __Host- only over TLS.
func (x *exchange) cookie() string {
	if x.secure() {
		return x.secureCookie
	}
	return x.plainCookie
}

// foreign reports whether the request comes from a page of another origin
// (trust.md, rule 2). Clients other than browsers send neither header.
func (x *exchange) foreign() bool {
	for _, origin := range x.r.Header["Origin"] {
		if origin != x.site.origin {
			return true
		}
	}
	for _, from := range x.r.Header["Sec-Fetch-Site"] {
		if from != "same-origin" && from != "none" {
			return true
		}
	}
	return false
}

// navigates reports whether a browser is opening a page in its own window. A link
// on a foreign page may do that, because it changes nothing and that page cannot
// read the response.
func (x *exchange) navigates() bool {
	h := x.r.Header
	return x.r.Method == http.MethodGet && h.Get("Sec-Fetch-Mode") == "navigate" &&
		h.Get("Sec-Fetch-Dest") == "document"
}

// singletons lists security-relevant headers that must not be repeated (RFC 9110,
// 5.3).
var singletons = []string{"Authorization", "X-Csrf-Token", "Content-Type", asRole}

func (x *exchange) checkSingle() error {
	for _, name := range singletons {
		if len(x.r.Header[name]) > 1 {
			return fault.At(name, "the request has %d %s headers; send one", len(x.r.Header[name]), name)
		}
	}
	return nil
}

func (x *exchange) find() error {
	if x.route, x.values = x.mount.root.find(x.method, x.path, nil); x.route != nil {
		return nil
	}
	allowed := x.mount.root.allowed(x.path)
	if len(allowed) == 0 {
		return fault.New(fault.Unknown, "there is no endpoint at this path; GET /api/openapi.json lists all endpoints")
	}
	x.w.Header().Set("Allow", strings.Join(allowed, ", "))
	return fault.New(fault.NoMethod, "this path supports only %s", strings.Join(allowed, ", "))
}

// asRole is the header with the id of a role: an administrator reads as its holders
// would.
const asRole = "X-Spyglass-As-Role"

// narrow limits the access of the caller to that of the role that a preview names. A
// GET that requires more than read access, such as one that creates a token, is no
// preview.
func (x *exchange) narrow() error {
	role, ok := x.r.Header[asRole]
	if !ok {
		return nil
	}
	if x.method != http.MethodGet || x.route.Right.Op > resource.Read {
		return errPreview
	}
	access, err := x.Sessions.AsRole(x.r.Context(), x.access, role[0], x.path, x.remote())
	if err == nil {
		x.access = access
	}
	return err
}

// identify authenticates the caller. If there is an Authorization header, it
// decides alone: an invalid one is refused even with a valid cookie. If the
// endpoint requires no sign-in, an expired cookie is ignored.
func (x *exchange) identify() error {
	ctx := x.r.Context()
	if authorization := x.r.Header.Get("Authorization"); authorization != "" {
		if scheme, _, _ := strings.Cut(authorization, " "); strings.EqualFold(scheme, "LMv1") { // it signs the body
			if err := x.Sessions.CheckSigner(ctx, authorization, x.remote()); err != nil {
				return err
			}
			if err := x.readBody(maxSigned); err != nil {
				return err
			}
		}
		var err error
		x.access, err = x.Sessions.ByToken(ctx, authorization, x.tokenRequest())
		return err
	}
	open := x.route.Right.Object == resource.Open
	cookie, err := x.r.Cookie(x.cookie())
	if err == nil {
		if x.session, err = x.Sessions.ByCookie(ctx, cookie.Value); err == nil {
			x.access = x.session.Access
			return nil
		}
		x.session = nil
		if open && fault.Is(err, fault.NoLogin) {
			return nil
		}
		return err
	}
	if open {
		return nil
	}
	return errNoLogin
}

func (x *exchange) tokenRequest() session.TokenRequest {
	decoded, ok := strings.CutPrefix(x.r.URL.Path, x.mount.prefix)
	if !ok {
		decoded = x.path
	}
	return session.TokenRequest{Method: x.r.Method, Path: x.path, DecodedPath: decoded, Body: x.body,
		Remote: x.remote()}
}

// checkToken requires the CSRF token if only the cookie, which browsers send
// automatically, would allow a write. A read may fetch the token.
func (x *exchange) checkToken() error {
	if x.session == nil {
		return nil
	}
	token := x.r.Header.Get("X-Csrf-Token")
	if x.method == http.MethodGet {
		if strings.EqualFold(token, "fetch") {
			x.w.Header()["X-CSRF-Token"] = []string{x.session.CSRF}
		}
		return nil
	}
	if x.route.Right.Object == resource.Open {
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(x.session.CSRF)) != 1 {
		return errForged
	}
	return nil
}

// unfinished are the errors of a session whose user must complete a step first.
var unfinished = map[string]*fault.Error{
	session.MustChangePassword: {Kind: fault.Denied, Message: "you must change your password first; send PUT " +
		"/session/password", Detail: map[string]any{"must": session.MustChangePassword}},
	session.MustSetUp2FA: {Kind: fault.Denied, Message: "you must set up two-factor authentication first; send POST " +
		"/session/2fa", Detail: map[string]any{"must": session.MustSetUp2FA}},
}

// checkFinished refuses everything but the next step to a session that must complete it.
func (x *exchange) checkFinished() error {
	if x.session == nil || x.session.Must == "" || x.route.Unfinished || x.route.Right.Object == resource.Open {
		return nil
	}
	return unfinished[x.session.Must]
}

func (x *exchange) checkRight() error {
	if x.access.Limited() && x.mount.prefix == explorer.prefix {
		return errLimited
	}
	if x.access.May(x.route.Right) {
		return nil
	}
	if x.access.Bounded() && x.route.Right.Lasts() {
		return errBounded
	}
	right := x.route.Right.String()
	f := fault.New(fault.Denied, "your role does not have the permission %s", right)
	f.Detail = map[string]any{"right": right}
	return f
}
