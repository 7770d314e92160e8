package store

import (
	"context"
	"errors"
	"log/slog"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
	"spyglass/backend/store/postgres"
	"spyglass/backend/store/sqlite"
)

// embedded is the engine of database files, and server that of Options.Database.
// Nothing else here depends on the choice.
var (
	embedded engine.Files  = sqlite.Engine{}
	server   engine.Engine = postgres.Engine{}
)

// nameOf returns the address of a database without its password.
func nameOf(address string) string { return postgres.Name(address) }

// prepare returns the name of a database for messages. Without an address on a server,
// it makes sure that the file at path is the one of its siblings, and private.
func prepare(path, address string, s Sibling) (name string, err error) {
	if address != "" {
		return nameOf(address), nil
	}
	if err := s.expect(path); err != nil {
		return "", err
	}
	return path, private(path)
}

// connect opens the database at an address on a server or, without one, the file at
// path. A database on a server has no presence. Close the database also after an error,
// if there is one.
func connect(ctx context.Context, path, address string, log *slog.Logger, o engine.Options) (base engine.Database,
	file *presence, err error) {
	if address != "" {
		base, err = server.Open(ctx, address, o)
		return base, nil, err
	}
	if base, err = embedded.Open(ctx, path, o); err == nil {
		file, err = present(path, log)
	}
	return base, file, err
}

// class returns the meaning of an error of any engine.
func class(err error) engine.Class {
	if err == nil { // after each commit: looking for its class would allocate
		return engine.Other
	}
	if c := embedded.Class(err); c != engine.Other {
		return c
	}
	return server.Class(err)
}

// querier runs queries: it is the readers, a snapshot, or the writer's connection,
// which sees uncommitted changes.
type querier interface {
	resource.Reader
	reader() engine.Reader
}

func (db *DB) reader() engine.Reader      { return db.base }
func (t *tx) reader() engine.Reader       { return t.w.base }
func (s *snapshot) reader() engine.Reader { return s.base }

// selectIDs returns the ids that a query finds.
func selectIDs(ctx context.Context, r engine.Reader, q engine.Select) (ids []int64, err error) {
	q.Columns = onlyID
	found, err := r.Select(ctx, q)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var id int64
	dest := []any{&id}
	for found.Next() {
		if err := found.Scan(dest...); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, found.Err()
}

var (
	onlyID = []string{engine.ID}
	byID   = []engine.Order{{Column: engine.ID}}
)

// number returns the single number that a query finds, or 0 if it finds none.
func number(found engine.Rows, err error) (n int64, _ error) {
	if err != nil {
		return 0, err
	}
	if found.Next() {
		err = found.Scan(&n)
	}
	return n, errors.Join(err, found.Err(), found.Close())
}

// count counts the rows that meet a condition.
func count(ctx context.Context, q querier, t *engine.Table, where engine.Cond) (int64, error) {
	return number(q.reader().Tally(ctx, engine.Tally{Table: t, Where: where}))
}
