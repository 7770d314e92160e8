package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

func TestEachPageLoadHasItsOwnNonce(t *testing.T) {
	p := newPortal(t, nil)
	const policy = `^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-([A-Z2-7]{26})'; img-src 'self' ` +
		`data:; font-src 'self'; connect-src 'self'; frame-src 'none'; object-src 'none'; base-uri 'none'; ` +
		`form-action 'self'; frame-ancestors 'none'$`
	seen := map[string]bool{}
	for _, path := range []string{"/", "/monitor", "/monitor/devices/7", "/index", "/apiary"} {
		response, text := p.request("GET "+path, "", "")
		m := regexp.MustCompile(policy).FindStringSubmatch(response.Header.Get("Content-Security-Policy"))
		if response.StatusCode != 200 || m == nil {
			t.Fatalf("%s returns %d with the policy %q", path, response.StatusCode,
				response.Header.Get("Content-Security-Policy"))
		}
		if want := `<html><head><meta name="csp-nonce" content="` + m[1] +
			`" /><title>Spyglass</title></head></html>`; text != want {
			t.Errorf("%s returns %s, want %s", path, text, want)
		}
		if seen[m[1]] {
			t.Errorf("the nonce %s came twice", m[1])
		}
		seen[m[1]] = true
		if response.Header.Get("Cache-Control") != "no-store" ||
			response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s has the headers %v", path, response.Header)
		}
	}
}

func TestPageCanBeOpenedCrossSiteButNotRead(t *testing.T) {
	p := newPortal(t, nil)
	const open = "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document"
	for _, tt := range []struct {
		do, head string
		code     int
	}{
		{"GET /", "Sec-Fetch-Site: cross-site\n" + open, 200},
		{"GET /monitor", "Sec-Fetch-Site: same-site\n" + open, 200},
		{"GET /launch?t=x", "Sec-Fetch-Site: cross-site\n" + open, 401},
		{"GET /", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe", 403},
		{"GET /", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: cors\nSec-Fetch-Dest: empty", 403},
		{"GET /", "Origin: https://evil.example", 403},
		{"POST /launch?t=x", "Sec-Fetch-Site: cross-site\n" + open, 403},
		{"GET /spyglass.svg", "Sec-Fetch-Site: cross-site\n" + open, 403},
		{"GET /spyglass.svg", "Sec-Fetch-Site: same-origin\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: image", 200},
	} {
		if response, text := p.request(tt.do, "", "", strings.Split(tt.head, "\n")...); response.StatusCode != tt.code {
			t.Errorf("%s with %q returns %d %s, want %d", tt.do, tt.head, response.StatusCode, text, tt.code)
		}
	}
}

func TestAssetsAreCachedByName(t *testing.T) {
	p := newPortal(t, nil)
	js := strings.Repeat("export const answer = 42\n", 20)
	response, _ := p.request("GET /assets/app-4f.js", "", "")
	tag := response.Header.Get("ETag")
	p.play(t, []scenario{
		{do: "GET /assets/app-4f.js", code: 200, want: js, headers: "Content-Type: text/javascript; charset=utf-8\n" +
			"Cache-Control: public, max-age=31536000, immutable\nVary: Accept-Encoding"},
		{do: "GET /assets/app-4f.js", head: "If-None-Match: " + tag, code: 304},
		{do: "GET /assets/app-4f.js", head: "If-None-Match: \"other\"", code: 200, want: js},
		{do: "GET /spyglass.svg", code: 200, want: "<svg/>", headers: "Content-Type: image/svg+xml\nCache-Control: " +
			"no-cache"},
		// too small to benefit from compression
		{do: "GET /spyglass.svg", head: "Accept-Encoding: gzip;q=1", code: 200, want: "<svg/>",
			headers: "Content-Encoding:"},
		{do: "GET /missing.js", code: 404, want: `{"errorMessage":"there is no such file","errorCode":1404,` +
			`"errorDetail":null}`, headers: "Cache-Control: no-store"},
		{do: "GET /.gitkeep", code: 404, want: `{"errorMessage":"there is no such file","errorCode":1404,` +
			`"errorDetail":null}`},
		{do: "GET /../go.mod", code: 404, want: `{"errorMessage":"there is no such file","errorCode":1404,` +
			`"errorDetail":null}`},
		{do: "POST /", code: 405, want: `{"errorMessage":"this path supports only GET, HEAD","errorCode":1405,` +
			`"errorDetail":null}`, headers: "Allow: GET, HEAD"},
		{do: "HEAD /", code: 200},
		{do: "HEAD /launch?t=x", code: 405, headers: "Allow: GET"},
	})
	if response,
		text := p.request("GET /assets/app-4f.js", "", "",
		"Accept-Encoding: gzip, deflate, br, zstd"); response.Header.Get(
		"Content-Encoding") != "" || text != js {
		t.Errorf("a browser on this machine gets %v", response.Header)
	}
	response, packed := p.request("GET /assets/app-4f.js", "", "", "Accept-Encoding: br, gzip;q=0.8")
	z, err := gzip.NewReader(bytes.NewReader([]byte(packed)))
	must(t, err)
	if text, err := io.ReadAll(z); err != nil || string(text) != js ||
		response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("packed it is %q, %v, %v", text, err, response.Header)
	}
	if response, text := p.request("GET /assets/app-4f.js", "", "", "Accept-Encoding: gzip;q=0"); response.Header.Get(
		"Content-Encoding") != "" || text != js {
		t.Errorf("a caller that does not accept gzip gets %v", response.Header)
	}
}

func TestLaunchTokenSignsInOnce(t *testing.T) {
	p := newPortal(t, nil)
	id, err := p.sessions.UserID(t.Context(), "admin")
	must(t, err)
	token := p.sessions.Launch(id, true)
	response, text := p.request("GET /launch?t="+token, "", "", "Sec-Fetch-Site: cross-site",
		"Sec-Fetch-Mode: navigate",
		"Sec-Fetch-Dest: document")
	if response.StatusCode != 200 || !strings.Contains(text, `<meta name="csp-nonce"`) {
		t.Fatalf("returns %d %s, want the page", response.StatusCode, text)
	}
	cookies := response.Cookies()
	if len(cookies) != 2 || !cookies[0].HttpOnly {
		t.Fatalf("the cookies are %v", response.Header["Set-Cookie"])
	}
	p.who["window"] = login{cookie: cookies[0].Value}
	if response, text := p.request("GET /api/session", "window", ""); response.StatusCode != 200 {
		t.Errorf("the cookie returns %d %s", response.StatusCode, text)
	}
	response, text = p.request("GET /launch?t="+token, "", "")
	if response.StatusCode != 401 || response.Header.Get("Set-Cookie") != "" ||
		!strings.Contains(text, `<a href="/">Go to Spyglass</a>`) {
		t.Errorf("the second time it returns %d %s", response.StatusCode, text)
	}
	if got, want := response.Header.Get("Content-Security-Policy"),
		"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"; got != want {
		t.Errorf("the policy is %q, want %q", got, want)
	}
}

func TestWindowIsRecognizedForEveryUser(t *testing.T) {
	p := newPortal(t, func(o *Options) {
		o.Explorer = append(o.Explorer, resource.Endpoint{
			Method: "GET", Path: "/window", Right: resource.Right{Object: resource.Anyone},
			Handle: func(_ context.Context, c *resource.Call) (any, error) {
				return map[string]any{"window": c.Session.Window}, nil
			},
		})
	})
	id, err := p.sessions.UserID(t.Context(), "admin")
	must(t, err)
	launch := func(persistent bool) []*http.Cookie {
		response, _ := p.request("GET /launch?t="+p.sessions.Launch(id, persistent), "", "")
		return response.Cookies()
	}
	cookies := launch(true)
	if len(cookies) != 2 || cookies[1].Name != "spyglass_t1_window" || !cookies[1].HttpOnly ||
		cookies[1].SameSite != http.SameSiteStrictMode || cookies[1].MaxAge != 0 {
		t.Fatalf("the cookies are %v", cookies)
	}
	if others := launch(false); len(others) != 1 {
		t.Errorf("a client that is not a window gets %v", others)
	}
	window := "spyglass_t1_window=" + cookies[1].Value
	for _, tt := range []struct {
		what, cookies, want string
	}{
		{"who launched it", "spyglass_t1=" + cookies[0].Value + "; " + window, `{"window":true}`},
		{"the launch's session elsewhere", "spyglass_t1=" + cookies[0].Value, `{"window":false}`},
		{"another user in the window", "spyglass_t1=" + p.who["admin"].cookie + "; " + window, `{"window":true}`},
		{"another user elsewhere", "spyglass_t1=" + p.who["admin"].cookie, `{"window":false}`},
		{"a guess", "spyglass_t1=" + p.who["admin"].cookie + "; spyglass_t1_window=guess", `{"window":false}`},
		{"the session as the window's secret", "spyglass_t1=" + cookies[0].Value + "; spyglass_t1_window=" +
			cookies[0].Value, `{"window":false}`},
		{"the window, with nobody signed in", window, `{"errorMessage":"you are not signed in; sign in,` +
			` or send an API token","errorCode":1401,"errorDetail":null}`},
	} {
		if _, text := p.request("GET /explorer/window", "", "", "Cookie: "+tt.cookies); text != tt.want {
			t.Errorf("%s: returns %s, want %s", tt.what, text, tt.want)
		}
	}
}

func TestMissingPageSaysHowToBuildIt(t *testing.T) {
	p := newPortal(t, func(o *Options) { o.Page = nil })
	if response, text := p.request("GET /", "", ""); response.StatusCode != 200 ||
		!strings.Contains(text, "go run ./build run") {
		t.Errorf("returns %d %s", response.StatusCode, text)
	}
}
