package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/app"
	"spyglass/backend/server"
	"spyglass/build/project"
)

// runs measures a run of a collection with checks, by the engine of the page and the
// command line. The floor sends the same requests in a loop and reads the responses.
var runs = figure{
	name: "run", does: "1,000 requests of a collection with checks, 4 at a time, ms (floor: a net/http loop)",
	goal: "≤ 1.3", measure: plain(measureRun),
}

const (
	runRequests = 1000
	runParallel = 4
)

func measureRun(ctx context.Context, _ project.Project) (ours, floor float64, err error) {
	portal := runPortal()
	defer portal.Close()
	dir, err := os.MkdirTemp("", "spyglass-bench-run-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file, rows := filepath.Join(dir, "run.spyglass.json"), filepath.Join(dir, "rows.csv")
	const collection = `{"spyglass":1,"name":"Run","collections":[{"name":"Run","requests":[{"name":"","draft":` +
		`{"method":"GET","path":"/device/devices","query":[{"on":true,"key":"n","value":"{{n}}"}],"checks":[` +
		`{"on":true,"kind":"status","op":"is","value":"200"},` +
		`{"on":true,"kind":"json","target":"$.items[49].name","op":"is","value":"web-02"}]}}]}]}`
	err = errors.Join(os.WriteFile(file, []byte(collection), 0o600),
		os.WriteFile(rows, []byte("n\n"+strings.Repeat("1\n", runRequests)), 0o600))
	if err != nil {
		return 0, 0, err
	}
	for range 3 { // the last counts: the first ones open connections and fill caches
		var report bytes.Buffer
		c := app.Collection{Name: file, Portal: portal.URL, Data: rows, Parallel: runParallel, Report: "json",
			Progress: io.Discard, Stdout: &report}
		failed, err := c.Run(ctx, server.Options{Version: "bench", Log: slog.New(slog.DiscardHandler)})
		var got struct{ MS, Sent int }
		if err = errors.Join(err, json.Unmarshal(report.Bytes(), &got)); err != nil {
			return 0, 0, err
		}
		if failed > 0 || got.Sent != runRequests {
			return 0, 0, fmt.Errorf("%d requests were sent, and %d failed", got.Sent, failed)
		}
		ours = float64(got.MS)
		if floor, err = loop(ctx, portal.URL+"/api/device/devices?n=1"); err != nil {
			return 0, 0, err
		}
	}
	return ours, floor, nil
}

// runPortal starts a portal that responds to the requests of a run, and has no catalog.
func runPortal() *httptest.Server {
	body := []byte(`{"total":50,"items":[` + strings.Repeat(`{"id":7,"name":"web-01","status":"ok"},`, 49) +
		`{"id":8,"name":"web-02","status":"ok"}]}`)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/device/devices" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
}

// loop sends the requests of a run without Spyglass, and returns the milliseconds.
func loop(ctx context.Context, address string) (float64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: runParallel}}
	defer client.CloseIdleConnections()
	var left atomic.Int64
	left.Store(runRequests)
	errs := make([]error, runParallel)
	var workers sync.WaitGroup
	begun := time.Now()
	for i := range runParallel {
		workers.Go(func() {
			for left.Add(-1) >= 0 && errs[i] == nil {
				errs[i] = readWhole(ctx, client, address)
			}
		})
	}
	workers.Wait()
	return milliseconds(time.Since(begun)), errors.Join(errs...)
}

func readWhole(ctx context.Context, client *http.Client, address string) error {
	request, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
