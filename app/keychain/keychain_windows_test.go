package keychain

import (
	"log/slog"
	"testing"

	"spyglass/backend/fault"
)

func TestCredentialManagerKeepsASecretUntilItIsDeleted(t *testing.T) {
	open := func() *Keychain { return Open("Spyglass test", slog.New(slog.DiscardHandler)) }
	const secret = "geheim: \u00fc, \"quoted\""
	for range 2 { // the second time replaces
		if !open().Set("session", secret) {
			t.Error("the secret does not outlast the process")
		}
	}
	k := open() // has nothing in memory
	if got, err := k.Get("session"); got != secret || err != nil {
		t.Errorf("the secret is %q (%v), want %q", got, err, secret)
	}
	if ok, why := k.Available(); !ok {
		t.Errorf("there is no keyring: %s", why)
	}
	if err := open().Delete("session"); err != nil {
		t.Error(err)
	}
	if got, err := open().Get("session"); !fault.Is(err, fault.Unknown) {
		t.Errorf("after it was deleted the secret is %q (%v), want fault.Unknown", got, err)
	}
}
