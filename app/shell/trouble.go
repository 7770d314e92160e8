package shell

import (
	"html/template"
	"net/http"
)

// Trouble is an action for the user if there is no page to show.
type Trouble struct {
	Folder string       // the folder that Open folder shows
	Again  func() error // closes the window, and restarts the program
}

// troublePage explains why there is no page. Its buttons send POST requests to
// the handler it came from, which no other page can reach.
const troublePage = `<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>{{.Title}}</title>
<style>{{.Style}}
	html { --text: #eaedf1; --soft: #b3bac0; --line: #333a40; --field: #171d22; --accent: #70d9d2; --on: #021819; color-scheme: dark }
	{{if eq .Theme "light"}}html { {{.Light}} }{{else if ne .Theme "dark"}}@media (prefers-color-scheme: light) { html { {{.Light}} } }{{end}}
	main { max-width: 36rem; margin: 20vh auto 0; padding: 0 2rem; font: 15px/1.6 system-ui, sans-serif; color: var(--soft); overflow-wrap: anywhere }
	h1 { font-size: 20px; color: var(--text) }
	#why { color: var(--text) }
	button { height: 32px; margin: 8px 8px 0 0; padding: 0 14px; border: 1px solid var(--line); border-radius: 6px; background: var(--field); color: var(--text); font: inherit; font-size: 13px }
	button:first-child { background: var(--accent); border-color: transparent; color: var(--on); font-weight: 600 }
	button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
</style></head><body>
	<main><div role="alert"><h1>{{.Title}} could not start</h1><p id="why">{{.Why}}.</p></div>
	<p>Your data was left as it is. When the reason is gone, try again.</p>
	<div><button value="again">Try again</button><button value="folder">Open data folder</button><button value="quit">Quit</button></div>
	<p role="status"></p></main>
	<script>
		document.querySelector('button').focus()
		for (const button of document.querySelectorAll('button')) button.onclick = async () => {
			const response = await fetch('/' + button.value, { method: 'POST' })
			document.querySelector('[role=status]').textContent = await response.text()
		}
	</script>
</body></html>
`

const lightTrouble = "--text: #1b222a; --soft: #464e57; --line: #c7c4bc; --field: #ffffff; --accent: #03696e; --on: " +
	"#f8fdfc; color-scheme: light"

var trouble = template.Must(template.New("trouble").Parse(troublePage))

// sayWhy shows the page that explains why there is no other.
func (w Window) sayWhy(rw http.ResponseWriter, why error) {
	err := trouble.Execute(rw, map[string]any{"Title": w.Title, "Why": why.Error(), "Theme": w.Theme,
		"Style": w.style(), "Light": template.CSS(lightTrouble)})
	if err != nil {
		w.Log.Error("the window got no page", "err", err)
	}
}

// act runs the action of a button on the trouble page. The response is the reason
// why it failed, or empty.
func (w Window) act(rw http.ResponseWriter, path string) {
	var err error
	switch path {
	case "/again":
		err = w.Trouble.Again()
	case "/folder":
		err = w.Native.OpenFolder(w.Trouble.Folder)
	case "/quit":
		err = w.Native.Quit()
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusConflict)
	}
}
