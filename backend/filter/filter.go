// Package filter parses the filter parameter of lists into conditions on declared
// columns. It contains no SQL: backend/store turns the conditions into a query.
//
// # Grammar
//
//	filter := and { "||" and }
//	and    := cond { "," cond }                      "," binds tighter than "||"
//	cond   := field op value { "|" value }           "|" means any of these values
//	        | field test
//	field  := name | name ".name" | name ".value"    the latter two for lists of name/value pairs
//	        | "_all"                                 every text of the row
//	op     := ":" | "!:" | "~" | "!~" | ">" | "<" | ">:" | "<:" | ">=" | "<="
//	test   := ":::empty" | "!::empty" | ":::null" | "!::null"
//	value  := '"' { char } '"' | char { char }
//
// Spaces are allowed between any two of these. A quoted value holds any
// characters; a bare one ends at a space, a comma, a bar or a quote. In both, \
// takes the next character as it is. ">=" and "<=" are other ways to write ">:"
// and "<:". An empty filter, or one of spaces only, matches all rows.
//
// # Values
//
// ":" is equal, "~" contains, and "!" before either negates. With a negated
// operator, "|" means none of these values. In a value of ":" and "!:", an
// unescaped * is a wildcard where texts are compared; elsewhere it is a plain
// character, except that a lone * for a boolean matches both values.
//
// Numbers are decimal. A time is an epoch number in the unit of its column, a
// day 2026-01-31, which is all of that day in the portal's time zone, or an RFC
// 3339 date and time; a time zone's + may arrive as a space. Case matters in
// names of fields, not in true and false.
//
// Conditions on the two halves of one list of pairs, in one and-group, mean the
// same element; the reader of a Filter must ensure that.
//
// # Limits and errors
//
// A filter has at most MaxBytes bytes and MaxTerms values. Every error is
// fault.Invalid at the field "filter"; its sentence says where, in characters
// from 0.
package filter

import (
	"slices"
	"strings"

	"spyglass/backend/resource"
)

// MaxBytes and MaxTerms limit one filter. A value is a term, and so is a
// condition without a value.
const (
	MaxBytes = 4 << 10
	MaxTerms = 100
)

// Filter matches if any of its alternatives matches; an alternative matches if
// all of its conditions do. A nil Filter matches everything.
type Filter struct{ Any [][]Cond }

// Cond is one condition on one column.
type Cond struct {
	Column resource.Column // Kind decides how to compare; "_all" is of KindText
	Sub    string          // "name" or "value" of a KindPairs column, else ""
	Op     Op
	Values []Value // any of these; for a negated Op none of these; nil if Op takes no value
}

// Value is one value, parsed by the kind of its column.
type Value struct {
	Text     string // unescaped
	Pattern  bool   // Text contains wildcards, and Glob is set. For a boolean: either value
	Glob     []string
	Int      int64   // for an integer column
	Float    float64 // for a number column
	Bool     bool    // for a boolean column
	From, To int64   // for a time column, in its unit: the half-open range
}

// Op is a comparison operator.
type Op int

// The operators. NotEqual, NotContains, NotEmpty and NotNull are negated.
const (
	Equal Op = iota
	NotEqual
	Contains
	NotContains
	Greater
	Less
	GreaterEq
	LessEq
	Empty
	NotEmpty
	Null
	NotNull
)

var opTexts = [...]string{":", "!:", "~", "!~", ">", "<", ">:", "<:", ":::empty", "!::empty", ":::null", "!::null"}

func (o Op) String() string { return opTexts[o] }

// Negated reports whether an operator negates the previous operator in the list.
func (o Op) Negated() bool { return o == NotEqual || o == NotContains || o == NotEmpty || o == NotNull }

// takesValue reports whether a value follows the operator.
func (o Op) takesValue() bool { return o < Empty }

var tests = []Op{Empty, NotEmpty, Null, NotNull}

// legal returns the operators that are valid for a column.
func legal(c resource.Column) []Op {
	var ops []Op
	switch c.Kind {
	case resource.KindInteger, resource.KindNumber, resource.KindSeconds, resource.KindMillis:
		ops = []Op{Equal, NotEqual, Greater, Less, GreaterEq, LessEq}
	case resource.KindBoolean:
		ops = []Op{Equal, NotEqual}
	case resource.KindText, resource.KindPairs, resource.KindIDs:
		ops = []Op{Equal, NotEqual, Contains, NotContains}
	}
	if ops == nil || c.Name == all {
		return ops
	}
	return append(ops, tests...)
}

// Operators returns the texts of the operators for a column of a kind, as in the
// catalog; for KindPairs they apply to .name and .value. KindOther has none. The
// field _all does not support :::empty and similar operators.
func Operators(kind resource.Kind) []string {
	var texts []string
	for _, op := range legal(resource.Column{Kind: kind}) {
		texts = append(texts, op.String())
	}
	return texts
}

// Names reports whether the filter has a condition on the field.
func (f *Filter) Names(field string) bool {
	return f != nil && slices.ContainsFunc(f.Any, func(all []Cond) bool {
		return slices.ContainsFunc(all, func(c Cond) bool { return c.Column.Name == field })
	})
}

// String formats the filter; Parse reads the result as the same filter.
func (f *Filter) String() string {
	if f == nil {
		return ""
	}
	var out strings.Builder
	for i, conds := range f.Any {
		if i > 0 {
			out.WriteString(" || ")
		}
		for j, c := range conds {
			if j > 0 {
				out.WriteByte(',')
			}
			c.write(&out)
		}
	}
	return out.String()
}

func (c Cond) write(out *strings.Builder) {
	out.WriteString(c.Column.Name)
	if c.Sub != "" {
		out.WriteString("." + c.Sub)
	}
	out.WriteString(c.Op.String())
	for i, v := range c.Values {
		if i > 0 {
			out.WriteByte('|')
		}
		parts := v.Glob
		if !v.Pattern {
			parts = []string{v.Text}
		}
		out.WriteByte('"')
		for k, part := range parts {
			if k > 0 {
				out.WriteByte('*')
			}
			out.WriteString(escape.Replace(part))
		}
		out.WriteByte('"')
	}
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `*`, `\*`)
