package snippet

import (
	"embed"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"

	"spyglass/backend/resource"
)

// rules are the rules of our lexers, from chroma's package lexers. That one has 280
// lexers, and reads all of them before main begins. TestOurLexersAreThoseOfChroma finds
// what an upgrade of chroma changes.
//
//go:embed lexers/*.xml
var rules embed.FS

// lexers returns each lexer, by the name that languages have for it.
var lexers = map[string]func() chroma.Lexer{
	"bash": lexer("bash"), "go": lexer("go"), "groovy": lexer("groovy"), "javascript": lexer("javascript"),
	"powershell": lexer("powershell"), "python": lexer("python"),
}

// lexer returns a function that reads a lexer when it is first called.
func lexer(name string) func() chroma.Lexer {
	return sync.OnceValue(func() chroma.Lexer { return chroma.MustNewXMLLexer(rules, "lexers/"+name+".xml") })
}

// Class is the kind of a token, for its color.
type Class string

// The classes; there will be no others.
const (
	Keyword     Class = "keyword" // including true and null
	String      Class = "string"
	Number      Class = "number"
	Comment     Class = "comment"
	Name        Class = "name" // including keys of JSON
	Operator    Class = "operator"
	Punctuation Class = "punctuation"
	Text        Class = "text" // anything else, including white space
)

// Schema implements resource.Described.
func (Class) Schema() resource.Schema {
	return resource.Schema{Type: "string",
		Enum: []any{Keyword, String, Number, Comment, Name, Operator, Punctuation, Text}}
}

// Token is a piece of a line.
type Token struct {
	Class Class  `json:"class"`
	Text  string `json:"text"`
}

// longest limits the bytes that are highlighted; chroma needs half a second per
// MB.
const longest = 256 << 10

// Highlight splits code into lines of tokens. Joined with line feeds between the
// lines, the tokens give the code again, except for one line feed at its end.
// Code that is too long, or in a language without a lexer, is all Text. In Markdown,
// blocks of code are highlighted.
func Highlight(lexer, code string) [][]Token {
	tokens := []chroma.Token{{Type: chroma.Text, Value: code}}
	switch {
	case len(code) > longest:
	case lexer == Markdown:
		tokens = blocks(code)
	default:
		tokens = tokensOf(lexer, code)
	}
	return linesOf(tokens, code)
}

// linesOf splits the tokens of code into lines.
func linesOf(tokens []chroma.Token, code string) [][]Token {
	lines := [][]Token{{}}
	for _, t := range tokens {
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, []Token{})
			}
			if part != "" {
				last := &lines[len(lines)-1]
				*last = appendToken(*last, Token{class(t.Type), part})
			}
		}
	}
	if n := len(lines) - 1; n > 0 && len(lines[n]) == 0 && strings.HasSuffix(code, "\n") {
		lines = lines[:n]
	}
	return lines
}

// Markdown is the lexer of runbooks.
const Markdown = "markdown"

func tokensOf(lexer, code string) []chroma.Token {
	if l, ok := lexers[lexer]; ok {
		if found, err := chroma.Tokenise(l(), &chroma.TokeniseOptions{State: "root"}, code); err == nil {
			return found
		}
	}
	return []chroma.Token{{Type: chroma.Text, Value: code}}
}

// blocks returns the tokens of a Markdown text: those of its blocks of code, between fences
// as Runbook writes them.
func blocks(text string) (tokens []chroma.Token) {
	fence, lexer, code := "", "", ""
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		switch ticks := len(bare) - len(strings.TrimLeft(bare, "`")); {
		case fence == "" && ticks >= 3:
			fence, lexer = bare[:ticks], bare[ticks:]
		case fence != "" && bare == fence:
			tokens = append(tokens, tokensOf(lexer, code)...)
			fence, code = "", ""
		case fence != "":
			code += line
			continue
		}
		tokens = append(tokens, chroma.Token{Type: chroma.Text, Value: line})
	}
	return append(tokens, chroma.Token{Type: chroma.Text, Value: code})
}

// appendToken appends a token, and joins it to the last one if both have the same
// class.
func appendToken(line []Token, t Token) []Token {
	if n := len(line) - 1; n >= 0 && line[n].Class == t.Class {
		line[n].Text += t.Text
		return line
	}
	return append(line, t)
}

func class(t chroma.TokenType) Class {
	switch {
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Keyword):
		return Keyword
	case t.InCategory(chroma.Name):
		return Name
	case t.InCategory(chroma.Operator):
		return Operator
	case t.InCategory(chroma.Punctuation):
		return Punctuation
	case t.InCategory(chroma.Comment) && t < chroma.CommentPreproc:
		return Comment
	}
	return Text
}
