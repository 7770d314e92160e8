package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"spyglass/backend/store/postgres/pgtest"
	"spyglass/build/serving"
)

// The figures of a portal in PostgreSQL. The server runs on this machine and writes
// each commit to the disk. The same devices are in a portal in files, and in tables for
// the bare queries. The portals poll nothing, so that only requests cost time.
var (
	postgresPage = figure{
		name: "postgres-page", goal: "≥ 0.5",
		does: "PostgreSQL: page of 50 of 100,000 devices, exact total, cached, req/s (other: files)",
		beside: ofPostgres(func(ctx context.Context, d *databases) (score, error) {
			page := get("/api/device/devices?size=50")
			return inTurn(ctx, d.side(page, d.nodes[0]), d.side(page, d.files))
		}),
	}
	postgresTrips = figure{
		name: "postgres-trips", goal: "≤ 1",
		does:   "PostgreSQL: round trips of a page that is not cached (other: 1)",
		beside: ofPostgres(measureTrips),
	}
	postgresGet = figure{
		name: "postgres-get", goal: "≥ 0.6",
		does: "PostgreSQL: one device by id, req/s (other: bare net/http and pgx)",
		beside: ofPostgres(func(ctx context.Context, d *databases) (score, error) {
			return inTurn(ctx, d.side(d.device("/api/device/devices/"), d.nodes[0]),
				d.side(d.device("/device/"), d.bare))
		}),
	}
	postgresCreate = figure{
		name: "postgres-create", goal: "≥ 0.8",
		does: "PostgreSQL: durable creates by 16 writers, req/s (other: bare pgx, one commit per write)",
		beside: ofPostgres(func(ctx context.Context, d *databases) (score, error) {
			return inTurn(ctx, d.side(addDevice("/api/device/devices"), d.nodes[0]), d.side(addDevice("/"), d.bare))
		}),
	}
	postgresContains = figure{
		name: "postgres-contains", goal: "≥ 0.8",
		does: "PostgreSQL: contains + sort + fields, req/s (other: bare pgx with an index of pg_trgm)",
		beside: ofPostgres(func(ctx context.Context, d *databases) (score, error) {
			if err := d.warm(ctx); err != nil {
				return score{}, err
			}
			return inTurn(ctx, d.side(ourContains, d.nodes[0]), d.side(bareWord, d.bare))
		}),
	}
	postgresNodes = figure{
		name: "postgres-nodes", goal: "≥ 0.9",
		does: "PostgreSQL: pages, devices and contains from three nodes, req/s (other: from one)",
		beside: ofPostgres(func(ctx context.Context, d *databases) (score, error) {
			if err := d.warm(ctx); err != nil {
				return score{}, err
			}
			return inTurn(ctx, d.side(d.reads, d.nodes...), d.side(d.reads, d.nodes[0]))
		}),
	}
	postgresNodesCreate = figure{
		name: "postgres-nodes-create", goal: "≥ 0.9",
		does: "PostgreSQL: durable creates by 16 writers at three nodes, req/s (other: at one)",
		beside: ofPostgres(func(ctx context.Context, d *databases) (score, error) {
			add := addDevice("/api/device/devices")
			return inTurn(ctx, d.side(add, d.nodes...), d.side(add, d.nodes[0]))
		}),
	}
	postgresLate = figure{
		name: "postgres-late", goal: "≤ 1",
		does:   "PostgreSQL: until another node reads a write, p99 ms (other: limit)",
		beside: ofPostgres(measureLate),
	}
	postgresStale = figure{
		name: "postgres-stale", goal: "0",
		does:   "PostgreSQL: reads at another node 50 ms after a write that miss it (other: all reads)",
		beside: ofPostgres(measureStale),
	}
)

// devicesVariable is the environment variable for a smaller number of devices in the
// figures of PostgreSQL.
const devicesVariable = "SPYGLASS_BENCH_DEVICES"

// databases are the servers of the figures of PostgreSQL.
type databases struct {
	folder  string
	devices int64
	server  pgtest.Server
	first   int               // the server's first process
	nodes   []*serving.Server // portals in the database
	watched *serving.Server   // one more, which reaches the database through line
	line    *counter
	files   *serving.Server // a portal in files
	bare    *serving.Server // bare queries of the database
	sent    atomic.Int64    // requests
}

func ofPostgres(measure func(context.Context, *databases) (score, error)) func(context.Context, *rivals) (score,
	error) {
	return func(ctx context.Context, r *rivals) (score, error) {
		if r.databases == nil {
			d, err := openDatabases(ctx)
			if err != nil {
				return score{}, err
			}
			r.databases = d
		}
		return measure(ctx, r.databases)
	}
}

func openDatabases(ctx context.Context) (_ *databases, err error) {
	if pgtest.Missing() {
		return nil, errors.New("PostgreSQL is missing (Debian: postgresql)")
	}
	d := &databases{devices: rivalDevices}
	if given := os.Getenv(devicesVariable); given != "" {
		if d.devices, err = strconv.ParseInt(given, 10, 64); err != nil || d.devices < 1000 {
			return nil, fmt.Errorf("%s must be at least 1000, not %q", devicesVariable, given)
		}
	}
	if d.folder, err = os.MkdirTemp("", "spyglass-bench-"); err != nil {
		return nil, err
	}
	d.server, err = pgtest.Start("fsync=on", "full_page_writes=on", "synchronous_commit=on", "autovacuum=on",
		"shared_buffers=256MB")
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(d.folder))
	}
	if err := d.fill(ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// fill starts all servers, and prints how long it took to fill the portals.
func (d *databases) fill(ctx context.Context) (err error) {
	if d.first, err = d.server.Process(); err != nil {
		return err
	}
	if d.line, err = newCounter(d.server.Socket(), filepath.Join(d.folder, "line")); err != nil {
		return err
	}
	begun := time.Now()
	if d.files, err = d.portal(ctx, "files", "", d.devices); err != nil {
		return err
	}
	files := time.Since(begun)
	begun = time.Now()
	node, err := d.portal(ctx, "node0", d.server.Address(), d.devices)
	if err != nil {
		return err
	}
	d.nodes = append(d.nodes, node)
	took := time.Since(begun)
	used, err := d.usedBy(node)
	if err != nil {
		return err
	}
	fmt.Printf("filled with %d devices: files in %.1f s; PostgreSQL in %.1f s, of which %.1f s of processor time\n",
		d.devices, files.Seconds(), took.Seconds(), used.Seconds())
	if err := d.makeBare(ctx); err != nil {
		return err
	}
	if d.bare, err = startPart(ctx, "bare", d.server.Address()); err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		node, err := d.portal(ctx, fmt.Sprint("node", i), d.server.Address(), 0)
		if err != nil {
			return err
		}
		d.nodes = append(d.nodes, node)
	}
	d.watched, err = d.portal(ctx, "watched", d.line.address(), 0)
	return err
}

// portal starts a portal in a folder of its own; without devices, one that exists.
func (d *databases) portal(ctx context.Context, name, address string, devices int64) (*serving.Server, error) {
	s, err := startPart(ctx, filepath.Join(d.folder, name), address, strconv.FormatInt(devices, 10))
	if err == nil && devices == 0 {
		s.Bearer = d.nodes[0].Bearer // it has the same users
	}
	return s, err
}

// makeBare makes the tables of the bare queries: the JSON of the devices by id, with
// an index of pg_trgm, and a copy of the portal's table for new rows.
func (d *databases) makeBare(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, d.server.Address())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, `CREATE SCHEMA bare; CREATE EXTENSION pg_trgm SCHEMA public;
		CREATE TABLE bare."device" ("id" BIGINT PRIMARY KEY, "name" TEXT NOT NULL, "displayName" TEXT NOT NULL,
			"body" BYTEA NOT NULL);
		CREATE TABLE bare."made" (LIKE "device" INCLUDING ALL);
		ALTER TABLE bare."made" ALTER "id" ADD GENERATED BY DEFAULT AS IDENTITY`)
	if err != nil {
		return err
	}
	devices, err := lines(ctx, d.nodes[0], "/api/device/devices")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, devices.Close()) }()
	in := bufio.NewScanner(devices)
	in.Buffer(nil, 1<<20)
	n, err := conn.CopyFrom(ctx, pgx.Identifier{"bare", "device"}, []string{"id", "name", "displayName", "body"},
		pgx.CopyFromFunc(func() ([]any, error) {
			if !in.Scan() {
				return nil, in.Err()
			}
			var device struct {
				ID                int64
				Name, DisplayName string
			}
			body := append([]byte{}, in.Bytes()...)
			err := json.Unmarshal(body, &device)
			return []any{device.ID, device.Name, device.DisplayName, body}, err
		}))
	if err == nil && n != d.devices {
		err = fmt.Errorf("the portal has %d devices, want %d", n, d.devices)
	}
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `CREATE INDEX ON bare."device" USING gin ("displayName" gin_trgm_ops)`)
	for _, table := range []string{`bare."device"`, `"device"`} { // not in a transaction
		if err == nil {
			_, err = conn.Exec(ctx, "VACUUM ANALYZE "+table)
		}
	}
	return err
}

func (d *databases) close() error {
	var err error
	for _, s := range append([]*serving.Server{d.files, d.bare, d.watched}, d.nodes...) {
		if s != nil {
			s.Stop()
		}
	}
	if d.line != nil {
		d.line.close()
	}
	err = errors.Join(err, d.server.Stop())
	return errors.Join(err, os.RemoveAll(d.folder))
}

// side returns some of the servers as one side.
func (d *databases) side(next request, servers ...*serving.Server) *side {
	s := &side{
		origin: servers[0].Origin, bearer: servers[0].Bearer,
		next: func(int64) (string, string, []byte) { return next(d.sent.Add(1)) },
		used: func() (time.Duration, error) { return d.usedBy(servers...) },
	}
	for _, one := range servers[1:] {
		s.others = append(s.others, one.Origin)
	}
	return s
}

// usedBy returns the processor time of some servers so far, with that of PostgreSQL
// unless they are the portal in files.
func (d *databases) usedBy(servers ...*serving.Server) (time.Duration, error) {
	var pids []int
	for _, s := range servers {
		pids = append(pids, s.Cmd.Process.Pid)
	}
	total, err := processorTime(pids)
	if err != nil || servers[0] == d.files {
		return total, err
	}
	used, err := familyTime(d.first)
	return total + used, err
}

// device returns a request for one device after the other.
func (d *databases) device(path string) request {
	return func(n int64) (string, string, []byte) {
		return http.MethodGet, path + strconv.FormatInt(n*7919%d.devices+1, 10), nil
	}
}

// measureTrips counts the round trips of a page after a change, when no part of it is
// in memory.
func measureTrips(ctx context.Context, d *databases) (score, error) {
	var trips []float64
	for n := range int64(measurements) {
		if err := d.describe(ctx, d.watched, 1, fmt.Sprint("trip ", n)); err != nil {
			return score{}, err
		}
		before := d.line.trips.Load()
		if _, err := d.send(ctx, d.watched, http.MethodGet, "/api/device/devices?size=50", ""); err != nil {
			return score{}, err
		}
		trips = append(trips, float64(d.line.trips.Load()-before))
	}
	return score{ours: median(trips), other: 1}, nil
}

// reads mixes requests.
func (d *databases) reads(n int64) (string, string, []byte) {
	switch n % 4 {
	case 0:
		return get("/api/device/devices?size=50")(n)
	case 1:
		return ourContains(n / 4)
	}
	return d.device("/api/device/devices/")(n)
}

func bareWord(n int64) (string, string, []byte) {
	return http.MethodGet, "/contains?word=" + url.QueryEscape(word(n)), nil
}

// warm requests until the nodes have what they keep of the devices for contains.
func (d *databases) warm(ctx context.Context) error {
	_, path, _ := ourContains(0)
	for _, node := range d.nodes {
		var err error
		for begun := time.Now(); time.Since(begun) < time.Minute; {
			if _, err = d.send(ctx, node, http.MethodGet, path, ""); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writes is the number of writes that other nodes read; with p99, 3 may be later.
const writes = 300

// measureLate reads a page, which nodes cache, until it has a write of another node.
func measureLate(ctx context.Context, d *databases) (score, error) {
	times := make([]float64, writes)
	for n := range times {
		shown, err := d.changed(ctx, n)
		begun := time.Now()
		for shown := shown; err == nil; {
			var ok bool
			if ok, err = shown(); ok {
				break
			}
			if time.Since(begun) > time.Minute {
				err = errors.New("another node never reads a write")
			}
		}
		if err != nil {
			return score{}, err
		}
		times[n] = milliseconds(time.Since(begun))
	}
	slices.Sort(times)
	return score{ours: times[writes*99/100], other: milliseconds(bound)}, nil
}

// bound is the time after which all nodes have to show a write.
const bound = 50 * time.Millisecond

func measureStale(ctx context.Context, d *databases) (score, error) {
	stale := 0
	for n := range writes {
		shown, err := d.changed(ctx, n)
		if err == nil {
			err = wait(ctx, bound)
		}
		if err != nil {
			return score{}, err
		}
		ok, err := shown()
		if err != nil {
			return score{}, err
		}
		if !ok {
			stale++
		}
	}
	return score{ours: float64(stale), other: writes}, nil
}

// changed writes at one node. It returns a function that reports whether another node
// shows the write.
func (d *databases) changed(ctx context.Context, n int) (shown func() (bool, error), err error) {
	const page = "/api/device/devices?size=50&fields=description"
	at := d.nodes[(n+1)%len(d.nodes)]
	if _, err := d.send(ctx, at, http.MethodGet, page, ""); err != nil { // which it caches
		return nil, err
	}
	text := fmt.Sprintf("write %d at %d", n, time.Now().UnixNano())
	return func() (bool, error) {
		body, err := d.send(ctx, at, http.MethodGet, page, "")
		return bytes.Contains(body, []byte(text)), err
	}, d.describe(ctx, d.nodes[n%len(d.nodes)], int64(n%50)+1, text)
}

// describe changes the description of a device.
func (d *databases) describe(ctx context.Context, at *serving.Server, id int64, text string) error {
	_, err := d.send(ctx, at, http.MethodPatch, fmt.Sprint("/api/device/devices/", id),
		fmt.Sprintf(`{"description":%q}`, text))
	return err
}

// send sends a request with the server's token.
func (d *databases) send(ctx context.Context, at *serving.Server, method, path, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, at.Origin+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+at.Bearer)
	r.Header.Set("Content-Type", "application/json")
	response, err := at.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	out, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode > 299 {
		err = fmt.Errorf("%s %s returned %s: %.300s", method, path, response.Status, out)
	}
	return out, err
}
