package expr

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
)

// Parse parses a formula.
func Parse(text string) (*Expr, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, fault.New(fault.Invalid, "the expression is longer than %d bytes", MaxBytes)
	case !utf8.ValidString(text):
		return nil, fault.New(fault.Invalid, "the expression is not valid UTF-8")
	case strings.TrimSpace(text) == "":
		return nil, fault.New(fault.Invalid, "the expression is empty")
	}
	p := &parser{in: text}
	read := p.infix
	if isPolish(text) {
		read = p.polish
	}
	root, err := read()
	if err != nil {
		return nil, err
	}
	return &Expr{root: root, names: p.names}, nil
}

type parser struct {
	in    string
	at    int
	depth int
	terms int
	names []string
}

// wrong returns an error at a position in the formula.
func (p *parser) wrong(at int, format string, args ...any) error {
	f := fault.New(fault.Invalid, format, args...)
	f.Message += " at " + strconv.Itoa(utf8.RuneCountInString(p.in[:at]))
	return f
}

func (p *parser) infix() (node, error) {
	root, err := p.level(0)
	if err != nil {
		return root, err
	}
	if p.space(); p.at < len(p.in) {
		return root, p.wrong(p.at, "expected an operator before %s", p.rest())
	}
	return root, nil
}

// rest returns the remaining text, shortened for an error message.
func (p *parser) rest() string {
	if p.at >= len(p.in) {
		return "the end"
	}
	r := []rune(p.in[p.at:])
	if len(r) > 20 {
		return strconv.Quote(string(r[:20]) + "…")
	}
	return strconv.Quote(string(r))
}

func (p *parser) space() {
	for p.at < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.at]) >= 0 {
		p.at++
	}
}

// count counts a term, and returns an error above the limit.
func (p *parser) count() error {
	if p.terms++; p.terms > MaxTerms {
		return p.wrong(p.at, "more than %d terms", MaxTerms)
	}
	return nil
}

// deeper enters one more level of nesting; up leaves it.
func (p *parser) deeper() error {
	if p.depth++; p.depth > MaxDepth {
		return p.wrong(p.at, "nested more than %d levels deep", MaxDepth)
	}
	return nil
}

func (p *parser) up() { p.depth-- }

// level parses an expression of operators of that level or higher precedence.
func (p *parser) level(n int) (node, error) {
	if n == len(operators) {
		return p.sign()
	}
	left, err := p.level(n + 1)
	for err == nil {
		do := p.operator(operators[n])
		if do == nil {
			return left, nil
		}
		var right node
		if err = p.count(); err == nil {
			right, err = p.level(n + 1)
		}
		left = node{do: do, kids: []node{left, right}}
		if n == comparing {
			return left, err
		}
	}
	return left, err
}

func (p *parser) operator(among []function) *function {
	p.space()
	for i := range among {
		if strings.HasPrefix(p.in[p.at:], among[i].name) {
			p.at += len(among[i].name)
			return &among[i]
		}
	}
	return nil
}

func (p *parser) sign() (node, error) {
	p.space()
	var do *function
	switch rest := p.in[p.at:]; {
	case strings.HasPrefix(rest, "-"):
		do = &negate
	case strings.HasPrefix(rest, "!"):
		do = &not
	case !strings.HasPrefix(rest, "+"):
		return p.power()
	}
	p.at++
	if err := p.deeper(); err != nil {
		return node{}, err
	}
	defer p.up()
	kid, err := p.sign()
	if do == nil {
		return kid, err
	}
	return node{do: do, kids: []node{kid}}, err
}

func (p *parser) power() (node, error) {
	base, err := p.atom()
	if err != nil {
		return base, err
	}
	if p.space(); !strings.HasPrefix(p.in[p.at:], "^") {
		return base, nil
	}
	p.at++
	if err := p.deeper(); err != nil {
		return base, err
	}
	defer p.up()
	exponent, err := p.sign()
	return node{do: &power, kids: []node{base, exponent}}, err
}

func (p *parser) atom() (node, error) {
	p.space()
	if err := p.count(); err != nil {
		return node{}, err
	}
	if p.at == len(p.in) {
		return node{}, p.wrong(p.at, "expected a value before the end")
	}
	switch c := p.in[p.at]; {
	case c == '(':
		return p.group()
	case c == '"':
		return p.quoted()
	case isDigit(c) || c == '.':
		return p.number()
	case isLetter(c):
		return p.word()
	}
	return node{}, p.wrong(p.at, "expected a value before %s", p.rest())
}

func (p *parser) group() (node, error) {
	open := p.at
	p.at++
	kids, err := p.list(open)
	if err == nil && len(kids) > 1 {
		err = p.wrong(open, "parentheses without a function hold one value, not %d", len(kids))
	}
	if err != nil {
		return node{}, err
	}
	return kids[0], nil
}

// list parses comma-separated values up to the closing parenthesis.
func (p *parser) list(open int) ([]node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.up()
	var kids []node
	for {
		kid, err := p.level(0)
		if err != nil {
			return nil, err
		}
		kids = append(kids, kid)
		p.space()
		switch {
		case strings.HasPrefix(p.in[p.at:], ","):
			p.at++
		case strings.HasPrefix(p.in[p.at:], ")"):
			p.at++
			return kids, nil
		case p.at == len(p.in):
			return nil, p.wrong(open, "the parenthesis is never closed that opens")
		default:
			return nil, p.wrong(p.at, "expected an operator before %s", p.rest())
		}
	}
}

func (p *parser) quoted() (node, error) {
	end := strings.IndexByte(p.in[p.at+1:], '"')
	if end < 1 {
		return node{}, p.wrong(p.at, "expected a name in double quotes")
	}
	name := p.in[p.at+1 : p.at+1+end]
	p.at += end + 2
	return p.named(name), nil
}

func (p *parser) named(name string) node {
	if !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	return node{name: name}
}

func (p *parser) number() (node, error) {
	start := p.at
	for p.at < len(p.in) && (isDigit(p.in[p.at]) || p.in[p.at] == '.') {
		p.at++
	}
	if e := p.exponent(); e > 0 {
		p.at += e
	}
	return p.float(start, p.in[start:p.at])
}

// exponent returns the length of the "e-3" that comes next; 0 if there is none.
func (p *parser) exponent() int {
	rest := p.in[p.at:]
	if rest == "" || rest[0]|0x20 != 'e' {
		return 0
	}
	n := 1
	if n < len(rest) && (rest[n] == '-' || rest[n] == '+') {
		n++
	}
	digits := n
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	if n == digits {
		return 0
	}
	return n
}

func (p *parser) float(at int, text string) (node, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return node{}, p.wrong(at, "%s is no number", text)
	}
	return node{num: v}, nil
}

func (p *parser) word() (node, error) {
	start := p.at
	for p.at < len(p.in) && (isLetter(p.in[p.at]) || isDigit(p.in[p.at]) || p.in[p.at] == '.') {
		p.at++
	}
	name := p.in[start:p.at]
	p.space()
	if !strings.HasPrefix(p.in[p.at:], "(") {
		return p.named(name), nil
	}
	do := called(name)
	if do == nil {
		return node{}, p.wrong(start, "there is no function %s()", name)
	}
	open := p.at
	p.at++
	kids, err := p.list(open)
	if err == nil && (len(kids) < do.least || len(kids) > do.most) {
		err = p.wrong(start, "%s() takes %s, not %d", do.name, do.takes(), len(kids))
	}
	return node{do: do, kids: kids}, err
}

func (f *function) takes() string {
	switch {
	case f.least != f.most:
		return strconv.Itoa(f.least) + " to " + strconv.Itoa(f.most) + " values"
	case f.least == 1:
		return "one value"
	}
	return strconv.Itoa(f.least) + " values"
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
