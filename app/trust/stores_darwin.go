package trust

import (
	"context"
	"crypto/x509"
	"os"
	"path/filepath"

	"spyglass/backend/fault"
)

func (Computer) stores() []store { return []store{loginKeychain{}} }

// loginKeychain is the keychain of the user; macOS requests the password before it
// changes what is trusted.
type loginKeychain struct{}

const security = "/usr/bin/security"

func (loginKeychain) path() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, "Library", "Keychains", "login.keychain-db"), err
}

func (loginKeychain) state(_ context.Context, a Authority) State {
	_, err := a.Cert.Verify(x509.VerifyOptions{}) // macOS decides
	return State{Store: "Login keychain", Trusted: err == nil}
}

func (k loginKeychain) add(ctx context.Context, a Authority) error {
	if err := k.remove(ctx, a); err != nil {
		return err
	}
	keychain, err := k.path()
	if err != nil {
		return err
	}
	_, err = run(ctx, security, "add-trusted-cert", "-r", "trustRoot", "-p", "ssl", "-k", keychain, a.File)
	return err
}

func (k loginKeychain) remove(ctx context.Context, a Authority) error {
	keychain, err := k.path()
	if err != nil {
		return err
	}
	for range mostReplaced { // older certificates can have the same name
		if _, err := run(ctx, security, "find-certificate", "-c", a.name(), keychain); err != nil {
			return nil
		}
		// -t: its trust settings, too
		if _, err := run(ctx, security, "delete-certificate", "-t", "-c", a.name(), keychain); err != nil {
			return err
		}
	}
	return fault.New(fault.Conflict, "the login keychain has more than %d certificates named %q; delete them in "+
		"Keychain Access", mostReplaced, a.name())
}

const mostReplaced = 20
