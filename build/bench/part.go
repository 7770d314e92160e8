package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"spyglass/backend/server"
	"spyglass/backend/store"
	"spyglass/build/serving"
)

// partCommand makes this program serve one side of a figure, so that the processor
// time of each side can be measured. It prints its address and a token as JSON.
const partCommand = "part"

// startPart starts this program as a part. Stop ends it.
func startPart(ctx context.Context, args ...string) (*serving.Server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &serving.Server{Client: http.DefaultClient}
	s.Cmd = exec.CommandContext(ctx, program, append([]string{partCommand}, args...)...)
	s.Cmd.Stderr = os.Stderr
	out, err := s.Cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.Cmd.Start(); err != nil {
		return nil, err
	}
	var where struct{ Origin, Bearer string }
	if err := json.NewDecoder(out).Decode(&where); err != nil {
		s.Stop()
		return nil, fmt.Errorf("part %v did not start: %w", args, err)
	}
	s.Origin, s.Bearer = where.Origin, where.Bearer
	return s, nil
}

// runPart serves until it gets SIGTERM.
func runPart(ctx context.Context, args []string) error {
	if args[0] == "bare" {
		return barePostgres(ctx, args[1])
	}
	devices, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	return partPortal(ctx, args[0], args[1], devices)
}

// partPortal serves a portal that polls nothing, in files or in a database. It fills
// it if devices is not 0, and makes a token.
func partPortal(ctx context.Context, folder, database string, devices int) (err error) {
	s, err := server.New(ctx, server.Options{
		Data: folder, Database: database, Listen: "127.0.0.1:0", Key: bytes.Repeat([]byte{1}, store.KeySize),
		Demo: devices > 0, DemoDevices: devices, NoLimits: true, NoHistory: true, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop(context.WithoutCancel(ctx))) }()
	if err := s.Start(nil); err != nil {
		return err
	}
	var bearer string
	if devices > 0 {
		admin, err := s.Sessions.UserID(ctx, "admin")
		if err != nil {
			return err
		}
		token, err := s.Sessions.CreateToken(ctx, admin, "bench", "bench")
		if err != nil {
			return err
		}
		bearer = token.Bearer
	}
	return ready(ctx, s.Origin(), bearer)
}

// ready prints where a part serves, and returns when the part has to end.
func ready(ctx context.Context, origin, bearer string) error {
	err := json.NewEncoder(os.Stdout).Encode(map[string]string{"Origin": origin, "Bearer": bearer})
	if err == nil {
		<-ctx.Done()
	}
	return err
}

// barePostgres serves the tables of makeBare with net/http and pgx.
func barePostgres(ctx context.Context, database string) error {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return err
	}
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	mux := http.NewServeMux()
	handle := func(pattern string, do func(r *http.Request) ([]byte, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := do(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body) // the client may be gone
		})
	}
	handle("GET /device/{id}", func(r *http.Request) (body []byte, err error) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err == nil {
			err = pool.QueryRow(r.Context(), `SELECT "body" FROM bare."device" WHERE "id" = $1`, id).Scan(&body)
		}
		return body, err
	})
	handle("GET /contains", func(r *http.Request) ([]byte, error) { return bareContains(r, pool) })
	handle("POST /", func(r *http.Request) ([]byte, error) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = pool.Exec(r.Context(), barePostgresInsert, body)
		}
		return []byte("{}"), err
	})
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: mux}
	go func() { _ = s.Serve(listener) }() // returns when it is closed
	return errors.Join(ready(ctx, "http://"+listener.Addr().String(), ""), s.Close())
}

// bareContains returns the first page of the rows that contain a text, by the index of
// pg_trgm, and their number.
func bareContains(r *http.Request, pool *pgxpool.Pool) ([]byte, error) {
	rows, err := pool.Query(r.Context(), `SELECT "id", "displayName", "name", count(*) OVER () FROM bare."device" `+
		`WHERE "displayName" ILIKE $1 ORDER BY lower("displayName"), "id" LIMIT 50`,
		pgx.QueryExecModeExec, "%"+r.FormValue("word")+"%") // planned for this word
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type item struct {
		ID                int64
		DisplayName, Name string
	}
	var page struct {
		Total int64
		Items []item
	}
	for rows.Next() {
		var one item
		if err := rows.Scan(&one.ID, &one.DisplayName, &one.Name, &page.Total); err != nil {
			return nil, err
		}
		page.Items = append(page.Items, one)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(page)
}

// barePostgresInsert writes one row of a copy of the portal's table, with its indexes.
const barePostgresInsert = `INSERT INTO bare."made" ("name", "displayName", "hostGroupIds", "customProperties",
	"hostStatus", "alertStatus", "preferredCollectorId", "createdOn", "updatedOn", "body")
	SELECT b->>'name', b->>'displayName', b->>'hostGroupIds', b->>'customProperties', 'normal', 'none', 1,
		extract(epoch FROM now())::bigint, extract(epoch FROM now())::bigint, $1
	FROM (SELECT convert_from($1, 'UTF8')::json) x(b)`
