package server_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A thousand connections of four kinds are open while the portal serves other clients,
// and none of them delays its stop.
func TestThousandSlowConnectionsDelayNoOthers(t *testing.T) {
	o := options(t)
	o.NoLimits = true
	s := start(t, o)
	bearer := token(t, o, "admin")
	sorts := []string{
		"",                                       // silent
		"GET / HTTP/1.1\r\nHost: " + s.Address(), // half a header
		// a body that never arrives
		"POST /explorer/exchange/import HTTP/1.1\r\nHost: " + s.Address() +
			"\r\nAuthorization: LMv1 x\r\nContent-Type: application/json\r\nContent-Length: 60000000\r\n\r\n{",
		// responses that the client never reads
		strings.Repeat("GET / HTTP/1.1\r\nHost: "+s.Address()+"\r\n\r\n", 50),
	}
	for i := range 1000 {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if err := c.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, sorts[i%len(sorts)]) // the portal may have closed the connection already
	}
	for range 100 {
		if status, body := get(t, s, bearer, "/api/device/devices"); status != 200 {
			t.Fatalf("%d %v", status, body)
		}
	}
}
