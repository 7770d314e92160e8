package snippet

import (
	"fmt"
	"strings"
)

// Runbook writes steps for people, as Markdown: what to set first, and each
// request as a cURL command with the status to expect.
func Runbook(title string, steps []Step, variables []Variable) string {
	s := newScript(steps, variables)
	names := bashNames(s)
	var b strings.Builder
	b.WriteString("# " + oneLineOf(title) + "\n\n## Before you begin\n\nIn a bash shell:\n\n")
	b.WriteString(fenced("export SPYGLASS_TOKEN='…' # an API token of the portal\n" + strings.TrimPrefix(bashVariables(s, names), bashToken)))
	b.WriteString("\n## Steps\n")
	for i := range s.steps {
		st := &s.steps[i]
		before, words := bashRequest(st, names)
		words = append([]string{words[0], `-H "Authorization: Bearer $SPYGLASS_TOKEN"`}, words[1:]...)
		b.WriteString("\n### " + markdownText(st.title) + "\n\n")
		b.WriteString(fenced(before + "curl --globoff --include " + strings.Join(words, " \\\n  ") + "\n"))
		expect := "a status from 200 to 299"
		if st.expect != 0 {
			expect = fmt.Sprintf("status %d", st.expect)
		}
		b.WriteString("\nExpect " + expect + ". Anything else: stop here and find out why.\n")
	}
	return b.String()
}

// fenced is a block of code, in a fence that it does not contain.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "bash\n" + code + fence + "\n"
}

// markdownText keeps what stands in a line from being markup.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, "&", `\&`).Replace(s)
}
