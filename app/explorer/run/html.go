package run

import (
	"html/template"
	"io"
)

// HTML is a report for people: one file without scripts, in the reader's theme.
var HTML = Format{ID: "html", Label: "HTML", Ext: "html", Type: "text/html; charset=utf-8",
	Write: func(w io.Writer, r *Run) error { return page.Execute(w, r) }}

var page = template.Must(template.New("report").Funcs(template.FuncMap{"nameOf": nameOf}).Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}: {{if .Passed}}passed{{else}}failed{{end}}</title>
<style>
:root { --ok: #1a7f37; --bad: #b3261e; --line: #d0d4da; --weak: #5b6470 }
@media (prefers-color-scheme: dark) { :root { --ok: #5fcf80; --bad: #ff8f84; --line: #3a4048; --weak: #a4acb6 } }
body { font: 14px/20px system-ui, sans-serif; margin: 24px auto; max-width: 1100px; padding: 0 16px }
h1 { font-size: 20px } h2 { font-size: 14px; margin: 20px 0 4px; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
th, td { border-top: 1px solid var(--line); padding: 4px 8px 4px 0; text-align: left; vertical-align: top }
th { color: var(--weak); font-weight: normal }
td { font-family: ui-monospace, monospace; font-size: 12px; overflow-wrap: anywhere; white-space: pre-wrap }
th:first-child { width: 70px }
.ok { color: var(--ok) } .bad { color: var(--bad) } .weak { color: var(--weak); font-weight: normal }
</style>
<h1>{{.Title}}</h1>
<p><b class="{{if .Passed}}ok{{else}}bad{{end}}">{{if .Passed}}Passed{{else}}Failed{{end}}</b>:
{{len .Results}} of {{.Planned}} requests sent, {{.Failed}} failed.
{{.Portal}}, {{.Began.UTC.Format "2006-01-02 15:04:05"}} UTC, {{.Took.Milliseconds}} ms. {{.Stopped}}</p>
{{range .Results}}
<h2><span class="{{if .Problem}}bad{{else}}ok{{end}}">{{if .Problem}}Failed{{else}}Passed{{end}}</span>
{{nameOf .}}{{if .Row}}, row {{.Row}}{{end}} <span class="weak">{{if .Status}}{{.Status}}, {{.MS}} ms{{end}}</span></h2>
{{if .Problem}}<p>{{.Problem}}</p>{{end}}
{{if .Checks}}<table>
<thead><tr><th>Result<th>Check<th>Expected<th>Actual</thead>
<tbody>{{range .Checks}}
<tr><td class="{{if .Passed}}ok{{else}}bad{{end}}">{{if .Passed}}passed{{else}}failed{{end}}` +
	`<td>{{.Label}}<td>{{.Expected}}<td>{{if .Problem}}{{.Problem}}{{else}}{{.Actual}}{{end}}
{{end}}</tbody></table>{{end}}
{{end}}
</html>
`))
