package api

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"spyglass/backend/resource"
)

// Header values that never change. Responses share them to avoid allocations.
var (
	typeJSON   = []string{"application/json"}
	noStore    = []string{"no-store"}
	nosniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	sameOrigin = []string{"same-origin"}
	version3   = []string{"3"}
	nothingIn  = []string{"default-src 'none'; frame-ancestors 'none'"}
)

// fixedHeaders sets the headers of every response.
func (x *exchange) fixedHeaders() {
	h := x.w.Header()
	h["Cache-Control"] = noStore
	h["Content-Security-Policy"] = nothingIn // for everything except the page
	h["X-Content-Type-Options"] = nosniff
	h["Referrer-Policy"] = noReferrer
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Cross-Origin-Resource-Policy"] = sameOrigin
}

// begin sends the status, with the headers of every response of the portal.
func (x *exchange) begin(status int) {
	h := x.w.Header()
	if x.mount != nil && x.mount.portal {
		h["X-Version"] = version3
	}
	if x.charged {
		h["X-Rate-Limit-Limit"] = []string{strconv.Itoa(x.limit.Requests)}
		h["X-Rate-Limit-Remaining"] = []string{strconv.Itoa(x.left)}
		h["X-Rate-Limit-Window"] = []string{strconv.Itoa(x.limit.seconds())}
	}
	x.begun = true
	took := time.Since(x.came)
	if took > time.Second { // before that, the server's own deadline, set when the request arrived, still applies
		x.extendWrite()
	}
	x.Observer.Responded(x.r.Method, status, took)
	x.w.WriteHeader(status)
}

func (x *exchange) responseHeaders(a *resource.Response) {
	h := x.w.Header()
	if a.Location != "" {
		h.Set("Location", x.mount.prefix+a.Location)
	}
	if a.ETag != "" {
		h["ETag"] = []string{a.ETag}
	}
	if a.CSRF != "" {
		h["X-CSRF-Token"] = []string{a.CSRF}
	}
	if a.SignIn != "" {
		x.setCookie(x.cookie(), a.SignIn, 0)
	}
	if a.SignOut {
		x.setCookie(x.cookie(), "", -1)
	}
	if a.Device != "" {
		x.setCookie(x.deviceCookie(), a.Device, deviceAge)
	}
}

// deviceAge is the lifetime of the cookie that identifies a browser, in
// seconds.
const deviceAge = 365 * 24 * 60 * 60

// deviceCookie returns the name of the cookie that identifies a browser at
// sign-in.
func (x *exchange) deviceCookie() string { return x.cookie() + "_device" }

// windowCookie returns the name of the cookie that identifies the desktop
// window, whichever user signs in there.
func (x *exchange) windowCookie() string { return x.cookie() + "_window" }

// fromWindow reports whether the request comes from the desktop window.
func (x *exchange) fromWindow() bool {
	known, err := x.r.Cookie(x.windowCookie())
	return err == nil && x.Sessions.IsWindow(known.Value)
}

// setCookie sets a cookie for the whole portal. age is in seconds; a negative age
// deletes the cookie, and 0 keeps it until the browser closes.
func (x *exchange) setCookie(name, secret string, age int) {
	http.SetCookie(x.w, &http.Cookie{
		Name: name, Value: secret, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: x.secure(),
	})
}

func (x *exchange) sendBody(a *resource.Response) error {
	if a.Same || x.method == http.MethodGet && a.ETag != "" &&
		resource.MatchesETag(x.r.Header.Get("If-None-Match"), a.ETag) {
		x.begin(http.StatusNotModified)
		return nil
	}
	text, err := encode(a.Body)
	if err != nil {
		return fmt.Errorf("response of %s: %w", x.route.ID(), err)
	}
	status := Success(&x.route.Endpoint)
	if x.mount.lenient {
		status, text = http.StatusOK, resource.WithoutFlags(text)
	}
	x.w.Header()["Content-Type"] = typeJSON
	x.sendPacked(status, text)
	return nil
}

func encode(body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return []byte("{}"), nil
	case resource.JSON:
		return body, nil
	case *resource.Results:
		return body.AppendJSON(nil, failure), nil
	case resource.ResultList:
		return body.AppendJSON(nil, failure), nil
	}
	return resource.Encode(body)
}

// stallTime limits how long a caller may stop reading a response.
const stallTime = 30 * time.Second

// send writes a whole response.
func (x *exchange) send(status int, body []byte) {
	x.w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.begin(status)
	if len(body) <= piece { // begin or the server has set the deadline
		_, _ = x.w.Write(body) // an error means that the client has disconnected
		return
	}
	_, _ = x.patient().Write(body)
}
