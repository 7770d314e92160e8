package resource

import "context"

// Change is one write as the audit log tells it. The store makes one of every
// write of a published resource; Tx.Note makes those that are no row, a sign-in.
type Change struct {
	Call   *Call  // who asked, when and from where
	User   string // who it was, where the call does not know yet
	Action string // one word: create, replace, change, delete, restore, ack, sign-in …
	Object string // the Name of the resource
	Label  string // what people call one of its rows
	ID     int64  // of the row; 0 for none
	Title  string // what the row is called
	Fields []string
	Along  map[string]int // what the rules of the resource wrote besides: rows by their Label

	Before, After []byte // the row as it is shown, secrets masked; nil where there was none
}

// Auditor keeps a change, in the transaction that makes it.
type Auditor func(ctx context.Context, tx Tx, c *Change) error

type callKey struct{}

// WithCall is a context that knows which call it serves, so that the store can
// tell who made a write that a verb of its own makes. A nil call: nobody's.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf is the call that ctx serves, or nil.
func CallOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

type pauseKey struct{}

// WithPause is a context whose time limit can be made to wait: pause stops it
// and returns what lets it begin anew.
func WithPause(ctx context.Context, pause func() (resume func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// Pause stops the time limit of a question while something is made ready that
// the question does not do itself, such as the texts that come into memory once
// after a start. The caller calls resume.
func Pause(ctx context.Context) (resume func()) {
	if pause, ok := ctx.Value(pauseKey{}).(func() func()); ok {
		return pause()
	}
	return func() {}
}

// ChangedKeys are the keys whose values differ between two objects this package
// made of one resource.
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

// member is the key at an offset of an object, its value, and where the next begins.
func member(object []byte, at int) (key string, value []byte, next int) {
	end := skipValue(object, at)
	stop := skipValue(object, end+1)
	return string(object[at+1 : end-1]), object[end+1 : stop], stop + 1
}
