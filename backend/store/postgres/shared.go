package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"spyglass/backend/store/engine"
)

// A lock lets only one process write to a shared schema at a time: the snapshot of
// its transaction has all earlier commits, so that it need not be repeated. A batch
// of writes holds the lock once. It belongs to the session, because a transaction
// has its snapshot before it could wait for a lock. The server ends a session that
// stops within a transaction, see longestIdle.
var (
	lock   = fmt.Sprintf("SELECT pg_advisory_lock(%d, hashtext(current_schema()))", lockWriter)
	unlock = fmt.Sprintf("SELECT pg_advisory_unlock(%d, hashtext(current_schema()))", lockWriter)
)

// beginShared locks the schema, begins a transaction and reads the states of the tables, if
// each is not nil, in one round trip, so that this process cannot stop in between. It calls
// each with the rows. A connection prepares each of these statements once.
func (w *writer) beginShared(ctx context.Context, each func(row [][]byte) error) error {
	p := w.conn.PgConn().StartPipeline(ctx)
	statements := []string{lock, begin, states}
	if each == nil {
		statements = statements[:2]
	}
	for i, statement := range statements {
		if i >= w.prepared {
			p.SendPrepare(preparedName(i), statement, nil)
		}
		p.SendQueryPrepared(preparedName(i), nil, nil, nil)
		p.SendPipelineSync()
	}
	err := p.Flush()
	for synced := 0; err == nil && synced < len(statements); {
		var result any
		if result, err = p.GetResults(); err != nil {
			break
		}
		switch r := result.(type) {
		case *pgconn.StatementDescription:
			w.prepared = synced + 1
		case *pgconn.ResultReader:
			for err == nil && synced == 2 && r.NextRow() {
				err = each(r.Values())
			}
			if _, closed := r.Close(); err == nil {
				err = closed
			}
		case *pgconn.PipelineSync:
			synced++
		}
	}
	if closed := p.Close(); err == nil {
		err = closed
	}
	return err
}

func preparedName(i int) string { return "begin_" + strconv.Itoa(i) }

// Alone implements engine.Sharing, with a lock on a connection of its own.
func (w *writer) Alone(ctx context.Context, do func() error) error {
	conn, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "SET statement_timeout = 0"); err != nil { // the other one may take long
		return known(err)
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1, hashtext(current_schema()))", lockAlone); err != nil {
		return known(err)
	}
	return do()
}

// channel is the channel for notices about the schema.
const channel = "'spyglass_' || hashtext(current_schema())"

// Begun implements engine.Sharing.
func (w *writer) Begun(ctx context.Context) (map[string]engine.State, error) {
	if w.sent {
		return nil, errors.New("the transaction has run a statement before Begun")
	}
	all := map[string]engine.State{}
	err := w.readyWith(context.WithoutCancel(ctx), func(row [][]byte) error {
		version, err := strconv.ParseInt(string(row[1]), 10, 64)
		last, failed := strconv.ParseInt(string(row[2]), 10, 64)
		all[string(row[0])] = engine.State{Version: version, LastID: last}
		return errors.Join(err, failed)
	})
	if err != nil {
		return nil, w.failed(err)
	}
	return all, nil
}

const (
	versions = `SELECT "table", "number" FROM "_version"`
	states   = `SELECT "table", coalesce("number", 0), coalesce("last", 0) ` +
		`FROM "_version" FULL JOIN "_id" USING ("table")`
)

// longestNotice limits the ids in a notice; PostgreSQL allows 8,000 bytes.
const longestNotice = 7_000

// Raise implements engine.Sharing. The server delivers one notice for each table after the
// commit: the process, the table, its version, and the ids of the rows, or "*".
func (w *writer) Raise(changes []engine.Change) {
	names, ids, last := make([]string, len(changes)), make([]string, len(changes)), make([]int64, len(changes))
	for i, c := range changes {
		names[i], ids[i], last[i] = c.Table, idsText(c), c.LastID
	}
	b := newText("WITH c AS (SELECT * FROM unnest(")
	b.arg(names)
	b.add("::text[], ")
	b.arg(ids)
	b.add("::text[], ")
	b.arg(last)
	b.add(`::bigint[]) AS c(name, ids, last)), i AS (INSERT INTO "_id" AS old SELECT name, last FROM c WHERE last > 0 `+
		`ON CONFLICT ("table") DO UPDATE SET "last" = greatest(old."last", excluded."last")), `+
		`v AS (INSERT INTO "_version" AS old SELECT name, 1 FROM c `+
		`ON CONFLICT ("table") DO UPDATE SET "number" = old."number" + 1 RETURNING "table", "number") `+
		`SELECT v."table", v."number", pg_notify(`, channel, `, `)
	b.arg(w.token)
	b.add(`::text || ' ' || v."table" || ' ' || v."number" || ' ' || c.ids) IS NULL FROM v JOIN c `,
		`ON c.name = v."table"`)
	b.found = func(found *rows) error {
		for found.Next() {
			var table string
			var number, sent int64
			if err := found.Scan(&table, &number, &sent); err != nil {
				return err
			}
			for i := range changes {
				if changes[i].Table == table {
					changes[i].Version = number
				}
			}
		}
		return found.Err()
	}
	w.pending = append(w.pending, b)
}

func idsText(c engine.Change) string {
	if !c.Whole {
		return "*"
	}
	var text []byte
	for _, id := range c.IDs {
		if text = append(strconv.AppendInt(text, id, 10), ','); len(text) > longestNotice {
			return "*"
		}
	}
	return strings.TrimSuffix(string(text), ",")
}

// parseNotice is the inverse of the format of Raise.
func parseNotice(payload string) (from string, c engine.Change, ok bool) {
	parts := strings.SplitN(payload, " ", 4)
	if len(parts) < 4 {
		return "", c, false
	}
	version, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return "", c, false
	}
	c = engine.Change{Table: parts[1], Version: version, Whole: parts[3] != "*"}
	if !c.Whole || parts[3] == "" {
		return parts[0], c, true
	}
	for text := range strings.SplitSeq(parts[3], ",") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", c, false
		}
		c.IDs = append(c.IDs, id)
	}
	return parts[0], c, true
}

// Times of a listener.
const (
	quiet      = 5 * time.Second // without notices, after which it checks whether the server is there
	reconnects = 200 * time.Millisecond
)

// Listen implements engine.Remote, on a connection of its own.
func (d *database) Listen(ctx context.Context, l engine.Listener) {
	for ctx.Err() == nil {
		err := d.listen(ctx, l)
		if ctx.Err() != nil {
			return
		}
		l.Lost(known(err))
		select {
		case <-ctx.Done():
		case <-time.After(reconnects):
		}
	}
}

// Pool implements engine.Remote.
func (d *database) Pool() engine.Pool {
	now := d.pool.Stat()
	return engine.Pool{Used: int(now.AcquiredConns()), Open: int(now.TotalConns()), Most: int(now.MaxConns()),
		Waited: now.EmptyAcquireCount()}
}

// Now implements engine.Remote.
func (d *database) Now(ctx context.Context) (time.Time, error) {
	micros, err := column[int64](d.query(ctx,
		newText("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"), false))
	if err != nil || len(micros) == 0 {
		return time.Time{}, err
	}
	return time.UnixMicro(micros[0]), nil
}

// listen listens until the connection is lost.
func (d *database) listen(ctx context.Context, l engine.Listener) error {
	conn, err := pgx.ConnectConfig(ctx, d.listener)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var name string
	if err := conn.QueryRow(ctx, "SELECT "+channel).Scan(&name); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+quote(name)); err != nil {
		return err
	}
	now, err := readVersions(ctx, conn)
	if err != nil {
		return err
	}
	l.Connected(now)
	for {
		notice, err := d.wait(ctx, conn)
		if err != nil {
			return err
		}
		if notice == nil {
			continue
		}
		from, c, ok := parseNotice(notice.Payload)
		if !ok {
			return errors.New("a notice cannot be read") // another version of Spyglass sent it
		}
		if from != d.writer.token {
			l.Changed(c)
		}
	}
}

func readVersions(ctx context.Context, conn *pgx.Conn) (map[string]int64, error) {
	found, err := conn.Query(ctx, versions)
	if err != nil {
		return nil, err
	}
	all := map[string]int64{}
	var table string
	var number int64
	_, err = pgx.ForEachRow(found, []any{&table, &number}, func() error {
		all[table] = number
		return nil
	})
	return all, err
}

// wait returns the next notice; nil if there is none for a while and the server
// responds.
func (d *database) wait(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	limited, cancel := context.WithTimeout(ctx, quiet)
	notice, err := conn.WaitForNotification(limited)
	cancel()
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) || conn.IsClosed() {
		return notice, err
	}
	limited, cancel = context.WithTimeout(ctx, quiet)
	defer cancel()
	return nil, conn.Ping(limited)
}
