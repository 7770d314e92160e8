package server

import (
	"net"

	"github.com/coreos/go-systemd/v22/activation" // Apache-2.0, by CoreOS: sockets that systemd has opened
	"github.com/coreos/go-systemd/v22/daemon"     // the same: what systemctl status shows

	"spyglass/backend/fault"
)

// InheritedSocket returns the socket that systemd has opened for this process (socket
// activation: LISTEN_FDS); nil if there is none. Call it once, before the process starts
// others.
func InheritedSocket() (net.Listener, error) {
	all, err := activation.Listeners()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if _, tcp := all[0].(*net.TCPListener); len(all) > 1 || !tcp {
		for _, l := range all {
			if l != nil {
				_ = l.Close()
			}
		}
		return nil, fault.New(fault.Invalid, "systemd has passed %d sockets, of which the first must be the only one, "+
			"and a TCP socket; correct ListenStream= in the socket unit", len(all))
	}
	return all[0], nil
}

// NotifyReady reports to systemd that the portal serves; status appears in systemctl
// status. Without systemd, it does nothing.
func NotifyReady(status string) error {
	_, err := daemon.SdNotify(false, daemon.SdNotifyReady+"\nSTATUS="+status)
	return err
}

// NotifyStatus sets the text that systemctl status shows. Without systemd, it does nothing.
func NotifyStatus(status string) error {
	_, err := daemon.SdNotify(false, "STATUS="+status)
	return err
}

// bind opens the port, unless o.Socket is open on it already.
func (o Options) bind() (net.Listener, error) {
	if o.Socket == nil {
		l, err := net.Listen("tcp", o.Listen)
		if err != nil {
			return nil, cannotListen(o.Listen, err, "Choose one with --listen; port 0 picks a free one")
		}
		return l, nil
	}
	_, want, err := net.SplitHostPort(o.Listen)
	if _, have, _ := net.SplitHostPort(o.Socket.Addr().String()); err != nil || have != want {
		_ = o.Socket.Close()
		return nil, fault.New(fault.Invalid, "systemd listens on %s, which is another port than that of --listen %s. "+
			"Use the same port in the socket unit and in the service", o.Socket.Addr(), o.Listen)
	}
	return o.Socket, nil
}
