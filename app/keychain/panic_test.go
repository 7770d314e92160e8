package keychain

import (
	"errors"
	"log/slog"
	"testing"
	"time"
)

func TestPanicInTheKeyringIsAnErrorAndReleasesTheLock(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // no bus listens there
	k := &Keychain{service: "Spyglass", log: slog.New(slog.DiscardHandler), limit: time.Minute,
		turn: make(chan struct{}, 1), memory: map[string]kept{}}
	for range 2 {
		if err := k.call(func() error { panic("a library of the keyring") }); !errors.Is(err, errBroken) {
			t.Errorf("the keyring returned %v", err)
		}
	}
}
