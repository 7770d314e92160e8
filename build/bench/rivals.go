package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"

	"spyglass/build/project"
	"spyglass/build/serving"
)

// rivals are the program and PocketBase, which serve the same devices to a client
// with a token. Each is a process of its own on a folder that another process has
// filled. They start with the first figure that needs them.
type rivals struct {
	project.Project
	folder             string
	ours, theirs       *serving.Server
	ourSent, theirSent atomic.Int64 // requests sent under load
	fleet              *fleet
	databases          *databases
	scraped            func() (scraped, error)
}

const rivalDevices = 100_000

func (r *rivals) start(ctx context.Context) (err error) {
	if r.ours != nil && r.theirs != nil {
		return nil
	}
	r.close()
	if r.folder, err = os.MkdirTemp("", "spyglass-bench-"); err != nil {
		return err
	}
	if err := r.startOurs(ctx); err != nil {
		return fmt.Errorf("ours: %w", err)
	}
	if err := r.startTheirs(ctx); err != nil {
		return fmt.Errorf("PocketBase: %w", err)
	}
	return nil
}

// startOurs starts the program with everything enabled. The rate limits count
// each request, and are too high to refuse one.
func (r *rivals) startOurs(ctx context.Context) error {
	program, err := r.Compile(ctx, "spyglass-bench", "", ".")
	if err != nil {
		return err
	}
	p, err := startPortal(ctx, rivalDevices)
	if err != nil {
		return err
	}
	data := filepath.Join(r.folder, "ours")
	err = errors.Join(p.Stop(ctx), os.Rename(filepath.Join(p.folder, "data"), data), p.close(ctx))
	if err == nil {
		err = unlimited(ctx, filepath.Join(data, "portal.db"))
	}
	if err != nil {
		return err
	}
	ours := &serving.Server{Folder: r.folder, Bearer: p.bearer, Client: http.DefaultClient}
	if err := ours.Start(ctx, program, []string{"serve", "--data", data, "--listen", "127.0.0.1:0"}); err != nil {
		return errors.Join(err, ours.Close())
	}
	r.ours = ours
	return settled(ctx, ours) // the other program has nothing left to do, either
}

// unlimited sets limits that are higher than the API allows.
func unlimited(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE "portalSetting" SET "rateLimitGet" = 1000000000, "rateLimitPost" = 1000000000`)
	return errors.Join(err, db.Close())
}

func (r *rivals) startTheirs(ctx context.Context) error {
	program := r.Path("build", "bin", "pocketbase-bench")
	if err := r.DoIn(ctx, "build/bench/rivals", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program,
		"."); err != nil {
		return err
	}
	data := filepath.Join(r.folder, "theirs")
	devices, err := lines(ctx, r.ours, "/api/device/devices")
	if err != nil {
		return err
	}
	fill := r.Command(ctx, ".", program, "fill", data)
	fill.Stdin = devices
	if err := errors.Join(fill.Run(), devices.Close()); err != nil {
		return err
	}
	theirs := &serving.Server{Folder: r.folder, Client: http.DefaultClient}
	theirs.Cmd = exec.CommandContext(ctx, program, "serve", data)
	theirs.Cmd.Stderr = os.Stderr
	out, err := theirs.Cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := theirs.Cmd.Start(); err != nil {
		return err
	}
	var server struct{ Origin, Bearer string }
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&server); err != nil {
		return errors.Join(err, theirs.Close())
	}
	theirs.Origin, theirs.Bearer = server.Origin, server.Bearer
	r.theirs = theirs
	return nil
}

// lines returns a whole list, with one object on each line; the caller closes it.
func lines(ctx context.Context, s *serving.Server, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Origin+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.Bearer)
	request.Header.Set("Accept", "application/x-ndjson")
	response, err := s.Client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("GET %s returned %s", path, response.Status), response.Body.Close())
	}
	return response.Body, nil
}

func (r *rivals) close() {
	for _, s := range []*serving.Server{r.ours, r.theirs} {
		if s != nil {
			_ = s.Close() // its folder is in the system's temporary folder
		}
	}
	r.ours, r.theirs = nil, nil
	if r.fleet != nil {
		_ = r.fleet.Close()
		r.fleet = nil
	}
	if r.databases != nil {
		_ = r.databases.close()
		r.databases = nil
	}
	if r.folder != "" {
		_ = os.RemoveAll(r.folder)
	}
}
