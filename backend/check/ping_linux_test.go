package check_test

import (
	"fmt"
	"net"
	"syscall"
	"testing"

	"spyglass/backend/check"
)

// deaf returns a port with a full queue, which neither accepts nor refuses
// connections.
func deaf(t *testing.T) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), 0) }); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

func TestPingCountsLostPackets(t *testing.T) {
	got, err := check.PingWithoutICMP(&check.Dialer{}, deaf(t)).Run(t.Context(),
		&check.Task{Host: "127.0.0.1", Attributes: attributes("sendPkts", "3", "timeout", "50")})
	if want := "icmp=0 lossPercent=100 recvpkts=0 sentpkts=3"; fmt.Sprint(
		err) != "127.0.0.1 responded to none of 3 pings." || values(got) != want {
		t.Errorf("got %s (%v), want %s", values(got), err, want)
	}
}
