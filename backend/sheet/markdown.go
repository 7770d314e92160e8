package sheet

import (
	"bufio"
	"io"
	"strings"
)

// Markdown is a table of GitHub's Markdown, with right-aligned numbers.
var Markdown = Format{ID: "markdown", Label: "Markdown", Extension: "md", Type: "text/markdown; charset=utf-8",
	Plain: true, Open: func(w io.Writer, head []Column) (Writer, error) {
		out := &markdownWriter{bufio.NewWriter(w)}
		names, rule := make([]Cell, len(head)), "|"
		for i, c := range head {
			names[i] = Cell{Text, c.Name}
			if c.Number {
				rule += " ---: |"
			} else {
				rule += " --- |"
			}
		}
		if err := out.Row(names); err != nil {
			return nil, err
		}
		_, err := out.WriteString(rule + "\n")
		return out, err
	}}

// MarkdownText escapes a text so that it has no markup and stays on one line.
func MarkdownText(text string) string { return markdownText.Replace(text) }

type markdownWriter struct{ *bufio.Writer }

// markdownText escapes a text so that it has no markup and stays on one line.
var markdownText = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "&", `\&`, "~",
	`\~`, "#", `\#`,
	"\r\n", "<br>", "\n", "<br>", "\r", "<br>", "\t", " ",
)

func (w *markdownWriter) Row(cells []Cell) error {
	for _, c := range cells {
		text := c.Text
		if c.Kind == Text {
			text = markdownText.Replace(text)
		}
		if _, err := w.WriteString("| " + text + " "); err != nil {
			return err
		}
	}
	_, err := w.WriteString("|\n")
	return err
}

func (w *markdownWriter) Close() error { return w.Flush() }
