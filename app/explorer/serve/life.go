// Package serve declares the Explorer's endpoints and tracks their running work.
//
// Call, Get, Post and File make endpoints whose responses are declared, and Post one
// whose body is declared like a resource. A Life lets a stop cancel the work under way
// and wait until it has ended.
//
// # Units
//
// Limits are bytes.
//
// # Concurrency
//
// A Life is safe for concurrent use. It starts no goroutines.
//
// # Errors
//
// fault.Invalid names the field of a body that is wrong. After Stop, Begin returns
// fault.Busy; the cause of a context that Stop cancelled is fault.ErrStopping.
package serve

import (
	"context"
	"sync"

	"spyglass/backend/fault"
)

// Life counts the running work of a server, so that Stop can cancel it and wait
// for it.
type Life struct {
	life   context.Context // ends with Stop
	end    context.CancelCauseFunc
	mu     sync.Mutex
	closed bool
	busy   sync.WaitGroup // work under way
}

// NewLife returns a Life that lasts until Stop.
func NewLife() *Life {
	l := &Life{}
	l.life, l.end = context.WithCancelCause(context.Background())
	return l
}

// Stop cancels the running work, waits for it, and refuses later work. It may be
// called twice.
func (l *Life) Stop() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end(fault.ErrStopping)
	l.busy.Wait()
}

// Begin registers the caller as work that Stop waits for. The returned context
// ends with ctx or with Stop.
func (l *Life) Begin(ctx context.Context) (context.Context, func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, &fault.Error{Kind: fault.Busy, Message: fault.ErrStopping.Message, Field: "portal"}
	}
	l.busy.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.life, func() { cancel(fault.ErrStopping) })
	return ctx, func() { stop(); cancel(nil); l.busy.Done() }, nil
}
