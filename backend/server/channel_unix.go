//go:build unix

package server

import (
	"errors"
	"net"
	"os"
	"path/filepath"

	"spyglass/backend/fault"
)

// longestSocket limits the path of a Unix socket to a length that every system
// supports.
const longestSocket = 100

// listen opens a Unix socket in the data folder, which only its user can enter, and
// returns its path. The path of a deep folder may be too long for a socket; then
// the socket is in a temporary folder.
func (c *control) listen(data string) (path string, err error) {
	if path, err = filepath.Abs(filepath.Join(data, "control.sock")); err != nil {
		return "", err
	}
	if len(path) > longestSocket {
		if c.folder, err = os.MkdirTemp("", "spyglass-"); err != nil {
			return "", err
		}
		path = filepath.Join(c.folder, "control.sock")
	}
	// left by a killed process; this process holds the lock
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if c.listener, err = net.Listen("unix", path); err != nil {
		return "", fault.New(fault.Conflict, "the control socket %s cannot be opened: %v", path, cause(err))
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return "", errors.Join(err, c.listener.Close())
	}
	return path, nil
}

// dialChannel connects to a socket. ours reports whether the process at the other
// end belongs to the data folder's owner.
func dialChannel(data, path string) (conn net.Conn, ours bool, err error) {
	folder, err := os.Stat(data)
	if err != nil {
		return nil, false, err
	}
	if conn, err = net.DialTimeout("unix", path, controlTimeout); err != nil {
		return nil, false, err
	}
	owner, _ := ownerOf(folder)
	uid, known, err := peerOf(conn.(*net.UnixConn))
	return conn, err == nil && (!known || uid == owner), nil
}

// mayCommand reports whether the process at the other end belongs to our user or
// to root.
func mayCommand(conn net.Conn) bool {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	uid, known, err := peerOf(socket)
	return err == nil && (!known || uid == os.Geteuid() || uid == 0)
}
