package snippet

import (
	"fmt"
	"net/http"
	"strings"
)

// Runbook writes steps for users, as Markdown: the settings needed first, and
// each request as a cURL command with the expected status.
func Runbook(title string, steps []Step, variables []Variable) string {
	s := newScript(steps, variables)
	names := bashNames(s)
	var b strings.Builder
	b.WriteString("# " + oneLineOf(title) + "\n\n## Before you begin\n\nIn a bash shell:\n\n")
	setUp := strings.TrimPrefix(bashVariables(s, names), bashToken) + bashRequest
	if s.paged() {
		setUp += bashMore
	}
	b.WriteString(fenced("export SPYGLASS_TOKEN='…' # an API token of the portal\n" + setUp))
	b.WriteString("\n## Steps\n")
	for i := range s.steps {
		st := &s.steps[i]
		long, words := bashArguments(st, names)
		b.WriteString("\n### " + markdownText(st.title) + "\n\n")
		expected := ""
		if st.expect == http.StatusTooManyRequests { // it is the expected result
			expected = "expected=429 "
		}
		if arguments := strings.Join(words, " \\\n  "); st.pages.Size > 0 {
			b.WriteString(fenced(pageByPage(st.pages, arguments)))
		} else {
			b.WriteString(fenced(bashBody(long) + expected + "request --include " + arguments + "\n"))
		}
		expect := "a status from 200 to 299"
		if st.expect != 0 {
			expect = fmt.Sprintf("status %d", st.expect)
		}
		b.WriteString("\nExpect " + expect + ". Anything else: stop here and find out why.\n")
		for _, x := range st.extract {
			b.WriteString("\nType " + markdownText(x.label()) + " of the response:\n\n" +
				fenced("read -r "+names[x.Variable]+"\n"))
		}
	}
	return b.String()
}

// pageByPage fetches every page of a list; the arguments begin with -X GET and
// the address.
func pageByPage(p Pages, arguments string) string {
	method, rest, _ := strings.Cut(arguments, " \\\n")
	return fmt.Sprintf(`offset=%d
while
  page=$(request --fail-with-body %s"$offset" \
%s) || { printf '%%s\n' "$page"; false; } &&
  printf '%%s\n' "$page" && offset=$((offset + %d)) && more "$page" "$offset"
do :; done
`, p.Offset, method, rest, p.Size)
}

// fenced returns a block of code, in a fence that it does not contain.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "bash\n" + code + fence + "\n"
}

// markdownText escapes a line so that it contains no markup.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, "&", `\&`).Replace(s)
}
