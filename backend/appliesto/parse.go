package appliesto

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/pattern"
	"spyglass/backend/resource"
)

// Parse parses an expression that may call these functions.
func Parse(text string, functions map[string]string) (*Expr, error) {
	c := &calls{code: make(map[string]string, len(functions)), read: map[string]*function{}, uses: map[string]bool{},
		longest: new(int)}
	for name, code := range functions {
		c.code[strings.ToLower(name)] = code
		c.names = append(c.names, name)
	}
	slices.Sort(c.names)
	f, err := c.parse(text)
	if err != nil {
		return nil, err
	}
	*c.longest = maxWork / max(1, f.steps)
	return &Expr{root: f.root, uses: c.uses, load: Load{f.cost, f.steps}, longest: c.longest}, nil
}

// function is the parsed expression of a function, with its number of terms
// including all calls.
type function struct {
	root  *node
	cost  int
	steps int // total for its regular expressions, including all calls
}

// calls parses each function once, however often it is called.
type calls struct {
	code  map[string]string // the portal's own functions, by name in lower case
	names []string          // names as spelled
	read  map[string]*function
	stack []string // functions being parsed
	uses  map[string]bool

	longest *int // maximum bytes of a value for regular expressions; set at the end
}

func (c *calls) parse(text string) (*function, error) {
	p := &parser{in: text, calls: c}
	switch {
	case len(text) > MaxBytes:
		return nil, fault.New(fault.Invalid, "the expression is longer than %d bytes", MaxBytes)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return nil, fault.New(fault.Invalid, "the expression is not valid UTF-8 text")
	}
	if p.space(); p.at == len(p.in) {
		return &function{}, nil
	}
	root, err := p.or(0)
	if err == nil && p.at < len(p.in) {
		err = p.unexpected("the end")
	}
	if err != nil {
		return nil, err
	}
	return &function{root: root, cost: p.cost, steps: p.steps}, nil
}

type parser struct {
	in    string
	at    int
	terms int
	cost  int // terms, including all calls
	steps int // steps of regular expressions, including all calls
	calls *calls
}

// wrong returns an error at a position in the expression.
func (p *parser) wrong(at int, format string, args ...any) error {
	f := fault.New(fault.Invalid, format, args...)
	f.Message += " at " + strconv.Itoa(utf8.RuneCountInString(p.in[:at]))
	return f
}

// unexpected returns the error that another token was expected.
func (p *parser) unexpected(wanted string) error {
	if p.at == len(p.in) {
		return p.wrong(p.at, "expected %s", wanted)
	}
	found := p.peekWord()
	hint := ""
	if found != "" && wanted == "the end" {
		wanted = "an operator"
		hint = resource.DidYouMean(found, words)
	}
	if found == "" {
		_, size := utf8.DecodeRuneInString(p.in[p.at:])
		found = p.in[p.at : p.at+size]
	}
	err := p.wrong(p.at, "expected %s, not %s,", wanted, shorten(found))
	fault.Of(err).Message += hint
	return err
}

func shorten(text string) string {
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	return strconv.Quote(text)
}

func (p *parser) space() {
	for p.at < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.at]) >= 0 {
		p.at++
	}
}

// take skips a symbol, and the space after it.
func (p *parser) take(symbol string) bool {
	if !strings.HasPrefix(p.in[p.at:], symbol) {
		return false
	}
	p.at += len(symbol)
	p.space()
	return true
}

// takeWord consumes a word of the grammar.
func (p *parser) takeWord(word string) bool {
	if found := p.peekWord(); !strings.EqualFold(found, word) {
		return false
	}
	p.at += len(word)
	p.space()
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// peekWord returns the next word or name.
func (p *parser) peekWord() string {
	end := p.at
	for end < len(p.in) &&
		(isLetter(p.in[end]) || end > p.at && (isDigit(p.in[end]) || p.in[end] == '.' || p.in[end] == '-')) {
		end++
	}
	return p.in[p.at:end]
}

func (p *parser) deeper(depth int) error {
	if depth > MaxDepth {
		return p.wrong(p.at, "more than %d levels deep", MaxDepth)
	}
	return nil
}

func (p *parser) or(depth int) (*node, error) { return p.chain(depth, opOr, "||", "or", p.and) }
func (p *parser) and(depth int) (*node, error) {
	return p.chain(depth, opAnd, "&&", "and", p.not)
}

func (p *parser) chain(depth int, op op, symbol, word string, next func(int) (*node, error)) (*node, error) {
	var kids []*node
	for {
		kid, err := next(depth)
		if err != nil {
			return nil, err
		}
		if kid.op == op {
			kids = append(kids, kid.kids...) // (a || b) || c is a || b || c
		} else {
			kids = append(kids, kid)
		}
		if !p.take(symbol) && !p.takeWord(word) {
			break
		}
	}
	if len(kids) == 1 {
		return kids[0], nil
	}
	return &node{op: op, kids: kids}, nil
}

func (p *parser) not(depth int) (*node, error) {
	if err := p.deeper(depth); err != nil {
		return nil, err
	}
	if !p.take("!") && !p.takeWord("not") {
		return p.cond(depth)
	}
	kid, err := p.not(depth + 1)
	if err != nil {
		return nil, err
	}
	return &node{op: opNot, kids: []*node{kid}}, nil
}

// count adds terms, and returns an error above the limit.
func (p *parser) count(at, cost int) error {
	p.terms++
	p.cost += cost
	if p.terms > MaxTerms || p.cost > MaxExpanded {
		return p.wrong(at, "more than %d terms, or %d with the functions it calls,", MaxTerms, MaxExpanded)
	}
	return nil
}

func (p *parser) cond(depth int) (*node, error) {
	start := p.at
	if p.take("(") {
		n, err := p.or(depth + 1)
		if err == nil && !p.take(")") {
			err = p.unexpected("a closing )")
		}
		return n, err
	}
	if err := p.count(start, 1); err != nil {
		return nil, err
	}
	word := p.peekWord()
	if n, err := p.call(word, depth); n != nil || err != nil {
		return n, err
	}
	for i, word := range []string{"false", "true"} {
		if p.takeWord(word) {
			return &node{op: opConst, truth: i == 1}, nil
		}
	}
	if p.takeWord("exists") {
		name, err := p.property()
		return &node{op: opExists, left: name}, err
	}
	return p.comparison(start)
}

func (p *parser) comparison(start int) (*node, error) {
	left, err := p.value(0)
	if err != nil {
		return nil, err
	}
	op, negated, ok := p.operator()
	if !ok {
		if left.kind == isText || left.kind == isNumber {
			return nil, p.wrong(start, "%s alone is no condition", shorten(left.text))
		}
		return &node{op: opTruth, left: left}, nil
	}
	at := p.at
	right, err := p.value(0)
	if err != nil {
		return nil, err
	}
	n := &node{op: op, left: left, right: right}
	if op == opLike {
		if err := p.pattern(n, at); err != nil {
			return nil, err
		}
	}
	if negated {
		return &node{op: opNot, kids: []*node{n}}, nil
	}
	return n, nil
}

// spellings lists the operators in the order in which they are tried: none is a
// prefix of a later one.
var spellings = []struct {
	text    string
	op      op
	negated bool
}{
	{"==", opEqual, false}, {"=~", opLike, false}, {"!=", opEqual, true}, {"!~", opLike, true},
	{"<=", opLessEq, false}, {">=", opMoreEq, false}, {"<", opLess, false}, {">", opMore, false}, {"=", opEqual, false},
}

func (p *parser) operator() (found op, negated, ok bool) {
	for _, s := range spellings {
		if p.take(s.text) {
			return s.op, s.negated, true
		}
	}
	for _, word := range []op{opContains, opStarts, opEnds} {
		if p.takeWord(symbols[word]) {
			return word, false, true
		}
	}
	return 0, false, false
}

// pattern parses the text after =~ as a glob or a regular expression.
func (p *parser) pattern(n *node, at int) error {
	if n.right.kind != isText {
		return p.wrong(at, "expected a text in quotes behind =~")
	}
	if isGlob(n.right.text) {
		n.glob = n.right.lower
		return nil
	}
	compiled, steps, err := pattern.Compile("(?i)"+n.right.text, MaxSteps-p.steps)
	switch {
	case errors.Is(err, pattern.ErrLarge):
		return p.wrong(at, "%s, together with the other regular expressions, takes more than %d steps; repeat less "+
			"often", shorten(n.right.text), MaxSteps)
	case err != nil:
		return p.wrong(at, "%s is no regular expression (%s)", shorten(n.right.text), err)
	}
	n.pattern, n.longest = compiled, p.calls.longest
	p.steps += steps
	return nil
}

// isGlob reports whether * and ? are the only special characters in the text.
func isGlob(text string) bool {
	return strings.ContainsAny(text, "*?") && !strings.ContainsAny(text, `^$+()[]{}|\`) &&
		!strings.Contains(text, ".*") && !strings.Contains(text, ".?")
}
