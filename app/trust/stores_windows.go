package trust

import (
	"context"
	"crypto/x509"
	"os"
	"path/filepath"
)

func (Computer) stores() []store { return []store{userRoots{}} }

// userRoots is the user's store of root certificates; Windows shows a dialog before it
// changes.
type userRoots struct{}

// certutil returns the path of Windows' own program: NSS has one of that name, too.
func certutil() string {
	root := os.Getenv("SystemRoot")
	if root == "" {
		root = `C:\Windows`
	}
	return filepath.Join(root, "System32", "certutil.exe")
}

func (userRoots) state(_ context.Context, a Authority) State {
	_, err := a.Cert.Verify(x509.VerifyOptions{}) // Windows decides
	return State{Store: "Windows, this user", Trusted: err == nil}
}

func (r userRoots) add(ctx context.Context, a Authority) error {
	if err := r.remove(ctx, a); err != nil {
		return err
	}
	_, err := run(ctx, certutil(), "-user", "-addstore", "Root", a.File)
	return err
}

func (userRoots) remove(ctx context.Context, a Authority) error {
	if _, err := run(ctx, certutil(), "-user", "-store", "Root", a.name()); err != nil {
		return nil // it is not there
	}
	_, err := run(ctx, certutil(), "-user", "-delstore", "Root", a.name()) // and older certificates with that name
	return err
}
