package snippet

import "strings"

// JavaScript writes a program for Node.js 18 or newer that needs only its
// built-in modules. It runs as a module and as a script.
var JavaScript = Language{
	ID: "javascript", Label: "JavaScript", ScriptLabel: "JavaScript", Lexer: "javascript", Extension: "js",
	comment: "//", run: "node script.js",
	script: jsScript,
	write: func(r Request) string {
		var b strings.Builder
		b.WriteString("async function main() {\n")
		b.WriteString("  const response = await fetch(" + jsText(r.URL) + ", {\n")
		b.WriteString("    method: " + jsText(r.Method) + ",\n    headers: {\n")
		b.WriteString("      \"Authorization\": \"Bearer \" + process.env.SPYGLASS_TOKEN,\n")
		for _, h := range r.Headers {
			b.WriteString("      " + jsText(h.Name) + ": " + jsHeader(h.Value) + ",\n")
		}
		b.WriteString("    },\n")
		if r.Body != "" {
			b.WriteString("    body: " + jsBody(r.Body) + ",\n")
		}
		b.WriteString("  })\n  console.log(response.status, await response.text())\n}\n\nmain()\n")
		return b.String()
	},
}

func jsText(s string) string { return `"` + escaped(s, `\"`, `\n`) + `"` }

// jsHeader returns a header's value; fetch accepts only one byte per character.
func jsHeader(s string) string {
	if strings.Trim(s, ascii) == "" {
		return jsText(s)
	}
	return `Buffer.from(` + jsText(s) + `).toString("latin1")`
}

// jsBody returns a template literal, which keeps line breaks.
func jsBody(s string) string { return "`" + escaped(s, "\\`$", "\n") + "`" }
