package snippet

import "strings"

// Curl writes a command for a POSIX shell.
var Curl = Language{
	ID: "curl", Label: "cURL", ScriptLabel: "Bash", Lexer: "bash", Extension: "sh",
	comment: "#", run: "bash script.sh", shebang: "#!/usr/bin/env bash\n",
	script: bashScript,
	write: func(r Request) string {
		words := []string{"curl --globoff -X " + shellWord(r.Method) + " " + shellWord(r.URL),
			`-H "Authorization: Bearer $SPYGLASS_TOKEN"`}
		for _, h := range r.Headers {
			words = append(words, "-H "+shellWord(curlHeader(h)))
		}
		before := ""
		switch {
		case len(r.Body) > longestWord:
			before = "printf %s " + shellWord(r.Body) + " |\n"
			words = append(words, "--data-binary @-")
		case r.Body != "":
			words = append(words, "--data-raw "+shellWord(r.Body))
		}
		return before + strings.Join(words, " \\\n  ") + "\n"
	},
}

// longestWord is safely below Linux's limit for one argument (128 KiB). The
// shell's own printf has no such limit.
const longestWord = 100_000

// curlHeader returns a header for -H; "Name:" would mean not to send it.
func curlHeader(h Header) string {
	if h.Value == "" {
		return h.Name + ";"
	}
	return h.Name + ": " + h.Value
}

// shellWord quotes s as one POSIX word, unless it is a plain upper-case word.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
