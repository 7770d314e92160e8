package app

import (
	"context"
	"log/slog"
	"testing"

	"github.com/zalando/go-keyring"

	"spyglass/backend/server"
)

// TestKeyringHoldsTheInitialPasswordUntilItIsChanged restarts a portal several times, as a
// person does who opens the window.
func TestKeyringHoldsTheInitialPasswordUntilItIsChanged(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nobody/listens/there") // the keyring is a mock
	keyring.MockInit()
	folder := t.TempDir()
	var instance string
	start := func(meanwhile func(a *App)) {
		t.Helper()
		a, err := Open(t.Context(), server.Options{Data: folder, Listen: "127.0.0.1:0", Twice: true,
			Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := a.close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		if _, err := a.Launch(t.Context()); err != nil {
			t.Fatal(err)
		}
		instance = a.Setting.Instance
		meanwhile(a)
	}
	kept := func(account string) string {
		secret, _ := keyring.Get("Spyglass", instance+"/"+account)
		return secret
	}

	var first string
	start(func(a *App) { first = a.Passwords["admin"] })
	if first == "" || kept("admin") != first {
		t.Fatalf("the keyring has %q, want the first password", kept("admin"))
	}
	session := kept("session")
	start(func(a *App) { // signs out there
		if err := a.Sessions.EndUser(t.Context(), a.window.Load()); err != nil {
			t.Fatal(err)
		}
	})
	start(func(a *App) {
		if kept("session") == session || kept("admin") != first {
			t.Errorf("after signing out the keyring has the same session, or not the first password: %q", kept("admin"))
		}
		if err := a.Sessions.SetPassword(t.Context(), "admin", "one of their own"); err != nil {
			t.Fatal(err)
		}
	})
	start(func(a *App) {
		if kept("admin") != "" {
			t.Errorf("after the password was changed the keyring has %q still", kept("admin"))
		}
		if kept("session") == "" {
			t.Error("the next start has no session to begin with")
		}
	})
}
