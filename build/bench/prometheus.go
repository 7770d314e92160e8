package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"spyglass/build/project"
)

// The figures of Debian's Prometheus, which scrapes 10,000 targets with ten
// metrics each a minute while the program polls as many simulated devices.
// Prometheus has more to do: its targets respond over HTTP, from a process of
// ours.
var (
	prometheusCPU = figure{
		name: "prometheus-cpu", does: "10,000 devices a minute: % of one core (other: Prometheus scraping over HTTP)",
		goal:   "≤ 1",
		beside: ofScraped(func(s scraped) score { return score{ours: s.ours.cpu, other: s.theirs.cpu} }),
	}
	prometheusMemory = figure{
		name: "prometheus-memory", does: "the same: resident memory, MB (other: Prometheus)", goal: "≤ 1",
		beside: ofScraped(func(s scraped) score { return score{ours: s.ours.memory, other: s.theirs.memory} }),
	}
)

// scraped is the burden of both in the same two minutes.
type scraped struct{ ours, theirs burden }

func ofScraped(what func(scraped) score) func(context.Context, *rivals) (score, error) {
	return func(ctx context.Context, r *rivals) (score, error) {
		f, err := r.watched(ctx)
		if err != nil {
			return score{}, err
		}
		if r.scraped == nil {
			r.scraped = sync.OnceValues(func() (scraped, error) { return besidePrometheus(ctx, r.Project, f) })
		}
		s, err := r.scraped()
		return what(s), err
	}
}

func besidePrometheus(ctx context.Context, p project.Project, f *fleet) (s scraped, err error) {
	if err := p.Install(ctx, project.ForPrometheus); err != nil {
		return s, err
	}
	folder, err := os.MkdirTemp("", "spyglass-prometheus-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	var requests atomic.Int64
	targets := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := requests.Add(1)
		for i := range int64(10) {
			_, _ = fmt.Fprintf(w, "sample_%d %d\n", i, (n*7919+i)%1000) // the client may have disconnected
		}
	})}
	go func() { _ = targets.Serve(l) }() // returns when it is closed
	defer func() { err = errors.Join(err, targets.Close()) }()
	if err := configure(folder, l.Addr().String()); err != nil {
		return s, err
	}
	run := p.Command(ctx, ".", "prometheus", "--config.file="+filepath.Join(folder, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address=127.0.0.1:0", "--log.level=error")
	if err := run.Start(); err != nil {
		return s, err
	}
	defer func() {
		_ = run.Process.Kill()
		_ = run.Wait() // ended by us
	}()
	if err := wait(ctx, fleetWarm); err != nil {
		return s, err
	}
	before := requests.Load()
	var theirs error
	var both sync.WaitGroup
	both.Go(func() { s.theirs.cpu, theirs = spent(ctx, fleetCounts, run.Process.Pid) })
	s.ours.cpu, err = spent(ctx, fleetCounts, f.Cmd.Process.Pid)
	both.Wait()
	if err = errors.Join(err, theirs); err != nil {
		return s, err
	}
	if n := requests.Load() - before; n < 1.9*fleetDevices {
		return s, fmt.Errorf("in two minutes Prometheus sent %d requests, not %d", n, 2*fleetDevices)
	}
	if s.ours.memory, err = resident(f.Cmd.Process.Pid); err != nil {
		return s, err
	}
	s.theirs.memory, err = resident(run.Process.Pid)
	return s, err
}

// configure writes Prometheus' scrape configuration, with a different name for
// each target.
func configure(folder, address string) error {
	type target struct {
		Targets []string          `json:"targets"`
		Labels  map[string]string `json:"labels"`
	}
	all := make([]target, fleetDevices)
	for i := range all {
		all[i] = target{[]string{address}, map[string]string{"instance": fmt.Sprintf("fleet-%05d", i)}}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	config := fmt.Sprintf("global: {scrape_interval: %ds, scrape_timeout: 10s}\n"+
		"scrape_configs: [{job_name: fleet, file_sd_configs: [{files: [targets.json]}]}]\n", fleetEvery)
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "targets.json"), text, 0o600),
		os.WriteFile(filepath.Join(folder, "prometheus.yml"), []byte(config), 0o600),
	)
}
