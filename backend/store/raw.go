package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// raw reads and writes whole rows of a table as they are stored.
type raw struct {
	table    *engine.Table
	columns  []string // with the body, which is last
	id, soft int      // the columns of the id, and of the time of the deletion; soft is -1 for none
}

func newRaw(t *engine.Table) *raw {
	r := &raw{table: t, soft: -1}
	for i, c := range t.Columns {
		r.columns = append(r.columns, c.Name)
		switch c.Name {
		case engine.ID:
			r.id = i
		case t.Soft:
			r.soft = i
		}
	}
	r.columns = append(r.columns, engine.Body)
	return r
}

// read returns the next rows after an id, at most a batch of them: the values of the
// columns, as int64, float64, string or []byte.
func (r *raw) read(ctx context.Context, from engine.Reader, after int64) (rows [][]any, err error) {
	found, err := from.Select(ctx, engine.Select{Table: r.table, Columns: r.columns, Order: byID, Limit: batchRows,
		Where: engine.Compare{Column: engine.ID, Op: ">", Value: after}})
	if err != nil {
		return nil, err
	}
	defer found.Close()
	dest := make([]any, len(r.columns))
	for bytes := 0; bytes < batchBytes && found.Next(); {
		for i := range dest {
			dest[i] = r.destination(i)
		}
		if err := found.Scan(dest...); err != nil {
			return nil, err
		}
		row := make([]any, len(dest))
		for i := range dest {
			switch at := dest[i].(type) {
			case *int64:
				row[i] = *at
			case *float64:
				row[i] = *at
			case *string:
				row[i], bytes = *at, bytes+len(*at)
			case *[]byte:
				row[i], bytes = append([]byte{}, *at...), bytes+len(*at) // nil would be NULL
			}
		}
		rows = append(rows, row)
	}
	return rows, found.Err()
}

// destination returns a pointer for a value of a column.
func (r *raw) destination(i int) any {
	if i == len(r.table.Columns) || r.table.Columns[i].Bytes {
		return new([]byte)
	}
	switch r.table.Columns[i].Kind {
	case resource.KindText, resource.KindIDs, resource.KindPairs, resource.KindOther:
		return new(string)
	case resource.KindNumber:
		return new(float64)
	}
	return new(int64)
}

// insert adds new rows in one transaction.
func (r *raw) insert(ctx context.Context, w engine.Writer, rows [][]any) error {
	if err := w.Begin(); err != nil {
		return err
	}
	err := r.insertAll(ctx, w, rows)
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		return errors.Join(err, w.Rollback())
	}
	return nil
}

func (r *raw) insertAll(ctx context.Context, w engine.Writer, rows [][]any) error {
	for _, row := range rows {
		if err := r.insertOne(ctx, w, row); err != nil {
			return r.refused(row[r.id].(int64), err)
		}
	}
	return nil
}

// refused names the row in the error of an engine that cannot store one of its values.
func (r *raw) refused(id int64, err error) error {
	if known := fault.Of(err); known.Kind == fault.Invalid {
		return &fault.Error{Kind: fault.Conflict, Err: err,
			Message: fmt.Sprintf("the row %d of the table %s cannot be moved: %s", id, r.table.Name, known.Message)}
	}
	return fmt.Errorf("table %s, row %d: %w", r.table.Name, id, err)
}

func (r *raw) insertOne(ctx context.Context, w engine.Writer, row []any) error {
	if err := w.Insert(ctx, r.table, row); err != nil {
		return err
	}
	if r.soft >= 0 && row[r.soft].(int64) > 0 {
		return nil // deleted rows have no links
	}
	for i, c := range r.table.Columns {
		if !c.Linked() {
			continue
		}
		ids, err := resource.ParseIDs(row[i].(string))
		if err == nil {
			err = w.Link(ctx, r.table, c.Name, engine.Links(row[r.id].(int64), ids)...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Sum is the number of rows, and a SHA-256 of everything in them.
type Sum struct {
	Rows int64
	Hash string
}

// sum reads all rows, their links and the last id. tell is called with the number of
// rows of each batch.
func (r *raw) sum(ctx context.Context, from engine.Reader, tell func(rows int64)) (s Sum, err error) {
	h := hasher{sha256.New()}
	for after := int64(math.MinInt64); ; {
		rows, err := r.read(ctx, from, after)
		if err != nil {
			return s, err
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			for _, value := range row {
				h.add(value)
			}
		}
		after = rows[len(rows)-1][r.id].(int64)
		s.Rows += int64(len(rows))
		tell(int64(len(rows)))
	}
	for _, c := range r.table.Columns {
		if c.Linked() {
			if err := h.links(ctx, from, r.table, c.Name); err != nil {
				return s, err
			}
		}
	}
	last, err := from.LastID(ctx, r.table)
	h.add(last)
	s.Hash = h.text()
	return s, err
}

// sumChunks is sum for a space of chunks.
func sumChunks(ctx context.Context, from engine.Reader, space string, tell func(chunks int64)) (s Sum, err error) {
	h := hasher{sha256.New()}
	for after, n := int64(math.MinInt64), int64(-1); n != 0; {
		n = 0
		err := from.NextChunks(ctx, space, after, batchRows, func(id int64, data []byte) error {
			h.add(id)
			h.add(data)
			n, after = n+1, id
			return nil
		})
		if err != nil {
			return s, err
		}
		s.Rows += n
		tell(n)
	}
	s.Hash = h.text()
	return s, nil
}

// hasher hashes values so that different rows have different texts.
type hasher struct{ hash.Hash }

func (h hasher) add(value any) {
	var head [9]byte
	switch value := value.(type) {
	case int64:
		head[0] = 'i'
		binary.BigEndian.PutUint64(head[1:], uint64(value))
	case float64:
		head[0] = 'f'
		binary.BigEndian.PutUint64(head[1:], math.Float64bits(value))
	case string:
		h.bytes('s', []byte(value))
		return
	case []byte:
		h.bytes('b', value)
		return
	}
	_, _ = h.Write(head[:]) // it never fails
}

func (h hasher) bytes(kind byte, value []byte) {
	head := [9]byte{kind}
	binary.BigEndian.PutUint64(head[1:], uint64(len(value)))
	_, _ = h.Write(head[:]) // it never fails
	_, _ = h.Write(value)
}

// links adds the number of the rows that are linked to each id.
func (h hasher) links(ctx context.Context, from engine.Reader, t *engine.Table, column string) error {
	found, err := from.Tally(ctx, engine.Tally{Table: t, By: []engine.By{{Column: column, Held: true}}, Once: true})
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var id, n int64
		if err := found.Scan(&id, &n); err != nil {
			return err
		}
		h.add(id)
		h.add(n)
	}
	return found.Err()
}

func (h hasher) text() string { return hex.EncodeToString(h.Sum(nil)) }
