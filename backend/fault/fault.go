// Package fault defines the error type of Spyglass.
//
// A Kind says what the caller can do about an error; the Message is one
// sentence for a person, without a trailing period, and always safe to show.
// Any other error is an internal error: it is logged once, at the API boundary, and
// its text never reaches the caller.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Kind classifies an error by what the caller can do about it.
type Kind string

// The kinds. Only backend/api maps them to HTTP statuses.
const (
	Invalid   Kind = "invalid"    // the request is wrong; fix Field and resend
	NoLogin   Kind = "no_login"   // no session, or an expired one; a bad token
	Denied    Kind = "denied"     // signed in, but without the permission
	Unknown   Kind = "unknown"    // no such row, or the caller cannot view it
	NoMethod  Kind = "no_method"  // the path does not support the method
	Conflict  Kind = "conflict"   // the name exists already, or the state does not allow it
	Changed   Kind = "changed"    // the row has changed since you read it; read it again
	TooLarge  Kind = "too_large"  // the body or the headers pass a limit
	MediaType Kind = "media_type" // the body is not JSON
	TooMany   Kind = "too_many"   // rate limit; resend after RetryAfter
	Busy      Kind = "busy"       // the portal is overloaded; resend after RetryAfter
	Offline   Kind = "offline"    // the other side does not respond; try again
	Full      Kind = "full"       // the disk is full; nothing was written
	Running   Kind = "running"    // accepted and still running; request it again
	Internal  Kind = "internal"   // our fault; the cause never leaves the log
)

// Error is an error with a message for people (Message, Field) and a Kind for
// code.
type Error struct {
	Kind       Kind
	Field      string        // the invalid JSON field or parameter, if there is one
	Message    string        // one sentence, no trailing period, safe to show
	Allowed    []any         // the valid values, if they can be listed
	Detail     any           // a map or struct with further facts for a program, safe to show
	RetryAfter time.Duration // for TooMany and Busy: when to resend the request
	Err        error         // the cause, for the log only
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// New returns an Error of a kind, with a formatted sentence.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: sentence(format, args)}
}

// At returns an error about one invalid field of a request.
func At(field, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Field: cut(field), Message: sentence(format, args)}
}

// longestQuote is the maximum number of characters of a caller's text in an
// error.
const longestQuote = 80

// sentence formats a message, truncating quoted texts.
func sentence(format string, args []any) string {
	for i, arg := range args {
		if text, ok := arg.(string); ok && len(text) > longestQuote {
			args = slices.Clone(args)
			args[i] = quoted(text)
		}
	}
	return fmt.Sprintf(format, args...)
}

// quoted is a text that %q truncates and any other verb prints whole.
type quoted string

// Format formats the text like fmt, but truncated for %q.
func (q quoted) Format(s fmt.State, verb rune) {
	text := string(q)
	if verb == 'q' {
		text = cut(text)
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), text)
}

// Quote returns a caller's text in quotes, truncated like in New and At.
func Quote(text string) string { return strconv.Quote(cut(text)) }

func cut(text string) string {
	if len(text) <= longestQuote { // there are at least as many bytes as characters
		return text
	}
	n := 0
	for at := range text {
		if n++; n > longestQuote {
			return text[:at] + "…"
		}
	}
	return text
}

// Of returns the error to show for err. An Internal error, or any other type of
// error, becomes "internal error" with err as its cause.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Kind != Internal {
		return e
	}
	return &Error{Kind: Internal, Message: "internal error", Err: err}
}

// Is reports whether err is a fault of that kind.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// Sentence returns the text of err for the user of this machine: its message, or
// the whole text of any other error.
func Sentence(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
