package snippet

import "strings"

// PowerShell writes a script for Windows PowerShell 5.1 and PowerShell 7.
var PowerShell = Language{
	ID: "powershell", Label: "PowerShell", ScriptLabel: "PowerShell", Lexer: "powershell", Extension: "ps1",
	comment: "#", run: "pwsh -File script.ps1",
	script: powerShellScript,
	write: func(r Request) string {
		var b strings.Builder
		b.WriteString("$headers = @{\n  'Authorization' = \"Bearer $env:SPYGLASS_TOKEN\"\n")
		contentType := ""
		for _, h := range r.Headers {
			if strings.EqualFold(h.Name, "Content-Type") { // 5.1 does not allow it among the headers
				contentType = h.Value
				continue
			}
			b.WriteString("  " + powerShellText(h.Name) + " = " + powerShellText(h.Value) + "\n")
		}
		b.WriteString("}\n")
		words := []string{"Invoke-RestMethod -Method " + powerShellText(r.Method), "-Uri " + powerShellText(r.URL),
			"-Headers $headers"}
		if contentType != "" {
			words = append(words, "-ContentType "+powerShellText(contentType))
		}
		if r.Body != "" { // as bytes, because 5.1 would send a text as Latin-1
			b.WriteString("$body = [Text.Encoding]::UTF8.GetBytes(" + powerShellText(r.Body) + ")\n")
			words = append(words, "-Body $body")
		}
		b.WriteString(strings.Join(words, " `\n  ") + " |\n  ConvertTo-Json -Depth 100\n")
		return b.String()
	},
}

// powerShellText returns a text literal in single quotes, in which only single
// quotes are special. PowerShell treats typographic quotes the same.
func powerShellText(s string) string {
	return "'" + powerShellQuotes.Replace(s) + "'"
}

var powerShellQuotes = strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛")
