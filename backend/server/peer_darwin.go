package server

import (
	"net"

	"golang.org/x/sys/unix" // BSD-3-Clause: the standard library has no LOCAL_PEERCRED
)

// peerOf returns the user id of the process at the other end of a Unix socket.
func peerOf(conn *net.UnixConn) (uid int, known bool, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, true, err
	}
	var cred *unix.Xucred
	var failed error
	err = raw.Control(
		func(fd uintptr) { cred, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, true, err
	}
	return int(cred.Uid), true, nil
}
