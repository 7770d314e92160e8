package snippet

import (
	"fmt"
	"strings"
)

// Chapter is a heading with the requests and the chapters below it.
type Chapter struct {
	Title    string
	Commands []Command
	Chapters []Chapter
}

// Command is one request of a Chapter.
type Command struct {
	Step
	Doc string // notes above the command
}

// Commands writes chapters as a bash script of plain cURL commands, which can be
// copied one by one. The script stops at the first command that fails. After each
// variable comes a comment with its Name.
func Commands(title string, chapters []Chapter, variables []Variable) string {
	s := newScript(stepsOf(chapters), variables)
	w := &commandWriter{script: s, names: bashNames(s)}
	w.WriteString("#!/usr/bin/env bash\n# " + oneLineOf(title) + "\n# Every request is sent, in order, until one " +
		"fails. Responses go to standard output.\n\nset -euo pipefail\n\n" + bashToken)
	for _, v := range s.variables {
		w.WriteString(bashAssignment(&v, w.names[v.Name]) + " # " + oneLineOf(v.Name) + "\n")
	}
	w.WriteString(bashEscapes(s))
	w.chapters(chapters, 2)
	return w.String()
}

func stepsOf(chapters []Chapter) (steps []Step) {
	for i := range chapters {
		steps = append(steps, stepsOf(chapters[i].Chapters)...)
		for j := range chapters[i].Commands {
			steps = append(steps, chapters[i].Commands[j].Step)
		}
	}
	return steps
}

type commandWriter struct {
	strings.Builder
	script *script
	names  map[string]string
	next   int // index of the next step
}

func (w *commandWriter) chapters(chapters []Chapter, level int) {
	for i := range chapters {
		c := &chapters[i]
		fmt.Fprintf(w, "\n%s %s\n", strings.Repeat("#", level), oneLineOf(c.Title))
		w.chapters(c.Chapters, level+1)
		for j := range c.Commands {
			w.command(&c.Commands[j])
		}
	}
}

const curlOptions = "curl --globoff --silent --show-error --fail-with-body --write-out '\\n'"

func (w *commandWriter) command(c *Command) {
	w.WriteString("\n# " + oneLineOf(c.Title) + "\n")
	for line := range strings.Lines(c.Doc) {
		w.WriteString(strings.TrimRight("#   "+oneLineOf(strings.TrimRight(line, "\r\n")), " ") + "\n")
	}
	long, words := bashArguments(&w.script.steps[w.next], w.names)
	w.next++
	if long != "" {
		w.WriteString("printf %s " + long + " |\n")
	}
	words = append([]string{curlOptions, `-H "Authorization: Bearer $SPYGLASS_TOKEN"`}, words...)
	w.WriteString(strings.Join(words, " \\\n  ") + "\n")
}
