package api

import (
	"crypto/rand"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
)

// retryUpgrade is the time after which a client should repeat a request that an upgrade
// has refused.
const retryUpgrade = 2 * time.Second

// Upgrading returns a handler for the time during which the portal upgrades its databases
// and cannot respond: it sends 503 with Retry-After, and browsers a page that shows the
// progress, and then loads the portal. progress returns a line and a percentage.
func Upgrading(hosts []string, progress func() (doing string, percent int)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if !slices.Contains(hosts, r.Host) {
			code, body := Failure(fault.New(fault.Denied, "this portal is available only at %s",
				strings.Join(hosts, " and ")))
			h["Content-Type"] = typeJSON
			w.WriteHeader(code)
			_, _ = w.Write(body)
			return
		}
		doing, percent := progress()
		f := &fault.Error{Kind: fault.Busy, Detail: map[string]any{"doing": doing, "percent": percent},
			Message: "Spyglass is upgrading its data folder (" + doing + "); try again in a few seconds"}
		code, body := Failure(f)
		h.Set("Retry-After", strconv.Itoa(seconds(retryUpgrade)))
		h["Content-Type"] = typeJSON
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			nonce := rand.Text()
			h.Set("Content-Type", kinds[".html"])
			h.Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'nonce-%[1]s'; "+
				"style-src 'nonce-%[1]s'; connect-src 'self'; base-uri 'none'; form-action 'none'; "+
				"frame-ancestors 'none'", nonce))
			body = fmt.Appendf(nil, upgradePage, nonce, percent, html.EscapeString(doing))
		}
		w.WriteHeader(code)
		if r.Method != http.MethodHead {
			_, _ = w.Write(body) // the client may have disconnected
		}
	})
}

// upgradePage has a nonce, the percentage and a line.
const upgradePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="dark light"><title>Spyglass is upgrading</title>
<style nonce="%[1]s">
main { max-width: 36rem; margin: 20vh auto 0; padding: 0 2rem; font: 15px/1.6 system-ui, sans-serif }
h1 { font-size: 20px }
progress { width: 100%% }
</style></head><body><main><h1>Upgrading your data</h1>
<p>Spyglass updates the data folder to this version. This happens once, and can take a few minutes.</p>
<progress max="100" value="%[2]d" aria-label="Progress"></progress><p role="status">%[3]s</p></main>
<script nonce="%[1]s">
const line = document.querySelector('[role=status]'), bar = document.querySelector('progress')
const look = async () => {
	try {
		const response = await fetch('/', { headers: { Accept: 'application/json' } })
		if (response.status !== 503) return location.reload()
		const { doing, percent } = (await response.json()).errorDetail
		line.textContent = doing
		bar.value = percent
	} catch {
		line.textContent = 'Spyglass has stopped. Start it again, and reload this page.'
	}
	setTimeout(look, 500)
}
setTimeout(look, 500)
</script></body></html>
`
