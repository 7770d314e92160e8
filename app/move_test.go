package app

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"spyglass/app/workspace"
	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/server"
	"spyglass/backend/store/postgres/pgtest"
)

// childFolder and childDatabase are environment variables that make the test binary move a
// portal. It stops at the Explorer's history until it is killed.
const (
	childFolder   = "SPYGLASS_TEST_CHILD"
	childDatabase = "SPYGLASS_TEST_CHILD_DATABASE"
)

const historyTable = "Explorer, history"

func TestMain(m *testing.M) {
	folder := os.Getenv(childFolder)
	if folder == "" {
		os.Exit(pgtest.Main(m.Run))
	}
	keyring.MockInit()
	o := server.Options{Data: folder, Database: os.Getenv(childDatabase), Workspace: Workspace(slog.Default())}
	_, err := server.Migrate(context.Background(), o, false, func(p server.MoveProgress) {
		if p.Table == historyTable && p.Done > 0 {
			fmt.Println("at", p.Table)
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	})
	fmt.Fprintln(os.Stderr, "the child was not killed:", err)
	os.Exit(1)
}

// explored is a portal whose administrator has used the Explorer.
type explored struct {
	*testing.T
	o        server.Options
	database string
}

// firstSecret is the value of the secret variable.
const firstSecret = "planted-kingfisher-17"

func newExplored(t *testing.T) *explored {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // or there is no keyring
	keyring.MockInit()
	log := slog.New(slog.DiscardHandler)
	e := &explored{T: t, database: pgtest.Database(t), o: server.Options{Data: filepath.Join(t.TempDir(), "data"),
		Version: "test", Workspace: Workspace(log), Log: log}}
	e.with(false, func(v *visitor) {
		must := func(method, path, body string) {
			v.t.Helper()
			if status, text := v.send(method, "/explorer"+path, body, nil); status/100 != 2 {
				v.t.Fatalf("%s %s: %d %s", method, path, status, text)
			}
		}
		must("POST", "/tabs", `{"name":"first","draft":{"path":"/device/groups"}}`)
		must("POST", "/tabs", `{"name":"Ünïcode"}`)
		must("POST", "/variables", `{"name":"site","value":"fra"}`)
		must("POST", "/variables", `{"name":"token","value":"`+firstSecret+`","secret":true,"scope":"global"}`)
		must("POST", "/environments", `{"name":"Staging"}`)
		must("POST", "/collections", `{"name":"Fleet"}`)
		must("POST", "/requests", `{"collectionId":1,"name":"Groups","draft":{"method":"GET","path":"/device/groups"}}`)
		for range 3 {
			must("POST", "/send", `{"draft":{"method":"GET","path":"/device/groups?fields=id,name"}}`)
		}
		must("POST", "/requests/1/examples", `{"historyId":1,"name":"All"}`)
		must("PATCH", "/settings", `{"theme":"dark"}`)
	})
	return e
}

// in returns the options of the portal in the database, or in files.
func (e *explored) in(database bool) server.Options {
	o := e.o
	if database {
		o.Database = e.database
	}
	return o
}

// with runs do while the portal runs.
func (e *explored) with(database bool, do func(v *visitor)) {
	e.Helper()
	e.Run(fmt.Sprintf("database %v", database), func(t *testing.T) { do(visit(t, e.in(database))) })
	if e.Failed() {
		e.FailNow()
	}
}

// responses returns what the Explorer shows, and the value of the secret variable.
func (e *explored) responses(database bool) (all []string) {
	e.Helper()
	e.with(database, func(v *visitor) {
		for _, path := range []string{"/tabs", "/variables", "/environments", "/collections/tree", "/requests/1",
			"/examples", "/examples/1/body", "/history", "/history/2", "/history/search?words=groups", "/settings",
			"/variables/missing"} {
			status, text := v.send(http.MethodGet, "/explorer"+path, "", nil)
			if status != http.StatusOK {
				v.t.Errorf("%s: %d %s", path, status, text)
			}
			all = append(all, path+" "+text)
		}
		all = append(all, "the secret is "+v.secret())
	})
	return all
}

// secret returns the value of the secret variable; empty if it has none.
func (v *visitor) secret() string {
	secret, err := v.app.workspace.Secret(&workspace.Variable{ID: 2, UserID: 1, Value: "********"})
	if err != nil && !fault.Is(err, fault.Unknown) {
		v.t.Error(err)
	}
	return secret
}

func (e *explored) same(got, want []string) {
	e.Helper()
	for i := range want {
		if got[i] != want[i] {
			e.Errorf("after the move, a response differs:\n%.2000s\nwant\n%.2000s", got[i], want[i])
		}
	}
}

// move moves the portal, and returns what has not moved.
func (e *explored) move(back bool) (left []string) {
	e.Helper()
	all, err := server.Migrate(e.Context(), e.in(true), back, func(server.MoveProgress) {})
	if err != nil {
		e.Fatal(err)
	}
	rows := map[string]int64{}
	for _, one := range all {
		if !one.Same() {
			e.Errorf("a table differs: %+v", one)
		}
		rows[one.Table], left = one.From.Rows, append(left, one.Left...)
	}
	for table, n := range map[string]int64{"tab": 2, "variable": 2, "history": 3, "reply": 3, "collection": 1,
		"request": 1, "requestExample": 1, "settings": 1, "environment": 1} {
		if got := rows["Explorer, "+table]; got != n {
			e.Errorf("it moved %d rows of %s, want %d", got, table, n)
		}
	}
	if _, moved := rows["Explorer, deleted"]; moved {
		e.Error("it moved deleted values")
	}
	return left
}

// clear fails the test if the secret is in a file or in the database.
func (e *explored) clear(secret string) {
	e.Helper()
	dump, err := pgtest.Dump(e.database, "_workspace")
	if err != nil {
		e.Fatal(err)
	}
	all := map[string]string{"the database": dump}
	files, err := filepath.Glob(filepath.Join(e.o.Data, "*"))
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			e.Fatal(err)
		}
		all[path] = string(text)
	}
	if err != nil || len(all) < 3 {
		e.Fatalf("there are only %d files: %v", len(all), err)
	}
	for where, text := range all {
		if strings.Contains(text, secret) || strings.Contains(text, hex.EncodeToString([]byte(secret))) {
			e.Errorf("%s has the secret in clear", where)
		}
	}
}

func TestTheExplorerMovesIntoADatabaseAndBack(t *testing.T) {
	e := newExplored(t)
	want := e.responses(false)
	if last := want[len(want)-1]; last != "the secret is "+firstSecret {
		t.Fatal(last)
	}
	if left := e.move(false); len(left) > 0 {
		t.Errorf("it has not moved %v", left)
	}
	if found, err := filepath.Glob(filepath.Join(e.o.Data, "workspace*.db")); err != nil || len(found) != 1 ||
		!strings.Contains(found[0], "workspace-moved-") {
		t.Errorf("the workspace in the folder is %v (%v), want a renamed one", found, err)
	}
	e.clear(firstSecret)
	e.same(e.responses(true), want)

	const later = "planted-heron-18"
	e.with(true, func(v *visitor) {
		status, text := v.send("PATCH", "/explorer/variables/2", `{"value":"`+later+`"}`, nil)
		if status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
	})
	want = e.responses(true)
	e.move(true)
	e.clear(later)
	e.same(e.responses(false), want) // the keyring has the first secret until then
	e.with(false, func(v *visitor) {
		counts, err := v.app.workspace.Counts(t.Context())
		if err != nil || counts["secret"] != 0 {
			t.Errorf("%d secrets are in the file (%v), want all in the keyring", counts["secret"], err)
		}
		if v.secret() != later {
			t.Error("the keyring has not taken over the secret")
		}
	})
	e.database = pgtest.Database(t)
	if left := e.move(false); len(left) > 0 {
		t.Errorf("it has not moved %v", left)
	}
	e.same(e.responses(true), want)
}

func TestAMoveListsSecretsThatTheKeyringDoesNotHave(t *testing.T) {
	e := newExplored(t)
	keyring.MockInit()
	if left, want := e.move(false), []string{"secret variable token of user 1"}; !slices.Equal(left, want) {
		t.Errorf("it has not moved %v, want %v", left, want)
	}
	e.with(true, func(v *visitor) {
		if _, text := v.send(http.MethodGet, "/explorer/variables/missing", "", nil); text != `{"ids":[2]}` {
			t.Errorf("missing are %s", text)
		}
	})
}

func TestAFileKeepsMovedSecretsWithoutAKeyring(t *testing.T) {
	e := newExplored(t)
	e.move(false)
	e.move(true)
	keyring.MockInitWithError(keyring.ErrUnsupportedPlatform)
	for range 2 {
		e.with(false, func(v *visitor) {
			if got := v.secret(); got != firstSecret {
				t.Errorf("the secret is %q", got)
			}
		})
	}
	keyring.MockInit()
	e.with(false, func(v *visitor) {
		if status, text := v.send("PATCH", "/explorer/variables/2", `{"value":""}`, nil); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
		if got := v.secret(); got != "" {
			t.Error("a deleted secret is still there")
		}
	})
}

func TestAKilledMoveOfTheExplorerIsResumed(t *testing.T) {
	e := newExplored(t)
	want := e.responses(false)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+e.o.Data, childDatabase+"="+e.database)
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
	if err != nil || line != "at "+historyTable+"\n" {
		t.Fatalf("the child printed %q: %v, %s", line, err, log)
	}
	if _, err := Open(t.Context(), e.in(true)); !fault.Is(err, fault.Conflict) {
		t.Errorf("a start on the incomplete database: %v, want fault.Conflict", err)
	}
	var copied []string
	all, err := server.Migrate(t.Context(), e.in(true), false, func(p server.MoveProgress) {
		if p.Doing == "copying" && p.Done < p.Total && strings.HasPrefix(p.Table, "Explorer") {
			copied = append(copied, p.Table)
		}
	})
	if err != nil || !server.Same(all) {
		t.Fatalf("%v, %+v", err, all)
	}
	if slices.Contains(copied, "Explorer, tab") || slices.Contains(copied, historyTable) ||
		!slices.Contains(copied, "Explorer, collection") {
		t.Errorf("it copied rows of %v, want only what was missing", copied)
	}
	e.same(e.responses(true), want)
}

// backup writes a backup of the portal. empty makes the data folder a new one, with only the
// portal's key.
func (e *explored) backup(database bool) (file string, empty func()) {
	e.Helper()
	file = filepath.Join(e.TempDir(), "backup")
	if err := server.Backup(e.Context(), e.in(database), file, unheard); err != nil {
		e.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(e.o.Data, "portal.db.key"))
	if err != nil {
		e.Fatal(err)
	}
	return file, func() {
		e.Helper()
		e.o.Data = e.TempDir()
		if err := os.WriteFile(filepath.Join(e.o.Data, "portal.db.key"), key, 0o600); err != nil {
			e.Fatal(err)
		}
	}
}

func unheard(backup.Progress) {}

func TestABackupOfADatabaseHasTheExplorer(t *testing.T) {
	e := newExplored(t)
	want := e.responses(false)
	e.move(false)
	file, empty := e.backup(true)
	keyring.MockInit() // the secrets are in the backup
	for _, database := range []bool{false, true} {
		empty()
		e.database = pgtest.Database(t)
		if _, err := server.Restore(t.Context(), e.in(database), file, false, unheard); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(e.o.Data, "workspace.db")); database == (err == nil) {
			t.Errorf("the file of the workspace: %v", err)
		}
		e.same(e.responses(database), want)
	}
}

func TestARestoreListsTheSecretsThatTheKeyringLacks(t *testing.T) {
	e := newExplored(t)
	file, empty := e.backup(false)
	empty()
	keyring.MockInit() // that of another user
	moved, err := server.Restore(t.Context(), e.in(true), file, false, unheard)
	var left []string
	for _, one := range moved {
		left = append(left, one.Left...)
	}
	if want := []string{"secret variable token of user 1"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("it lists %q (%v), want %q", left, err, want)
	}
}

func TestAMoveKeepsAnotherWorkspace(t *testing.T) {
	e := newExplored(t)
	e.move(false)
	other := newExplored(t)
	path := filepath.Join(e.o.Data, "workspace.db")
	if err := os.Rename(filepath.Join(other.o.Data, "workspace.db"), path); err != nil {
		t.Fatal(err)
	}
	_, err := server.Migrate(t.Context(), e.in(true), true, func(server.MoveProgress) {})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "another Explorer's workspace") {
		t.Errorf("got %v, want fault.Conflict", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	e.move(true)
}
