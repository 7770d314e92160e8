package shell

import (
	"encoding/json"
	"html/template"
	"net/http"
)

// Busy is the error of Window.Open while the data is upgraded.
type Busy struct {
	Doing   string `json:"doing"`   // one line
	Percent int    `json:"percent"` // of what it is doing now
}

// Error implements error.
func (b *Busy) Error() string { return b.Doing }

// busyPath is where the page that shows the progress requests it.
const busyPath = "/progress"

// busyPage shows the progress, and loads the window again when there is none.
const busyPage = `<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>{{.Title}}</title>
<style>{{.Style}}
	html { --text: #eaedf1; --soft: #b3bac0; --accent: #70d9d2; color-scheme: dark }
	{{if eq .Theme "light"}}html { {{.Light}} }{{else if ne .Theme "dark"}}@media (prefers-color-scheme: light) { html { {{.Light}} } }{{end}}
	main { max-width: 36rem; margin: 20vh auto 0; padding: 0 2rem; font: 15px/1.6 system-ui, sans-serif; color: var(--soft) }
	h1 { font-size: 20px; color: var(--text) }
	progress { width: 100%; accent-color: var(--accent) }
</style></head><body>
	<main><h1>Upgrading your data</h1>
	<p>{{.Title}} updates the data folder to this version. This happens once, and can take a few minutes.</p>
	<progress max="100" value="{{.Busy.Percent}}" aria-label="Progress"></progress><p role="status">{{.Busy.Doing}}</p></main>
	<script>
		const look = async () => {
			const now = await (await fetch('/progress')).json()
			if (!now.doing) return location.reload()
			document.querySelector('[role=status]').textContent = now.doing
			document.querySelector('progress').value = now.percent
			setTimeout(look, 300)
		}
		setTimeout(look, 300)
	</script>
</body></html>
`

var busy = template.Must(template.New("busy").Parse(busyPage))

// sayBusy shows the progress, or responds with it to the page that shows it.
func (w Window) sayBusy(rw http.ResponseWriter, r *http.Request, now *Busy) {
	if r.URL.Path == busyPath {
		w.sendBusy(rw, now)
		return
	}
	err := busy.Execute(rw, map[string]any{"Title": w.Title, "Busy": now, "Theme": w.Theme, "Style": w.style(),
		"Light": template.CSS(lightTrouble)})
	if err != nil {
		w.Log.Error("the window got no page", "err", err)
	}
}

func (w Window) sendBusy(rw http.ResponseWriter, now *Busy) {
	rw.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(rw).Encode(now); err != nil {
		w.Log.Error("the window got no progress", "err", err)
	}
}
