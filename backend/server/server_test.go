package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/server"
)

func options(t *testing.T) server.Options {
	t.Helper()
	return server.Options{
		Data: filepath.Join(t.TempDir(), "data"), Listen: "127.0.0.1:0", Version: "test", NoHistory: true, Twice: true,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

func start(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	if err := s.Start(nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func stop(t *testing.T, s *server.Server) {
	t.Helper()
	if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// get sends a GET with a bearer token and decodes the response.
func get(t *testing.T, s *server.Server, bearer, path string) (status int, body map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Origin()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

func token(t *testing.T, o server.Options, user string) string {
	t.Helper()
	result, err := server.Send(t.Context(), o, server.Command{Do: server.DoCreateToken, Name: user})
	if err != nil {
		t.Fatal(err)
	}
	return result.Bearer
}

func TestNewPortalRespondsAlsoAfterARestart(t *testing.T) {
	o := options(t)
	s := start(t, o)
	if len(s.Passwords["admin"]) != 20 {
		t.Errorf("the administrator's password is %q", s.Passwords["admin"])
	}
	bearer := token(t, o, "admin")
	if err := s.PasswordsShown(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop(t, s)

	s = start(t, o)
	if len(s.Passwords) != 0 {
		t.Errorf("the second start made users: %v", s.Passwords)
	}
	if status, body := get(t, s, bearer, "/api/device/groups?fields=id,name"); status != 200 || body["total"] != 1.0 {
		t.Errorf("%d %v", status, body)
	}
}

func TestUnseenInitialPasswordsAreReplaced(t *testing.T) {
	o := options(t)
	o.Demo, o.DemoDevices = true, 20
	first := start(t, o)
	before := maps.Clone(first.Passwords)
	stop(t, first) // skips PasswordsShown, as a crash does
	if _,
		err := server.Send(t.Context(), o, server.Command{Do: server.DoSetPassword, Name: "admin",
		Password: "my own, 1234567890"}); err != nil {
		t.Fatal(err)
	}
	s := start(t, o)
	if got := slices.Sorted(maps.Keys(s.Passwords)); !slices.Equal(got, []string{"operator", "viewer"}) {
		t.Errorf("the second start has passwords of %q, want those that nobody has seen or chosen", got)
	}
	if s.Passwords["operator"] == before["operator"] {
		t.Error("the operator's password is the one that nobody has seen")
	}
	for name, password := range map[string]string{"operator": s.Passwords["operator"], "viewer": "viewer-demo",
		"admin": "my own, 1234567890"} {
		if good, err := s.Sessions.IsPassword(t.Context(), name, password); !good || err != nil {
			t.Errorf("%s cannot sign in with %q: %v", name, password, err)
		}
	}
}

func TestDemoIsFilledOnce(t *testing.T) {
	o := options(t)
	o.Demo, o.DemoDevices = true, 20
	s := start(t, o)
	bearer := token(t, o, "admin")
	if _, body := get(t, s, bearer, "/api/device/devices?size=1"); body["total"] != 20.0 {
		t.Errorf("%v devices, want 20", body["total"])
	}
	stop(t, s)
	o.DemoDevices = 30
	s = start(t, o)
	if _, body := get(t, s, bearer, "/api/device/devices?size=1"); body["total"] != 20.0 {
		t.Errorf("%v devices after the second start, want 20", body["total"])
	}
}

func TestFailedStartReportsTheReason(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, o *server.Options)
		kind  fault.Kind
		words string
	}{
		{"the folder is in use", func(t *testing.T, o *server.Options) { start(t, *o) }, fault.Conflict,
			"another Spyglass runs on the data folder"},
		{"the port is taken", func(_ *testing.T, o *server.Options) { o.Listen = busy.Addr().String() }, fault.Conflict,
			"address already in use"},
		{"no port is named", func(_ *testing.T, o *server.Options) { o.Listen = "127.0.0.1" }, fault.Invalid,
			"--listen must be an address and a port"},
		{"the network is open without TLS", func(_ *testing.T, o *server.Options) { o.Listen = "0.0.0.0:0" },
			fault.Invalid, "requires --tls-cert and --tls-key"},
		{"the folder is a file", func(t *testing.T, o *server.Options) { write(t, o.Data, "x") }, fault.Conflict,
			"choose another one with --data"},
		{"the database is damaged", func(t *testing.T, o *server.Options) {
			write(t, filepath.Join(o.Data, "portal.db"), strings.Repeat("this is no database. ", 500))
		}, fault.Conflict, "is damaged; it was left as it is"},
		{"the database is empty", func(t *testing.T, o *server.Options) {
			stop(t, start(t, *o))
			write(t, filepath.Join(o.Data, "portal.db"), "")
		}, fault.Conflict, "is missing or empty, but the samples of a portal lie beside it; nothing was changed"},
		{"the database is gone", func(t *testing.T, o *server.Options) {
			stop(t, start(t, *o))
			if err := os.Remove(filepath.Join(o.Data, "portal.db")); err != nil {
				t.Fatal(err)
			}
		}, fault.Conflict, "is missing or empty, but the samples of a portal lie beside it; nothing was changed"},
		{"the database is newer", func(t *testing.T, o *server.Options) { newer(t, *o) }, fault.Conflict,
			"was written by a newer version of Spyglass"},
		{"the key is damaged", func(t *testing.T, o *server.Options) {
			write(t, filepath.Join(o.Data, "portal.db.key"), "short")
		}, fault.Conflict, "is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t)
			tt.spoil(t, &o)
			_, err := server.New(t.Context(), o)
			if f := fault.Of(err); err == nil || f.Kind != tt.kind || !strings.Contains(f.Message, tt.words) {
				t.Errorf("%v, want %s: …%s…", err, tt.kind, tt.words)
			}
		})
	}
}

func TestUnwritableDataIsReportedAndUnchanged(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes to files that are read-only")
	}
	for _, tt := range []struct{ name, spoil, words string }{
		{"the database", "portal.db", "cannot be written (permission denied); choose another --data folder or change " +
			"its permissions"},
		{"its key", "portal.db.key", "cannot be used (permission denied); choose another --data folder or change its " +
			"permissions"},
		{"the folder", "", "permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t)
			stop(t, start(t, o))
			path, mode := filepath.Join(o.Data, tt.spoil), os.FileMode(0o400)
			switch tt.spoil {
			case "":
				mode = 0o500
				if err := os.Remove(filepath.Join(o.Data, "lock")); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			case "portal.db.key":
				mode = 0
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
			before, _ := os.ReadFile(filepath.Join(o.Data, "portal.db"))
			_, err := server.New(t.Context(), o)
			if f := fault.Of(err); err == nil || f.Kind != fault.Conflict || !strings.Contains(f.Message, tt.words) {
				t.Errorf("%v, want conflict: …%s…", err, tt.words)
			}
			if after, _ := os.ReadFile(filepath.Join(o.Data, "portal.db")); !bytes.Equal(before, after) {
				t.Error("the database was changed")
			}
		})
	}
}

func TestDamagedDatabaseIsNotChanged(t *testing.T) {
	o := options(t)
	path, text := filepath.Join(o.Data, "portal.db"), strings.Repeat("not a database, but somebody's file. ", 300)
	write(t, path, text)
	if _, err := server.New(t.Context(), o); err == nil {
		t.Fatal("it started")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file was changed (%v)", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newer makes a database look like a later version's.
func newer(t *testing.T, o server.Options) {
	t.Helper()
	stop(t, start(t, o))
	change(t, filepath.Join(o.Data, "portal.db"), "PRAGMA user_version = 99")
}

// change runs SQL on a database that no process has open.
func change(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

func TestDataFolderIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps rights in lists of its own, not in file modes")
	}
	o := options(t)
	start(t, o)
	err := filepath.WalkDir(o.Data, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCommandsReachARunningPortal(t *testing.T) {
	o := options(t)
	o.Demo, o.DemoDevices = true, 5
	s := start(t, o)
	for _, tt := range []struct {
		command server.Command
		err     string
	}{
		{server.Command{Do: server.DoAddUser, Name: "nadia", Password: "correct horse", Role: "manager"}, ""},
		{server.Command{Do: server.DoAddUser, Name: "nadia", Password: "correct horse", Role: "manager"},
			`there is already a user with the username "nadia"`},
		{server.Command{Do: server.DoAddUser, Name: "otto", Password: "correct horse", Role: "boss"},
			"there is no role boss"},
		{server.Command{Do: server.DoAddUser, Name: "otto", Password: "short", Role: "manager"},
			"a password must have 8 to 512 characters"},
		{server.Command{Do: server.DoSetPassword, Name: "nadia", Password: "another one"}, ""},
		{server.Command{Do: server.DoSetPassword, Name: "nobody", Password: "another one"}, "there is no user nobody"},
		{server.Command{Do: server.DoResetFactor, Name: "nobody"}, "there is no user nobody"},
		{server.Command{Do: server.DoResetFactor, Name: "nadia"}, "nadia has not set up two-factor authentication"},
		{server.Command{Do: server.DoCreateToken, Name: "nobody"}, "there is no user nobody"},
		{server.Command{Do: server.DoRaise}, "a Spyglass without a window runs on this data folder, at " + s.Origin()},
	} {
		_, err := server.Send(t.Context(), o, tt.command)
		if got := message(err); got != tt.err {
			t.Errorf("%s %s: %q, want %q", tt.command.Do, tt.command.Name, got, tt.err)
		}
	}
	if _, err := s.Sessions.SignIn(t.Context(), "nadia", "another one", "127.0.0.1"); err != nil {
		t.Error(err)
	}
}

func TestJobRunsInTheProcessOfTheDataFolder(t *testing.T) {
	o := options(t)
	began := make(chan struct{})
	o.Run = func(ctx context.Context, job json.RawMessage, line func(string)) (json.RawMessage, error) {
		line("one")
		switch string(job) {
		case `"fail"`:
			return nil, fault.New(fault.Unknown, "there is no such job")
		case `"wait"`:
			close(began)
			<-ctx.Done()
			return json.RawMessage(`"half"`), nil
		}
		return json.RawMessage(`{"of":` + string(job) + `}`), nil
	}
	start(t, o)
	_, taken := server.New(t.Context(), o)
	var lines []string
	run := func(ctx context.Context, job string) string {
		done, err := server.Run(ctx, o.Data, taken, json.RawMessage(job), func(l string) { lines = append(lines, l) })
		return string(done) + message(err)
	}
	for job, want := range map[string]string{`7`: `{"of":7}`, `"fail"`: "there is no such job"} {
		if got := run(t.Context(), job); got != want {
			t.Errorf("%s: got %s, want %s", job, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if got := run(ctx, `"wait"`); got != `"half"` || len(lines) != 3 {
		t.Errorf("a job that was cancelled: %s, lines %q", got, lines)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return fault.Of(err).Message
}

func TestSecondStartReachesTheWindow(t *testing.T) {
	o := options(t)
	raised := make(chan []string, 1)
	o.Raise = func(args []string) { raised <- args }
	start(t, o)
	if _,
		err := server.Send(t.Context(), o,
		server.Command{Do: server.DoRaise, Args: []string{"spyglass://x"}}); err != nil {
		t.Fatal(err)
	}
	if args := <-raised; len(args) != 1 || args[0] != "spyglass://x" {
		t.Errorf("the window got %v", args)
	}
}

func TestCommandWaitsForAStartingPortal(t *testing.T) {
	o := options(t)
	done := make(chan error, 1)
	o.Held = func() {
		go func() {
			_, err := server.Send(t.Context(), o, server.Command{Do: server.DoCreateToken, Name: "admin"})
			done <- err
		}()
	}
	start(t, o)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestDeepFolderHasAControlSocket(t *testing.T) {
	o := options(t)
	o.Data = filepath.Join(o.Data, strings.Repeat("deep/", 30))
	start(t, o)
	if bearer := token(t, o, "admin"); bearer == "" {
		t.Error("no token")
	}
}

func TestStopIsIdempotentAndUnlocksTheFolder(t *testing.T) {
	o := options(t)
	s := start(t, o)
	stop(t, s)
	stop(t, s)
	stop(t, start(t, o))
}

func TestNetworkAddressNeedsTLS(t *testing.T) {
	o := options(t)
	o.TLSCert, o.TLSKey = certificate(t)
	s := start(t, o)
	// the portal's own authority issued the certificate
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	response, err := client.Get(s.Origin() + "/api/setting/version")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(s.Origin(), "https://") {
		t.Errorf("%s returns %s", s.Origin(), response.Status)
	}
}

func TestLinksHaveTheNameThatThePortalListensOn(t *testing.T) {
	for listen, host := range map[string]string{"127.0.0.1:0": "127.0.0.1", "localhost:0": "localhost"} {
		o := options(t)
		o.Listen = listen
		s := start(t, o)
		_, port, err := net.SplitHostPort(s.Address())
		if want := "http://" + host + ":" + port; err != nil || s.Link() != want {
			t.Errorf("--listen %s: links begin with %s, want %s (%v)", listen, s.Link(), want, err)
		}
	}
}
