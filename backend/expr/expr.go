// Package expr parses and evaluates the small formulas of data points and
// graphs: used/total*100. It does not depend on data points; the caller
// supplies the values of names.
//
// # Grammar
//
//	expr  := and { "||" and }
//	and   := cmp { "&&" cmp }
//	cmp   := sum [ ( "<" | "<=" | ">" | ">=" | "==" | "=" | "!=" ) sum ]
//	sum   := term { ( "+" | "-" ) term }
//	term  := sign { ( "*" | "/" | "%" ) sign }
//	sign  := { "-" | "+" | "!" } power
//	power := atom [ "^" sign ]                     from the right: 2^3^2 is 2^9
//	atom  := number | name | call | "(" expr ")"
//	call  := function "(" expr { "," expr } ")"
//	name  := ( letter | "_" ) { letter | digit | "_" | "." } | '"' { char } '"'
//
// A text with commas outside of parentheses is read as reverse Polish notation,
// as published graphs have it: used,total,/,100,*. The operators and functions
// are the same there; IF, MIN, MAX take as many values as they need.
//
// # Functions
//
//	if(test, then, else)   min(a, b …)   max(a, b …)   abs   floor   ceil   sqrt   exp
//	round(x) round(x, digits)   ln   log (base 10)   un(x): 1 where x is no data, else 0
//
// # Values
//
// Every value is a float64; a comparison gives 1 or 0, and anything but 0 is
// true. No data is NaN, and every result computed from no data is no data: only
// un tests for it, and if ignores the branch that it does not take. So is what
// has no value: a division by 0, the root of a negative number, a result that
// is too large.
//
// # Limits and errors
//
// A formula has at most MaxBytes bytes and MaxTerms terms and nests MaxDepth
// levels deep. Every error is fault.Invalid without a field; its sentence says
// where, in characters from 0.
//
// # Concurrency
//
// An Expr never changes; it is safe to share.
package expr

import "math"

// The limits of one formula.
const (
	MaxBytes = 4 << 10
	MaxTerms = 500
	MaxDepth = 32
)

// Expr is a parsed formula.
type Expr struct {
	root  node
	names []string
}

// Names returns the names in the formula, without duplicates, in order of
// appearance.
func (e *Expr) Names() []string { return e.names }

// Eval computes the formula. value returns the value of a name: NaN for no data. The
// result is never infinite.
func (e *Expr) Eval(value func(name string) float64) float64 {
	v := e.root.eval(value)
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// node is a number, a name, or an operation on others.
type node struct {
	do   *function // nil for a number or a name
	kids []node
	name string
	num  float64
}

func (n *node) eval(value func(string) float64) float64 {
	switch {
	case n.do == nil && n.name == "":
		return n.num
	case n.do == nil:
		return value(n.name)
	case n.do.name == "if":
		return n.choose(value)
	}
	args := make([]float64, len(n.kids))
	for i := range n.kids {
		args[i] = n.kids[i].eval(value)
		if math.IsNaN(args[i]) && n.do.name != "un" {
			return math.NaN()
		}
	}
	return n.do.of(args)
}

func (n *node) choose(value func(string) float64) float64 {
	switch test := n.kids[0].eval(value); {
	case math.IsNaN(test):
		return test
	case test != 0:
		return n.kids[1].eval(value)
	}
	return n.kids[2].eval(value)
}
