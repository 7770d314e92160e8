package snippet

import (
	"strconv"
	"strings"
)

// Go writes a program for Go and its standard library: `go run file.go`.
var Go = Language{
	ID: "go", Label: "Go", ScriptLabel: "Go", Lexer: "go", Extension: "go",
	comment: "//", run: "go run script.go",
	script: goScript,
	write: func(r Request) string {
		var b strings.Builder
		b.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"log\"\n\t\"net/http\"\n\t\"os\"\n")
		body := "nil"
		if r.Body != "" {
			b.WriteString("\t\"strings\"\n")
			body = "strings.NewReader(" + goBody(r.Body) + ")"
		}
		b.WriteString(")\n\nfunc main() {\n")
		b.WriteString("\trequest, err := http.NewRequest(" + strconv.Quote(r.Method) + ", " + strconv.Quote(r.URL) +
			", " + body + ")\n")
		b.WriteString("\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n")
		b.WriteString("\trequest.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"SPYGLASS_TOKEN\"))\n")
		for _, h := range r.Headers {
			b.WriteString("\trequest.Header.Set(" + strconv.Quote(h.Name) + ", " + strconv.Quote(h.Value) + ")\n")
		}
		b.WriteString("\tresponse, err := http.DefaultClient.Do(request)\n\tif err != nil {\n\t\tlog.Fatal(err)\n" +
			"\t}\n\tdefer response.Body.Close()\n")
		b.WriteString("\tbody, err := io.ReadAll(response.Body)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n")
		b.WriteString("\tfmt.Println(response.StatusCode, string(body))\n}\n")
		return b.String()
	},
}

// goBody returns a body as a raw literal, if possible.
func goBody(s string) string {
	if printable(s) && !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
