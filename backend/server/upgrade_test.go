package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spyglass/backend/server"
)

// older makes a data folder look like an older version's.
func older(t *testing.T, o server.Options) {
	t.Helper()
	stop(t, start(t, o))
	change(t, filepath.Join(o.Data, "portal.db"), `UPDATE "_shape" SET "shape" = 'older'`)
}

func TestUpgradeShowsItsProgressUntilThePortalServes(t *testing.T) {
	o := options(t)
	older(t, o)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Socket, o.Listen = socket, socket.Addr().String()
	get := func(path, accept, host string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+o.Listen+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(body)
	}
	var seen []string
	o.Upgrade = func(p server.Progress) {
		if seen = append(seen, p.String()); len(seen) != 2 { // send the requests at the second message
			return
		}
		response, body := get("/api/device/devices", "*/*", "")
		const want = `{"errorMessage":"Spyglass is upgrading its data folder (portal.db: making a safety copy); try ` +
			`again in a few seconds","errorCode":1503,"errorDetail":{"doing":"portal.db: making a safety copy",` +
			`"percent":0}}`
		if after := response.Header.Get("Retry-After"); response.StatusCode != 503 || after != "2" || body != want {
			t.Errorf("the API says %d, Retry-After %s, %s", response.StatusCode, after, body)
		}
		response, body = get("/", "text/html,*/*;q=0.8", "")
		if response.StatusCode != 503 || !strings.Contains(body, `<progress max="100" value="0" aria-label="Progress">`+
			`</progress><p role="status">portal.db: making a safety copy</p>`) {
			t.Errorf("a browser gets %d %s", response.StatusCode, body)
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("its policy is %s", policy)
		}
		if response, body = get("/", "text/html", "rebound.example"); response.StatusCode != 403 {
			t.Errorf("another host name gets %d %s", response.StatusCode, body)
		}
	}
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, s)
	if len(seen) < 3 || seen[0] != "portal.db: making a safety copy" ||
		!strings.HasPrefix(seen[1], "portal.db: updating ") {
		t.Errorf("the progress is %q", seen)
	}
	if response, body := get("/api/device/devices", "*/*", ""); response.StatusCode != 503 {
		t.Errorf("before its start, the portal says %d %s", response.StatusCode, body)
	}
	if err := s.Start(nil); err != nil {
		t.Fatal(err)
	}
	if response, body := get("/api/device/devices", "*/*", ""); response.StatusCode != 401 {
		t.Errorf("after the upgrade, the portal says %d %s", response.StatusCode, body)
	}
}

// messages is a slog.Handler that sends those of a log to a channel.
type messages chan string

func (messages) Enabled(context.Context, slog.Level) bool { return true }
func (c messages) Handle(_ context.Context, r slog.Record) error {
	c <- r.Message
	return nil
}
func (c messages) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c messages) WithGroup(string) slog.Handler      { return c }

func TestSafetyCopyOfAnUpgradeExpires(t *testing.T) {
	o := options(t)
	older(t, o)
	stop(t, start(t, o))
	copies := func() int {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(o.Data, "portal-before-*.db"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if n := copies(); n != 1 {
		t.Fatalf("an upgrade leaves %d copies, want 1", n)
	}
	log := make(messages, 1000)
	o.Log = slog.New(log)
	o.Clock = func() time.Time { return time.Now().AddDate(0, 0, 31) }
	s := start(t, o)
	defer stop(t, s)
	for message := range log {
		if message == "the safety copy of an upgrade was deleted" {
			break
		}
	}
	if n := copies(); n != 0 {
		t.Errorf("after 31 days there are %d copies, want none", n)
	}
}

func TestSystemdSocketMatchesListen(t *testing.T) {
	o := options(t)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Socket, o.Listen = socket, "127.0.0.1:1"
	want := "systemd listens on " + socket.Addr().String() + ", which is another port than that of --listen " +
		"127.0.0.1:1. Use the same port in the socket unit and in the service"
	if _, err := server.New(t.Context(), o); err == nil || err.Error() != want {
		t.Errorf("another port: %v, want %s", err, want)
	}
}
