// Package diagnose keeps the data needed to find the cause of a fault later:
// the last lines of the log, and separately the last warnings and errors.
//
// The log has no secrets (trust.md, rule 11), so these have none either.
package diagnose

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
)

// The number of lines to keep, and the maximum bytes of each.
const (
	mostLines    = 2000
	mostTroubles = 200
	mostBytes    = 4096
)

// Tail is a log handler that passes on everything and keeps the last lines.
type Tail struct {
	next          slog.Handler
	all, bad      slog.Handler // write to log and troubles
	log, troubles *lines
}

// NewTail returns a Tail that passes log entries on to next.
func NewTail(next slog.Handler) *Tail {
	t := &Tail{next: next, log: &lines{most: mostLines}, troubles: &lines{most: mostTroubles}}
	options := &slog.HandlerOptions{Level: slog.LevelDebug} // next decides
	t.all, t.bad = slog.NewTextHandler(t.log, options), slog.NewTextHandler(t.troubles, options)
	return t
}

// Log returns the last lines, oldest first.
func (t *Tail) Log() []byte { return t.log.text() }

// Troubles returns the last warnings and errors, oldest first.
func (t *Tail) Troubles() []byte { return t.troubles.text() }

// Enabled implements slog.Handler.
func (t *Tail) Enabled(ctx context.Context, level slog.Level) bool { return t.next.Enabled(ctx, level) }

// Handle implements slog.Handler.
func (t *Tail) Handle(ctx context.Context, r slog.Record) error {
	_ = t.all.Handle(ctx, r) // writing to lines never fails
	if r.Level >= slog.LevelWarn {
		_ = t.bad.Handle(ctx, r)
	}
	return t.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (t *Tail) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *t
	more.next, more.all, more.bad = t.next.WithAttrs(attrs), t.all.WithAttrs(attrs), t.bad.WithAttrs(attrs)
	return &more
}

// WithGroup implements slog.Handler.
func (t *Tail) WithGroup(name string) slog.Handler {
	more := *t
	more.next, more.all, more.bad = t.next.WithGroup(name), t.all.WithGroup(name), t.bad.WithGroup(name)
	return &more
}

// lines is a writer that keeps the last writes, one line each.
type lines struct {
	most int

	mu   sync.Mutex
	kept [][]byte
	next int // index of the next line, once the maximum is reached
}

func (l *lines) Write(p []byte) (int, error) {
	line := bytes.Clone(p)
	if len(line) > mostBytes {
		line = append(line[:mostBytes], "…\n"...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) < l.most {
		l.kept = append(l.kept, line)
	} else {
		l.kept[l.next] = line
		l.next = (l.next + 1) % l.most
	}
	return len(p), nil
}

func (l *lines) text() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Join(append(append([][]byte{}, l.kept[l.next:]...), l.kept[:l.next]...), nil)
}
