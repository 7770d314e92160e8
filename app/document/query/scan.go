package query

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// parser parses a query from left to right. It reports an error by panic(*Error),
// which Parse recovers.
type parser struct {
	src   string
	at    int
	depth int
}

// Parse parses a query: as JSONPath if it begins with $, otherwise as jq.
func Parse(src string) (q *Query, err error) {
	p := &parser{src: src}
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case *Error:
			problem.At = utf8.RuneCountInString(src[:min(problem.At, len(src))])
			q, err = nil, problem
		default:
			panic(problem)
		}
	}()
	if len(src) > MaxLength {
		p.fail(0, "this query is longer than %d bytes", MaxLength)
	}
	if !utf8.ValidString(src) {
		p.fail(0, "this query is not UTF-8")
	}
	p.space()
	if p.end() {
		p.fail(p.at, "an empty query; begin with $ or .")
	}
	if p.peek() == '$' {
		return p.wholePath(), nil
	}
	return p.pipeline(), nil
}

func (p *parser) fail(at int, format string, args ...any) {
	panic(&Error{At: at, Message: fmt.Sprintf(format, args...)})
}

// expected reports that something else should be at the current position.
func (p *parser) expected(what string) {
	found := "the end"
	if !p.end() {
		r, _ := utf8.DecodeRuneInString(p.src[p.at:])
		found = strconv.Quote(string(r))
	}
	p.fail(p.at, "expected %s, found %s", what, found)
}

func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.at, "nested more than %d levels deep", maxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) end() bool { return p.at >= len(p.src) }

func (p *parser) peek() byte {
	if p.end() {
		return 0
	}
	return p.src[p.at]
}

func (p *parser) space() {
	for !p.end() && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

// take consumes text if it comes next.
func (p *parser) take(text string) bool {
	if strings.HasPrefix(p.src[p.at:], text) {
		p.at += len(text)
		return true
	}
	return false
}

func (p *parser) need(text, what string) {
	if !p.take(text) {
		p.expected(what)
	}
}

func nameFirst(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r >= 0x80
}

// name reads a key without quotes; "" if there is none.
func (p *parser) name() string {
	begin := p.at
	for !p.end() {
		r, n := utf8.DecodeRuneInString(p.src[p.at:])
		if !nameFirst(r) && (p.at == begin || r < '0' || r > '9') {
			break
		}
		p.at += n
	}
	return p.src[begin:p.at]
}

// word consumes a whole word if it comes next.
func (p *parser) word(text string) bool {
	begin := p.at
	if p.name() == text {
		return true
	}
	p.at = begin
	return false
}

const maxIndex = 1<<53 - 1 // RFC 9535, 2.1

// integer reads an index; ok is false if none comes next.
func (p *parser) integer() (n int64, ok bool) {
	begin := p.at
	p.take("-")
	digits := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	text := p.src[digits:p.at]
	if text == "" {
		p.at = begin
		return 0, false
	}
	if len(text) > 1 && text[0] == '0' || p.src[begin:p.at] == "-0" {
		p.fail(begin, "a number here has no leading 0")
	}
	n, err := strconv.ParseInt(p.src[begin:p.at], 10, 64)
	if err != nil || n > maxIndex || n < -maxIndex {
		p.fail(begin, "the number is too large")
	}
	return n, true
}

// number reads a JSON number as written.
func (p *parser) number() string {
	begin := p.at
	digits := func(what string) {
		from := p.at
		for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
			p.at++
		}
		if p.at == from {
			p.expected(what)
		}
	}
	p.take("-")
	if first := p.at; !p.take("0") {
		digits("a digit")
	} else if c := p.peek(); '0' <= c && c <= '9' {
		p.fail(first, "a number has no leading 0")
	}
	if p.take(".") {
		digits("a digit after the point")
	}
	if p.take("e") || p.take("E") {
		if !p.take("+") {
			p.take("-")
		}
		digits("an exponent")
	}
	return p.src[begin:p.at]
}

// text reads a quoted string.
func (p *parser) text() string {
	begin, quote := p.at, p.peek()
	p.at++
	var b strings.Builder
	for {
		switch c := p.peek(); {
		case p.end():
			p.fail(begin, "a text without its closing %c", quote)
		case c == quote:
			p.at++
			return b.String()
		case c == '\\':
			b.WriteRune(p.escape(quote))
		case c < ' ':
			p.fail(p.at, "a control character in a text; write it as \\u%04x", c)
		default:
			b.WriteByte(c)
			p.at++
		}
	}
}

// escapes maps the letter after a backslash to the character it encodes.
var escapes = map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '/': '/', '\\': '\\'}

func (p *parser) escape(quote byte) rune {
	begin := p.at
	p.at++
	c := p.peek()
	p.at++
	if c == quote {
		return rune(quote)
	}
	if r, ok := escapes[c]; ok {
		return r
	}
	if c != 'u' {
		p.fail(begin, "no such escape in a text")
	}
	r := p.hex4(begin)
	if !utf16.IsSurrogate(r) {
		return r
	}
	if p.take(`\u`) {
		if pair := utf16.DecodeRune(r, p.hex4(begin)); pair != utf8.RuneError {
			return pair
		}
	}
	p.fail(begin, "half of a surrogate pair")
	return 0
}

func (p *parser) hex4(begin int) rune {
	n, err := strconv.ParseUint(p.src[p.at:min(p.at+4, len(p.src))], 16, 32)
	if err != nil || p.at+4 > len(p.src) {
		p.fail(begin, `four hex digits after \u are missing`)
	}
	p.at += 4
	return rune(n)
}
