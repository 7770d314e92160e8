package sqlite

import (
	"errors"

	"modernc.org/sqlite"

	"spyglass/backend/store/engine"
)

// codeError is the code for a ROLLBACK without a transaction, among others.
const codeError = 1

// classes maps codes of SQLite (sqlite.org/rescode.html) to classes. Codes up to
// 255 include all their extended codes.
var classes = map[int]engine.Class{
	8:    engine.ReadOnly,
	9:    engine.Interrupted,
	11:   engine.Damaged,
	13:   engine.Full,
	26:   engine.Damaged, // not a database
	778:  engine.Quota,   // a failed write: a quota, or a full disk that was noticed late
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
	if errors.As(err, &engine.Late{}) {
		return engine.Again
	}
	c := code(err)
	if class, known := classes[c]; known {
		return class
	}
	return classes[c&0xff]
}
