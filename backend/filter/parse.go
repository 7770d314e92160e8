package filter

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// all is the name of the pseudo-field that matches every text of a row.
const all = "_all"

// Parse parses a filter over those columns. Days are days in zone; nil means UTC.
// It returns nil if the text is empty.
func Parse(text string, columns []resource.Column, zone *time.Location) (*Filter, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, fault.At("filter", "filter: it is longer than %d bytes", MaxBytes)
	case !utf8.ValidString(text):
		return nil, fault.At("filter", "filter: it is not valid UTF-8")
	case strings.ContainsRune(text, 0): // the database would end the text there
		return nil, fault.At("filter", "filter: it contains a NUL character")
	case zone == nil:
		zone = time.UTC
	}
	p := parser{in: text, columns: columns, zone: zone}
	if p.space(); p.at == len(p.in) {
		return nil, nil
	}
	f := &Filter{Any: [][]Cond{nil}}
	for {
		cond, err := p.cond()
		if err != nil {
			return nil, err
		}
		last := &f.Any[len(f.Any)-1]
		*last = append(*last, cond)
		switch p.space(); {
		case p.at == len(p.in):
			return f, nil
		case p.take("||"):
			f.Any = append(f.Any, nil)
		case !p.take(","):
			return nil, p.unexpected()
		}
	}
}

type parser struct {
	in      string
	at      int
	terms   int
	columns []resource.Column
	zone    *time.Location
}

// wrong returns an error at a position in the filter.
func (p *parser) wrong(at int, format string, args ...any) *fault.Error {
	f := fault.At("filter", format, args...)
	f.Message = "filter: " + f.Message + " at " + strconv.Itoa(utf8.RuneCountInString(p.in[:at]))
	return f
}

func (p *parser) unexpected() error {
	rest, _, _ := strings.Cut(p.in[p.at:], " ")
	f := p.wrong(p.at, "expected , or || before %s", quote(rest))
	f.Message += `; a value with spaces, commas or bars needs double quotes`
	return f
}

// quote quotes a piece of the filter, shortened for a sentence.
func quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

func (p *parser) space() {
	for p.at < len(p.in) && isSpace(p.in[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func (p *parser) take(text string) bool {
	if !strings.HasPrefix(p.in[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

func (p *parser) cond() (Cond, error) {
	c, err := p.field()
	if err != nil {
		return c, err
	}
	if c.Op, err = p.op(c); err != nil {
		return c, err
	}
	if !c.Op.takesValue() {
		return c, p.count(p.at)
	}
	for {
		v, err := p.value(c)
		if err != nil {
			return c, err
		}
		c.Values = append(c.Values, v)
		p.space()
		if strings.HasPrefix(p.in[p.at:], "||") || !p.take("|") {
			return c, nil
		}
	}
}

func (p *parser) count(at int) error {
	if p.terms++; p.terms > MaxTerms {
		return p.wrong(at, "more than %d values", MaxTerms)
	}
	return nil
}

func (p *parser) field() (Cond, error) {
	p.space()
	start := p.at
	for p.at < len(p.in) && !isSpace(p.in[p.at]) && strings.IndexByte(`:!~<>=,|"\`, p.in[p.at]) < 0 {
		p.at++
	}
	name := p.in[start:p.at]
	if name == "" {
		return Cond{}, p.wrong(start, "expected a field")
	}
	if name == all {
		return Cond{Column: resource.Column{Name: all, Kind: resource.KindText}}, nil
	}
	base, sub, _ := strings.Cut(name, ".")
	for _, c := range p.columns {
		switch {
		case c.Hidden:
		case c.Name == name && c.Kind == resource.KindOther:
			return Cond{}, p.wrong(start, "cannot filter by %s", name)
		case c.Name == name && c.Kind == resource.KindPairs:
			f := p.wrong(start, "%s is a list of name/value pairs", name)
			f.Message += "; use " + name + ".name and " + name + ".value"
			return Cond{}, f
		case c.Name == name:
			return Cond{Column: c}, nil
		case c.Name == base && c.Kind == resource.KindPairs && (sub == "name" || sub == "value"):
			return Cond{Column: c, Sub: sub}, nil
		}
	}
	known := p.names()
	f := p.wrong(start, "no field %s", quote(name))
	f.Message += resource.DidYouMean(name, known)
	for _, name := range known {
		f.Allowed = append(f.Allowed, name)
	}
	return Cond{}, f
}

// names returns the fields that a filter may name.
func (p *parser) names() []string {
	var names []string
	for _, c := range p.columns {
		switch {
		case c.Hidden || c.Kind == resource.KindOther:
		case c.Kind == resource.KindPairs:
			names = append(names, c.Name+".name", c.Name+".value")
		default:
			names = append(names, c.Name)
		}
	}
	return append(names, all)
}

// spellings lists the operators in the order in which they are tried: none is a
// prefix of a later one.
var spellings = []struct {
	text string
	op   Op
}{
	{"!:", NotEqual}, {"!~", NotContains}, {">:", GreaterEq}, {">=", GreaterEq}, {"<:", LessEq}, {"<=", LessEq},
	{":", Equal}, {"~", Contains}, {">", Greater}, {"<", Less},
}

func (p *parser) op(c Cond) (Op, error) {
	name := c.Column.Name
	if c.Sub != "" {
		name += "." + c.Sub
	}
	p.space()
	start := p.at
	op, ok := p.test()
	for i := 0; i < len(spellings) && !ok; i++ {
		op, ok = spellings[i].op, p.take(spellings[i].text)
	}
	switch {
	case !ok:
		return 0, p.wrong(start, "expected an operator after %s", name)
	case slices.Contains(legal(c.Column), op):
		return op, nil
	}
	f := p.wrong(start, "%s cannot be used with %s (%s)", p.in[start:p.at], name, kindName(c.Column.Kind))
	for _, op := range legal(c.Column) {
		f.Allowed = append(f.Allowed, op.String())
	}
	return 0, f
}

// test parses an operator without a value. It must end the condition: ":::empty1"
// is the operator ":" with the value "::empty1".
func (p *parser) test() (Op, bool) {
	for _, op := range tests {
		rest, ok := strings.CutPrefix(p.in[p.at:], op.String())
		if ok && (rest == "" || isSpace(rest[0]) || rest[0] == ',' || rest[0] == '|') {
			p.at += len(op.String())
			return op, true
		}
	}
	return 0, false
}

func kindName(kind resource.Kind) string {
	switch kind {
	case resource.KindInteger:
		return "a whole number"
	case resource.KindNumber:
		return "a number"
	case resource.KindBoolean:
		return "true or false"
	case resource.KindSeconds, resource.KindMillis:
		return "a time"
	case resource.KindIDs:
		return "a list of ids"
	}
	return "a text"
}
