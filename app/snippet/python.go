package snippet

import (
	"strconv"
	"strings"
)

// Python writes a program for Python 3 and its standard library. The body is a
// text, not a Python value, so that true, null and the digits of large numbers do
// not change.
var Python = Language{
	ID: "python", Label: "Python", ScriptLabel: "Python", Lexer: "python", Extension: "py",
	comment: "#", run: "python3 script.py",
	script: pythonScript,
	write: func(r Request) string {
		var b strings.Builder
		b.WriteString("import os\nimport urllib.error\nimport urllib.request\n\n")
		b.WriteString("request = urllib.request.Request(\n")
		b.WriteString("    " + pythonText(r.URL) + ",\n")
		b.WriteString("    method=" + pythonText(r.Method) + ",\n")
		b.WriteString("    headers={\n        \"Authorization\": \"Bearer \" + os.environ[\"SPYGLASS_TOKEN\"],\n")
		for _, h := range r.Headers {
			b.WriteString("        " + pythonText(h.Name) + ": " + pythonHeader(h.Value) + ",\n")
		}
		b.WriteString("    },\n")
		if r.Body != "" {
			b.WriteString("    data=" + pythonBody(r.Body) + ".encode(),\n")
		}
		b.WriteString(")\n\ntry:\n    with urllib.request.urlopen(request) as response:\n")
		b.WriteString("        print(response.status, response.read().decode())\n")
		b.WriteString("except urllib.error.HTTPError as error:\n    print(error.code, error.read().decode())\n")
		return b.String()
	},
}

// pythonText returns a text literal. Go's and Python's escapes are the same for
// valid UTF-8.
func pythonText(s string) string { return strconv.Quote(s) }

// pythonHeader returns a header's value; urllib would send a text as Latin-1.
func pythonHeader(s string) string {
	if strings.Trim(s, ascii) == "" {
		return pythonText(s)
	}
	return pythonText(s) + ".encode()"
}

var ascii = func() string {
	var b strings.Builder
	for c := byte(' '); c < 0x7f; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

// pythonBody returns a body as a raw literal, if possible.
func pythonBody(s string) string {
	if printable(s) && !strings.Contains(s, "'''") && !strings.HasSuffix(s, "'") && !strings.HasSuffix(s, `\`) {
		return "r'''" + s + "'''"
	}
	return pythonText(s)
}
