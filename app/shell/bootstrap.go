package shell

import (
	"errors"
	"html/template"
	"net/http"
)

// The colors before the first paint: --bg-chrome of the two themes.
const (
	darkBackground  = "#0b1014"
	lightBackground = "#efede7"
)

// background returns the color of the window itself, which cannot follow the
// system.
func (w Window) background() string {
	if w.Theme == "light" {
		return lightBackground
	}
	return darkBackground
}

// style colors the bootstrap page, which can.
func (w Window) style() template.CSS {
	switch w.Theme {
	case "dark", "light":
		return template.CSS("html { background: " + w.background() + " }")
	}
	return "html { background: " + darkBackground + " } @media (prefers-color-scheme: light) { html { background: " +
		lightBackground + " } }"
}

// bootstrapPage redirects to the real page without an entry in the history.
const bootstrapPage = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{{.Title}}</title>
<style>{{.Style}}</style>
<script>location.replace({{.Address}})</script></head><body></body></html>
`

// bootstrap has visit take the window to a new address, and where it does not,
// responds with the bootstrap page and that address. During an upgrade, it responds
// with a page that shows the progress. If Open fails, it responds with the trouble
// page and runs the actions of its buttons. All pages are XHTML, because Wails adds
// its own scripts to text/html, and these shall have none of them.
func bootstrap(w Window, visit func(address string) bool) http.Handler {
	page := template.Must(template.New("bootstrap").Parse(bootstrapPage))
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/xhtml+xml; charset=utf-8")
		rw.Header().Set("Cache-Control", "no-store")
		address, why := w.Open()
		var busy *Busy
		switch {
		case errors.As(why, &busy):
			w.sayBusy(rw, r, busy)
			return
		case r.URL.Path == busyPath: // the page loads again
			w.sendBusy(rw, &Busy{})
			return
		case why != nil && r.Method == http.MethodPost:
			w.act(rw, r.URL.Path)
			return
		case why != nil:
			w.sayWhy(rw, why)
			return
		case visit(address):
			rw.WriteHeader(http.StatusNoContent) // the caller no longer waits
			return
		}
		err := page.Execute(rw, struct {
			Title, Address string
			Style          template.CSS
		}{w.Title, address, w.style()})
		if err != nil {
			w.Log.Error("the window got no page", "err", err)
		}
	})
}
