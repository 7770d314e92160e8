// Package budget bounds the work that one request of a caller can cause: bytes
// that come out, steps that are taken, and time through a context.
//
// Small inputs can need much: a variable that is used a thousand times, an
// alias of YAML that repeats a long text, headers of a folder that every request
// in it inherits. Code that multiplies spends from a Budget before it does so,
// and stops when the Budget is spent.
//
// A nil *Budget is unlimited. A Budget belongs to one goroutine.
package budget

import (
	"context"

	"spyglass/backend/fault"
)

// Limits are the bytes and steps that may be spent.
type Limits struct {
	Bytes int64 // of output
	Steps int64 // of work without output; about one per byte read
}

// Budget counts down the Limits, and keeps the error that ended it.
type Budget struct {
	ctx  context.Context
	left Limits
	next int64 // steps until the next check of the context
	err  error
}

// between is the number of steps between two checks of the context.
const between = 1 << 16

// New returns a Budget that also ends with ctx.
func New(ctx context.Context, limits Limits) *Budget {
	return &Budget{ctx: ctx, left: limits, next: between}
}

// Bytes spends n bytes of output, and as many steps. It returns the error that
// ended the Budget, the same from then on.
func (b *Budget) Bytes(n int) error {
	if b == nil {
		return nil
	}
	if b.left.Bytes -= int64(n); b.left.Bytes < 0 {
		b.end(errTooMuch())
	}
	return b.Steps(n)
}

// Steps spends n steps.
func (b *Budget) Steps(n int) error {
	if b == nil {
		return nil
	}
	if b.left.Steps -= int64(n); b.left.Steps < 0 {
		b.end(errTooMuch())
	}
	if b.next -= int64(n); b.next <= 0 && b.err == nil {
		b.next = between
		if b.ctx.Err() != nil {
			b.end(context.Cause(b.ctx))
		}
	}
	return b.err
}

// Err returns the error that ended the Budget, or nil.
func (b *Budget) Err() error {
	if b == nil {
		return nil
	}
	if b.err == nil && b.ctx.Err() != nil {
		b.end(context.Cause(b.ctx))
	}
	return b.err
}

// end stores the first error.
func (b *Budget) end(err error) {
	if b.err == nil {
		b.err = err
	}
}

// errTooMuch returns the fault of a spent Budget; callers add what was too much.
func errTooMuch() error {
	return fault.New(fault.TooLarge, "This needs more work than one request may use. Reduce the repetitions in it.")
}

// Spent reports whether err means that a Budget was spent, rather than that the
// caller disconnected.
func Spent(err error) bool { return fault.Is(err, fault.TooLarge) }
