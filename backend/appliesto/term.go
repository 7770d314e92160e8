package appliesto

import (
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// call parses a function that is true or false; it returns nil if none comes
// next.
func (p *parser) call(name string, depth int) (*node, error) {
	start := p.at
	if name == "" || !p.opens(len(name)) {
		return nil, p.forgotten(name)
	}
	if slices.ContainsFunc([]string{"not", "and", "or", "getPropValue", "join"},
		func(w string) bool { return strings.EqualFold(w, name) }) {
		return nil, nil
	}
	p.take(name)
	p.take("(")
	n, err := p.arguments(strings.ToLower(name))
	if n == nil && err == nil {
		n, err = p.expand(name, start, depth)
	}
	if err == nil && !p.take(")") {
		err = p.unexpected("a closing )")
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// opens reports whether a ( follows the next n bytes.
func (p *parser) opens(n int) bool {
	return strings.HasPrefix(strings.TrimLeft(p.in[p.at+n:], " \t\r\n"), "(")
}

// forgotten returns an error for the name of a function without ( ).
func (p *parser) forgotten(name string) error {
	for _, f := range builtin {
		if strings.EqualFold(f.name, name) {
			return p.wrong(p.at, "%s is a function: write %s()", name, f.name)
		}
	}
	if _, ours := p.calls.code[strings.ToLower(name)]; ours {
		return p.wrong(p.at, "%s is a function: write %s()", name, name)
	}
	return nil
}

// arguments parses the arguments of a function with its own rules; it returns nil
// for any other function.
func (p *parser) arguments(name string) (*node, error) {
	switch name {
	case "true", "false":
		return &node{op: opConst, truth: name == "true"}, nil
	case "hasproperty", "exists":
		property, err := p.property()
		return &node{op: opExists, left: property}, err
	case "hascategory", "ingroup":
		at := p.at
		v, err := p.value(0)
		if err == nil && v.kind != isText {
			err = p.wrong(at, "expected a text in quotes")
		}
		if name == "hascategory" {
			return &node{op: opCategory, right: v}, err
		}
		return &node{op: opGroup, right: v, glob: v.lower}, err
	}
	for _, op := range []op{opContains, opStarts, opEnds} {
		if strings.EqualFold(symbols[op], name) {
			left, err := p.value(0)
			if err == nil && !p.take(",") {
				err = p.unexpected("a comma")
			}
			if err != nil {
				return nil, err
			}
			right, err := p.value(0)
			return &node{op: op, left: left, right: right}, err
		}
	}
	return nil, nil
}

// expand inserts the expression of a function at a call. The expression is parsed
// once and shared; its cost counts at every call.
func (p *parser) expand(name string, at, depth int) (*node, error) {
	c, key := p.calls, strings.ToLower(name)
	code, ours := c.code[key]
	if !ours {
		for _, f := range builtin {
			if strings.EqualFold(f.name, name) {
				code, name = f.code, f.name
			}
		}
	}
	if code == "" && !ours {
		known := append(Builtins(), c.names...)
		err := p.wrong(at, "there is no function %s", shorten(name))
		fault.Of(err).Message += resource.DidYouMean(name, known)
		return nil, err
	}
	f := c.read[key]
	if f == nil {
		if slices.Contains(c.stack, key) {
			return nil, p.wrong(at, "%s() calls itself", name)
		}
		if len(c.stack) >= MaxDepth {
			return nil, p.wrong(at, "functions call each other more than %d levels deep", MaxDepth)
		}
		c.stack = append(c.stack, key)
		var err error
		if f, err = c.parse(code); err != nil {
			return nil, inFunction(name, err)
		}
		c.stack = c.stack[:len(c.stack)-1]
		c.read[key] = f
	}
	if ours {
		c.uses[key] = true
	}
	if err := p.count(at, f.cost); err != nil {
		return nil, err
	}
	if p.steps += f.steps; p.steps > MaxSteps {
		return nil, p.wrong(at, "the regular expressions of %s, together with the others, take more than %d steps; "+
			"repeat less often", name, MaxSteps)
	}
	body := f.root
	if body == nil {
		body = &node{op: opConst}
	}
	return &node{op: opCall, name: name, kids: []*node{body}}, nil
}

// inFunction adds the name of the innermost function with the error.
func inFunction(name string, err error) error {
	f := *fault.Of(err)
	if !strings.HasPrefix(f.Message, "in the function ") {
		f.Message = "in the function " + name + ": " + f.Message
	}
	return &f
}

// property parses the name of a property, with or without quotes.
func (p *parser) property() (value, error) {
	inside := p.take("(")
	v := value{kind: isProperty, text: p.peekWord()}
	if v.text != "" {
		p.at += len(v.text)
		p.space()
	} else if text, ok, err := p.text(); ok || err != nil {
		if v.text = text; err != nil {
			return v, err
		}
	}
	if v.text == "" {
		return v, p.unexpected("the name of a property")
	}
	if inside && !p.take(")") {
		return v, p.unexpected("a closing )")
	}
	return v, nil
}

// value parses a text, a number, a property or a function that returns a text.
func (p *parser) value(depth int) (value, error) {
	if depth > MaxDepth {
		return value{}, p.wrong(p.at, "more than %d levels deep", MaxDepth)
	}
	if text, ok, err := p.text(); ok || err != nil {
		return value{kind: isText, text: text, lower: strings.ToLower(text)}, err
	}
	if p.at < len(p.in) && (isDigit(p.in[p.at]) || p.in[p.at] == '-') {
		return p.number()
	}
	name := p.peekWord()
	switch {
	case name == "":
		return value{}, p.unexpected("a value")
	case strings.EqualFold(name, "getPropValue") && p.opens(len(name)):
		p.take(name)
		return p.property()
	case strings.EqualFold(name, "join") && p.opens(len(name)):
		p.take(name)
		return p.join(depth)
	case slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, name) }):
		return value{}, p.unexpected("a value")
	case p.opens(len(name)):
		return value{}, p.wrong(p.at, "%s gives no text to compare with", shorten(name+"()"))
	}
	if err := p.forgotten(name); err != nil {
		return value{}, err
	}
	p.at += len(name)
	p.space()
	return value{kind: isProperty, text: name}, nil
}

func (p *parser) join(depth int) (value, error) {
	p.take("(")
	list, err := p.value(depth + 1)
	if err == nil && !p.take(",") {
		err = p.unexpected("a comma")
	}
	if err != nil {
		return value{}, err
	}
	with, ok, err := p.text()
	if err == nil && !ok {
		err = p.unexpected("a text in quotes")
	}
	if err == nil && !p.take(")") {
		err = p.unexpected("a closing )")
	}
	return value{kind: isJoin, join: &join{list, with}}, err
}

func (p *parser) number() (value, error) {
	end := p.at + 1
	for end < len(p.in) && (isDigit(p.in[end]) || isLetter(p.in[end]) || p.in[end] == '.') {
		end++
	}
	text := p.in[p.at:end]
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsFunc(text, func(r rune) bool { return isLetter(byte(r)) }) {
		return value{}, p.wrong(p.at, "%s is no number, and a text needs quotes,", shorten(text))
	}
	p.at = end
	p.space()
	return value{kind: isNumber, text: text, number: n}, nil
}

// text parses a quoted text; ok is false if none comes next.
func (p *parser) text() (text string, ok bool, err error) {
	if p.at == len(p.in) || p.in[p.at] != '"' && p.in[p.at] != '\'' {
		return "", false, nil
	}
	start, mark := p.at, p.in[p.at]
	var out strings.Builder
	for p.at++; p.at < len(p.in); p.at++ {
		c := p.in[p.at]
		if c == mark {
			p.at++
			p.space()
			return out.String(), true, nil
		}
		if next := p.at + 1; c == '\\' && next < len(p.in) && strings.IndexByte(`\"'`, p.in[next]) >= 0 {
			p.at = next
			c = p.in[next]
		}
		out.WriteByte(c)
	}
	return "", true, p.wrong(start, "no quote closes the text that begins")
}
