package sqlite

import (
	"errors"

	"modernc.org/sqlite"

	"spyglass/backend/store/engine"
)

// codeError is that of a ROLLBACK without a transaction, among others.
const codeError = 1

// classes are the codes of SQLite that mean something to a person
// (sqlite.org/rescode.html). Those up to 255 stand for all that extend them.
var classes = map[int]engine.Class{
	8:    engine.ReadOnly,
	9:    engine.Interrupted,
	11:   engine.Damaged,
	13:   engine.Full,
	26:   engine.Damaged, // not a database
	778:  engine.Quota,   // a write that failed: a quota, or a disk that is full when it is too late to say so
	4874: engine.Quota,   // the same, for the index of the WAL
	2067: engine.Taken,
}

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// Class implements engine.Engine.
func (Engine) Class(err error) engine.Class {
	c := code(err)
	if class, known := classes[c]; known {
		return class
	}
	return classes[c&0xff]
}
