package server

import (
	"crypto/rand"
	"net"

	"github.com/Microsoft/go-winio" // MIT: named pipes as a net.Listener
	"golang.org/x/sys/windows"      // BSD-3-Clause: the owner of a pipe

	"spyglass/backend/fault"
	"spyglass/backend/private"
)

// pipeBuffer is the number of bytes that one side can write before the other reads.
const pipeBuffer = 64 << 10

// listen opens a named pipe that only the user can open, and returns its name. The
// name is random, so that no other program can have used it.
func (c *control) listen(string) (name string, err error) {
	me, err := private.User()
	if err != nil {
		return "", err
	}
	name = `\\.\pipe\spyglass-` + rand.Text()
	// the owner is named, because that of an administrator's pipe is the group
	c.listener, err = winio.ListenPipe(name, &winio.PipeConfig{
		SecurityDescriptor: "O:" + me.String() + "D:P(A;;GA;;;" + me.String() + ")",
		InputBufferSize:    pipeBuffer, OutputBufferSize: pipeBuffer,
	})
	if err != nil {
		return "", fault.New(fault.Conflict, "the control channel %s cannot be opened: %v", name, cause(err))
	}
	occupy(name)
	return name, nil
}

// occupy connects to the placeholder with which winio reserves the name before it
// accepts connections. Windows refuses that; Wine would let the first client wait
// there for ever.
func occupy(name string) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return
	}
	if pipe, err := windows.CreateFile(path, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0); err == nil {
		_ = windows.CloseHandle(pipe)
	}
}

// dialChannel connects to a pipe. ours reports whether it belongs to the current
// user, because the access list of the pipe excludes all other users.
func dialChannel(_, name string) (conn net.Conn, ours bool, err error) {
	timeout := controlTimeout
	if conn, err = winio.DialPipe(name, &timeout); err != nil {
		return nil, false, err
	}
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return conn, false, nil
	}
	sd, err := windows.GetSecurityInfo(windows.Handle(pipe.Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return conn, false, nil
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return conn, false, nil
	}
	me, err := private.User()
	return conn, err == nil && owner.Equals(me), nil
}

// mayCommand returns true: only the user can open the pipe.
func mayCommand(net.Conn) bool { return true }
