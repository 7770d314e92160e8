package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"

	"spyglass/build/project"
)

// create adds devices with 16 writers; each response means that the row is on
// disk. The floor is bare net/http that writes into a copy of the same table,
// with the same durability, and commits each row by itself; it checks nothing and
// keeps no audit.
var create = figure{
	name: "create", does: "durable creates by 16 writers, req/s (floor: one commit per write)",
	goal: "≥ 2", measure: measureCreate,
}

func measureCreate(ctx context.Context, _ project.Project) (_ score, err error) {
	p, err := startPortal(ctx, 1000)
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	path := filepath.Join(p.folder, "bare.db")
	if err := p.DB().Backup(ctx, path); err != nil {
		return score{}, err
	}
	var one sync.Mutex // SQLite has one writer; waiting for it here costs least
	url, end, err := bare(path, bareInsert, func(stmt *sql.Stmt, w http.ResponseWriter, r *http.Request) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		one.Lock()
		defer one.Unlock()
		_, err = stmt.ExecContext(r.Context(), body)
		return err
	})
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, end()) }()
	return inTurn(ctx, &side{origin: p.Origin(), bearer: p.bearer, next: addDevice("/api/device/devices")},
		&side{origin: url, next: addDevice("/")})
}

// addDevice returns a client that adds one device after the other.
func addDevice(path string) request {
	return func(n int64) (string, string, []byte) {
		return http.MethodPost, path, fmt.Appendf(nil, `{"name":"10.1.2.3","displayName":"made-%d",`+
			`"hostGroupIds":"1","customProperties":[{"name":"location","value":"Oslo"}]}`, n)
	}
}

// bareInsert writes one row of the same table, with the same indexes.
const bareInsert = `INSERT INTO "device" ("name", "displayName", "hostGroupIds", "customProperties", "hostStatus", "alertStatus",
	"preferredCollectorId", "createdOn", "updatedOn", "body")
	VALUES (?1->>'name', ?1->>'displayName', ?1->>'hostGroupIds', ?1->'customProperties', 'normal', 'none', 1, unixepoch(), unixepoch(), ?1)`
