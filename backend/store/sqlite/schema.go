package sqlite

import (
	"strings"

	"spyglass/backend/resource"
)

// Column is a column of a table as the file keeps it.
type Column struct {
	Name string
	Kind resource.Kind
}

// definition never allows NULL: what is not given is the zero value.
func (c Column) definition() string {
	switch c.Kind {
	case resource.KindText, resource.KindIDs:
		return Quote(c.Name) + " TEXT NOT NULL DEFAULT ''"
	case resource.KindPairs:
		return Quote(c.Name) + " TEXT NOT NULL DEFAULT '[]'"
	case resource.KindOther:
		return Quote(c.Name) + " TEXT NOT NULL DEFAULT 'null'"
	case resource.KindNumber:
		return Quote(c.Name) + " REAL NOT NULL DEFAULT 0"
	}
	return Quote(c.Name) + " INTEGER NOT NULL DEFAULT 0"
}

// CreateTable makes a table of these columns, an id and a body, unless it is there.
func CreateTable(table string, columns []Column) string {
	parts := []string{`"id" INTEGER PRIMARY KEY AUTOINCREMENT`}
	for _, c := range columns {
		if c.Name != "id" {
			parts = append(parts, c.definition())
		}
	}
	parts = append(parts, `"body" BLOB NOT NULL DEFAULT ''`)
	return "CREATE TABLE IF NOT EXISTS " + table + " (" + strings.Join(parts, ", ") + ")"
}

// CreateLink makes the table of a column that holds ids, unless it is there.
// index is the name of its index by row.
func CreateLink(link, index string) []string {
	return []string{
		"CREATE TABLE IF NOT EXISTS " + link +
			` ("ref" INTEGER NOT NULL, "row" INTEGER NOT NULL, PRIMARY KEY ("ref", "row")) WITHOUT ROWID`,
		"CREATE INDEX IF NOT EXISTS " + Quote(index) + " ON " + link + ` ("row")`,
	}
}

// AddColumn adds a column to a table.
func AddColumn(table string, c Column) string {
	return "ALTER TABLE " + table + " ADD COLUMN " + c.definition()
}

// ColumnNames selects the names of the columns of a table; its argument is the
// name of the table.
const ColumnNames = "SELECT name FROM pragma_table_info(?)"

// IndexBy is an index of a table.
type IndexBy struct {
	Name    string
	Columns []string // as Ascending or Quote return them
	Unique  bool
	Where   string // which rows it has; "" for all
}

// Create makes the index.
func (x IndexBy) Create(table string) string {
	unique, where := "", ""
	if x.Unique {
		unique = "UNIQUE "
	}
	if x.Where != "" {
		where = " WHERE " + x.Where
	}
	return "CREATE " + unique + "INDEX " + Quote(x.Name) + " ON " + table + " (" + strings.Join(x.Columns, ", ") + ")" +
		where
}

// DropIndex drops an index where it is there.
func DropIndex(name string) string { return "DROP INDEX IF EXISTS " + Quote(name) }

// UniqueIndexes selects the names of the indexes of a table that have UniqueName
// in theirs; its argument is the name of the table.
const UniqueIndexes = "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND name LIKE '%" +
	UniqueName + "%'"

// UniqueName is in the name of each unique index.
const UniqueName = " has one "

// LastID selects the highest id that a row of a table ever had, 0 for none; its
// argument is the name of the table.
const LastID = `SELECT coalesce((SELECT "seq" FROM "sqlite_sequence" WHERE "name" = ?), 0)`

// What a file says of the declarations that wrote it.
const (
	createShape = `CREATE TABLE IF NOT EXISTS "_shape" ("name" TEXT PRIMARY KEY, "shape" TEXT NOT NULL) WITHOUT ROWID`
	createField = `CREATE TABLE IF NOT EXISTS "_field" ("table" TEXT NOT NULL, "field" TEXT NOT NULL, ` +
		`PRIMARY KEY ("table", "field")) WITHOUT ROWID`

	Shape     = `SELECT coalesce((SELECT "shape" FROM "_shape" WHERE "name" = ?), '')` // of a table; "" for none
	AnyShape  = `SELECT EXISTS (SELECT 1 FROM "_shape")`
	PutShape  = `INSERT INTO "_shape" VALUES (?, ?) ON CONFLICT ("name") DO UPDATE SET "shape" = excluded."shape"`
	AllFields = `SELECT "table", "field" FROM "_field" ORDER BY 1, 2`
	Fields    = `SELECT coalesce(group_concat("field", '|'), '') FROM (SELECT "field" FROM "_field" ` + // of a table
		`WHERE "table" = ? ORDER BY "field")`
	DeleteFields = `DELETE FROM "_field" WHERE "table" = ?`
	InsertField  = `INSERT INTO "_field" VALUES (?, ?)`
)

// What a file says of itself, by name.
const (
	CreateIdentity = `CREATE TABLE IF NOT EXISTS "_identity" ("name" TEXT PRIMARY KEY, "value" TEXT NOT NULL) ` +
		`WITHOUT ROWID`
	InsertIdentities = `INSERT INTO "_identity" VALUES (?, ?), (?, ?)`
	Identity         = `SELECT coalesce((SELECT "value" FROM "_identity" WHERE "name" = ?), '')`
	PutIdentity      = `INSERT INTO "_identity" VALUES (?, ?) ON CONFLICT DO UPDATE SET "value" = excluded."value"`
)

// Prepare returns the statements that bring a file to a layout, in one
// transaction.
func Prepare(format int) string {
	return strings.Join([]string{Begin, createShape, createField, CreateIdentity, SetFormat(format), Commit}, ";\n")
}
