package server

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestDesktopPortalReusesItsLastPort(t *testing.T) {
	o := Options{Data: t.TempDir(), Listen: "127.0.0.1:0", SamePort: true, Log: slog.New(slog.DiscardHandler)}
	start := func() (address string, closed func()) {
		t.Helper()
		l, err := listenAgain(o)
		if err != nil {
			t.Fatal(err)
		}
		return l.Addr().String(), func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
	}

	first, closeFirst := start()
	closeFirst()
	again, closeAgain := start()
	if again != first {
		t.Errorf("the second start listens on %s, want %s", again, first)
	}

	other, closeOther := start() // while the port is in use
	if other == first {
		t.Errorf("two listeners share %s", other)
	}
	closeOther()
	closeAgain()
	after, closeAfter := start()
	closeAfter()
	if after != first {
		t.Errorf("once the port is free the portal listens on %s, want %s", after, first)
	}
}

func TestInvalidPortFileIsReplaced(t *testing.T) {
	for _, text := range []string{"", "ssh", "0", "70000", "-1"} {
		o := Options{Data: t.TempDir(), Listen: "127.0.0.1:0", SamePort: true, Log: slog.New(slog.DiscardHandler)}
		file := filepath.Join(o.Data, portFile)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := listenAgain(o)
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if got, _ := os.ReadFile(file); string(got) != port+"\n" {
			t.Errorf("after %q the file holds %q, want %q", text, got, port+"\n")
		}
	}
}
