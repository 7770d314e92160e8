package snippet_test

import (
	"reflect"
	"strings"
	"testing"

	"spyglass/app/snippet"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

func TestHighlight(t *testing.T) {
	type token = snippet.Token
	for _, tt := range []struct {
		lexer, code string
		want        [][]token
	}{
		{"json", "{\"id\": 7,\n  \"up\": null, \"n\": \"<b>\"}\n", [][]token{
			{{"punctuation", "{"}, {"name", `"id"`}, {"punctuation", ":"}, {"text", " "}, {"number", "7"},
				{"punctuation", ","}},
			{{"text", "  "}, {"name", `"up"`}, {"punctuation", ":"}, {"text", " "}, {"keyword", "null"},
				{"punctuation", ","}, {"text", " "}, {"name", `"n"`}, {"punctuation", ":"}, {"text", " "},
				{"string", `"<b>"`}, {"punctuation", "}"}},
		}},
		{"python", "import os  # why\n",
			[][]token{{{"keyword", "import"}, {"text", " "}, {"name", "os"}, {"text", "  "}, {"comment", "# why"}}}},
		{"no such language", "a\n\nb", [][]token{{{"text", "a"}}, {}, {{"text", "b"}}}},
		{"json", "", [][]token{{}}},
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

func TestLexersFindNoErrorInSnippets(t *testing.T) {
	for _, l := range snippet.Languages {
		lexer := lexers.Get(l.Lexer)
		if lexer == nil {
			t.Fatalf("chroma has no %s", l.Lexer)
		}
		code := l.Write(sample)
		tokens, err := chroma.Tokenise(lexer, nil, code)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range tokens {
			if token.Type == chroma.Error {
				t.Errorf("%s: chroma does not understand %q in\n%s", l.Label, token.Value, code)
			}
		}
	}
}
