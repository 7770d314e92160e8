// Package snippet converts a request into a program that runs without changes.
//
// A language is one file and one line in Languages:
//
//	for _, l := range snippet.Languages {
//		code := l.Write(request)
//		lines := snippet.Highlight(l.Lexer, code)
//	}
//
// # What a snippet sends
//
// Exactly the request's method, URL, headers and body, with the bearer token from
// the environment variable SPYGLASS_TOKEN. The request's session headers
// (Authorization, Cookie, X-CSRF-Token) are never in a snippet, nor are headers
// that an HTTP client sets itself. Headers of one name are sent as one, separated
// by commas. A body without a Content-Type is JSON. Characters that are not
// allowed in a URL are percent-encoded. Variables must be resolved.
//
// Header values outside ASCII arrive as UTF-8 from cURL, Python, JavaScript and
// Go; PowerShell and the JDK refuse or replace them.
//
// # Concurrency and errors
//
// Everything here is a pure function and cannot fail.
package snippet

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Request is the request that a snippet sends, with every variable resolved.
type Request struct {
	Method  string // GET, POST, PUT, PATCH or DELETE
	URL     string // absolute
	Headers []Header
	Body    string // as sent; empty for none
}

// Header is one line of a request's head.
type Header struct{ Name, Value string }

// Language is a language for snippets. Its JSON is the description for the page.
type Language struct {
	ID          string `json:"id" doc:"in URLs and settings"`
	Label       string `json:"label"`
	ScriptLabel string `json:"scriptLabel" doc:"the language that several requests as one program are in"`
	Extension   string `json:"extension" doc:"extension of a file"`
	Lexer       string `json:"-"` // of chroma, for Highlight

	write  func(Request) string
	script func(*script) string // writes several requests as one program

	shebang string // first line of a program
	comment string // begins a comment
	run     string // runs a saved script
}

// Languages lists the languages in display order.
var Languages = []Language{Curl, Python, JavaScript, Go, PowerShell, Groovy}

// Write returns a program that sends r, ending in a line feed.
func (l Language) Write(r Request) string { return l.write(clean(r)) }

// Find returns the language with an ID, and whether it exists.
func Find(id string) (Language, bool) {
	i := slices.IndexFunc(Languages, func(l Language) bool { return l.ID == id })
	if i < 0 {
		return Language{}, false
	}
	return Languages[i], true
}

// unwanted lists headers that belong to the session, or that the HTTP client sets
// itself.
var unwanted = []string{
	"authorization", "cookie", "x-csrf-token",
	"host", "content-length", "transfer-encoding", "connection", "expect", "upgrade",
}

// clean normalizes a request so that every language sends it in the same way.
func clean(r Request) Request {
	out := Request{Method: strings.ToUpper(r.Method), URL: cleanURL(r.URL),
		Body: strings.ReplaceAll(strings.ToValidUTF8(r.Body, "\uFFFD"), "\x00", "\uFFFD")}
	for _, h := range r.Headers {
		h.Name = strings.TrimSpace(h.Name)
		h.Value = strings.TrimSpace(strings.Map(oneLine, strings.ToValidUTF8(h.Value, "\uFFFD")))
		if !validName(h.Name) || slices.Contains(unwanted, strings.ToLower(h.Name)) {
			continue
		}
		if i := out.header(h.Name); i >= 0 {
			out.Headers[i].Value += ", " + h.Value
		} else {
			out.Headers = append(out.Headers, h)
		}
	}
	if r.Body != "" && out.header("Content-Type") < 0 {
		out.Headers = append(out.Headers, Header{"Content-Type", "application/json"})
	}
	return out
}

// header returns the index of a header, ignoring case; -1 if there is none.
func (r *Request) header(name string) int {
	return slices.IndexFunc(r.Headers, func(h Header) bool { return strings.EqualFold(h.Name, name) })
}

// oneLine replaces line breaks in a header.
func oneLine(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// validName reports whether name is a token (RFC 9110, 5.6.2).
func validName(name string) bool {
	for _, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r) {
			return false
		}
	}
	return name != ""
}

// cleanURL percent-encodes characters that some clients refuse.
func cleanURL(raw string) string {
	start := 0
	if i := strings.Index(raw, "://"); i >= 0 {
		start = len(raw)
		if j := strings.IndexAny(raw[i+3:], "/?#"); j >= 0 {
			start = i + 3 + j
		}
	}
	var b strings.Builder
	b.WriteString(raw[:start])
	for i := start; i < len(raw); i++ {
		c := raw[i]
		bad := c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>\\^`{|}[]", c) >= 0
		if c == '%' {
			_, err := url.PathUnescape(raw[i:min(i+3, len(raw))])
			bad = err != nil
		}
		if bad {
			b.WriteString("%" + strings.ToUpper(string([]byte{hex[c>>4], hex[c&15]})))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

const hex = "0123456789abcdef"

// printable reports whether s can appear unescaped in source code: no control
// characters but line feeds and tabs, nothing that changes the direction.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || invisible(r)
	})
}

// escaped returns the inside of a literal of a C-like language, with a backslash
// before special characters; newline is the escape for a line feed.
func escaped(s, special, newline string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune(special, r):
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(newline)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || invisible(r):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports whether a character must be escaped because it cannot be
// seen.
func invisible(r rune) bool {
	return r == 0x7f || 0x80 <= r && r < 0xa0 || r == 0xad || 0x200b <= r && r <= 0x200f ||
		0x2028 <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f || r == 0xfeff || r == utf8.RuneError
}
