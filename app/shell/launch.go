package shell

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
)

// OpenPrivately opens an address with a sign-in token in the system's browser.
// Every user of a machine can read the command lines of its programs, so the
// browser gets a page in folder instead, which only this user can read and which
// redirects to the address. remove deletes the page.
func (n *Native) OpenPrivately(folder, address string) (remove func(), err error) {
	address, err = webAddress(address)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join(folder, "open.html"))
	if err != nil {
		return nil, err
	}
	_ = os.Remove(path) // a file of an earlier run: the new one gets the right mode
	page := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><meta name="referrer" `+
		`content="no-referrer"><title>Spyglass</title>`+
		`<meta http-equiv="refresh" content="0;url=%[1]s"><a href="%[1]s">Open Spyglass</a>`,
		html.EscapeString(address))
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		return nil, fmt.Errorf("cannot write the page that opens the browser: %w", err)
	}
	return func() { _ = os.Remove(path) }, n.OpenFolder(path)
}
