package resource

import "context"

// Change is one write in the audit log. The store records one for every write of
// a published resource; Tx.Note records events without a row, such as a sign-in.
type Change struct {
	Call   *Call  // the caller, the time and the address
	User   string // the user, if the call does not have it yet
	Action string // one word: create, replace, change, delete, restore, ack, sign-in …
	Object string // the Name of the resource
	Label  string // the display name for one of its rows
	ID     int64  // of the row; 0 for none
	Title  string // the name of the row
	Fields []string
	Along  map[string]int // other rows that the rules of the resource wrote, by Label

	Before, After []byte // the JSON of the row, secrets masked; nil if it did not exist
}

// Auditor stores a change, in the transaction that makes it.
type Auditor func(ctx context.Context, tx Tx, c *Change) error

type callKey struct{}

// WithCall returns a context with the call it serves, so that the store can
// attribute writes in an endpoint's own code. A nil call means the portal itself.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf returns the call that ctx serves, or nil.
func CallOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// Fence reports as an error that a write must not happen any more, because another
// process does the work that it belongs to. It reads in the transaction of the write.
type Fence func(ctx context.Context, in Reader) error

type fenceKey struct{}

// WithFence returns a context whose writes happen only if fence returns nil.
func WithFence(ctx context.Context, fence Fence) context.Context {
	return context.WithValue(ctx, fenceKey{}, fence)
}

// FenceOf returns the fence of a context, or nil.
func FenceOf(ctx context.Context) Fence {
	fence, _ := ctx.Value(fenceKey{}).(Fence)
	return fence
}

type pauseKey struct{}

// WithPause returns a context whose time limit can be paused: pause stops it
// and returns the function that restarts it.
func WithPause(ctx context.Context, pause func() (resume func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// Pause pauses the time limit of a query while it waits for work that other
// queries share, such as loading texts into memory once after a start. The caller
// calls resume.
func Pause(ctx context.Context) (resume func()) {
	if pause, ok := ctx.Value(pauseKey{}).(func() func()); ok {
		return pause()
	}
	return func() {}
}

// ChangedKeys returns the keys whose values differ between two objects that this
// package encoded for one resource.
func ChangedKeys(before, after []byte) []string {
	var keys []string
	for i, k := 1, 1; i < len(before)-1 && k < len(after)-1; {
		name, was, next := member(before, i)
		other, now, then := member(after, k)
		if name != other {
			return nil // not the same declaration
		}
		if string(was) != string(now) {
			keys = append(keys, name)
		}
		i, k = next, then
	}
	return keys
}

// member returns the key at an offset of an object, its value, and the offset of
// the next key.
func member(object []byte, at int) (key string, value []byte, next int) {
	end := skipValue(object, at)
	stop := skipValue(object, end+1)
	return string(object[at+1 : end-1]), object[end+1 : stop], stop + 1
}
