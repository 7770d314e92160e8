package query

import "regexp"

// wholePath parses a JSONPath query and the jq steps after a |.
func (p *parser) wholePath() *Query {
	q := &Query{Steps: []Step{p.path()}}
	p.space()
	if p.take("|") {
		q.Steps = append(q.Steps, p.pipeline().Steps...)
	}
	if !p.end() {
		p.expected(". or [ or | or the end")
	}
	return q
}

// path parses $ or @ and the segments after it.
func (p *parser) path() *Path {
	path := &Path{Root: p.peek() == '$'}
	p.at++
	for {
		before := p.at
		p.space()
		switch {
		case p.take(".."):
			path.Segments = append(path.Segments, Segment{Descend: true, Selectors: p.afterDots()})
		case p.take("."):
			path.Segments = append(path.Segments, Segment{Selectors: []Selector{p.shorthand()}})
		case p.peek() == '[':
			path.Segments = append(path.Segments, Segment{Selectors: p.brackets()})
		default:
			p.at = before
			return path
		}
	}
}

func (p *parser) afterDots() []Selector {
	if p.peek() == '[' {
		return p.brackets()
	}
	return []Selector{p.shorthand()}
}

func (p *parser) shorthand() Selector {
	if p.take("*") {
		return Selector{Kind: Wildcard}
	}
	name := p.name()
	if name == "" {
		p.expected("a key or *")
	}
	return Selector{Kind: ByName, Name: name}
}

func (p *parser) brackets() (all []Selector) {
	p.at++
	for {
		p.space()
		all = append(all, p.selector())
		p.space()
		if p.take("]") {
			return all
		}
		p.need(",", "] or a comma")
	}
}

func (p *parser) selector() Selector {
	switch c := p.peek(); {
	case c == '\'' || c == '"':
		return Selector{Kind: ByName, Name: p.text()}
	case p.take("*"):
		return Selector{Kind: Wildcard}
	case p.take("?"):
		defer p.deeper()()
		p.space()
		return Selector{Kind: ByFilter, Filter: p.or()}
	}
	return p.indexOrSlice("a key in quotes, a number, *, : or ?")
}

func (p *parser) indexOrSlice(what string) Selector {
	start, given := p.integer()
	before := p.at
	p.space()
	if !p.take(":") {
		p.at = before
		if !given {
			p.expected(what)
		}
		return Selector{Kind: ByIndex, Index: start}
	}
	s := Selector{Kind: BySlice, Step: 1}
	if given {
		s.Start = &start
	}
	p.space()
	if end, ok := p.integer(); ok {
		s.End = &end
		p.space()
	}
	if p.take(":") {
		p.space()
		if step, ok := p.integer(); ok {
			s.Step = step
		}
	}
	return s
}

func (p *parser) or() Expr {
	left := p.and()
	for {
		before := p.at
		p.space()
		if !p.take("||") {
			p.at = before
			return left
		}
		p.space()
		left = &Or{left, p.and()}
	}
}

func (p *parser) and() Expr {
	left := p.basic()
	for {
		before := p.at
		p.space()
		if !p.take("&&") {
			p.at = before
			return left
		}
		p.space()
		left = &And{left, p.basic()}
	}
}

// basic parses a comparison, a test or a group.
func (p *parser) basic() Expr {
	if p.take("!") {
		p.space()
		if p.peek() == '(' {
			return &Not{p.group()}
		}
		at := p.at
		operand, test := p.operand()
		return &Not{p.test(at, operand, test)}
	}
	if p.peek() == '(' {
		return p.group()
	}
	at := p.at
	operand, test := p.operand()
	before := p.at
	p.space()
	op := p.comparison()
	if op == "" {
		p.at = before
		return p.test(at, operand, test)
	}
	p.comparable(at, operand)
	p.space()
	at = p.at
	right, _ := p.operand()
	p.comparable(at, right)
	return &Compare{Op: op, Left: operand, Right: right}
}

func (p *parser) group() Expr {
	defer p.deeper()()
	p.at++
	p.space()
	inner := p.or()
	p.space()
	p.need(")", ") or an operator")
	return inner
}

// comparison parses an operator; it returns "" if there is none.
func (p *parser) comparison() string {
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.take(op) {
			return op
		}
	}
	return ""
}

// test converts an operand without comparison to a condition.
func (p *parser) test(at int, operand Operand, test Expr) Expr {
	if test != nil {
		return test
	}
	path, ok := operand.(*Path)
	if !ok {
		p.fail(at, "this needs a comparison, as in @.id > 7")
	}
	return &Exists{path}
}

// comparable refuses operands that can have several values.
func (p *parser) comparable(at int, operand Operand) {
	if operand == nil {
		p.fail(at, "match and search are conditions; they are not compared")
	}
	if path, ok := operand.(*Path); ok && !path.Singular() {
		p.fail(at, "only a path to one value can be compared; use count(…) or value(…)")
	}
}

// operand parses a literal, a path or a function. For match and search it returns
// a test instead.
func (p *parser) operand() (Operand, Expr) {
	switch c := p.peek(); {
	case c == '\'' || c == '"':
		return &Literal{"string", p.text()}, nil
	case c == '$' || c == '@':
		return p.path(), nil
	case c == '-' || '0' <= c && c <= '9':
		return &Literal{"number", p.number()}, nil
	}
	begin := p.at
	switch name := p.name(); name {
	case "true", "false":
		return &Literal{"boolean", name}, nil
	case "null":
		return &Literal{"null", name}, nil
	case "length", "count", "value":
		return p.call(name), nil
	case "match", "search":
		return nil, p.match(name)
	case "":
		p.expected("a value, @, $ or a function")
	default:
		if p.peek() == '(' {
			p.fail(begin, "there is no function %s; there are length, count, match, search and value", name)
		}
		p.fail(begin, "a key starts with @., and a string is in quotes: write @.%s or %q", name, name)
	}
	return nil, nil
}

// call parses the argument of length, count or value (RFC 9535, 2.4).
func (p *parser) call(name string) Operand {
	defer p.deeper()()
	p.need("(", "( after "+name)
	p.space()
	at := p.at
	of, _ := p.operand()
	path, isPath := of.(*Path)
	switch {
	case name != "length" && !isPath:
		p.fail(at, "%s takes a path", name)
	case name == "length" && (of == nil || isPath && !path.Singular()):
		p.fail(at, "length takes one value; count(…) counts many")
	}
	p.space()
	p.need(")", ")")
	return &Call{name, of}
}

func (p *parser) match(name string) Expr {
	defer p.deeper()()
	p.need("(", "( after "+name)
	p.space()
	at := p.at
	text, _ := p.operand()
	p.comparable(at, text)
	p.space()
	p.need(",", "a comma and a pattern")
	p.space()
	at = p.at
	pattern, _ := p.operand()
	p.comparable(at, pattern)
	m := &Match{Text: text, Pattern: pattern, Whole: name == "match"}
	if l, ok := pattern.(*Literal); ok && l.Kind == "string" {
		m.Compiled = p.compile(at, l.Text, m.Whole)
	}
	p.space()
	p.need(")", ")")
	return m
}

func (p *parser) compile(at int, pattern string, whole bool) *regexp.Regexp {
	compiled, err := Compile(pattern, whole)
	if err != nil {
		p.fail(at, "the pattern is wrong (%s)", err)
	}
	return compiled
}
