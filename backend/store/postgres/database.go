package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"spyglass/backend/store/engine"
)

// database implements engine.Database.
type database struct {
	reader
	pool   *pgxpool.Pool
	writer *writer
	chunks bool

	listener *pgx.ConnConfig // of Listen
}

func (d *database) Writer() engine.Writer { return d.writer }

func (d *database) Close() error {
	d.pool.Close()
	return d.writer.close()
}

// once are the options of a statement that is not kept prepared.
func mode(once bool) pgx.QueryExecMode {
	if once {
		return pgx.QueryExecModeDescribeExec
	}
	return pgx.QueryExecModeCacheStatement
}

// readers is the source of a database.
type readers struct{ *pgxpool.Pool }

func (r readers) query(ctx context.Context, b *text, once bool) (*rows, error) {
	from, err := r.Query(ctx, string(b.sql), append([]any{mode(once)}, b.args...)...)
	if err != nil {
		return nil, known(err)
	}
	return newRows(from), nil
}

// snapshot implements engine.Snapshot.
type snapshot struct {
	reader
	tx   pgx.Tx
	open *rows
}

func (d *database) Snapshot(ctx context.Context) (engine.Snapshot, error) {
	tx, err := d.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, known(err)
	}
	s := &snapshot{tx: tx}
	s.reader.source = s
	return s, nil
}

func (s *snapshot) query(ctx context.Context, b *text, once bool) (*rows, error) {
	if s.open != nil {
		s.open.drain()
	}
	from, err := s.tx.Query(ctx, string(b.sql), append([]any{mode(once)}, b.args...)...)
	if err != nil {
		return nil, known(err)
	}
	s.open = newRows(from)
	return s.open, nil
}

func (s *snapshot) Close() error {
	if s.open != nil {
		_ = s.open.Close()
	}
	err := s.tx.Rollback(context.Background())
	if errors.Is(err, pgx.ErrTxClosed) || away(err) { // the connection was lost, and the transaction with it
		return nil
	}
	return err
}

func (d *database) Layout(ctx context.Context) (layout engine.Layout, err error) {
	var format, tables int
	found, err := column[int](d.query(ctx, newText(`SELECT count(*) FROM (SELECT to_regclass('"_layout"') t) x `+
		`WHERE t IS NOT NULL UNION ALL SELECT count(*) FROM (SELECT to_regclass('"_shape"') t) x WHERE t IS NOT NULL`),
		true))
	if err != nil || found[0] == 0 {
		return layout, err
	}
	tables = found[1]
	formats, err := column[int](d.query(ctx, newText(`SELECT "format" FROM "_layout"`), true))
	if err != nil {
		return layout, err
	}
	if len(formats) > 0 {
		format = formats[0]
	}
	layout = engine.Layout{Format: format, Tables: tables > 0}
	if d.chunks {
		layout.Spaces, err = column[string](d.query(ctx, newText(`SELECT tablename FROM pg_catalog.pg_tables `+
			`WHERE schemaname = current_schema() AND tablename NOT LIKE '\_%'`), true))
	}
	return layout, err
}

// A space of chunks is a table of bytes by id.

func (r reader) FindChunks(ctx context.Context, space string, ids []int64,
	each func(id int64, data []byte) error) error {
	b := newText(`SELECT "id", "data" FROM `, quote(space), ` WHERE "id" = ANY(`)
	b.arg(append([]int64{}, ids...))
	b.add("::bigint[])")
	return r.eachChunk(ctx, b, each)
}

func (d *database) RangeChunks(ctx context.Context, space string, from, to int64,
	each func(id int64, data []byte) error) error {
	b := newText(`SELECT "id", "data" FROM `, quote(space), ` WHERE "id" BETWEEN `)
	b.arg(from)
	b.add(" AND ")
	b.arg(to)
	b.add(` ORDER BY "id"`)
	return d.eachChunk(ctx, b, each)
}

func (r reader) NextChunks(ctx context.Context, space string, after int64, limit int,
	each func(id int64, data []byte) error) error {
	b := newText(`SELECT "id", "data" FROM `, quote(space), ` WHERE "id" > `)
	b.arg(after)
	b.add(` ORDER BY "id" LIMIT `)
	b.arg(int64(limit))
	return r.eachChunk(ctx, b, each)
}

func (r reader) eachChunk(ctx context.Context, b *text, each func(id int64, data []byte) error) error {
	rows, err := r.query(ctx, b, false)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := scan(rows.fields[0], rows.values[0], &id); err != nil {
			return err
		}
		if err := each(id, rows.values[1]); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (d *database) ChunkEnds(ctx context.Context, space string) (low, high int64, ok bool, err error) {
	ends, err := column[int64](d.query(ctx, newText(`SELECT n FROM (SELECT min("id") n FROM `, quote(space),
		` UNION ALL SELECT max("id") FROM `, quote(space), `) x WHERE n IS NOT NULL ORDER BY n`), false))
	if err != nil || len(ends) < 2 {
		return 0, 0, false, err
	}
	return ends[0], ends[1], true, nil
}

func (d *database) Size(ctx context.Context) (int64, error) {
	sizes, err := column[int64](d.query(ctx, newText(`SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint `+
		`FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace `+
		`WHERE n.nspname = current_schema() AND c.relkind = 'r'`), true))
	if err != nil || len(sizes) == 0 {
		return 0, err
	}
	return sizes[0], nil
}
