package server_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// kills is the number of times that the test kills a portal. Tests of a release
// use 1,000.
const (
	kills   = 25
	writers = 4
)

// client sends requests to a portal with a bearer token.
type client struct {
	t      *testing.T
	origin string
	bearer string
	http   *http.Client
}

// request sends a request. It returns the error of the connection, for example when the
// portal dies.
func (c *client) request(method, path, body string) (status int, response []byte, err error) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.origin+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.bearer)
	r.Header.Set("Content-Type", "application/json")
	out, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer out.Body.Close()
	response, err = io.ReadAll(out.Body)
	return out.StatusCode, response, err
}

// device is the part of a device that the test writes; the zero value means that it
// is deleted.
type device struct {
	Name, Description, HostGroupIDs string
}

// ledger records the expected state of each device: the last acknowledged state,
// and the state requested when the portal died.
type ledger struct {
	mu      sync.Mutex
	known   map[string]device
	pending map[string]device
	acks    int
	enough  int
	reached chan struct{} // closed when enough writes are acknowledged
}

func (l *ledger) request(name string, want device) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending[name] = want
}

func (l *ledger) acknowledged(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[name] = l.pending[name]
	delete(l.pending, name)
	if l.acks++; l.acks == l.enough {
		close(l.reached)
	}
}

func TestKilledPortalLosesNoAcknowledgedWrite(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	first := startChild(t, folder)
	token, err := server.Send(t.Context(), server.Options{Data: folder},
		server.Command{Do: server.DoCreateToken, Name: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	first.kill()

	book := &ledger{known: map[string]device{}, pending: map[string]device{}}
	for round := range kills {
		portal := startChild(t, folder)
		c := &client{t: t, origin: portal.origin, bearer: token.Bearer,
			http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: writers}}}
		if status, response, err := c.request("GET", "/api/session", ""); status != http.StatusOK {
			t.Fatalf("round %d: the next start returns %d %s %v", round, status, response, err)
		}
		book.check(c, round)
		if t.Failed() {
			return
		}
		book.acks, book.enough, book.reached = 0, 1+rand.IntN(60), make(chan struct{})
		var wait sync.WaitGroup
		for w := range writers {
			wait.Go(func() { keepWriting(c, book, fmt.Sprintf("k-%d-%d", round, w)) })
		}
		<-book.reached
		portal.kill()
		wait.Wait()
		c.http.CloseIdleConnections()
	}
	checkRows(t, folder, token.Bearer)
}

// keepWriting creates, changes and deletes devices until the portal dies.
func keepWriting(c *client, book *ledger, prefix string) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%d", prefix, i)
		made := device{Name: name, Description: "made", HostGroupIDs: "1"}
		book.request(name, made)
		status, response, err := c.request("POST", "/api/device/devices",
			fmt.Sprintf(`{"name":%q,"description":"made",`+
				`"customProperties":[{"name":"snmp.community","value":%q}]}`, name, name))
		if !book.took(c.t, name, status, http.StatusCreated, response, err) {
			return
		}
		var row struct{ ID int64 }
		if err := json.Unmarshal(response, &row); err != nil {
			c.t.Error(err)
			return
		}
		path := fmt.Sprintf("/api/device/devices/%d", row.ID)
		if i%3 == 1 {
			made.Description = "changed"
			book.request(name, made)
			status, response, err = c.request("PATCH", path, `{"description":"changed"}`)
			if !book.took(c.t, name, status, http.StatusOK, response, err) {
				return
			}
		}
		if i%3 == 2 {
			book.request(name, device{})
			status, response, err = c.request("DELETE", path+"?deleteHard=true", "")
			if !book.took(c.t, name, status, http.StatusOK, response, err) {
				return
			}
		}
	}
}

// took records an acknowledgement. It returns false when the portal is dead.
func (l *ledger) took(t *testing.T, name string, status, want int, response []byte, err error) bool {
	if status == 0 || err != nil {
		return false
	}
	if status != want {
		t.Errorf("%s: %d %s", name, status, response)
		l.acknowledged(name)
		return false
	}
	l.acknowledged(name)
	return true
}

// check compares the portal's devices with the ledger.
func (l *ledger) check(c *client, round int) {
	have := map[string]device{}
	for total := 1; len(have) < total; {
		status, response, err := c.request("GET", fmt.Sprintf("/api/device/devices?size=1000&offset=%d&fields=name,"+
			"description,hostGroupIds", len(have)), "")
		var page struct {
			Total int
			Items []device
		}
		if err == nil {
			err = json.Unmarshal(response, &page)
		}
		if err != nil || status != http.StatusOK {
			c.t.Fatalf("round %d: the list returns %d %s %v", round, status, response, err)
		}
		for _, d := range page.Items {
			have[d.Name] = d
		}
		total = page.Total
		if len(page.Items) == 0 {
			break
		}
	}
	for name, want := range l.known {
		got := have[name]
		if sent, open := l.pending[name]; got != want && !(open && got == sent) {
			c.t.Errorf("round %d: %s is %+v, acknowledged was %+v", round, name, got, want)
		}
		l.known[name] = got
	}
	for name, sent := range l.pending {
		if got := have[name]; got != (device{}) && got != sent && got != l.known[name] {
			c.t.Errorf("round %d: %s is incomplete: %+v, requested was %+v", round, name, got, sent)
		}
		l.known[name] = have[name]
	}
	clear(l.pending)
	for name := range have {
		if _, ok := l.known[name]; !ok {
			c.t.Errorf("round %d: %s is there, and nobody made it", round, name)
		}
	}
}

// checkRows checks that the JSON of every device in the data folder matches its columns, and
// that the link rows match the column.
func checkRows(t *testing.T, folder, bearer string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(folder, "portal.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ what, query, want string }{
		{"the file", `PRAGMA integrity_check`, "ok"},
		{"rows", `SELECT count(*) > 0 FROM device`, "1"},
		{"rows without their links", `SELECT count(*) FROM device d WHERE d.deletedTimeInMs = 0 AND
			(SELECT group_concat(ref) FROM "device.hostGroupIds" WHERE row = d.id) IS NOT d.hostGroupIds`, "0"},
		{"links without their rows", `SELECT count(*) FROM "device.hostGroupIds" WHERE row NOT IN (SELECT id FROM ` +
			`device)`, "0"},
	} {
		var got string
		if err := db.QueryRowContext(context.WithoutCancel(t.Context()), tt.query).Scan(&got); err != nil ||
			got != tt.want {
			t.Errorf("%s: %s (%v), want %s", tt.what, got, err, tt.want)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	s := start(t, server.Options{Data: folder, Listen: "127.0.0.1:0", NoLimits: true,
		Log: slog.New(slog.DiscardHandler)})
	rows, err := resource.Find(t.Context(), s.DB(), fleet.Devices.Name) // from the columns
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d devices (%v)", len(rows), err)
	}
	c := &client{t: t, origin: s.Origin(), bearer: bearer, http: http.DefaultClient}
	for i := range rows {
		_, shown, err := c.request("GET", fmt.Sprint("/api/device/devices/", rows[i].ID), "")
		if err != nil {
			t.Fatal(err)
		}
		own, err := fleet.Devices.AppendJSON(nil, &rows[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"id", "name", "displayName", "description", "hostGroupIds", "updatedOn",
			"customProperties"} {
			if got, want := resource.FindKey(shown, name), resource.FindKey(own, name); !bytes.Equal(got, want) {
				t.Errorf("device %d: the JSON has the %s %s, the column %s", rows[i].ID, name, got, want)
			}
		}
	}
}
