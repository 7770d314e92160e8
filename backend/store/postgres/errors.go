package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"spyglass/backend/fault"
	"spyglass/backend/store/engine"
)

// classes maps codes of PostgreSQL (Appendix A of its manual) to classes.
var classes = map[string]engine.Class{
	"25006": engine.ReadOnly, // also a standby
	"40001": engine.Again,    // serialization_failure
	"40P01": engine.Again,    // deadlock_detected
	"53100": engine.Full,
	"57014": engine.Interrupted,
	"XX001": engine.Damaged,
	"XX002": engine.Damaged,
	"23505": engine.Taken,
}

// errTaken is the error of an insert that a unique index refused.
var errTaken = errors.New("a row with the same key exists")

// Class implements engine.Engine.
func (Engine) Class(err error) engine.Class {
	if errors.As(err, &engine.Late{}) {
		return engine.Again
	}
	if errors.Is(err, errTaken) {
		return engine.Taken
	}
	return classes[code(err)]
}

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// retryAfter is when a client should resend a request that found no database.
const retryAfter = time.Second

// known turns the error of a lost or refused connection into fault.Busy. Errors of
// pgx name the host, the user and the database, but no password and no argument.
func known(err error) error {
	if err == nil || !away(err) {
		return err
	}
	return &fault.Error{Kind: fault.Busy, Message: "the database does not respond; try again in a moment", Err: err,
		RetryAfter: retryAfter}
}

func away(err error) bool {
	var already *fault.Error
	var connect *pgconn.ConnectError
	if errors.As(err, &already) {
		return false
	}
	if errors.As(err, &connect) { // also after the time limit for connecting
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if c := code(err); c != "" { // connection exceptions, shutdown, too many connections
		return strings.HasPrefix(c, "08") || strings.HasPrefix(c, "57P") || c == "53300"
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}
