package main

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the database of the floors

	"spyglass/backend/server"
)

// portal is a running portal with a given number of devices, and the token for
// requests.
type portal struct {
	*server.Server
	folder string
	bearer string
}

func startPortal(ctx context.Context, devices int) (_ *portal, err error) {
	folder, err := os.MkdirTemp("", "spyglass-bench-")
	if err != nil {
		return nil, err
	}
	p := &portal{folder: folder}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close(ctx))
		}
	}()
	p.Server, err = server.New(ctx, server.Options{
		Data: filepath.Join(folder, "data"), Listen: "127.0.0.1:0", Demo: true, DemoDevices: devices, NoLimits: true,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	if err := p.Start(nil); err != nil {
		return nil, err
	}
	admin, err := p.Sessions.UserID(ctx, "admin")
	if err != nil {
		return nil, err
	}
	token, err := p.Sessions.CreateToken(ctx, admin, "bench", "bench")
	p.bearer = token.Bearer
	return p, err
}

func (p *portal) close(ctx context.Context) error {
	var err error
	if p.Server != nil {
		err = p.Stop(context.WithoutCancel(ctx))
	}
	return errors.Join(err, os.RemoveAll(p.folder))
}

// bare starts a minimal server: net/http and one prepared statement. It serves
// until end is called.
func bare(path string, prepare string, handle func(stmt *sql.Stmt, w http.ResponseWriter,
	r *http.Request) error) (url string, end func() error, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&"+
		"_pragma=busy_timeout(5000)&_pragma=cache_size(-8000)&_pragma=mmap_size(268435456)")
	if err != nil {
		return "", nil, err
	}
	db.SetMaxIdleConns(8)
	db.SetMaxOpenConns(8)
	stmt, err := db.Prepare(prepare)
	if err != nil {
		return "", nil, errors.Join(err, db.Close())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, errors.Join(err, db.Close())
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(stmt, w, r); err != nil && r.Context().Err() == nil { // the round is over
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})}
	done := make(chan struct{})
	go func() {
		_ = s.Serve(listener) // returns when it is closed
		close(done)
	}()
	return "http://" + listener.Addr().String(), func() error {
		err := s.Close()
		<-done
		return errors.Join(err, db.Close())
	}, nil
}
