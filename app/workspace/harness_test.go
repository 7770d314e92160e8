package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/postgres/pgtest"
	"spyglass/backend/store/storetest"
)

// desk is a workspace to which a test sends requests as a page does.
type desk struct {
	*workspace.Workspace
	t       *testing.T
	dir     string
	secrets *ring
	changes []string
	quota   int64
	admin   bool // requests come from an administrator

	database string // its address on a server, see pgtest.Variable; "" for a file
}

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

func open(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), secrets: &ring{values: map[string]string{}, lasts: true},
		database: storetest.Database(t)}
	d.open(0)
	return d
}

func (d *desk) open(kept int64) {
	d.t.Helper()
	w, err := workspace.Open(context.Background(), workspace.Options{Path: filepath.Join(d.dir, "workspace.db"),
		Database: d.database, Secrets: d.secrets, Kept: kept, Quota: d.quota, Twice: true})
	if err != nil {
		d.t.Fatal(err)
	}
	w.Watch(func(userID int64, kind workspace.Kind) {
		d.changes = append(d.changes, fmt.Sprintf("%d %s", userID, kind))
	})
	d.Workspace = w
	d.t.Cleanup(func() { _ = w.Close() })
}

// inFiles skips a test on a server: it tests the keyring, or changes a database file.
func inFiles(t *testing.T) {
	t.Helper()
	if os.Getenv(pgtest.Variable) != "" {
		t.Skip("a workspace on a server has no file, and no keyring")
	}
}

// ring is a fake of the system keyring.
type ring struct {
	mu     sync.Mutex
	values map[string]string
	lasts  bool
}

func (r *ring) Get(name string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.values[name]; ok {
		return v, nil
	}
	return "", fault.New(fault.Unknown, "nothing is kept under that name")
}

func (r *ring) Set(name, secret string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[name] = secret
	return r.lasts
}

func (r *ring) Delete(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, name)
	return nil
}

// send sends "GET /tabs?size=2" as a user and returns the body, or the kind and message of
// the error.
func (d *desk) send(user int64, do, body string) string {
	return d.callIn(context.Background(), user, do, body)
}

func (d *desk) callIn(ctx context.Context, user int64, do, body string) string {
	method, target, _ := strings.Cut(do, " ")
	path, query, _ := strings.Cut(target, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return err.Error()
	}
	c := &resource.Call{Access: &resource.Access{UserID: user, Admin: d.admin}, At: time.Unix(1_790_000_000, 0),
		Query: values, Body: []byte(body), Vars: map[string]string{}}
	c.IfMatch, _ = ctx.Value(ifMatch{}).(string)
	parts := strings.Split(path, "/")
	endpoints := d.Endpoints()
	slices.SortStableFunc(endpoints, func(a, b resource.Endpoint) int {
		return strings.Count(a.Path, "{") - strings.Count(b.Path, "{")
	})
	for _, e := range endpoints {
		template := strings.Split(e.Path, "/")
		if e.Method != method || len(template) != len(parts) {
			continue
		}
		fits := true
		for i := range parts {
			fits = fits && (template[i] == parts[i] || template[i] == "{id}")
		}
		if !fits {
			continue
		}
		if len(parts) > 2 {
			c.Vars["id"] = parts[2]
		}
		out, err := e.Handle(ctx, c)
		if err != nil {
			f := fault.Of(err)
			return fmt.Sprintf("%s %s: %s", f.Kind, f.Field, f.Message)
		}
		if a, ok := out.(*resource.Response); ok {
			out = a.Body
		}
		if text, ok := out.(resource.JSON); ok {
			return string(text)
		}
		text, err := json.Marshal(out)
		if err != nil {
			d.t.Fatal(err)
		}
		return string(text)
	}
	return "no such endpoint"
}

func (d *desk) expect(user int64, do, body, want string) {
	d.t.Helper()
	if got := d.send(user, do, body); got != want {
		d.t.Errorf("%s %s\n got %s\nwant %s", do, body, got, want)
	}
}
