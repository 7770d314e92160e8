package sqlite

import (
	"errors"

	"modernc.org/sqlite"
)

// Codes of SQLite that mean something to a person (sqlite.org/rescode.html).
const (
	codeError     = 1
	codeReadOnly  = 8
	codeInterrupt = 9
	codeCorrupt   = 11
	codeFull      = 13
	codeNotADB    = 26
	codeWrite     = 778  // a quota, or a disk that is full when it is too late to say so
	codeShmSize   = 4874 // the same, for the index of the WAL
	codeUnique    = 2067
)

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// Damaged reports whether err says that a database file is damaged, or no
// database at all.
func Damaged(err error) bool {
	c := code(err) & 0xff
	return c == codeCorrupt || c == codeNotADB
}

// ReadOnly reports whether err says that the file cannot be written.
func ReadOnly(err error) bool { return code(err)&0xff == codeReadOnly }

// Full reports whether err says that the disk is full.
func Full(err error) bool { return code(err)&0xff == codeFull }

// NoMore reports whether err says that the disk takes no more, as with a quota.
func NoMore(err error) bool { return code(err) == codeWrite || code(err) == codeShmSize }

// Interrupted reports whether err says that a query was ended before its end.
func Interrupted(err error) bool { return code(err)&0xff == codeInterrupt }

// Taken reports whether err says that a row breaks a unique index.
func Taken(err error) bool { return code(err) == codeUnique }

// RolledBack reports whether err, of a Rollback, says that SQLite has rolled
// back by itself, as it does where the disk is full.
func RolledBack(err error) bool { return code(err) == codeError }
