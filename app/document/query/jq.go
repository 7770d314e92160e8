package query

import (
	"cmp"
	"strings"
)

// pipeline parses jq: steps with | between them.
func (p *parser) pipeline() *Query {
	q := &Query{}
	p.steps(q, "")
	return q
}

// steps parses the steps before the closing sign, or before the end.
func (p *parser) steps(q *Query, closing string) {
	defer p.deeper()()
	mapped := false
	for {
		p.space()
		begin := p.at
		if n := len(q.Steps); n > 0 {
			switch q.Steps[n-1].(type) {
			case *Summary, *Object:
				p.fail(begin, "nothing can come after a step that makes a new value")
			}
		}
		if p.word("map") {
			if !mapped {
				q.Steps = append(q.Steps, &Path{Segments: []Segment{{Selectors: []Selector{{Kind: Wildcard}}}}})
			}
			p.need("(", "( after map")
			p.steps(q, ")")
			mapped = true
		} else {
			p.step(q, mapped)
			mapped = false
		}
		p.space()
		if closing == "" && p.end() || closing != "" && p.take(closing) {
			return
		}
		p.need("|", "| or "+cmp.Or(closing, "the end"))
	}
}

// step parses one step. A [] after a slice or map has no effect, since its items
// come one by one already.
func (p *parser) step(q *Query, mapped bool) {
	begin := p.at
	step := p.jqStep()
	path, ok := step.(*Path)
	oneByOne := mapped
	if n := len(q.Steps); n > 0 && !mapped {
		before, is := q.Steps[n-1].(*Path)
		oneByOne = is && before.endsWithSlice()
	}
	switch {
	case oneByOne && ok && path.startsWithAll():
		path.Segments = path.Segments[1:]
	case mapped:
		p.fail(begin, "what map(…) gives comes one by one; go on with .[] or map(…)")
	}
	q.Steps = append(q.Steps, step)
}

func (p *parser) jqStep() Step {
	switch c := p.peek(); {
	case c == '.' || c == '[':
		return p.jqPath()
	case c == '{':
		return p.object()
	}
	begin := p.at
	switch name := p.name(); name {
	case "select":
		defer p.deeper()()
		p.space()
		p.need("(", "( after select")
		cond := p.condition(p.jqPipe())
		p.space()
		p.need(")", ") or an operator")
		return &Select{cond}
	case "length", "keys", "values", "type":
		return &Summary{name}
	case "":
		p.expected("a path such as .items[], select(…), length, keys or {…}")
	default:
		if p.peek() == '(' {
			p.fail(begin, "there is no function %s; there are select, map, length, keys, values and type", name)
		}
		p.fail(begin, "a key begins with a dot: write .%s", name)
	}
	return nil
}

// jqPath parses .a.b[0][].
func (p *parser) jqPath() *Path {
	path := &Path{}
	add := func(descend bool, s Selector) {
		if s.Kind != Wildcard || !path.endsWithSlice() {
			path.Segments = append(path.Segments, Segment{descend, []Selector{s}})
		}
		p.take("?")
	}
	if p.take("..") {
		add(true, Selector{Kind: Itself})
	} else if p.peek() == '.' {
		p.at++
		if key, ok := p.jqKey(); ok {
			add(false, Selector{Kind: ByName, Name: key})
		}
	}
	for {
		switch {
		case p.peek() == '[':
			p.at++
			add(false, p.jqBrackets())
		case strings.HasPrefix(p.src[p.at:], ".["):
			p.at++
		case p.peek() == '.':
			p.at++
			key, ok := p.jqKey()
			if !ok {
				p.expected("a key")
			}
			add(false, Selector{Kind: ByName, Name: key})
		default:
			return path
		}
	}
}

// A slice returns its items one by one, so a [] after it has no effect.
func (p *Path) endsWithSlice() bool {
	n := len(p.Segments)
	return n > 0 && p.Segments[n-1].Selectors[0].Kind == BySlice
}

func (p *Path) startsWithAll() bool {
	return len(p.Segments) > 0 && p.Segments[0].Selectors[0].Kind == Wildcard
}

// jqKey parses a key after a dot.
func (p *parser) jqKey() (string, bool) {
	if p.peek() == '"' {
		return p.text(), true
	}
	name := p.name()
	return name, name != ""
}

func (p *parser) jqBrackets() (s Selector) {
	p.space()
	switch {
	case p.peek() == ']':
		s = Selector{Kind: Wildcard}
	case p.peek() == '"':
		s = Selector{Kind: ByName, Name: p.text()}
	default:
		s = p.indexOrSlice("], a number, : or a key in double quotes")
	}
	p.space()
	p.need("]", "]")
	return s
}

// object parses {id, name: .displayName, "odd key"}.
func (p *parser) object() *Object {
	p.at++
	o := &Object{}
	for {
		p.space()
		key, ok := p.jqKey()
		if !ok {
			p.expected("a key")
		}
		p.space()
		value := &Path{Segments: []Segment{{Selectors: []Selector{{Kind: ByName, Name: key}}}}}
		if p.take(":") {
			p.space()
			if at := p.at; p.peek() != '.' {
				p.expected("a path that begins with a dot")
			} else if value = p.jqPath(); !value.Singular() {
				p.fail(at, "an object can contain only paths to one value")
			}
		}
		o.Fields = append(o.Fields, Field{key, value})
		p.space()
		if p.take("}") {
			return o
		}
		p.need(",", "} or a comma")
	}
}

// term is a condition or a value, to be determined later.
type term struct {
	at      int
	expr    Expr
	operand Operand
}

// condition converts a term to a condition.
func (p *parser) condition(t term) Expr {
	if t.expr != nil {
		return t.expr
	}
	return &Truthy{t.operand}
}

// jqPipe parses a condition with its own pipes: .name | test("x").
func (p *parser) jqPipe() term {
	defer p.deeper()()
	p.space()
	left := p.jqOr()
	p.space()
	if !p.take("|") {
		return left
	}
	p.space()
	if p.word("not") {
		return p.jqNot(left)
	}
	path, ok := left.operand.(*Path)
	if !ok {
		p.fail(left.at, "only a path or not can be used with | in a condition")
	}
	right := p.jqPipe()
	if call, ok := right.operand.(*Call); ok && path.Singular() {
		if inner, ok := call.Of.(*Path); ok && !inner.Root {
			return term{at: left.at, operand: &Call{call.Name, path.then(inner)}}
		}
	}
	if inner, ok := right.operand.(*Path); ok {
		return term{at: left.at, operand: path.then(inner)}
	}
	return term{at: left.at, expr: &Within{path, p.condition(right)}}
}

// jqNot parses the rest of left | not, and the operators after it.
func (p *parser) jqNot(left term) term {
	t := term{at: left.at, expr: &Not{p.condition(left)}}
	for p.space(); p.take("|"); p.space() {
		p.space()
		if !p.word("not") {
			p.expected("not")
		}
		t.expr = &Not{t.expr}
	}
	return t
}

// then returns the path extended by another path.
func (p *Path) then(next *Path) *Path {
	return &Path{p.Root, append(append([]Segment{}, p.Segments...), next.Segments...)}
}

func (p *parser) jqOr() term {
	left := p.jqAnd()
	for {
		p.space()
		if !p.word("or") {
			return left
		}
		left = term{at: left.at, expr: &Or{p.condition(left), p.condition(p.jqAnd())}}
	}
}

func (p *parser) jqAnd() term {
	left := p.jqCompare()
	for {
		p.space()
		if !p.word("and") {
			return left
		}
		left = term{at: left.at, expr: &And{p.condition(left), p.condition(p.jqCompare())}}
	}
}

func (p *parser) jqCompare() term {
	left := p.jqTerm()
	p.space()
	op := p.comparison()
	if op == "" {
		return left
	}
	right := p.jqTerm()
	for _, t := range []term{left, right} {
		if path, ok := t.operand.(*Path); t.operand == nil || ok && !path.Singular() {
			p.fail(t.at, "only single values can be compared")
		}
	}
	return term{at: left.at, expr: &Compare{Op: op, Left: left.operand, Right: right.operand, NothingNull: true}}
}

func (p *parser) jqTerm() term {
	p.space()
	begin := p.at
	switch c := p.peek(); {
	case c == '(':
		p.at++
		t := p.jqPipe()
		p.space()
		p.need(")", ") or an operator")
		return t
	case c == '.':
		return term{at: begin, operand: p.jqPath()}
	case c == '"':
		return term{at: begin, operand: &Literal{"string", p.text()}}
	case c == '-' || '0' <= c && c <= '9':
		return term{at: begin, operand: &Literal{"number", p.number()}}
	}
	switch name := p.name(); name {
	case "true", "false":
		return term{at: begin, operand: &Literal{"boolean", name}}
	case "null":
		return term{at: begin, operand: &Literal{"null", name}}
	case "length":
		return term{at: begin, operand: &Call{name, &Path{}}}
	case "test", "startswith", "endswith", "contains", "has":
		return term{at: begin, expr: p.jqTest(name)}
	case "":
		p.expected("a path, a value or a function")
	default:
		if p.peek() == '(' {
			p.fail(begin, "there is no function %s in a condition; there are length, test, has, startswith, "+
				"endswith, contains and not", name)
		}
		p.fail(begin, "a key starts with a dot, and a string is in quotes: write .%s or %q", name, name)
	}
	return term{}
}

// jqTest parses a function with one text argument.
func (p *parser) jqTest(name string) Expr {
	p.need("(", "( after "+name)
	p.space()
	at := p.at
	if p.peek() != '"' {
		p.expected("a text in double quotes")
	}
	text := p.text()
	p.space()
	p.need(")", ")")
	if name == "test" {
		return &Match{Text: &Path{}, Compiled: p.compile(at, text, false)}
	}
	return &Holds{How: name, Of: &Path{}, Text: text}
}
