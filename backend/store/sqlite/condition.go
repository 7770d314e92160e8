package sqlite

import (
	"strings"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

// Conditions that every row meets, or none.
const (
	Always = "1"
	Never  = "0"
)

// And is between two conditions that must both be met.
const And = " AND "

// All returns the condition that all of some are met.
func All(conditions ...string) string { return strings.Join(conditions, And) }

// Any returns the condition that at least one of some is met.
func Any(conditions ...string) string { return "(" + strings.Join(conditions, " OR ") + ")" }

// Not returns the condition that another one, made by Any, is not met.
func Not(condition string) string { return "NOT " + condition }

// Group makes one condition of several that All joined.
func Group(condition string) string { return "(" + condition + ")" }

// HasID is the condition that a row has an id.
const HasID = `"id" = ?`

// OtherID is the condition that a row has another id.
const OtherID = `"id" <> ?`

// Is returns the condition that a field has a value.
func Is(field string) string { return Quote(field) + " = ?" }

// Compare returns the condition that a field compares with a value by op: one of = !=
// < > <= >=. Texts compare without regard to case.
func Compare(field string, kind resource.Kind, op string) string {
	return Quote(field) + collation(kind) + " " + op + " ?"
}

// Zero returns the condition that a number is 0.
func Zero(field string) string { return Quote(field) + " = 0" }

// Positive returns the condition that a number is more than 0.
func Positive(field string) string { return Quote(field) + " > 0" }

// among is every element of an argument that is a JSON array.
const among = "IN (SELECT value FROM json_each(?))"

// Among returns the condition that a field is in a list: a JSON array of numbers.
func Among(field string) string { return PlaceAmong(Quote(field)) }

// PlaceAmong does the same as Among for a place of a table.
func PlaceAmong(place string) string { return place + " " + among }

// AmongKeys returns the condition that a place has the key of a member of a JSON
// object whose value meets a condition on MemberValue.
func AmongKeys(place, where string) string {
	return place + ` IN (SELECT m."key" FROM json_each(?) m WHERE ` + where + ")"
}

// MemberValue is the value of a member in the condition of AmongKeys.
const MemberValue = `m."value"`

// InQuery returns the condition that a field has a value that a query selects.
func InQuery(field, query string) string { return Quote(field) + " IN (" + query + ")" }

// First returns the condition that a row is one of the first that meet another one,
// by id; its arguments end with how many.
func First(table, where string) string {
	return `"id" IN (` + SelectIDs(table, where) + ` ORDER BY "id" LIMIT ?)`
}

// Linked returns the condition that a row holds an id.
func Linked(link string) string { return `"id" IN (SELECT "row" FROM ` + link + ` WHERE "ref" = ?)` }

// LinkedAny returns the condition that a row holds an id of a JSON array.
func LinkedAny(link string) string {
	return `"id" IN (SELECT "row" FROM ` + link + ` WHERE "ref" ` + among + ")"
}

// LinkedTo does the same as Linked for a scan of the table.
func LinkedTo(link, table string) string {
	return `EXISTS (SELECT 1 FROM ` + link + ` l WHERE l."ref" = ? AND l."row" = ` + table + `."id")`
}

// NamesAny does the same as LinkedAny for rows without links: it reads the text
// of the field.
func NamesAny(field string) string {
	return "EXISTS (SELECT 1 FROM json_each('['||" + Quote(field) + "||']') g WHERE g.value " + among + ")"
}

func collation(kind resource.Kind) string {
	if kind == resource.KindText {
		return " COLLATE NOCASE"
	}
	return ""
}

// Pairs returns the conditions of a filter on the list of pairs name, which is at
// place: those on its halves mean one element (wire.md, Filter). When all are
// negated, no element may be what they say.
func Pairs(place, name string, all []filter.Cond) (string, []any) {
	elements := "SELECT 1 FROM json_each(" + place + ") e WHERE "
	positive := false
	for _, cond := range all {
		if cond.Column.Name == name {
			positive = positive || !Negated(cond.Op)
		}
	}
	var conditions []string
	var args []any
	for _, cond := range all {
		if cond.Column.Name != name {
			continue
		}
		op, place := cond.Op, "(e.value->>'"+cond.Sub+"')"
		if !positive {
			op--
		}
		text, more := Values(place, resource.KindText, op, cond.Values)
		if !positive {
			text = "NOT EXISTS (" + elements + text + ")"
		}
		conditions, args = append(conditions, text), append(args, more...)
	}
	if positive {
		return "EXISTS (" + elements + All(conditions...) + ")", args
	}
	return All(conditions...), args
}

// PairValues returns the condition that the value of any pair of the list at place
// compares with any of the values.
func PairValues(place string, op filter.Op, list []filter.Value) (string, []any) {
	text, args := Values("(e.value->>'value')", resource.KindText, op, list)
	return "EXISTS (SELECT 1 FROM json_each(" + place + ") e WHERE " + text + ")", args
}

// Negated reports whether an operator is the opposite of the one before it.
func Negated(op filter.Op) bool {
	return op == filter.NotEqual || op == filter.NotContains || op == filter.NotEmpty || op == filter.NotNull
}

// Values compares one place with any of the values, or none of them when negated.
func Values(place string, kind resource.Kind, op filter.Op, list []filter.Value) (string, []any) {
	switch op {
	case filter.Empty, filter.Null:
		return "(" + place + " = " + zero(kind) + ")", nil
	case filter.NotEmpty, filter.NotNull:
		return "(" + place + " <> " + zero(kind) + ")", nil
	}
	positive := op
	if Negated(op) {
		positive--
	}
	var either []string
	var args []any
	for _, v := range list {
		text, more := value(place, kind, positive, v)
		either, args = append(either, text), append(args, more...)
	}
	text := Any(either...)
	if Negated(op) {
		text = Not(text)
	}
	return text, args
}

func zero(kind resource.Kind) string {
	if kind == resource.KindText || kind == resource.KindIDs {
		return "''"
	}
	return "0"
}

func value(place string, kind resource.Kind, op filter.Op, v filter.Value) (string, []any) {
	switch kind {
	case resource.KindInteger:
		return place + symbols[op] + "?", []any{v.Int}
	case resource.KindNumber:
		return place + symbols[op] + "?", []any{v.Float}
	case resource.KindBoolean:
		if v.Pattern {
			return Always, nil
		}
		return place + " = ?", []any{v.Bool}
	case resource.KindSeconds, resource.KindMillis:
		return moment(place, op, v)
	}
	return text(place, op, v)
}

var symbols = map[filter.Op]string{filter.Equal: " = ", filter.Greater: " > ", filter.Less: " < ",
	filter.GreaterEq: " >= ", filter.LessEq: " <= "}

// moment compares with a range: after a day means after its end.
func moment(place string, op filter.Op, v filter.Value) (string, []any) {
	switch op {
	case filter.Greater:
		return place + " >= ?", []any{v.To}
	case filter.GreaterEq:
		return place + " >= ?", []any{v.From}
	case filter.Less:
		return place + " < ?", []any{v.From}
	case filter.LessEq:
		return place + " < ?", []any{v.To}
	}
	return "(" + place + " >= ? AND " + place + " < ?)", []any{v.From, v.To}
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// text compares without regard to case. SQLite's own LIKE and NOCASE do that
// for ASCII and use indexes; other letters need fold.
func text(place string, op filter.Op, v filter.Value) (string, []any) {
	arg := v.Text
	ascii := IsASCII(arg)
	if !ascii {
		place, arg = "fold("+place+")", Fold(arg)
	}
	switch {
	case op == filter.Contains:
		return place + ` LIKE ? ESCAPE '\'`, []any{"%" + escapeLike.Replace(arg) + "%"}
	case v.Pattern:
		parts := make([]string, len(v.Glob))
		for i, part := range v.Glob {
			if !ascii {
				part = Fold(part)
			}
			parts[i] = escapeLike.Replace(part)
		}
		return place + ` LIKE ? ESCAPE '\'`, []any{strings.Join(parts, "%")}
	}
	return place + " = ? COLLATE NOCASE", []any{arg}
}

// IsASCII reports whether a text has no other letters: SQLite compares it without
// Fold.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Joined returns the place of two texts with a space between them.
func Joined(first, second string) string { return Quote(first) + ` || ' ' || ` + Quote(second) }
