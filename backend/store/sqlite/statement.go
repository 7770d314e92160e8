package sqlite

import (
	"fmt"
	"strings"

	"spyglass/backend/resource"
)

// Statements of transactions. A savepoint is a part of a transaction that can be
// rolled back by itself.
const (
	Begin    = "BEGIN IMMEDIATE"
	Commit   = "COMMIT"
	Rollback = "ROLLBACK"
)

// Savepoint returns the statement that begins a savepoint.
func Savepoint(name string) string { return "SAVEPOINT " + name }

// Release returns the statement that keeps what a savepoint has changed.
func Release(name string) string { return "RELEASE " + name }

// RollbackTo returns the statement that undoes the changes since a savepoint,
// which stays.
func RollbackTo(name string) string { return "ROLLBACK TO " + name }

// Quote returns a name as statements have it.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = Quote(name)
	}
	return quoted
}

// ID is the column with the unique id of a row.
const ID = `"id"`

// Table has the statements for the rows of one resource.
type Table struct {
	Insert string // of the stored columns and the body
	Update string // the same, and the id
	Delete string // by id

	name    string
	page    string // the columns of a page
	rows    string
	ordered string // the table by the narrow index of its ids, where it has one
}

// NewTable makes the statements of a table. stored are its columns but for the
// body, page those that a page reads beside id and body. order is the index of
// the ids of the rows that are there; "" for none.
func NewTable(table string, stored, page []string, order string) Table {
	names := quoteAll(stored)
	all := strings.Join(names, ", ")
	t := Table{
		Insert: "INSERT INTO " + table + " (" + all + `, "body") VALUES (` + strings.Repeat("?, ", len(names)) + "?)",
		Update: "UPDATE " + table + " SET " + strings.Join(names, " = ?, ") + ` = ?, "body" = ? WHERE "id" = ?`,
		Delete: "DELETE FROM " + table + ` WHERE "id" = ?`,
		name:   table, ordered: table,
		page: "SELECT " + strings.Join(append([]string{`"id"`, `"body"`}, quoteAll(page)...), ", ") + " FROM " + table,
		rows: "SELECT " + all + " FROM " + table,
	}
	if order != "" {
		t.ordered += " INDEXED BY " + Quote(order)
	}
	return t
}

// Rows selects all stored columns of rows, by id.
func (t *Table) Rows(where string) string { return t.rows + " WHERE " + where + ` ORDER BY "id"` }

// IDs selects the ids of rows.
func (t *Table) IDs(where, order string) string {
	return SelectIDs(t.name, where) + " ORDER BY " + order
}

// FirstID selects the id of any row.
func (t *Table) FirstID() string { return `SELECT "id" FROM ` + t.name + " LIMIT 1" }

// Page selects what a page shows of rows, in no order.
func (t *Table) Page(where string) string { return t.page + " WHERE " + where }

// PageInOrder selects a page; its arguments end with a limit and an offset. With
// skip, it steps over ids, which an index may have, and not over whole rows.
func (t *Table) PageInOrder(where, order string, skip bool) string {
	if !skip {
		return t.Page(where) + " ORDER BY " + order + " LIMIT ? OFFSET ?"
	}
	return t.Page(`"id" IN (`+t.IDs(where, order)+" LIMIT ? OFFSET ?)") + " ORDER BY " + order
}

// PageFrom selects a page by id that begins so many rows after one with an id:
// its arguments are that id, a limit and an offset.
func (t *Table) PageFrom(where, order string) string {
	return t.Page(`"id" IN (`+SelectIDs(t.ordered, where+` AND "id" >= ?`)+` ORDER BY "id" LIMIT ? OFFSET ?)`) +
		" ORDER BY " + order
}

// NextID selects an id that comes so many rows after another: its arguments are
// that id and an offset.
func (t *Table) NextID(where string) string {
	return SelectIDs(t.ordered, where+` AND "id" > ?`) + ` ORDER BY "id" LIMIT 1 OFFSET ?`
}

// Texts selects the id and some columns of rows, in no order.
func (t *Table) Texts(columns []string, where string) string {
	return "SELECT " + strings.Join(append([]string{`"id"`}, quoteAll(columns)...), ", ") + " FROM " + t.name +
		" WHERE " + where
}

// Count counts rows.
func (t *Table) Count(where string) string { return CountAll(t.name) + " WHERE " + where }

// CountBy counts rows by the value of a field.
func (t *Table) CountBy(field, where string) string {
	return "SELECT " + Quote(field) + ", count(*) FROM " + t.name + " WHERE " + where + " GROUP BY 1"
}

// Tally counts rows by the values of some fields. A step puts those numbers
// together that have the same quotient; 0 for none.
func (t *Table) Tally(fields []string, steps []int64, where string) string {
	columns := quoteAll(fields)
	for i, step := range steps {
		if step > 0 {
			columns[i] += fmt.Sprintf(" / %d", step)
		}
	}
	list := strings.Join(columns, ", ")
	return "SELECT " + list + ", count(*) FROM " + t.name + " WHERE " + where + " GROUP BY " + list
}

// Sum adds up a field of rows; 0 for no rows.
func (t *Table) Sum(field, where string) string {
	return "SELECT coalesce(sum(" + Quote(field) + "), 0) FROM " + t.name + " WHERE " + where
}

// Distinct selects the values of a field, each once.
func (t *Table) Distinct(field string) string {
	return "SELECT DISTINCT " + Quote(field) + " FROM " + t.name
}

// UpdateWhere does the same as Update for a row that also meets a condition.
func (t *Table) UpdateWhere(where string) string { return t.Update + " AND " + where }

// DeleteWhere deletes rows.
func (t *Table) DeleteWhere(where string) string { return "DELETE FROM " + t.name + " WHERE " + where }

// Place returns a column of the table, for conditions on it.
func (t *Table) Place(column string) string { return t.name + "." + Quote(column) }

// SelectIDs selects the ids of rows, in no order.
func SelectIDs(table, where string) string { return `SELECT "id" FROM ` + table + " WHERE " + where }

// CountAll counts all rows of a table.
func CountAll(table string) string { return "SELECT count(*) FROM " + table }

// FirstSince selects the id of the first row whose field is not before a value,
// by that field; 0 for none.
func FirstSince(name, field string) string {
	return `SELECT coalesce((SELECT "id" FROM ` + Quote(name) + ` WHERE ` + Quote(field) + ` >= ? ORDER BY ` +
		Quote(field) + ` LIMIT 1), 0)`
}

// A link is the table of a column that holds ids: one row for each id ("ref") of
// each row ("row").

// InsertLink adds an id to a row.
func InsertLink(link string) string { return "INSERT INTO " + link + ` ("ref", "row") VALUES (?, ?)` }

// DeleteLinks removes the ids of one row.
func DeleteLinks(link string) string { return "DELETE FROM " + link + ` WHERE "row" = ?` }

// DeleteLinksOf removes the ids of rows of a table.
func DeleteLinksOf(link, table, where string) string {
	return "DELETE FROM " + link + ` WHERE "row" IN (` + SelectIDs(table, where) + ")"
}

// CountLinks counts rows by the ids they hold.
func CountLinks(link string) string { return `SELECT "ref", count(*) FROM ` + link + " GROUP BY 1" }

// Ascending returns the order of a list by a column.
func Ascending(name string, kind resource.Kind) string { return Quote(name) + collation(kind) }

// Descending turns an order by one column around.
func Descending(order string) string { return order + " DESC" }

// Orders joins orders: what is equal by the first is sorted by the next.
func Orders(orders []string) string { return strings.Join(orders, ", ") }

// Index is the column with the index of an element of a list, see List.
const Index = `"#"`

// List selects the indexes of those elements of a list that meet a condition on
// its columns. The list is the first argument, an array of objects as JSON.
func List(table string, columns []string, where, order string) string {
	elements := `"key" AS ` + Index
	for _, name := range columns {
		elements += `, "value"->>` + quoteText(name) + " AS " + Quote(name)
	}
	return "WITH " + table + " AS (SELECT " + elements + " FROM json_each(?)) SELECT " + Index + " FROM " + table +
		" WHERE " + where + " ORDER BY " + order
}
