package snippet

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"spyglass/backend/resource"
)

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
// Code that is too long, or in a language that chroma does not know, is all Text.
func Highlight(lexer, code string) [][]Token {
	tokens := []chroma.Token{{Type: chroma.Text, Value: code}}
	if l := lexers.Get(lexer); l != nil && len(code) <= longest {
		if found, err := chroma.Tokenise(l, &chroma.TokeniseOptions{State: "root"}, code); err == nil {
			tokens = found
		}
	}
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
