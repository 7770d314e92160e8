// Package appliesto parses the expressions that select devices: the appliesTo of
// a dynamic group, and the code of the functions that such expressions call. It
// does not depend on devices: a Subject supplies properties and groups.
//
// # Grammar
//
//	expr  := and { ( "||" | "or" ) and }
//	and   := not { ( "&&" | "and" ) not }
//	not   := { "!" | "not" } cond
//	cond  := "(" expr ")" | "true" | "false"
//	       | "exists" name
//	       | call                               a function that is true or false
//	       | value [ op value ]                 a value alone is true when it is neither empty nor "false"
//	op    := "==" | "=" | "!=" | "=~" | "!~" | "<" | "<=" | ">" | ">="
//	       | "contains" | "startsWith" | "endsWith"
//	value := name | text | number | call        a function that gives a text
//	call  := word "(" [ value { "," value } ] ")"
//	name  := ( letter | "_" ) { letter | digit | "_" | "." | "-" }
//	text  := '"' { char } '"' | "'" { char } "'"    \ before a quote or a \ takes it as it is
//
// Spaces and line breaks are allowed between any two of these. A name is that of a
// property, or of a field of the device; for a name with other characters, use
// getPropValue("…"). The empty expression applies to nothing.
//
// # Functions
//
//	hasCategory("x")                     system.categories, a list with commas, has x
//	inGroup("Servers/*")                 it is in such a group, however deep; the full path, * and ? are wildcards
//	hasProperty("x"), exists("x")        the property is there and not empty
//	getPropValue("x")                    its value
//	join(value, "|")                     a list with commas, joined with another separator
//	contains(a, "b"), startsWith(…), endsWith(…)
//	true(), false()
//
// isWindows(), isLinux() and the like are written in this language (builtin.go);
// so are those a portal adds. They take no arguments.
//
// # Comparing
//
// Text compares ignoring case. "==" and "!=" compare numbers where one side is a
// number without quotes; "<" and the like always do, and are false where a side
// is none. A missing property compares like an empty text.
//
// The text behind "=~" is a glob if its only special characters are * and ?:
// "web*" is a value that begins with web. Anything else is a regular expression
// (RE2) that can match anywhere in the value: "web", "^web.*\.fra$". The first
// "*" or "?" behind a "." makes it one: "10.1.*".
//
// # Limits and errors
//
// An expression and each function have at most MaxBytes bytes and MaxTerms
// terms, nest MaxDepth levels deep, and the whole with all calls written out
// has at most MaxExpanded terms. All that are evaluated together have at most
// MaxAllTerms and MaxAllSteps (Fit). Every error is fault.Invalid without a
// field; its sentence says where, in characters from 0 of the expression, or of
// the function it names.
//
// # Concurrency
//
// An Expr never changes after Fit; it is safe to share from then on.
package appliesto

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The limits of one expression.
const (
	MaxBytes    = 4 << 10
	MaxTerms    = 200
	MaxExpanded = 2000
	MaxDepth    = 32
	MaxSteps    = 2000 // total for its regular expressions, for each character of a value

	// maxWork limits the work of the regular expressions of one expression for
	// one device: their steps times the length of a value. They do not match a
	// longer value.
	maxWork = 400_000
)

// Subject is the object that an expression is evaluated for.
type Subject interface {
	// Property returns the value of a property or field; names compare ignoring
	// case.
	Property(name string) (string, bool)
	// Groups returns the full paths of its groups and their parents.
	Groups() []string
}

// Expr is a parsed expression. A nil Expr applies to nothing.
type Expr struct {
	root    *node // nil for the empty expression
	uses    map[string]bool
	load    Load
	longest *int // maximum bytes of a value for its regular expressions
}

// Match reports whether the expression applies.
func (e *Expr) Match(s Subject) bool { return e != nil && e.root != nil && e.root.match(s) }

// Functions returns the portal's own functions that the expression calls,
// directly or through others; in lower case, sorted.
func (e *Expr) Functions() []string { return slices.Sorted(maps.Keys(e.uses)) }

// String formats the expression; Parse reads the result as the same expression.
func (e *Expr) String() string {
	if e == nil || e.root == nil {
		return ""
	}
	var out strings.Builder
	e.root.write(&out, opOr)
	return out.String()
}

// op is the operation of a node.
type op int

const (
	opOr op = iota
	opAnd
	opNot
	opConst
	opCall     // kids[0] is the function's expression
	opTruth    // left is set and not "false"
	opExists   // left is set
	opEqual    //
	opLess     //
	opLessEq   //
	opMore     //
	opMoreEq   //
	opContains //
	opStarts   //
	opEnds     //
	opLike     // right.text as glob or pattern
	opCategory // right.text is one of system.categories
	opGroup    // right.text as a glob on full paths
)

var symbols = map[op]string{
	opEqual: "==", opLess: "<", opLessEq: "<=", opMore: ">", opMoreEq: ">=",
	opContains: "contains", opStarts: "startsWith", opEnds: "endsWith", opLike: "=~",
}

// node is one operation on others, or on two values.
type node struct {
	op          op
	kids        []*node
	left, right value
	truth       bool   // for opConst
	name        string // for opCall
	pattern     *regexp.Regexp
	longest     *int   // maximum bytes of a value for the pattern
	glob        string // lower case; for opLike if pattern is nil, and for opGroup
}

// value is a text: a literal, the value of a property, or a list joined with
// another separator.
type value struct {
	kind   valueKind
	text   string // the text, the digits, or the name of the property
	lower  string // a literal in lower case
	number float64
	join   *join
}

type valueKind int

const (
	isText valueKind = iota
	isNumber
	isProperty
	isJoin
)

type join struct {
	list value
	with string
}

// The constants are in order of precedence.
func (n *node) write(out *strings.Builder, outer op) {
	switch n.op {
	case opOr, opAnd:
		word, open := " || ", n.op < outer
		if n.op == opAnd {
			word = " && "
		}
		if open {
			out.WriteByte('(')
		}
		for i, kid := range n.kids {
			if i > 0 {
				out.WriteString(word)
			}
			kid.write(out, n.op+1)
		}
		if open {
			out.WriteByte(')')
		}
	case opNot:
		out.WriteByte('!')
		if n.kids[0].op >= opTruth && n.kids[0].op < opCategory {
			out.WriteByte('(')
			defer out.WriteByte(')')
		}
		n.kids[0].write(out, opNot)
	case opConst:
		out.WriteString(strconv.FormatBool(n.truth))
	case opCall:
		out.WriteString(n.name + "()")
	case opTruth:
		n.left.write(out)
	case opExists:
		out.WriteString("exists(" + quote(n.left.text) + ")")
	case opCategory:
		out.WriteString("hasCategory(" + quote(n.right.text) + ")")
	case opGroup:
		out.WriteString("inGroup(" + quote(n.right.text) + ")")
	default:
		n.left.write(out)
		out.WriteString(" " + symbols[n.op] + " ")
		n.right.write(out)
	}
}

func (v value) write(out *strings.Builder) {
	switch v.kind {
	case isText:
		out.WriteString(quote(v.text))
	case isNumber:
		out.WriteString(v.text)
	case isProperty:
		out.WriteString("getPropValue(" + quote(v.text) + ")")
	case isJoin:
		out.WriteString("join(")
		v.join.list.write(out)
		out.WriteString(", " + quote(v.join.with) + ")")
	}
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
