package server

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// portFile stores the port of a portal on a desktop, so that copied commands,
	// bookmarks and clients' base addresses still work after a restart.
	portFile = "port"
	// usualPort is the port of a new portal on a desktop. It is below the ports
	// that systems assign automatically.
	usualPort = 8585
)

// listenAgain listens on the port of the last start, or on usualPort at the first
// start. If another program uses that port, it uses a free one for this run; the
// stored port does not change. A failure to store the port is only logged.
func listenAgain(o Options) (net.Listener, error) {
	file := filepath.Join(o.Data, portFile)
	port, known := readPort(file)
	again := o
	again.Listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	l, err := listen(again)
	if err != nil {
		o.Log.Info("the usual port is taken by another program; this run uses a free one", "port", port)
		if l, err = listen(o); err != nil {
			return nil, err
		}
	}
	if !known {
		_, port, _ := net.SplitHostPort(l.Addr().String())
		if err := os.WriteFile(file, []byte(port+"\n"), 0o600); err != nil {
			o.Log.Warn("the port cannot be stored; the next start may use another one", "file", file, "err", err)
		}
	}
	return l, nil
}

// readPort returns the port in the file, or usualPort if there is none.
func readPort(file string) (port int, known bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return usualPort, false
	}
	port, err = strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || port < 1 || port > 65535 {
		return usualPort, false
	}
	return port, true
}
