package api

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/session"
)

// page is the built UI, held in memory.
type page struct {
	start         []byte // of index.html, up to the place of its theme
	before, after []byte // the rest of it, around the nonce
	files         map[string]*file
}

const nonceTag = `<meta name="csp-nonce" content="`

// newPage reads the built UI. If there is none, the page says how to build it.
func newPage(from fs.FS) (*page, error) {
	p := &page{files: map[string]*file{}}
	index := []byte("<!doctype html><meta charset=utf-8><title>Spyglass</title><p>The page has not been built: " +
		"<code>go run ./build run</code> does so. The API is at <a href=/api/setting/version>/api</a>.")
	if from != nil {
		err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(path.Base(name), ".") {
				return err
			}
			if name == "index.html" {
				index, err = fs.ReadFile(from, name)
			} else {
				p.files["/"+name] = newFile(kindOf(name), func() ([]byte, error) { return fs.ReadFile(from, name) })
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the page: %w", err)
		}
	}
	if i := bytes.Index(index, []byte("<html")); i >= 0 {
		p.start, index = index[:i+len("<html")], index[i+len("<html"):]
	}
	p.before, p.after = index, nil
	if i := bytes.Index(index, []byte(nonceTag)); i >= 0 {
		i += len(nonceTag)
		end := bytes.IndexByte(index[i:], '"')
		if end < 0 {
			return nil, errors.New("read the page: the csp-nonce tag of index.html is not closed")
		}
		p.before, p.after = index[:i], index[i+end:]
	}
	return p, nil
}

// servePage handles paths outside of the mounts: a file of the page, /launch,
// or the page itself, whose views have paths without an extension.
func (x *exchange) servePage() error {
	if err := x.checkHost(); err != nil {
		return err
	}
	view := path.Ext(x.path) == ""
	if x.foreign() && !(view && x.navigates()) {
		return errForeign
	}
	allowed := "GET, HEAD"
	if once := x.path == "/launch" || x.path == oidcStart || x.path == oidcCallback; once { // HEAD uses up no token
		allowed = http.MethodGet
	}
	if x.method != http.MethodGet || allowed == http.MethodGet && x.r.Method == http.MethodHead {
		x.w.Header().Set("Allow", allowed)
		return fault.New(fault.NoMethod, "this path supports only %s", allowed)
	}
	switch f := x.page.files[x.path]; {
	case x.path == "/launch":
		return x.launch()
	case x.path == oidcStart:
		return x.beginOIDC()
	case x.path == oidcCallback:
		return x.finishOIDC()
	case f != nil:
		delete(x.w.Header(), "Content-Security-Policy") // the page's own policy covers its parts
		if strings.HasPrefix(x.path, "/assets/") {      // their names contain a hash of their content
			return f.serve(x, "public, max-age=31536000, immutable")
		}
		return f.serve(x, "no-cache")
	case view:
		x.sendPage(x.look())
		return nil
	}
	return fault.New(fault.Unknown, "there is no such file")
}

// The page's rules (trust.md, rule 5); the nonce is for styles that libraries
// add.
const (
	policyBefore = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"
	policyAfter  = "'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'none'; object-src " +
		"'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

func (x *exchange) sendPage(look Look) {
	nonce := rand.Text()
	h := x.w.Header()
	h["Content-Type"] = []string{kinds[".html"]}
	h["Content-Security-Policy"] = []string{policyBefore + nonce + policyAfter}
	body := bytes.Clone(x.page.start)
	if body != nil {
		for _, name := range slices.Sorted(maps.Keys(look)) {
			if look[name] != "" {
				body = fmt.Appendf(body, ` data-%s="%s"`, name, html.EscapeString(look[name]))
			}
		}
	}
	body = append(body, x.page.before...)
	if x.page.after != nil {
		body = append(append(body, nonce...), x.page.after...)
	}
	x.send(http.StatusOK, body)
}

// look returns the appearance settings of the signed-in user, for the first paint
// of the page; nil if no user is signed in.
func (x *exchange) look() Look {
	cookie, err := x.r.Cookie(x.cookie())
	if err != nil {
		return nil
	}
	found, err := x.Sessions.ByCookie(x.r.Context(), cookie.Value)
	if err != nil {
		return nil
	}
	return x.lookOf(found)
}

func (x *exchange) lookOf(s *session.Session) Look {
	if x.Look == nil {
		return nil
	}
	return x.Look(x.r.Context(), s.Access.UserID)
}

// launch signs a window in with its one-time token. It responds with the page
// itself, which removes the token from its address, instead of a redirect: after
// a redirect from another site, a browser would not send a Strict cookie.
func (x *exchange) launch() error {
	opened, err := x.Sessions.Redeem(x.r.Context(), x.r.URL.Query().Get("t"))
	switch {
	case err == nil:
		x.setCookie(x.cookie(), opened.Secret, 0)
		if opened.Window != "" {
			x.setCookie(x.windowCookie(), opened.Window, 0)
		}
		x.sendPage(x.lookOf(opened))
	case fault.Of(err).Kind == fault.Internal:
		return err
	default:
		x.sendNote(fault.Of(err))
	}
	return nil
}

// The paths of a sign-in with OpenID Connect.
const (
	oidcStart    = "/oidc/start"
	oidcCallback = "/oidc/callback"
)

// oidcCookie returns the name of the cookie that binds a sign-in at a provider to the
// browser.
func (x *exchange) oidcCookie() string { return x.cookie() + "_oidc" }

// setOIDCCookie sets that cookie; a negative age deletes it. It is Lax, because the
// provider's page leads back here.
func (x *exchange) setOIDCCookie(value string, age int) {
	http.SetCookie(x.w, &http.Cookie{Name: x.oidcCookie(), Value: value, Path: "/", MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: x.secure()})
}

// beginOIDC redirects the browser to the provider. The address to return to is the
// portal's own.
func (x *exchange) beginOIDC() error {
	if x.foreign() { // no page of another origin begins a sign-in
		return errForeign
	}
	to, err := x.Sessions.BeginOIDC(x.r.Context(), x.site.origin)
	if err != nil {
		return x.refuseOIDC(err)
	}
	x.setOIDCCookie(to.Cookie, int(session.RedirectLasts.Seconds()))
	x.w.Header()["Location"] = []string{to.URL}
	x.send(http.StatusFound, nil)
	return nil
}

// finishOIDC signs in with the response of the provider, and shows the page like launch.
func (x *exchange) finishOIDC() error {
	held := ""
	if cookie, err := x.r.Cookie(x.oidcCookie()); err == nil {
		held = cookie.Value
	}
	x.setOIDCCookie("", -1)
	opened, device, err := x.Sessions.FinishOIDC(x.r.Context(), x.site.origin, held, x.r.URL.Query(), x.remote())
	if err != nil {
		return x.refuseOIDC(err)
	}
	x.setCookie(x.cookie(), opened.Secret, 0)
	x.setCookie(x.deviceCookie(), device, deviceAge)
	x.sendPage(x.lookOf(opened))
	return nil
}

func (x *exchange) refuseOIDC(err error) error {
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		return err
	}
	x.sendNote(f)
	return nil
}

// firstWord is the beginning of a sentence, unless it is a name or an address.
var firstWord = regexp.MustCompile(`^[a-z]+[ ,;]`)

// sendNote returns a page with the message of a fault as a complete sentence, and a link to the
// start page.
func (x *exchange) sendNote(f *fault.Error) {
	sentence := firstWord.ReplaceAllStringFunc(f.Message, func(word string) string {
		return strings.ToUpper(word[:1]) + word[1:]
	})
	if !strings.HasSuffix(sentence, ".") {
		sentence += "."
	}
	h := x.w.Header()
	h["Content-Type"] = []string{kinds[".html"]}
	h["Content-Security-Policy"] = []string{"default-src 'none'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"}
	x.send(status[f.Kind], []byte(`<!doctype html><html lang="en"><head><meta charset="utf-8">`+
		`<meta name="color-scheme" content="dark light"><title>Spyglass</title></head><body><p>`+
		html.EscapeString(sentence)+`</p><p><a href="/">Go to Spyglass</a></p></body></html>`))
}
