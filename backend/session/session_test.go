package session

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
	"spyglass/backend/testkit"
)

const password = "correct horse battery"

// hash is the hash of password, computed once because it is slow.
var hash = sync.OnceValue(func() string {
	h, err := people.HashPassword(password)
	if err != nil {
		panic(err)
	}
	return h
})

// fixture is the database of a portal with its sessions.
type fixture struct {
	*Service
	db    *store.DB
	path  string
	clock *testkit.Clock
	log   *bytes.Buffer
}

// newFixture returns a new portal with a test clock and no users.
func newFixture(t testing.TB) *fixture {
	h := openFixture(t, filepath.Join(t.TempDir(), "portal.db"),
		testkit.NewClock(time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)))
	must(t, h.db.Write(t.Context(), func(tx resource.Tx) error { return portal.Seed(t.Context(), tx, 1) }))
	return h
}

func openFixture(t testing.TB, path string, c *testkit.Clock) *fixture {
	t.Helper()
	log := &bytes.Buffer{}
	db := storetest.Open(t, store.Options{Path: path, Clock: c.Now})
	storetest.Add(t, db, &fleet.Groups)
	storetest.Add(t, db, &collector.CollectorGroups)
	storetest.Add(t, db, &fleet.Functions)
	storetest.Add(t, db, &datasource.DataSources)
	storetest.Add(t, db, &datasource.UpdateReasons)
	storetest.Add(t, db, &audit.AuditLogs)
	storetest.Add(t, db, &fleet.Devices)
	storetest.Add(t, db, &collector.Collectors)
	storetest.Add(t, db, &alert.RecipientGroups)
	storetest.Add(t, db, &alert.Chains)
	storetest.Add(t, db, &setting.Settings)
	storetest.Add(t, db, &people.Roles)
	storetest.Add(t, db, &people.SignIns)
	storetest.Add(t, db, &people.UserGroups)
	storetest.Add(t, db, &people.RoleGroups)
	storetest.Add(t, db, &people.Users)
	storetest.Add(t, db, &people.Tokens)
	storetest.Add(t, db, &Credentials)
	s, err := New(db, Options{Instance: "abc", Clock: c.Now, Log: slog.New(slog.NewTextHandler(log, nil))})
	must(t, err)
	t.Cleanup(func() { must(t, s.Stop(context.Background())) })
	return &fixture{Service: s, db: db, path: path, clock: c, log: log}
}

// user adds a user with the password password.
func (h *fixture) user(t testing.TB, name string, roles ...int64) int64 {
	t.Helper()
	u := people.User{Username: name, Password: hash(), Email: name + "@example.net", Status: "active"}
	for _, id := range roles {
		role, err := resource.Get(t.Context(), h.db, people.Roles.Name, id)
		must(t, err)
		u.Roles = append(u.Roles, people.RoleRef{ID: id, Name: role.Name})
	}
	put(t, h, people.Users.Name, &u)
	return u.ID
}

func put[T any](t testing.TB, h *fixture, name resource.Name[*T], row *T) {
	t.Helper()
	must(t, h.db.Write(t.Context(), func(tx resource.Tx) error { return resource.Put(t.Context(), tx, name, row) }))
}

// change reads a row, changes it and writes it back.
func change[T any](t testing.TB, h *fixture, name resource.Name[*T], id int64, do func(*T)) {
	t.Helper()
	row, err := resource.Get(t.Context(), h.db, name, id)
	must(t, err)
	do(row)
	put(t, h, name, row)
}

func remove[T any](t testing.TB, h *fixture, name resource.Name[*T], id int64) {
	t.Helper()
	must(t, h.db.Write(t.Context(), func(tx resource.Tx) error { return resource.Delete(t.Context(), tx, name, id) }))
}

func (h *fixture) signIn(t testing.TB, name string) *Session {
	t.Helper()
	sess, err := h.SignIn(t.Context(), name, password, "192.0.2.7")
	must(t, err)
	return sess
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// says returns the kind and message of an error, "" for nil.
func says(err error) string {
	if err == nil {
		return ""
	}
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		return "internal: " + err.Error()
	}
	return string(f.Kind) + ": " + f.Message
}

// eventually waits for a condition that another goroutine fulfills.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(5 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("5 seconds later, still not: %s", what)
		}
	}
}

func TestNoSecretIsInTheDataFolderOrTheLog(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", ground.Administrator)
	sess := h.signIn(t, "jo")
	_, _ = h.SignIn(t.Context(), "jo", "a wrong password", "192.0.2.7")
	made, err := h.CreateToken(t.Context(), id, "test", "jo")
	must(t, err)
	secret, err := h.Credential(t.Context(), id)
	must(t, err)
	launch := h.Launch(id, true)
	secrets := map[string]string{
		"password": password, "wrong password": "a wrong password", "session": sess.Secret, "csrf": sess.CSRF,
		"bearer":     made.Bearer,
		"access key": made.AccessKey, "credential": secret, "launch token": launch,
	}
	must(t, h.Stop(t.Context()))
	must(t, filepath.WalkDir(filepath.Dir(h.path), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		for what, text := range secrets {
			if strings.Contains(string(raw), text) {
				t.Errorf("the %s lies in %s", what, filepath.Base(path))
			}
		}
		return err
	}))
	for what, text := range secrets {
		if strings.Contains(h.log.String(), text) {
			t.Errorf("the %s is in the log", what)
		}
	}
}

func TestCloseEndsSessionsAndRefusesNewOnes(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", ground.Administrator)
	sess := h.signIn(t, "jo")
	must(t, h.Stop(t.Context()))
	must(t, h.Stop(t.Context()))
	select {
	case <-sess.Done():
	default:
		t.Error("the session goes on")
	}
	if _, err := h.SignIn(t.Context(), "jo", password, ""); says(err) != "offline: the portal is stopping" {
		t.Errorf("signing in says %q", says(err))
	}
}

func BenchmarkByCookie(b *testing.B) {
	h := newFixture(b)
	h.user(b, "jo", 4)
	sess := h.signIn(b, "jo")
	for b.Loop() {
		if _, err := h.ByCookie(context.Background(), sess.Secret); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkByToken(b *testing.B) {
	h := newFixture(b)
	made, err := h.CreateToken(b.Context(), h.user(b, "jo", 4), "", "")
	must(b, err)
	for b.Loop() {
		if _, err := h.ByToken(context.Background(), "Bearer "+made.Bearer, TokenRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestHotPathUsesNoDatabase(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	sess := h.signIn(t, "jo")
	made, err := h.CreateToken(t.Context(), id, "", "")
	must(t, err)
	read := func(ctx context.Context) error {
		_, err := h.ByCookie(ctx, sess.Secret)
		_, err2 := h.ByToken(ctx, "Bearer "+made.Bearer, TokenRequest{})
		_, err3 := h.Access(ctx, id)
		return errors.Join(err, err2, err3)
	}
	must(t, read(t.Context()))
	must(t, h.Stop(t.Context())) // prevents writes of the last use, which would also end the session
	h.live[digestOf(sess.Secret)] = &live{userID: id, mark: mark(t, h, id), done: make(chan struct{})}
	must(t, read(t.Context()))
	must(t, h.db.Close())
	must(t, read(t.Context()))
}

func mark(t *testing.T, h *fixture, id int64) digest {
	everyone, err := h.everyone(t.Context())
	must(t, err)
	return everyone.byID[id].mark
}
