package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// writer implements engine.Writer on one connection, which it opens again after a
// loss.
type writer struct {
	reader
	config *pgx.ConnConfig
	conn   *pgx.Conn
	side   *pgx.Conn // for ids, which stay reserved after a rollback
	alone  bool
	token  string // see own; that of a shared database marks the notices of this process
	chunks bool

	prepared int // how many of the statements of beginShared the connection has prepared

	active  bool    // between Begin and Commit or Rollback
	defers  bool    // inserts of this transaction are deferred, see Defer
	sent    bool    // the server knows of the transaction
	pending []*text // statements about the transaction and deferred ones, which travel with the next one
	broken  error   // why the transaction can only be rolled back
}

// open connects with the settings of the writer.
func (w *writer) open(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(context.WithoutCancel(ctx), w.config)
	return conn, known(err)
}

// connect makes sure that there is a connection. A transaction ends with its
// connection.
func (w *writer) connect(ctx context.Context) (err error) {
	if w.conn != nil && !w.conn.IsClosed() {
		return nil
	}
	if w.conn, err = w.open(ctx); err != nil {
		return err
	}
	w.prepared = 0
	if err := w.own(ctx); err != nil {
		return errors.Join(err, w.conn.Close(context.WithoutCancel(ctx)))
	}
	return nil
}

// Keys of advisory locks: of a schema, and of a database.
const (
	lockOwner  = 7_340_101
	lockSchema = 7_340_102
	lockWriter = 7_340_103
	lockAlone  = 7_340_104
)

// ready makes sure that there is a connection, and begins a transaction that waits
// for those of other processes.
func (w *writer) ready(ctx context.Context) error { return w.readyWith(ctx, nil) }

// readyWith does the same, and passes the states of the tables to each: see beginShared.
func (w *writer) readyWith(ctx context.Context, each func(row [][]byte) error) error {
	if w.sent {
		return nil
	}
	if err := w.connect(ctx); err != nil || !w.active || w.alone {
		return err
	}
	w.sent = true
	return w.beginShared(ctx, each)
}

// own refuses a database that another process has open, if one of the two has it open
// with Options.Alone. It also refuses one that another process had open since this
// one lost its connection: the caches of this one are then wrong.
func (w *writer) own(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var free bool
	var token string
	try := "SELECT pg_try_advisory_lock($1, hashtext(current_schema()))"
	if !w.alone {
		try = "SELECT pg_try_advisory_lock_shared($1, hashtext(current_schema()))"
	}
	if err := w.conn.QueryRow(ctx, try, lockOwner).Scan(&free); err != nil {
		return known(err)
	}
	if free && !w.alone {
		return nil
	}
	if !free {
		return fault.New(fault.Conflict, "another Spyglass uses the database %s; only one can use it at a time",
			w.config.Database)
	}
	if w.token == "" {
		w.token = rand.Text()
		_, err := w.conn.Exec(ctx, `CREATE TABLE IF NOT EXISTS "_owner" ("token" TEXT NOT NULL)`)
		if err == nil {
			_, err = w.conn.Exec(ctx, `DELETE FROM "_owner"`)
		}
		if err == nil {
			_, err = w.conn.Exec(ctx, `INSERT INTO "_owner" VALUES ($1)`, w.token)
		}
		return known(err)
	}
	if err := w.conn.QueryRow(ctx, `SELECT "token" FROM "_owner"`).Scan(&token); err != nil {
		return known(err)
	}
	if token != w.token {
		return fault.New(fault.Conflict, "another Spyglass has used the database %s since this one lost its "+
			"connection; restart this one", w.config.Database)
	}
	return nil
}

func (w *writer) close() (err error) {
	for _, conn := range []*pgx.Conn{w.conn, w.side} {
		if conn != nil {
			err = errors.Join(err, conn.Close(context.Background()))
		}
	}
	if away(err) {
		return nil // it is closed already
	}
	return err
}

// query implements source. It reads the whole result, so that the connection is
// free.
func (w *writer) query(ctx context.Context, b *text, once bool) (*rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return w.send(ctx, b, once, false)
}

// run runs a statement and returns the number of rows that it changed. guarded
// means that the transaction survives its error.
func (w *writer) run(ctx context.Context, b *text, guarded bool) (int64, error) {
	done, err := w.send(ctx, b, false, guarded)
	if err != nil {
		return 0, err
	}
	return done.from.CommandTag().RowsAffected(), nil
}

const guard = `"change"`

// send runs a statement behind the pending ones, in one round trip. It does not end
// with ctx: the server limits its time.
func (w *writer) send(ctx context.Context, b *text, once, guarded bool) (*rows, error) {
	if w.broken != nil {
		return nil, w.broken
	}
	ctx = context.WithoutCancel(ctx)
	if err := w.ready(ctx); err != nil {
		return nil, w.failed(err)
	}
	before, after := w.pending, []string(nil)
	w.pending = nil
	if w.sent = w.active; w.active && guarded {
		before, after = append(before, newText("SAVEPOINT "+guard)), []string{"RELEASE " + guard}
	}
	done, err := w.exchange(ctx, before, b, after, once)
	if err == nil {
		return done, nil
	}
	err = w.failed(err)
	if after != nil && w.broken == nil {
		for _, statement := range []string{"ROLLBACK TO " + guard, "RELEASE " + guard} {
			if _, failed := w.conn.Exec(ctx, statement); failed != nil {
				return nil, errors.Join(err, w.failed(failed))
			}
		}
	}
	return nil, err
}

// exchange sends statements and reads all results; it returns those of b.
func (w *writer) exchange(ctx context.Context, before []*text, b *text, after []string, once bool) (*rows, error) {
	if len(before)+len(after) == 0 {
		from, err := w.conn.Query(ctx, string(b.sql), append([]any{mode(once)}, b.args...)...)
		if err != nil {
			return nil, err
		}
		done := newRows(from)
		done.drain()
		return done, from.Err()
	}
	before = joined(before)
	all := &pgx.Batch{}
	for _, b := range before {
		all.Queue(string(b.sql), b.args...)
	}
	all.Queue(string(b.sql), b.args...)
	for _, statement := range after {
		all.Queue(statement)
	}
	results := w.conn.SendBatch(ctx, all)
	var err error
	for _, b := range before {
		if err == nil {
			err = b.exec(results)
		}
	}
	var done *rows
	if err == nil {
		var from pgx.Rows
		if from, err = results.Query(); from != nil {
			done = newRows(from)
			done.drain()
			err = from.Err()
		}
	}
	for range after {
		if err == nil {
			_, err = results.Exec()
		}
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	return done, err
}

// exec reads the result of a pending statement.
func (b *text) exec(results pgx.BatchResults) error {
	from, err := results.Query()
	if err == nil {
		done := newRows(from)
		done.drain()
		if err = from.Err(); err == nil && b.found != nil {
			err = b.found(done)
		}
	}
	if err != nil && b.deferred && !away(err) {
		err = engine.Late{Err: err}
	}
	return err
}

// longestQueue limits the number of pending statements.
const longestQueue = 256

// Defer implements engine.Deferring.
func (w *writer) Defer() { w.defers = w.active }

// later defers a statement until the next one that has a result, or the commit.
func (w *writer) later(ctx context.Context, b *text) error {
	if !w.defers {
		_, err := w.run(ctx, b, false)
		return err
	}
	if w.broken != nil {
		return w.broken
	}
	b.deferred = true
	if w.pending = append(w.pending, b); len(w.pending) < longestQueue {
		return nil
	}
	return w.flush(ctx)
}

// flush runs the pending statements if there are deferred ones.
func (w *writer) flush(ctx context.Context) error {
	if !slices.ContainsFunc(w.pending, (*text).changes) {
		return nil
	}
	_, err := w.send(ctx, newText("SELECT"), false, false)
	return err
}

// markers returns the pending statements about the transaction.
func (w *writer) markers() []string {
	all := make([]string, len(w.pending))
	for i, b := range w.pending {
		all[i] = string(b.sql)
	}
	return all
}

// changes reports whether a pending statement changes rows.
func (b *text) changes() bool { return b.deferred || b.found != nil }

// marks reports whether a pending statement is a certain one about the transaction.
func (b *text) marks(statement string) bool { return !b.changes() && string(b.sql) == statement }

// failed notes an error after which the transaction can only be rolled back.
func (w *writer) failed(err error) error {
	err = known(err)
	lost := w.conn == nil || w.conn.IsClosed()
	if w.active && (lost || Engine.Class(Engine{}, err) == engine.Again) {
		w.broken = err
	}
	return err
}

func (w *writer) Begin() error {
	if w.active {
		return errors.New("a transaction is open already")
	}
	w.active, w.defers, w.sent, w.broken, w.pending = true, false, false, nil, nil
	if w.alone {
		w.pending = []*text{newText(begin)}
	}
	return nil
}

const begin = "BEGIN ISOLATION LEVEL SERIALIZABLE"

func (w *writer) Commit() error {
	if w.broken != nil {
		return w.broken
	}
	if !w.active {
		return errors.New("no transaction is open")
	}
	ctx := context.Background()
	if !w.sent && !slices.ContainsFunc(w.pending, (*text).changes) {
		w.active, w.pending = false, nil
		return nil
	}
	if err := w.ready(ctx); err != nil {
		return w.failed(err)
	}
	w.sent = true
	var after []string
	if !w.alone {
		after = []string{unlock}
	}
	done, err := w.exchange(ctx, w.pending, newText("COMMIT"), after, false)
	if err != nil {
		return w.failed(err)
	}
	w.active, w.sent, w.pending = false, false, nil
	if tag := done.from.CommandTag().String(); tag != "COMMIT" { // the server gave it up before
		return fmt.Errorf("the transaction was rolled back (%s)", tag)
	}
	return nil
}

func (w *writer) Rollback() error {
	sent := w.sent
	w.active, w.defers, w.sent, w.pending, w.broken = false, false, false, nil, nil
	if !sent || w.conn.IsClosed() {
		return nil
	}
	_, err := w.conn.Exec(context.Background(), "ROLLBACK")
	if err == nil && !w.alone {
		_, err = w.conn.Exec(context.Background(), unlock)
	}
	if err != nil {
		return w.conn.Close(context.Background()) // which rolls back and unlocks as well
	}
	return nil
}

func (w *writer) Savepoint(name string) error {
	if w.broken != nil {
		return w.broken
	}
	w.pending = append(w.pending, newText("SAVEPOINT ", quote(name)))
	return nil
}

func (w *writer) RollbackTo(name string) error {
	if w.broken != nil {
		return w.broken
	}
	if i := w.savepoint(name); i >= 0 {
		w.pending = w.pending[:i+1]
		return nil
	}
	w.pending = nil // parts of the part
	if _, err := w.conn.Exec(context.Background(), "ROLLBACK TO "+quote(name)); err != nil {
		return w.failed(err)
	}
	return nil
}

func (w *writer) Release(name string) error {
	if w.broken != nil {
		return w.broken
	}
	if i := w.savepoint(name); i >= 0 { // nothing can roll back to it any more
		w.pending = slices.Delete(w.pending, i, i+1)
		return nil
	}
	w.pending = append(w.pending, newText("RELEASE ", quote(name)))
	return nil
}

// savepoint returns the index of the last pending savepoint with a name; -1 for none.
func (w *writer) savepoint(name string) int {
	for i, b := range slices.Backward(w.pending) {
		if b.marks("SAVEPOINT " + quote(name)) {
			return i
		}
	}
	return -1
}

// whole runs do in the current transaction, or in one of its own.
func (w *writer) whole(do func() error) error {
	if w.active {
		return do()
	}
	if err := w.Begin(); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		err = errors.Join(err, w.Rollback())
	}
	return err
}

// storable checks the values of a row.
func storable(t *engine.Table, values []any) error {
	for i, value := range values {
		s, ok := plain(value).(string)
		if !ok {
			continue
		}
		why := unstorable(s)
		if why == "" && i < len(t.Columns) && t.Columns[i].Kind == resource.KindPairs && hidesNUL(s) {
			why = unstorable("\x00")
		}
		if why != "" {
			name := engine.Body
			if i < len(t.Columns) {
				name = t.Columns[i].Name
			}
			return fault.At(name, "%s cannot be stored: %s", name, why)
		}
	}
	return nil
}

// hidesNUL reports whether a JSON text has a NUL, which PostgreSQL would refuse to
// compare.
func hidesNUL(text string) bool {
	const escape = `\u0000`
	for i := strings.Index(text, escape); i >= 0; {
		begin := i
		for begin > 0 && text[begin-1] == '\\' {
			begin--
		}
		if (i-begin)%2 == 0 {
			return true
		}
		next := strings.Index(text[i+1:], escape)
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// insertRows is the largest number of rows in one statement; a statement has at most
// 65,535 arguments.
const insertRows = 500

func (w *writer) Insert(ctx context.Context, t *engine.Table, rows ...[]any) error {
	for _, values := range rows {
		if err := storable(t, values); err != nil {
			return err
		}
	}
	return w.whole(func() error {
		if w.defers && len(rows) == 1 {
			return w.later(ctx, &text{into: t, rows: rows})
		}
		for some := range slices.Chunk(rows, min(insertRows, 65_535/(len(t.Columns)+1))) {
			if err := w.insert(ctx, t, some); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *writer) insert(ctx context.Context, t *engine.Table, rows [][]any) error {
	b := newInsert(t, rows)
	b.add(" ON CONFLICT DO NOTHING") // an error would end the transaction
	n, err := w.run(ctx, b, false)
	if err == nil && n < int64(len(rows)) {
		err = errTaken
	}
	return err
}

func newInsert(t *engine.Table, rows [][]any) *text {
	b := newText("INSERT INTO ", quote(t.Name), " (")
	for _, c := range t.Columns {
		b.name(c.Name)
		b.add(", ")
	}
	b.add(quote(engine.Body), ") VALUES ")
	for r, values := range rows {
		before := "("
		if r > 0 {
			before = "), ("
		}
		for _, value := range values {
			b.add(before)
			b.arg(plain(value))
			before = ", "
		}
	}
	b.add(")")
	return b
}

// joined joins deferred inserts of the same kind, as long as no other statement is between
// them.
func joined(pending []*text) (out []*text) {
	var all, open []*text // open has the inserts that the next ones may join
	for _, b := range pending {
		if b.into == nil {
			open, all = nil, append(all, b)
			continue
		}
		i := slices.IndexFunc(open, func(have *text) bool { return have.into == b.into && have.column == b.column })
		if i < 0 {
			some := &text{into: b.into, column: b.column}
			i, open, all = len(open), append(open, some), append(all, some)
		}
		open[i].rows, open[i].links = append(open[i].rows, b.rows...), append(open[i].links, b.links...)
	}
	for _, b := range all {
		out = append(out, b.split()...)
	}
	return out
}

// split returns the statements of a deferred insert, and others as they are. Its numbers
// of rows are powers of two, so that few statements are prepared.
func (b *text) split() (all []*text) {
	switch {
	case b.into == nil:
		return []*text{b}
	case b.column != "":
		some := newLinks(b.into, b.column, b.links)
		some.deferred = true
		return []*text{some}
	}
	for rows := b.rows; len(rows) > 0; {
		n := 1 << (bits.Len(uint(min(len(rows), mostJoined))) - 1)
		some := newInsert(b.into, rows[:n])
		some.deferred, rows = true, rows[n:]
		all = append(all, some)
	}
	return all
}

// mostJoined is the largest number of rows in a deferred insert, a power of two.
const mostJoined = 64

func (w *writer) Update(ctx context.Context, t *engine.Table, values []any, id int64,
	where engine.Cond) (int64, error) {
	if err := storable(t, values); err != nil {
		return 0, err
	}
	b := newText("UPDATE ", quote(t.Name), " SET ")
	for i, value := range values {
		if i > 0 {
			b.add(", ")
		}
		if i < len(t.Columns) {
			b.name(t.Columns[i].Name)
		} else {
			b.name(engine.Body)
		}
		b.add(" = ")
		b.arg(plain(value))
	}
	b.where(t, engine.All{engine.HasID(id), where})
	return w.run(ctx, b, slices.ContainsFunc(t.Indexes, func(x engine.Index) bool { return x.Unique }))
}

// Delete first deletes the links of the rows, if the condition names the rows, or
// finds the rows before, because the condition may depend on links.
func (w *writer) Delete(ctx context.Context, t *engine.Table, where engine.Cond) (n int64, err error) {
	var links []string
	for _, c := range t.Columns {
		if c.Linked() {
			links = append(links, linkOf(t, c.Name))
		}
	}
	err = w.whole(func() error {
		if len(links) > 0 {
			ids, err := w.ids(ctx, t, where)
			if err != nil {
				return err
			}
			for _, link := range links {
				b := newText("DELETE FROM ", link, ` WHERE "row" = ANY(`)
				b.arg(ids)
				b.add("::bigint[])")
				if _, err := w.run(ctx, b, false); err != nil {
					return err
				}
			}
			where = engine.Among{Column: engine.ID, IDs: ids}
		}
		b := newText("DELETE FROM ", quote(t.Name))
		b.where(t, where)
		n, err = w.run(ctx, b, false)
		return err
	})
	return n, err
}

// ids returns the ids of the rows that meet a condition.
func (w *writer) ids(ctx context.Context, t *engine.Table, where engine.Cond) ([]int64, error) {
	if one, ok := where.(engine.HasID); ok {
		return []int64{int64(one)}, nil
	}
	b := newText(`SELECT "id" FROM `, quote(t.Name))
	b.where(t, where)
	ids, err := column[int64](w.send(ctx, b, false, false))
	return append([]int64{}, ids...), err
}

func (w *writer) Link(ctx context.Context, t *engine.Table, column string, links ...engine.Link) error {
	switch {
	case len(links) == 0:
		return nil
	case w.defers:
		return w.later(ctx, &text{into: t, column: column, links: links})
	}
	_, err := w.run(ctx, newLinks(t, column, links), false)
	return err
}

func newLinks(t *engine.Table, column string, links []engine.Link) *text {
	ids, rows := make([]int64, len(links)), make([]int64, len(links))
	for i, link := range links {
		ids[i], rows[i] = link.ID, link.Row
	}
	b := newText("INSERT INTO ", linkOf(t, column), ` ("ref", "row") SELECT unnest(`)
	b.arg(ids)
	b.add("::bigint[]), unnest(")
	b.arg(rows)
	b.add("::bigint[])")
	return b
}

func (w *writer) Unlink(ctx context.Context, t *engine.Table, column string, row int64) error {
	b := newText("DELETE FROM ", linkOf(t, column), ` WHERE "row" = `)
	b.arg(row)
	return w.later(ctx, b)
}

func (w *writer) PutChunk(space string, id int64, data []byte) error {
	b := newText("INSERT INTO ", quote(space), ` ("id", "data") VALUES (`)
	b.arg(id)
	b.add(", ")
	b.arg(data)
	b.add(`) ON CONFLICT ("id") DO UPDATE SET "data" = excluded."data"`)
	_, err := w.run(context.Background(), b, false)
	return err
}

func (w *writer) DeleteChunks(space string, from, to int64) error {
	b := newText("DELETE FROM ", quote(space), ` WHERE "id" BETWEEN `)
	b.arg(from)
	b.add(" AND ")
	b.arg(to)
	_, err := w.run(context.Background(), b, false)
	return err
}
