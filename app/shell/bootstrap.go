package shell

import (
	"html/template"
	"net/http"
)

// The colours before the first paint: --bg-chrome of the two themes.
const (
	darkBackground  = "#0b1014"
	lightBackground = "#efede7"
)

// background is the window's own colour, which cannot follow the system.
func (w Window) background() string {
	if w.Theme == "light" {
		return lightBackground
	}
	return darkBackground
}

// style colours the bootstrap page, which can.
func (w Window) style() template.CSS {
	switch w.Theme {
	case "dark", "light":
		return template.CSS("html { background: " + w.background() + " }")
	}
	return "html { background: " + darkBackground + " } @media (prefers-color-scheme: light) { html { background: " + lightBackground + " } }"
}

// bootstrapPage goes on to the real page, leaving no step back in the history,
// or says why there is none.
const bootstrapPage = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{{.Title}}</title>
<style>{{.Style}}</style>
{{if .Why}}<style>
	main { max-width: 36rem; margin: 20vh auto; padding: 0 2rem; font: 1rem/1.6 sans-serif; color: #7b8b96 }
	h1 { font-size: 1.25rem }
</style>{{else}}<script>location.replace({{.Address}})</script>{{end}}</head><body>{{with .Why}}
	<main role="alert"><h1>{{$.Title}} could not start</h1><p>{{.}}.</p></main>
{{end}}</body></html>
`

// bootstrap answers every request with the bootstrap page and a new address.
// The page is XHTML, because Wails adds its own scripts to text/html, and this
// one shall have none.
func bootstrap(w Window) http.Handler {
	page := template.Must(template.New("bootstrap").Parse(bootstrapPage))
	return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/xhtml+xml; charset=utf-8")
		rw.Header().Set("Cache-Control", "no-store")
		shown := struct {
			Title, Address, Why string
			Style               template.CSS
		}{Title: w.Title, Style: w.style()}
		var err error
		if shown.Address, err = w.Open(); err != nil {
			shown.Why = err.Error()
		}
		if err := page.Execute(rw, shown); err != nil {
			w.Log.Error("the window got no page", "err", err)
		}
	})
}
