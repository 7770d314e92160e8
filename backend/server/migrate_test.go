package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/series"
	"spyglass/backend/server"
	"spyglass/backend/store/postgres/pgtest"
)

// childMigration is an environment variable with the database into which the test binary
// moves the portal of the folder in childFolder. It stops after the first row of the table
// in childStop, until it is killed.
const (
	childMigration = "SPYGLASS_TEST_CHILD_MIGRATION"
	childStop      = "SPYGLASS_TEST_CHILD_STOP"
)

func migrateAsChild(folder, database string) error {
	o := server.Options{Data: folder, Database: database, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	_, err := server.Migrate(context.Background(), o, false, func(p server.MoveProgress) {
		if p.Table == os.Getenv(childStop) && p.Done > 0 {
			fmt.Println("at", p.Table, p.Done)
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	})
	return err
}

// moving is a demo portal with a sample, which moves between its folder and a database.
type moving struct {
	*testing.T
	o        server.Options
	database string
	password string
	bearer   string
	paths    []string // of the API
}

func newMoving(t *testing.T) *moving {
	t.Helper()
	demo, err := fillDemo()
	if err != nil {
		t.Fatal(err)
	}
	now := demo.at.Truncate(time.Minute) // a later one would run a report, and begin and end maintenance
	m := &moving{T: t, o: options(t), database: pgtest.Database(t)}
	m.o.Clock = func() time.Time { return now }
	m.password = demoIn(t, m.o.Data)
	m.bearer = token(t, m.o, "admin")
	s := start(t, m.o)
	file, err := s.DB().Known(t.Context(), "series.db")
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Items []struct{ ID, DeviceID, DeviceDataSourceID int64 }
	}
	m.decode(s, `/api/device/devices/2/instances?filter=name:"Ping"&fields=id,deviceId,deviceDataSourceId`, &found)
	if len(found.Items) != 1 {
		t.Fatalf("the instances are %+v, want one", found.Items)
	}
	in := found.Items[0]
	at := now.Add(-time.Hour).Unix()
	// the planning of notices changes other fields of an alert soon after a start
	const steady = "&fields=id,severity,startEpoch,endEpoch,cleared,acked,monitorObjectName,alertValue,threshold"
	m.paths = []string{"/api/device/devices?size=1000", "/api/device/groups?size=1000",
		"/api/alert/alerts?size=1000" + steady,
		"/api/alert/alerts/" + m.first(s, "/api/alert/alerts") + "?" + steady[1:], "/api/setting/datasources?size=1000",
		"/api/setting/admins?size=1000", "/api/setting/accesslogs?size=1000",
		"/api/report/reports/2/tasks/2/result", "/api/report/reports/2/tasks?fields=id,state,size,rows",
		`/api/device/devices?filter=hostGroupIds~"2"&fields=id,name`,
		fmt.Sprintf("/api/device/devices/%d/devicedatasources/%d/instances/%d/data?start=%d&end=%d", in.DeviceID,
			in.DeviceDataSourceID, in.ID, at-60, at+600)}
	var source struct{ DataPoints []struct{ ID int64 } }
	m.decode(s, "/api/setting/datasources/1", &source)
	stop(t, s)
	samples, err := series.Open(t.Context(), series.Options{Path: filepath.Join(m.o.Data, "series.db"),
		Sibling: server.Sibling{Portal: s.Setting.Instance, File: file}, Clock: m.o.Clock})
	if err != nil {
		t.Fatal(err)
	}
	err = samples.Append(t.Context(), []series.Sample{
		{Instance: in.ID, DataPoint: source.DataPoints[0].ID, At: at, Value: 12.5},
		{Instance: in.ID, DataPoint: source.DataPoints[0].ID, At: at + 60, Value: 13.5}})
	if err := errors.Join(err, samples.Close()); err != nil {
		t.Fatal(err)
	}
	return m
}

// in returns the options of the portal in the database, or in files.
func (m *moving) in(database bool) server.Options {
	o := m.o
	if database {
		o.Database = m.database
	}
	return o
}

func (m *moving) text(s *server.Server, path string) string {
	m.Helper()
	r, err := http.NewRequestWithContext(m.Context(), http.MethodGet, s.Origin()+path, nil)
	if err != nil {
		m.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+m.bearer)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		m.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		m.Fatalf("%s: %d %s %v", path, response.StatusCode, body, err)
	}
	return string(body)
}

func (m *moving) decode(s *server.Server, path string, to any) {
	m.Helper()
	if err := json.Unmarshal([]byte(m.text(s, path)), to); err != nil {
		m.Fatal(err)
	}
}

// first returns the id of the first item of a list.
func (m *moving) first(s *server.Server, path string) string {
	m.Helper()
	var list struct{ Items []struct{ ID any } }
	m.decode(s, path+"?fields=id&size=1", &list)
	return fmt.Sprint(list.Items[0].ID)
}

// responses starts the portal, and returns what it responds.
func (m *moving) responses(database bool) (all []string) {
	m.Helper()
	s := start(m.T, m.in(database))
	defer stop(m.T, s)
	for _, path := range m.paths {
		all = append(all, m.text(s, path))
	}
	good, err := s.Sessions.IsPassword(m.Context(), "admin", m.password)
	if err != nil || !good {
		m.Errorf("the administrator cannot sign in: %v", err)
	}
	return all
}

// move moves the portal, and fails the test unless both sides are the same.
func (m *moving) move(back bool) []server.Moved {
	m.Helper()
	all, err := server.Migrate(m.Context(), m.in(true), back, func(server.MoveProgress) {})
	if err != nil {
		m.Fatal(err)
	}
	if !server.Same(all) {
		m.Fatalf("the sides differ: %+v", all)
	}
	return all
}

func (m *moving) same(got, want []string) {
	m.Helper()
	for i, path := range m.paths {
		if from := differ(got[i], want[i]); from >= 0 {
			m.Errorf("after the move, the response of %s differs:\n…%.400s\nwant\n…%.400s", path, got[i][from:],
				want[i][from:])
		}
	}
}

// differ returns where two texts begin to differ, with a little of what is before it; -1 if they are the same.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return max(0, i-200)
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return max(0, min(len(a), len(b))-200)
}

// reports returns the files of reports in the data folder.
func (m *moving) reports() map[string]string {
	m.Helper()
	all := map[string]string{}
	found, err := filepath.Glob(filepath.Join(m.o.Data, "reports", "*"))
	if err != nil {
		m.Fatal(err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			m.Fatal(err)
		}
		all[filepath.Base(path)] = string(text)
	}
	return all
}

func TestAPortalMovesIntoADatabaseAndBack(t *testing.T) {
	m := newMoving(t)
	files := m.reports()
	want := m.responses(false)
	if !strings.Contains(want[len(want)-1], "12.5") {
		t.Fatalf("the samples are %s", want[len(want)-1])
	}
	all := m.move(false)
	rows := map[string]int64{}
	for _, one := range all {
		rows[one.Table] = one.From.Rows
	}
	if rows["device"] < 100 || rows["alert"] == 0 || rows["samples, log"]+rows["samples, chunk"] == 0 {
		t.Errorf("it moved %v", rows)
	}
	for _, table := range []string{"node", "lease", "nodeRequest", "reportPiece", "samples, lead"} {
		if _, moved := rows[table]; moved {
			t.Errorf("it moved %s", table)
		}
	}
	if left, err := filepath.Glob(filepath.Join(m.o.Data, "*.db")); err != nil || len(left) != 2 ||
		!strings.Contains(left[0]+left[1], "-moved-") {
		t.Errorf("the databases of the folder are %v (%v), want two that are renamed", left, err)
	}
	if len(files) == 0 || rows["report files"] != int64(len(files)) {
		t.Errorf("it moved %d report files of %d", rows["report files"], len(files))
	}
	if left := m.reports(); len(left) > 0 {
		t.Errorf("the folder still has the files of %d reports", len(left))
	}
	m.same(m.responses(true), want)
	if _, err := server.Migrate(t.Context(), m.in(true), false, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("moving it once more: %v, want fault.Conflict", err)
	}
	for _, one := range m.move(true) { // the portal in the database has written its state
		if one.Table == "samples, lead" || one.Table == "node" || one.Table == "lease" {
			t.Errorf("it moved %s back", one.Table)
		}
	}
	if !maps.Equal(m.reports(), files) {
		t.Error("the files of reports differ after the way back")
	}
	m.same(m.responses(false), want)
}

func TestAPortalMovesWithAGivenKey(t *testing.T) {
	m := newMoving(t)
	want := m.responses(false)
	m.move(false)
	path := filepath.Join(m.o.Data, "portal.db.key")
	key, err := os.ReadFile(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.o.Key = key
	m.same(m.responses(true), want)
	file := filepath.Join(t.TempDir(), "backup")
	if err := server.Backup(t.Context(), m.in(true), file, unheard); err != nil {
		t.Fatal(err)
	}
	wrong := m.in(true)
	wrong.Data, wrong.Database, wrong.Key = t.TempDir(), pgtest.Database(t), make([]byte, len(key))
	if _, err := server.Restore(t.Context(), wrong, file, false, unheard); !fault.Is(err, fault.Conflict) {
		t.Errorf("restoring with another key: %v, want fault.Conflict", err)
	}
	wrong.Database = m.database
	if _, err := server.Migrate(t.Context(), wrong, true, nil); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "the given key does not belong to the portal") {
		t.Errorf("moving with another key: %v, want fault.Conflict", err)
	}
	m.o.Data = t.TempDir()
	m.move(true)
	if got, err := os.ReadFile(filepath.Join(m.o.Data, "portal.db.key")); err != nil || string(got) != string(key) {
		t.Errorf("the key file of the portal in files: %v, want the given key", err)
	}
	m.o.Key = nil
	m.same(m.responses(false), want)
	m.o.Data, m.o.Key, m.database = t.TempDir(), key, pgtest.Database(t)
	if _, err := server.Restore(t.Context(), m.in(true), file, false, unheard); err != nil {
		t.Fatal(err)
	}
	m.same(m.responses(true), want)
}

func TestAMoveContinuesIDs(t *testing.T) {
	m := newMoving(t)
	next := func(database bool, name string) (id float64) {
		s := start(t, m.in(database))
		defer stop(t, s)
		c := &client{t: t, origin: s.Origin(), bearer: m.bearer, http: http.DefaultClient}
		status, body, err := c.request("POST", "/api/device/groups", `{"name":"`+name+`"}`)
		var made map[string]any
		if err == nil {
			err = json.Unmarshal(body, &made)
		}
		if err != nil || status != http.StatusCreated {
			t.Fatalf("%d %s %v", status, body, err)
		}
		id = made["id"].(float64)
		if status, body, err := c.request("DELETE", fmt.Sprintf("/api/device/groups/%.0f?deleteHard=true", id),
			""); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s %v", status, body, err)
		}
		return id
	}
	first := next(false, "one")
	m.move(false)
	second := next(true, "two")
	m.move(true)
	if third := next(false, "three"); second != first+1 || third != second+1 {
		t.Errorf("the ids are %v, %v and %v, although no id is given twice", first, second, third)
	}
}

func TestAKilledMoveIsResumed(t *testing.T) {
	for _, at := range []string{"alert", "report files"} {
		t.Run(at, func(t *testing.T) { resumeMove(t, at) })
	}
}

// resumeMove kills a migration at a table, and repeats it.
func resumeMove(t *testing.T, at string) {
	m := newMoving(t)
	want := m.responses(false)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+m.o.Data, childMigration+"="+m.database, childStop+"="+at)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log := &strings.Builder{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil || !strings.HasPrefix(line, "at "+at) {
		t.Fatalf("the child printed %q: %v, %s", line, err, log)
	}
	other := m.in(true)
	other.Data = t.TempDir()
	key, err := os.ReadFile(filepath.Join(m.o.Data, "portal.db.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(other.Data, "portal.db.key"), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.New(t.Context(), other); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "incomplete") {
		t.Errorf("a start on the incomplete database: %v, want fault.Conflict", err)
	}
	var copied []string
	all, err := server.Migrate(t.Context(), m.in(true), false, func(p server.MoveProgress) {
		if p.Doing == "copying" && p.Total > 0 && p.Done < p.Total && !slices.Contains(copied, p.Table) {
			copied = append(copied, p.Table)
		}
	})
	if err != nil || !server.Same(all) {
		t.Fatalf("%v, %+v", err, all)
	}
	if slices.Contains(copied, "device") || len(copied) == 0 {
		t.Errorf("it copied rows of %v, want only what was missing", copied)
	}
	m.same(m.responses(true), want)
}

func TestAMoveRefusesWhatItCouldDamage(t *testing.T) {
	m := newMoving(t)
	move := func(o server.Options, back bool, want string) {
		t.Helper()
		_, err := server.Migrate(t.Context(), o, back, func(server.MoveProgress) {})
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want fault.Conflict with %q", err, want)
		}
	}
	s := start(t, m.o)
	move(m.in(true), false, "another Spyglass runs on the data folder")
	stop(t, s)

	key := filepath.Join(m.o.Data, "portal.db.key")
	if err := os.Rename(key, key+"-away"); err != nil {
		t.Fatal(err)
	}
	move(m.in(true), false, "portal.db.key cannot be read")
	if err := os.Rename(key+"-away", key); err != nil {
		t.Fatal(err)
	}

	full := m.in(true)
	full.Data, full.Database = t.TempDir(), pgtest.Database(t)
	other := start(t, full)
	into := m.o
	into.Database = full.Database
	move(into, false, "another Spyglass uses the database")
	stop(t, other)
	move(into, false, "has a portal already")
	move(into, true, "portal.db.key does not belong to the portal")

	empty := m.in(true)
	empty.Data = t.TempDir()
	move(empty, false, "there is no portal in")
	move(empty, true, "there is no portal in")
}

func TestAMoveShowsThatTheSourceWasChangedInBetween(t *testing.T) {
	m := newMoving(t)
	ctx, stopNow := context.WithCancel(t.Context())
	_, err := server.Migrate(ctx, m.in(true), false, func(p server.MoveProgress) {
		if p.Table == "alert" && p.Done > 0 {
			stopNow()
		}
	})
	if !fault.Is(err, fault.Conflict) {
		t.Fatalf("the interrupted move: %v", err)
	}
	s := start(t, m.o)
	c := &client{t: t, origin: s.Origin(), bearer: m.bearer, http: http.DefaultClient}
	if status, body, err := c.request("PATCH", "/api/device/devices/2", `{"description":"changed"}`); err != nil ||
		status != http.StatusOK {
		t.Fatalf("%d %s %v", status, body, err)
	}
	stop(t, s)
	all, err := server.Migrate(t.Context(), m.in(true), false, func(server.MoveProgress) {})
	if err != nil {
		t.Fatal(err)
	}
	var differ []string
	for _, one := range all {
		if !one.Same() {
			differ = append(differ, one.Table)
		}
	}
	if !slices.Contains(differ, "device") || slices.Contains(differ, "deviceGroup") {
		t.Errorf("the tables %v differ, want device and not deviceGroup", differ)
	}
	if _, err := os.Stat(filepath.Join(m.o.Data, "portal.db")); err != nil {
		t.Errorf("the source is no longer there: %v", err)
	}
}

func TestABackupOfAPortalInADatabaseRestoresAnywhere(t *testing.T) {
	m := newMoving(t)
	want, files := m.responses(false), m.reports()
	m.move(false)
	dir := t.TempDir()
	stopped, running := filepath.Join(dir, "stopped"), filepath.Join(dir, "running")
	if err := server.Backup(t.Context(), m.in(true), stopped, unheard); err != nil {
		t.Fatal(err)
	}
	s := start(t, m.in(true))
	if err := server.Backup(t.Context(), m.o, running, unheard); err != nil {
		t.Error(err)
	}
	if err := s.Databases().Replaceable(); !fault.Is(err, fault.Conflict) {
		t.Errorf("replacing the databases while they are in use: %v, want fault.Conflict", err)
	}
	stop(t, s)
	key, err := os.ReadFile(filepath.Join(m.o.Data, "portal.db.key"))
	if err != nil {
		t.Fatal(err)
	}
	used := m.database
	for _, c := range []struct {
		file     string
		database bool
	}{{stopped, false}, {stopped, true}, {running, true}} {
		m.o.Data, m.database = t.TempDir(), used
		if err := os.WriteFile(filepath.Join(m.o.Data, "portal.db.key"), key, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.database {
			_, err := server.Restore(t.Context(), m.in(true), c.file, false, unheard)
			if !fault.Is(err, fault.Conflict) {
				t.Errorf("restoring into a database with a portal: %v, want fault.Conflict", err)
			}
			m.database = pgtest.Database(t)
		}
		if _, err := server.Restore(t.Context(), m.in(c.database), c.file, false, unheard); err != nil {
			t.Fatal(err)
		}
		if got := m.reports(); !c.database && !maps.Equal(got, files) || c.database && len(got) > 0 {
			t.Errorf("after a restore, the folder has the files of %d reports", len(got))
		}
		m.same(m.responses(c.database), want)
	}
}
