//go:build unix

package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/server"
)

func TestDataFolderWritableByOthersIsRefused(t *testing.T) {
	o := options(t)
	stop(t, start(t, o))
	for _, name := range []string{"", "portal.db", "portal.db.key", "control"} {
		path := filepath.Join(o.Data, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []os.FileMode{0o770, 0o702} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Conflict) ||
				!strings.Contains(fault.Sentence(err), "other users can write") {
				t.Errorf("%q with %o: %v", name, mode, err)
			}
		}
		if err := os.Chmod(path, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	stop(t, start(t, o))
}

func TestDataFolderReadableByOthersIsMadePrivate(t *testing.T) {
	o := options(t)
	stop(t, start(t, o))
	want := map[string]os.FileMode{"": 0o700, "portal.db": 0o600, "portal.db.key": 0o600, "series.db": 0o600}
	for name := range want {
		if err := os.Chmod(filepath.Join(o.Data, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	stop(t, start(t, o))
	for name, mode := range want {
		if info, err := os.Stat(filepath.Join(o.Data, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%q has %v (%v), want %v", name, info.Mode(), err, mode)
		}
	}
}

func TestFileOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	o := options(t)
	stop(t, start(t, o))
	for _, name := range []string{"", "portal.db.key"} {
		path := filepath.Join(o.Data, name)
		if err := os.Chown(path, 65534, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Conflict) ||
			!strings.Contains(fault.Sentence(err), "another user (uid 65534") {
			t.Errorf("%q: %v", name, err)
		}
		file, unheard := filepath.Join(t.TempDir(), "b.zip"), func(backup.Progress) {}
		_, restore := server.Restore(t.Context(), o, file, false, unheard)
		for what, err := range map[string]error{"backup": server.Backup(t.Context(), o, file, unheard),
			"restore": restore} {
			for _, word := range []string{"this process runs as root", "sudo -u ", "chown -R 0 " + path} {
				if !fault.Is(err, fault.Conflict) || !strings.Contains(fault.Sentence(err), word) {
					t.Errorf("%s on %q: %v, want %q", what, name, err, word)
				}
			}
		}
		if err := os.Chown(path, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSocketWritableByOthersIsRefused(t *testing.T) {
	o := options(t)
	start(t, o)
	control := filepath.Join(o.Data, "control")
	send := func() error {
		_, err := server.Send(t.Context(), o, server.Command{Do: server.DoSetPassword, Name: "admin",
			Password: "a quiet harbour"})
		return err
	}
	if err := send(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(control, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := send(); !fault.Is(err, fault.Conflict) ||
		!strings.HasPrefix(fault.Sentence(err), control+" does not belong to the owner") {
		t.Errorf("connected to a socket that any user can create: %v", err)
	}
}
