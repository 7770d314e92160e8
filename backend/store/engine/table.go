package engine

import (
	"strings"
	"unicode"

	"spyglass/backend/resource"
)

// Table declares a table. Do not change it after passing it to an engine.
type Table struct {
	Name    string
	Columns []Column // including "id"; Body is added to them
	Indexes []Index

	// Soft is the column that is 0 in existing rows and set in deleted ones; ""
	// if the table keeps no deleted rows. Indexes contain only existing rows. An
	// engine finds the ids of existing and of deleted rows in ascending order.
	Soft string
}

// Column is a column of a table. Rows written before the column was added have
// the zero value of its kind: "", 0, [] or null.
type Column struct {
	Name  string
	Kind  resource.Kind
	Bytes bool // of KindOther: the values are []byte
}

// Linked reports whether Writer.Link stores the ids of a column.
func (c Column) Linked() bool { return c.Kind == resource.KindIDs }

// Columns that a Select may name in addition to the declared columns.
const (
	ID   = "id"
	Body = "body" // bytes that are opaque to an engine
)

// Index is an index of a table. Rows with equal keys are in the order of their
// ids.
type Index struct {
	Name    string
	Columns []string
	Unique  bool
	Exact   bool // compares texts exactly, as Tally does
}

// KindOf returns the kind of a column; KindInteger for an undeclared name.
func (t *Table) KindOf(column string) resource.Kind {
	for i := range t.Columns {
		if t.Columns[i].Name == column {
			return t.Columns[i].Kind
		}
	}
	return resource.KindInteger
}

// Order sorts by one column; the next Order sorts rows that are equal by it.
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
	From    int64 // if not 0, Limit and Offset count in the order of ids, beginning with From, whatever the Order
	Once    bool  // do not keep the statement prepared: there are many such queries
	Counted bool  // adds a last column: the number of rows that meet Where
}

// Tally is a query for numbers.
type Tally struct {
	Table *Table
	By    []By
	Where Cond   // nil for every row
	Sum   string // a column to sum; "" to count rows
	Once  bool   // see Select
}

// By groups the results of a Tally.
type By struct {
	Column string
	Step   int64 // groups numbers with the same quotient; 0 for none
	Held   bool  // groups by each linked id; requires no other By and no Where
}

// IsASCII reports whether a text has no letters other than A to Z.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Fold returns the same text for texts that differ only in case.
func Fold(text string) string { return strings.Map(unicode.ToLower, strings.ToUpper(text)) }
