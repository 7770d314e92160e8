package engine

import (
	"strings"
	"unicode"

	"spyglass/backend/resource"
)

// Table declares a table. It must not change once an engine has seen it.
type Table struct {
	Name    string
	Columns []Column // "id" is among them; Body comes on top
	Indexes []Index

	// Soft is the column that is 0 in rows that are not deleted; "" where none are
	// kept. Indexes hold the rows that are not deleted. An engine finds the ids of
	// either kind in their order.
	Soft string
}

// Column is a column of a table. Its zero value is what rows have that were written
// before it was added: "", 0, [] or null, by kind.
type Column struct {
	Name string
	Kind resource.Kind
}

// Linked reports whether Writer.Link keeps the ids of a column.
func (c Column) Linked() bool { return c.Kind == resource.KindIDs }

// Columns that a Select may name beside the declared ones.
const (
	ID   = "id"
	Body = "body" // bytes that an engine does not look into
)

// Index is an index of a table. Rows that it finds equal are in the order of their ids.
type Index struct {
	Name    string
	Columns []string
	Unique  bool
	Exact   bool // compares texts letter by letter, as Tally does
}

// KindOf returns the kind of a column; KindInteger for a name that is not declared.
func (t *Table) KindOf(column string) resource.Kind {
	for i := range t.Columns {
		if t.Columns[i].Name == column {
			return t.Columns[i].Kind
		}
	}
	return resource.KindInteger
}

// Order sorts by one column; rows that are equal by it are sorted by the next Order.
type Order struct {
	Column string
	Down   bool
}

// Place is the column of Arrange that has the index of an element.
const Place = "#"

// Select is a query for rows.
type Select struct {
	Table   *Table
	Columns []string
	Where   Cond // nil for every row
	Order   []Order
	Limit   int64 // 0 for none
	Offset  int64
	From    int64 // 0, or Limit and Offset count up by id, from that id on, whatever the Order
	Once    bool  // not worth keeping prepared: there are many such queries
}

// Tally is a query for numbers.
type Tally struct {
	Table *Table
	By    []By
	Where Cond   // nil for every row
	Sum   string // a column whose sum is wanted; "" for the number of rows
	Once  bool   // see Select
}

// By is one group of a Tally.
type By struct {
	Column string
	Step   int64 // puts numbers with the same quotient together; 0 for none
	Held   bool  // by each id that Link was given; no other By and no Where then
}

// IsASCII reports whether a text has no letters but A to Z.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Fold returns a text that is equal for texts that differ in case only.
func Fold(text string) string { return strings.Map(unicode.ToLower, strings.ToUpper(text)) }
