package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"path/filepath"

	inventory "spyglass/backend/portal/fleet" // fleet is a figure
	"spyglass/backend/resource"
	"spyglass/build/project"
)

// list requests a page of 50 of 100,000 devices, with its exact total, through
// every layer of the portal. The floor reads the JSON of the same devices from a table
// of its own with one prepared statement, and knows the total.
var list = figure{
	name: "list", does: "page of 50 of 100,000 devices, req/s (floor: bare net/http and a prepared statement)",
	goal: "≥ 0.6", measure: measureList,
}

func measureList(ctx context.Context, _ project.Project) (_ score, err error) {
	p, err := startPortal(ctx, 100_000)
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	path := filepath.Join(p.folder, "bare.db")
	if err := writeBodies(ctx, p, path); err != nil {
		return score{}, err
	}
	url, end, err := bare(path, `SELECT "body" FROM "device" ORDER BY "id" LIMIT 50`, barePage)
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, end()) }()
	return inTurn(ctx, &side{origin: p.Origin(), bearer: p.bearer, next: get("/api/device/devices?size=50")},
		&side{origin: url, next: get("/")})
}

// writeBodies writes the JSON of the first devices into a new database.
func writeBodies(ctx context.Context, p *portal, path string) error {
	devices, err := resource.Find(ctx, p.DB(), inventory.Devices.Name, resource.Limit(50))
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `CREATE TABLE "device" ("id" INTEGER PRIMARY KEY, "body" BLOB NOT NULL)`)
	for i := range devices {
		var body []byte
		if err == nil {
			body, err = inventory.Devices.AppendJSON(nil, &devices[i])
		}
		if err == nil {
			_, err = db.ExecContext(ctx, `INSERT INTO "device" ("body") VALUES (?)`, body)
		}
	}
	return errors.Join(err, db.Close())
}

func barePage(stmt *sql.Stmt, w http.ResponseWriter, r *http.Request) error {
	rows, err := stmt.QueryContext(r.Context())
	if err != nil {
		return err
	}
	defer rows.Close()
	out := []byte(`{"total":100000,"searchId":null,"items":[`)
	for first := true; rows.Next(); first = false {
		var body sql.RawBytes
		if err := rows.Scan(&body); err != nil {
			return err
		}
		if !first {
			out = append(out, ',')
		}
		out = append(out, body...)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(append(out, `],"data":null}`...))
	return err
}
