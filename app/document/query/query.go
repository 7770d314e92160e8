// Package query parses queries on JSON documents: JSONPath (RFC 9535) and the
// common part of jq.
//
//	$.items[?@.hostStatus == "dead" && @.id > 7].displayName
//	.items[] | select(.hostStatus == "dead") | {id, name: .displayName}
//
// Parse returns a Query, which package document runs over a body. This package
// does not read JSON itself.
//
// # Supported jq
//
// Paths (.a, ."odd key", .["a"], [0], [-1], [2:4], [], .., with or without ?),
// select(…) with ==, !=, <, <=, >, >=, and, or, not, parentheses, test, has,
// startswith, endswith and contains, map(…), and as a last step length, keys,
// values, type or an object {id, name: .displayName}. A path without a value has
// no result, as in JSONPath, where jq would stop or return null; in a comparison
// it is null. A slice and map return their items, not an array of them.
//
// # Errors
//
// An *Error is a sentence with the position of the error. Numbers in a query keep
// their digits.
package query

import (
	"fmt"
	"regexp"
)

// Query is one or more steps. Each step takes the results of the previous one.
type Query struct{ Steps []Step }

// Step is a *Path, *Select, *Summary or *Object.
type Step interface{ step() }

// Path selects values, beginning at the root of the document or at the current
// value.
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
	Itself // of a Segment with Descend: the value and all its descendants
)

// Selector selects children.
type Selector struct {
	Kind       Kind
	Name       string
	Index      int64
	Start, End *int64 // of a slice; nil if omitted
	Step       int64
	Filter     Expr
}

// Select keeps the values for which Filter is true.
type Select struct{ Filter Expr }

// Summary is length, keys, values or type of a value.
type Summary struct{ Name string }

// Object builds an object from each value.
type Object struct{ Fields []Field }

// Field is a key of an Object and the path of its value.
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

// Or is true if at least one side is true.
type Or struct{ Left, Right Expr }

// And is true if both sides are true.
type And struct{ Left, Right Expr }

// Not is true if X is false.
type Not struct{ X Expr }

// Exists is true if the path has a value.
type Exists struct{ Path *Path }

// Truthy is true for any value except null, false and a missing value.
type Truthy struct{ Of Operand }

// Compare compares two values with ==, !=, <, <=, > or >=.
type Compare struct {
	Op          string
	Left, Right Operand
	NothingNull bool // a missing value equals null, as in jq
}

// Match reports whether a text matches a regular expression, as a whole or in
// part. Compiled is nil if the pattern comes from the document.
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

// Literal is a constant in the query: a decoded string, a number as written, or
// true, false or null.
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
	At      int // position of the error in characters, from 0
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s at character %d", e.Message, e.At+1) }

// MaxLength limits the bytes of a query.
const MaxLength = 4096

// maxDepth limits the nesting of parentheses and filters.
const maxDepth = 64
