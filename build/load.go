package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the floors' own database

	"spyglass/backend/server"
)

// How the servers are loaded: both in this process, in turn, by the same
// clients, so that what else the machine does falls on both.
const (
	connections = 16
	rounds      = 3
	round       = 2 * time.Second
)

// request is what one client sends; n counts the requests of all.
type request func(n int64) (method, url string, body []byte)

// load asks as fast as it can for one round and returns answers a second.
func load(ctx context.Context, bearer string, next request) (float64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, round)
	defer cancel()
	var sent, answered atomic.Int64
	var wait sync.WaitGroup
	failed := make(chan error, connections)
	begun := time.Now()
	for range connections {
		wait.Go(func() {
			for ctx.Err() == nil {
				method, url, body := next(sent.Add(1))
				if err := ask(ctx, client, bearer, method, url, body); err != nil {
					if ctx.Err() == nil {
						failed <- err
					}
					return
				}
				answered.Add(1)
			}
		})
	}
	wait.Wait()
	took := time.Since(begun).Seconds()
	select {
	case err := <-failed:
		return 0, err
	default:
		return float64(answered.Load()) / took, nil
	}
}

func ask(ctx context.Context, client *http.Client, bearer, method, url string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode > 299 {
		return fmt.Errorf("%s %s answers %s", method, url, answer.Status)
	}
	return nil
}

// inTurn loads ours and the floor, one after the other, several times.
func inTurn(ctx context.Context, bearer string, ours, floor request) (a, b float64, err error) {
	var our, least []float64
	for range rounds {
		x, err := load(ctx, bearer, ours)
		if err != nil {
			return 0, 0, err
		}
		y, err := load(ctx, bearer, floor)
		if err != nil {
			return 0, 0, fmt.Errorf("the floor: %w", err)
		}
		our, least = append(our, x), append(least, y)
	}
	return median(our), median(least), nil
}

// portal is a running one, filled with so many devices, and the token to ask it.
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

// bare is the least a server can be: net/http, one prepared statement, nothing
// else. It serves until end is called.
func bare(path string, prepare string, handle func(stmt *sql.Stmt, w http.ResponseWriter, r *http.Request) error) (url string, end func() error, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)&_pragma=cache_size(-8000)&_pragma=mmap_size(268435456)")
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
		if err := handle(stmt, w, r); err != nil && r.Context().Err() == nil { // else the round is over
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})}
	done := make(chan struct{})
	go func() {
		_ = s.Serve(listener) // ends when it is closed
		close(done)
	}()
	return "http://" + listener.Addr().String(), func() error {
		err := s.Close()
		<-done
		return errors.Join(err, db.Close())
	}, nil
}
