package snippet_test

import (
	"reflect"
	"strings"
	"testing"

	"spyglass/app/snippet"
)

func TestHighlight(t *testing.T) {
	type token = snippet.Token
	for _, tt := range []struct {
		lexer, code string
		want        [][]token
	}{
		{"go", "x := []any{7,\n  nil, `a\n<b>`}\n", [][]token{
			{{"name", "x"}, {"text", " "}, {"operator", ":="}, {"text", " "}, {"punctuation", "[]"}, {"keyword", "any"},
				{"punctuation", "{"}, {"number", "7"}, {"punctuation", ","}},
			{{"text", "  "}, {"keyword", "nil"}, {"punctuation", ","}, {"text", " "}, {"string", "`a"}},
			{{"string", "<b>`"}, {"punctuation", "}"}},
		}},
		{"markdown", "# import\n\n````python\nimport os\n```\n````\nimport\n```\nopen", [][]token{
			{{"text", "# import"}}, {}, {{"text", "````python"}},
			{{"keyword", "import"}, {"text", " "}, {"name", "os"}}, {{"text", "```"}},
			{{"text", "````"}}, {{"text", "import"}}, {{"text", "```"}}, {{"text", "open"}},
		}},
		{"python", "import os  # why\n",
			[][]token{{{"keyword", "import"}, {"text", " "}, {"name", "os"}, {"text", "  "}, {"comment", "# why"}}}},
		{"no such language", "a\n\nb", [][]token{{{"text", "a"}}, {}, {{"text", "b"}}}},
		{"go", "", [][]token{{}}},
	} {
		if got := snippet.Highlight(tt.lexer, tt.code); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.code, got, tt.want)
		}
	}
}

func TestHighlightKeepsEveryByte(t *testing.T) {
	for _, l := range snippet.Languages {
		r := sample
		r.Body = nasty
		for _, code := range []string{l.Write(sample), l.Write(r), strings.Repeat("x = 1\n", 100_000)} {
			var lines []string
			for _, line := range snippet.Highlight(l.Lexer, code) {
				text := ""
				for _, token := range line {
					text += token.Text
				}
				lines = append(lines, text)
			}
			if got := strings.Join(lines, "\n") + "\n"; got != code {
				t.Errorf("%s: %.1000q, want %.1000q", l.Label, got, code)
			}
		}
	}
}
