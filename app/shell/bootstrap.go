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

func (w Window) background() string {
	if w.Dark {
		return darkBackground
	}
	return lightBackground
}

// bootstrapPage goes on to the real page, leaving no step back in the history.
const bootstrapPage = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{{.Title}}</title>
<style>html { background: {{.Background}} }</style>
<script>location.replace({{.Address}})</script></head><body></body></html>
`

// bootstrap answers every request with the bootstrap page and a new address.
// The page is XHTML, because Wails adds its own scripts to text/html, and this
// one shall have none.
func bootstrap(w Window) http.Handler {
	page := template.Must(template.New("bootstrap").Parse(bootstrapPage))
	return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/xhtml+xml; charset=utf-8")
		rw.Header().Set("Cache-Control", "no-store")
		err := page.Execute(rw, struct{ Title, Background, Address string }{w.Title, w.background(), w.Open()})
		if err != nil {
			w.Log.Error("the window got no page", "err", err)
		}
	})
}
