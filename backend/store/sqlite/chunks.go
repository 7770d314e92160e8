package sqlite

import (
	"fmt"
	"strings"
)

// A space is a table of blobs by number.

// CreateSpace makes a space, unless it is there.
func CreateSpace(name string) string {
	return fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %q ("id" INTEGER PRIMARY KEY, "data" BLOB NOT NULL)`, name)
}

// Spaces selects the names of all spaces of a file.
const Spaces = `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE '\_%' ESCAPE '\'`

// PutChunk writes one blob, in place of one with the same number.
func PutChunk(space string) string {
	return `INSERT INTO "` + space + `" VALUES (?, ?) ON CONFLICT DO UPDATE SET "data" = excluded."data"`
}

// DeleteChunks deletes the blobs from one number to another, both included.
func DeleteChunks(space string) string {
	return `DELETE FROM "` + space + `" WHERE "id" BETWEEN ? AND ?`
}

// FindChunks selects the blobs of n numbers that are there, in no order; nil finds
// nothing.
func FindChunks(space string, n int) string {
	return fmt.Sprintf(`SELECT "id", "data" FROM %q WHERE "id" IN (?%s)`, space, strings.Repeat(", ?", n-1))
}

// ChunksBetween selects the blobs from one number to another, both included, in
// their order.
func ChunksBetween(space string) string {
	return fmt.Sprintf(`SELECT "id", "data" FROM %q WHERE "id" BETWEEN ? AND ? ORDER BY "id"`, space)
}

// ChunkEnds selects the lowest and the highest number; NULL where there is none.
func ChunkEnds(space string) string {
	return fmt.Sprintf(`SELECT (SELECT min("id") FROM %[1]q), (SELECT max("id") FROM %[1]q)`, space)
}

// Size selects the bytes that a file has on disk once its WAL is written back.
const Size = `SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, ` +
	`pragma_page_size`
