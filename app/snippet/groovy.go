package snippet

import "strings"

// Groovy writes a script for Groovy on Java 11 or newer that uses only the JDK.
// HttpURLConnection would not send PATCH.
var Groovy = Language{
	ID: "groovy", Label: "Groovy", ScriptLabel: "Groovy", Lexer: "groovy", Extension: "groovy",
	comment: "//", run: "groovy script.groovy",
	script: groovyScript,
	write: func(r Request) string {
		var b strings.Builder
		b.WriteString("import java.net.http.HttpClient\nimport java.net.http.HttpRequest\n" +
			"import java.net.http.HttpResponse\n\n")
		b.WriteString("def request = HttpRequest.newBuilder(URI.create(" + groovyText(r.URL) + "))\n")
		b.WriteString("    .header('Authorization', 'Bearer ' + System.getenv('SPYGLASS_TOKEN'))\n")
		for _, h := range r.Headers {
			b.WriteString("    .header(" + groovyText(h.Name) + ", " + groovyText(h.Value) + ")\n")
		}
		publisher := "noBody()"
		if r.Body != "" {
			publisher = "ofString(" + groovyBody(r.Body) + ")"
		}
		b.WriteString("    .method(" + groovyText(r.Method) + ", HttpRequest.BodyPublishers." + publisher +
			")\n    .build()\n\n")
		b.WriteString("def response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString())\n")
		b.WriteString("println response.statusCode()\nprintln response.body()\n")
		return b.String()
	},
}

// groovyText returns a text literal in single quotes, in which $ is plain.
func groovyText(s string) string { return "'" + escaped(s, `\'`, `\n`) + "'" }

// groovyPart limits the characters of text in one constant: a class file holds
// 65,535 bytes of it, and a character takes up to six.
const groovyPart = 10_000

// groovyBody returns a body as one literal, or as several concatenated ones.
func groovyBody(s string) string {
	var parts []string
	for all := []rune(s); len(all) > 0; {
		n := min(groovyPart, len(all))
		part := string(all[:n])
		all = all[n:]
		if strings.Contains(part, "\n") {
			parts = append(parts, "'''"+escaped(part, `\'`, "\n")+"'''")
		} else {
			parts = append(parts, groovyText(part))
		}
	}
	return strings.Join(parts, " +\n        ")
}
