package engine

import (
	"fmt"
	"slices"
	"strconv"

	"spyglass/backend/filter"
)

// Cond is a condition on the rows of a table: one of the types of this file.
type Cond interface {
	// key appends a text that is unique to the condition.
	key([]byte) []byte
}

// Key returns a text that is unique to the condition.
func Key(c Cond) string { return string(c.key(nil)) }

// All is met if all of its conditions are met; an empty All is always met. Nil
// means no condition.
type All []Cond

// Any is met if at least one of its conditions is met; an empty Any never is.
type Any []Cond

// Not is met if its condition is not.
type Not struct{ Cond Cond }

// HasID is met by the row with that id.
type HasID int64

// Deleted is met by deleted rows, or by existing ones, of a table with
// Table.Soft.
type Deleted bool

// Compare compares a column with a value: Op is one of = != < > <= >=.
type Compare struct {
	Column string
	Op     string
	Value  any
}

// Among is met if a column has one of the numbers, or exactly one of the texts.
type Among struct {
	Column string
	IDs    []int64
	Texts  []string
}

// In is met if a column has the id of a row of another table that meets a
// condition.
type In struct {
	Column string
	Table  *Table
	Where  Cond
	// Check is a hint that other conditions leave few rows. In then checks each of
	// these rows.
	Check bool
}

// First is met by the N rows with the lowest ids among the rows that meet a
// condition.
type First struct {
	Table *Table // the same table as that of the rows
	Where Cond
	N     int64
}

// Holds is met if Writer.Link linked one of the ids to the row.
type Holds struct {
	Column string
	IDs    []int64
	// Check is a hint that other conditions leave fewer rows than there are ids.
	// Holds then checks each of these rows.
	Check bool
}

// Names is Holds for deleted rows, which have no links: it is met if a column of
// KindIDs contains one of the ids.
type Names struct {
	Column string
	IDs    []int64
}

// Matches compares a column with the condition of a filter (filter.Cond), by the
// kind of the column.
type Matches struct {
	Column string
	With   string // a column whose text is appended, after a space; "" for none
	Op     filter.Op
	Values []filter.Value
}

// Pairs are conditions of a filter on the halves (Cond.Sub) of one pair in a
// column of KindPairs. If all are negated, no pair may match them.
type Pairs struct {
	Column string
	Conds  []filter.Cond
}

// PairValues is met if the value of any pair in a column of KindPairs matches, as
// in Matches.
type PairValues struct {
	Column string
	Op     filter.Op
	Values []filter.Value
}

// Derived is met if a text column has a key of Lists, a JSON object, and the
// value of that key is a list of pairs that meets the conditions, as in Pairs.
type Derived struct {
	Column string
	Lists  string
	Conds  []filter.Cond
}

// Checked returns a condition with Check set on each Holds and In, and whether it has any.
func Checked(c Cond) (checked Cond, some bool) {
	switch c := c.(type) {
	case All:
		all, some := checkedEach(c)
		return All(all), some
	case Any:
		all, some := checkedEach(c)
		return Any(all), some
	case Not:
		c.Cond, some = Checked(c.Cond)
		return c, some
	case Holds:
		c.Check = true
		return c, true
	case In:
		c.Check = true
		c.Where, _ = Checked(c.Where)
		return c, true
	}
	return c, false
}

func checkedEach(all []Cond) (checked []Cond, some bool) {
	checked = slices.Clone(all)
	for i, c := range all {
		one, has := Checked(c)
		checked[i], some = one, some || has
	}
	return checked, some
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
