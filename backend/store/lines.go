package store

import (
	"context"
	"io"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// A stream holds one state of the database, and the WAL cannot shrink until the
// stream ends. So the number and the duration of streams are limited.
const (
	maxStreams    = 4
	longestStream = 5 * time.Minute
	longestRead   = 2 * time.Second // for the rows of one piece, the same as for a page
	piece         = 500             // rows
)

var errLasts = fault.New(fault.Invalid, "the client did not read the stream within %d minutes",
	int(longestStream.Minutes()))

// lines streams every row that meets the condition, one object per line, all of
// one state of the database.
func (t *Table) lines(ctx context.Context, c *resource.Call, cond *condition, order []engine.Order,
	fields []string) *resource.Response {
	return &resource.Response{Type: resource.LinesType, Stream: func(w io.Writer) error {
		ctx, cancel := context.WithTimeoutCause(ctx, longestStream, errLasts)
		defer cancel()
		select {
		case t.db.streams <- struct{}{}:
			defer func() { <-t.db.streams }()
		case <-time.After(longestRead):
			return &fault.Error{Kind: fault.TooMany,
				Message: "too many lists are being streamed; try again in a moment", RetryAfter: 5 * time.Second}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		base, err := t.db.base.Snapshot(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = base.Close() }()
		err = t.writeLines(ctx, &snapshot{db: t.db, base: base}, w, c.Access, cond, order, fields)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}}
}

// writeLines first reads the sorted ids, which takes a few bytes per row even if
// the engine must sort them, and then the rows, piece by piece.
func (t *Table) writeLines(ctx context.Context, s *snapshot, w io.Writer, who *resource.Access, cond *condition,
	order []engine.Order, fields []string) error {
	read, stop := context.WithCancel(ctx)
	defer stop()
	slow := func(err error) error {
		if read.Err() != nil && ctx.Err() == nil {
			return errTooSlow(err)
		}
		return err
	}
	late := time.AfterFunc(longestRead, stop) // limits the time of the database, not that of the caller
	defer late.Stop()
	found, err := s.base.Select(read, engine.Select{Table: t.table, Columns: onlyID, Where: cond.all, Order: order,
		Once: true})
	if err != nil {
		return slow(err)
	}
	defer found.Close()
	var id int64
	dest, ids := []any{&id}, make([]int64, 0, piece)
	var out []byte
	for more := true; more; ids = ids[:0] {
		late.Reset(longestRead)
		for more && len(ids) < piece {
			if more = found.Next(); more {
				err = found.Scan(dest...)
				ids = append(ids, id)
			} else {
				err = found.Err()
			}
			if err != nil {
				return slow(err)
			}
		}
		if out, err = t.appendLines(read, s, out[:0], who, ids, fields); err != nil {
			return slow(err)
		}
		late.Stop()
		if read.Err() != nil {
			return slow(read.Err())
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// appendLines appends the rows of those ids, in that order.
func (t *Table) appendLines(ctx context.Context, s *snapshot, out []byte, who *resource.Access, ids []int64,
	fields []string) ([]byte, error) {
	if len(ids) == 0 {
		return out, nil
	}
	p := &page{}
	defer p.free()
	if err := t.readRows(ctx, listReader{s.base, false}, p, engine.Select{Where: engine.Among{Column: engine.ID,
		IDs: ids}}); err != nil {
		return nil, err
	}
	p.arrange(ids)
	derived, err := t.derive(ctx, s, who, p, fields)
	if err != nil {
		return nil, err
	}
	for i := range p.body {
		out = append(t.object(out, p.body[i], derived, i, fields), '\n')
	}
	return out, nil
}

// arrange sorts the rows in the order of ids.
func (p *page) arrange(ids []int64) {
	place := make(map[int64]int, len(p.ids))
	for i, id := range p.ids {
		place[id] = i
	}
	body, from := make([][]byte, len(ids)), make([][]string, len(ids))
	for i, id := range ids {
		body[i], from[i] = p.body[place[id]], p.from[place[id]]
	}
	p.ids, p.body, p.from = slices.Clone(ids), body, from
}
