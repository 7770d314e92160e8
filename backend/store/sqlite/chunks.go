package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
)

// A space of chunks is a table of blobs by id.

func (w *writer) PutChunk(space string, id int64, data []byte) error {
	b := newText("INSERT INTO ")
	b.name(space)
	b.add(` VALUES (?, ?) ON CONFLICT DO UPDATE SET "data" = excluded."data"`)
	_, err := w.run(context.Background(), b, id, data)
	return err
}

func (w *writer) DeleteChunks(space string, from, to int64) error {
	b := newText("DELETE FROM ")
	b.name(space)
	b.add(` WHERE "id" BETWEEN ? AND ?`)
	_, err := w.run(context.Background(), b, from, to)
	return err
}

// sizes are the numbers of chunks that a single statement reads; the smallest
// sufficient one is used.
var sizes = []int{1, 4, 32}

func (r reader) FindChunks(ctx context.Context, space string, ids []int64,
	each func(id int64, data []byte) error) error {
	for len(ids) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := sizes[len(sizes)-1]
		if i := slices.IndexFunc(sizes, func(n int) bool { return n >= len(ids) }); i >= 0 {
			size = sizes[i]
		}
		some := ids[:min(size, len(ids))]
		if err := r.someChunks(ctx, space, size, some, each); err != nil {
			return err
		}
		ids = ids[len(some):]
	}
	return nil
}

func (r reader) someChunks(ctx context.Context, space string, size int, ids []int64,
	each func(id int64, data []byte) error) error {
	b := newText(`SELECT "id", "data" FROM `)
	defer b.free()
	b.name(space)
	b.add(` WHERE "id" IN (?`, strings.Repeat(", ?", size-1), ")")
	for i := range size {
		if i < len(ids) {
			b.args = append(b.args, ids[i])
		} else {
			b.args = append(b.args, nil) // NULL matches nothing
		}
	}
	// Reading a few rows by id is faster than watching for a cancel.
	rows, err := r.query(context.WithoutCancel(ctx), b, false)
	if err != nil {
		return err
	}
	return eachChunk(rows, each)
}

func (d *database) RangeChunks(ctx context.Context, space string, from, to int64,
	each func(id int64, data []byte) error) error {
	rows, err := d.read.QueryContext(ctx,
		`SELECT "id", "data" FROM `+quote(space)+` WHERE "id" BETWEEN ? AND ? ORDER BY "id"`, from, to)
	if err != nil {
		return err
	}
	return eachChunk(rows, each)
}

func (r reader) NextChunks(ctx context.Context, space string, after int64, limit int,
	each func(id int64, data []byte) error) error {
	rows, err := r.QueryContext(ctx,
		`SELECT "id", "data" FROM `+quote(space)+` WHERE "id" > ? ORDER BY "id" LIMIT ?`, after, limit)
	if err != nil {
		return err
	}
	return eachChunk(rows, each)
}

// eachChunk reads the results of a query for chunks.
func eachChunk(rows *sql.Rows, each func(id int64, data []byte) error) error {
	var id int64
	var data sql.RawBytes
	for rows.Next() {
		err := rows.Scan(&id, &data)
		if err == nil {
			err = each(id, data)
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

func (d *database) ChunkEnds(ctx context.Context, space string) (low, high int64, ok bool, err error) {
	var a, b sql.NullInt64
	table := quote(space)
	err = d.read.QueryRowContext(ctx,
		`SELECT (SELECT min("id") FROM `+table+`), (SELECT max("id") FROM `+table+")").Scan(&a, &b)
	return a.Int64, b.Int64, a.Valid, err
}

func (d *database) Size(ctx context.Context) (bytes int64, err error) {
	err = d.read.QueryRowContext(ctx, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "+
		"pragma_freelist_count, pragma_page_size").Scan(&bytes)
	return bytes, err
}
