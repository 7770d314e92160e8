package engine

import (
	"fmt"
	"strconv"

	"spyglass/backend/filter"
)

// Cond is a condition on the rows of a table: one of the types of this file.
type Cond interface {
	// key appends a text that is the same for the same condition alone.
	key([]byte) []byte
}

// Key returns a text that is the same for the same condition alone.
func Key(c Cond) string { return string(c.key(nil)) }

// All is met where all of some conditions are; an empty one always. Nil is no condition.
type All []Cond

// Any is met where at least one condition is; an empty one never.
type Any []Cond

// Not is met where a condition is not.
type Not struct{ Cond Cond }

// HasID is met by the row with that id.
type HasID int64

// Deleted is met by deleted rows, or by the others, of a table with Table.Soft.
type Deleted bool

// Compare compares a column with a value: Op is one of = != < > <= >=.
type Compare struct {
	Column string
	Op     string
	Value  any
}

// Among is met where a column has one of the numbers, or one of the texts, letter by
// letter.
type Among struct {
	Column string
	IDs    []int64
	Texts  []string
}

// In is met where a column has the id of a row of a table that meets a condition.
type In struct {
	Column string
	Table  *Table
	Where  Cond
}

// First is met by the N rows with the lowest ids among those that meet a condition.
type First struct {
	Table *Table // the same as that of the rows
	Where Cond
	N     int64
}

// Holds is met where Writer.Link gave a row one of the ids.
type Holds struct {
	Column string
	IDs    []int64
	// Check is a hint: other conditions leave fewer rows than the ids have. Holds
	// then checks each of those, with one id.
	Check bool
}

// Names is Holds for deleted rows, which have no links: a column of KindIDs names
// one of the ids.
type Names struct {
	Column string
	IDs    []int64
}

// Matches compares a column as a condition of a filter does (filter.Cond), by the
// kind of the column.
type Matches struct {
	Column string
	With   string // a column whose text follows, after a space; "" for none
	Op     filter.Op
	Values []filter.Value
}

// Pairs are conditions of a filter on the halves (Cond.Sub) of one pair of a column
// of KindPairs. When all are negated, no pair may be what they say.
type Pairs struct {
	Column string
	Conds  []filter.Cond
}

// PairValues is met where the value of any pair of a column of KindPairs compares
// as Matches does.
type PairValues struct {
	Column string
	Op     filter.Op
	Values []filter.Value
}

// Derived is met where a column of texts has a key of Lists, a JSON object, whose
// value is a list of pairs that meets the conditions as in Pairs.
type Derived struct {
	Column string
	Lists  string
	Conds  []filter.Cond
}

func keys(b []byte, name string, all []Cond) []byte {
	b = append(append(b, name...), '(')
	for _, c := range all {
		if c != nil {
			b = append(c.key(b), ',')
		}
	}
	return append(b, ')')
}

func ids(b []byte, name, column string, ids []int64) []byte {
	b = append(strconv.AppendQuote(append(b, name...), column), '[')
	for _, id := range ids {
		b = append(strconv.AppendInt(b, id, 10), ' ')
	}
	return append(b, ']')
}

func (c All) key(b []byte) []byte     { return keys(b, "all", c) }
func (c Any) key(b []byte) []byte     { return keys(b, "any", c) }
func (c Not) key(b []byte) []byte     { return c.Cond.key(append(b, '!')) }
func (c HasID) key(b []byte) []byte   { return strconv.AppendInt(append(b, '#'), int64(c), 10) }
func (c Deleted) key(b []byte) []byte { return strconv.AppendBool(append(b, "deleted "...), bool(c)) }
func (c Among) key(b []byte) []byte {
	b = ids(b, "among", c.Column, c.IDs)
	for _, text := range c.Texts {
		b = strconv.AppendQuote(b, text)
	}
	return b
}
func (c Names) key(b []byte) []byte { return ids(b, "names", c.Column, c.IDs) }
func (c Holds) key(b []byte) []byte { return ids(b, "holds", c.Column, c.IDs) }

func (c Compare) key(b []byte) []byte {
	b = append(append(strconv.AppendQuote(b, c.Column), c.Op...), ' ')
	switch v := c.Value.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case string:
		return strconv.AppendQuote(b, v)
	}
	return fmt.Appendf(b, "%#v", c.Value)
}

func (c In) key(b []byte) []byte {
	return append(c.Where.key(fmt.Appendf(b, "%qin%q(", c.Column, c.Table.Name)), ')')
}

func (c First) key(b []byte) []byte { return append(c.Where.key(fmt.Appendf(b, "first%d(", c.N)), ')') }

func (c Matches) key(b []byte) []byte {
	return fmt.Appendf(b, "matches%q%q%d%#v", c.Column, c.With, c.Op, c.Values)
}

func (c PairValues) key(b []byte) []byte {
	return fmt.Appendf(b, "values%q%d%#v", c.Column, c.Op, c.Values)
}

func (c Pairs) key(b []byte) []byte { return fmt.Appendf(b, "pairs%q%#v", c.Column, c.Conds) }

func (c Derived) key(b []byte) []byte {
	return fmt.Appendf(b, "derived%q%q%#v", c.Column, c.Lists, c.Conds)
}
