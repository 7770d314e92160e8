// Package query reads what a person asks of a JSON document: JSONPath as RFC
// 9535 has it, and the everyday part of jq.
//
//	$.items[?@.hostStatus == "dead" && @.id > 7].displayName
//	.items[] | select(.hostStatus == "dead") | {id, name: .displayName}
//
// Parse gives a Query, which package document runs over a body; nothing here
// knows of bytes of JSON.
//
// # The jq that is understood
//
// Paths (.a, ."odd key", .["a"], [0], [-1], [2:4], [], .., with or without ?),
// select(…) with ==, !=, <, <=, >, >=, and, or, not, parentheses, test, has,
// startswith, endswith and contains, map(…), and as a last step length, keys,
// values, type or an object {id, name: .displayName}. A path that leads nowhere
// gives nothing, as in JSONPath, where jq would stop or give null; in a
// comparison it is null. A slice and map give their items, not an array of them.
//
// # Errors
//
// An *Error is a sentence with the character it is about. Numbers in a query
// keep their digits.
package query

import (
	"fmt"
	"regexp"
)

// Query is one or more steps; each takes the results of the one before.
type Query struct{ Steps []Step }

// Step is a *Path, *Select, *Summary or *Object.
type Step interface{ step() }

// Path is a way from the root of the document, or from where the query is.
type Path struct {
	Root     bool
	Segments []Segment
}

// Segment selects among the children of a value or, with Descend, among the
// children of the value and of all its descendants.
type Segment struct {
	Descend   bool
	Selectors []Selector
}

// Kind is the type of a Selector.
type Kind uint8

// The kinds of Selector.
const (
	ByName Kind = iota
	ByIndex
	BySlice
	ByFilter
	Wildcard
	Itself // of a Segment with Descend: the value and everything in it
)

// Selector chooses children.
type Selector struct {
	Kind       Kind
	Name       string
	Index      int64
	Start, End *int64 // of a slice; nil when left out
	Step       int64
	Filter     Expr
}

// Select keeps the values for which Filter is true.
type Select struct{ Filter Expr }

// Summary is length, keys, values or type of a value.
type Summary struct{ Name string }

// Object makes an object of each value.
type Object struct{ Fields []Field }

// Field is a key of an Object and where its value stands.
type Field struct {
	Key   string
	Value *Path
}

func (*Path) step()    {}
func (*Select) step()  {}
func (*Summary) step() {}
func (*Object) step()  {}

// Expr is a condition: *Or, *And, *Not, *Exists, *Truthy, *Compare, *Match,
// *Holds or *Within.
type Expr interface{ expr() }

// Or is true if one is.
type Or struct{ Left, Right Expr }

// And is true if both are.
type And struct{ Left, Right Expr }

// Not is true if X is false.
type Not struct{ X Expr }

// Exists is true if the path has a value.
type Exists struct{ Path *Path }

// Truthy holds for anything but null, false and nothing.
type Truthy struct{ Of Operand }

// Compare compares two values with ==, !=, <, <=, > or >=.
type Compare struct {
	Op          string
	Left, Right Operand
	NothingNull bool // what is not there is null, as in jq
}

// Match reports whether a text matches a regular expression, as a whole or
// somewhere in it. Compiled is nil when the pattern comes from the document.
type Match struct {
	Text, Pattern Operand
	Whole         bool
	Compiled      *regexp.Regexp
}

// Holds is startswith, endswith, contains or has.
type Holds struct {
	How  string
	Of   Operand
	Text string
}

// Within is true if Filter is true for one of the values at Path.
type Within struct {
	Path   *Path
	Filter Expr
}

func (*Or) expr()      {}
func (*And) expr()     {}
func (*Not) expr()     {}
func (*Exists) expr()  {}
func (*Truthy) expr()  {}
func (*Compare) expr() {}
func (*Match) expr()   {}
func (*Holds) expr()   {}
func (*Within) expr()  {}

// Operand is a *Literal, a *Path or a *Call.
type Operand interface{ operand() }

// Literal is a value in the query: a string decoded, a number as it was
// written, or true, false or null.
type Literal struct {
	Kind string // string, number, boolean or null
	Text string
}

// Call applies length, count or value to its argument.
type Call struct {
	Name string
	Of   Operand
}

func (*Literal) operand() {}
func (*Path) operand()    {}
func (*Call) operand()    {}

// Singular reports whether a path leads to one value at most.
func (p *Path) Singular() bool {
	for _, s := range p.Segments {
		if s.Descend || len(s.Selectors) != 1 || s.Selectors[0].Kind > ByIndex {
			return false
		}
	}
	return true
}

// Error describes a mistake in a query and its position.
type Error struct {
	At      int // the character it is about, from 0
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s at character %d", e.Message, e.At+1) }

// MaxLength limits the bytes of a query.
const MaxLength = 4096

// maxDepth limits the nesting of parentheses and filters.
const maxDepth = 64
