package check_test

import (
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp" // names of types

	"spyglass/backend/check"
)

// hostile runs a server that handles each connection with do, and returns its
// port. The server closes over when the test ends.
func hostile(t *testing.T, do func(conn net.Conn, over <-chan struct{})) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				do(conn, over)
			})
		}
	})
	t.Cleanup(func() { close(over); _ = l.Close(); running.Wait() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// heard reads a request, because checks ignore a response that precedes it. It
// reads all bytes: with unread bytes the close would reset the connection.
func heard(conn net.Conn) { _, _ = conn.Read(make([]byte, 64<<10)) }

// drips returns a handler that writes beginning, and then a byte per second.
func drips(beginning string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, over <-chan struct{}) {
		heard(conn)
		_, err := conn.Write([]byte(beginning))
		for each := time.NewTicker(time.Second); err == nil; {
			select {
			case <-each.C:
				_, err = conn.Write([]byte("x"))
			case <-over:
				return
			}
		}
	}
}

// floods returns a handler that writes beginning, and then repeats rest
// endlessly.
func floods(beginning, rest string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, _ <-chan struct{}) {
		heard(conn)
		many := []byte(strings.Repeat(rest, 64<<10/len(rest)))
		_, err := conn.Write([]byte(beginning))
		for err == nil {
			_, err = conn.Write(many)
		}
	}
}

func TestHostileServersFailOnlyTheirCheck(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n"
	resets := hostile(t, func(conn net.Conn, _ <-chan struct{}) { _ = conn.(*net.TCPConn).SetLinger(0) })
	garbles := hostile(t, func(conn net.Conn, _ <-chan struct{}) {
		heard(conn)
		_, _ = conn.Write([]byte("\x00\xff\x16\x03 what?\r\n\r\n"))
	})
	hangs := hostile(t, func(_ net.Conn, over <-chan struct{}) { <-over })
	page := func(port string) check.Task {
		return check.Task{Method: "http", Attributes: attributes("url", "http://127.0.0.1:"+port+"/", "timeout", "400")}
	}
	keys := func(port string) check.Task {
		return check.Task{Method: "tls", Host: "127.0.0.1", Attributes: attributes("port", port, "timeout", "400")}
	}
	open := func(port string) check.Task {
		return check.Task{Method: "tcp", Host: "127.0.0.1", Attributes: attributes("port", port, "timeout", "400")}
	}
	patient := page(hostile(t, floods(head+"\r\n", "all is well ")))
	patient.Attributes["timeout"], patient.Attributes["text"] = "20000", "well"
	lines := page(hostile(t, floods(head, "X-More: and more\r\n")))
	lines.Attributes["timeout"] = "20000"
	line := page(hostile(t, floods(head+"X-Long: ", "and more ")))
	line.Attributes["timeout"] = "20000"
	measure(t, []measured{
		{"a page of no such host", check.Task{Method: "http", Attributes: attributes("url", "http://nobody.invalid/")},
			nil, "nobody.invalid"},
		{"a certificate of no such host", check.Task{Method: "tls", Host: "nobody.invalid"}, nil, "nobody.invalid"},
		{"a port of no such host",
			check.Task{Method: "tcp", Host: "nobody.invalid", Attributes: attributes("port", "80")},
			check.Values{"status": 0}, "The name nobody.invalid does not exist."},
		{"a page that resets", page(resets), nil, "127.0.0.1:" + resets},
		{"a certificate that resets", keys(resets), nil, "closed the connection."},
		{"a page of garbage", page(garbles), nil, "malformed"},
		{"a certificate of garbage", keys(garbles), nil, "The port does not speak TLS."},
		{"a page that hangs", page(hangs), nil, " did not respond within 0.4 s."},
		{"a certificate that hangs", keys(hangs), nil, "127.0.0.1 did not respond within 0.4 s."},
		{"a port that hangs", open(hangs), check.Values{"status": 1}, ""},
		{"a page of one byte a second", page(hostile(t, drips(head+"\r\n"))), nil, "deadline"},
		{"a header of one byte a second", page(hostile(t, drips(head))), nil, "did not respond within"},
		{"a certificate of one byte a second", keys(hostile(t, drips("\x16\x03\x03\x40\x00"))), nil,
			"did not respond within"},
		{"a page without an end", patient, check.Values{"status": 200, "size": 1 << 20, "found": 1}, ""},
		{"headers without an end", lines, nil, "header"},
		{"a header without an end", line, nil, "header"},
		{"a certificate without an end", keys(hostile(t, floods("", "\x16\x03\x03\xff\xff"))), nil,
			"The port does not speak TLS."},
		{"a port without an end", open(hostile(t, floods("", "x"))), check.Values{"status": 1}, ""},
	})
}

func TestInconsistentSNMPAgentGivesNoNumbers(t *testing.T) {
	const counter, gauge, other = ".1.3.6.1.2.1.31.1.1.1.6.2", ".1.3.6.1.2.1.2.2.1.8.2", ".1.3.6.1.4.1.9999.1"
	says := func(kind gosnmp.Asn1BER, value any) *snmpAgent {
		return newAgent(t, gosnmp.Version2c, nil, []gosnmp.SnmpPDU{{Name: counter, Type: kind, Value: value},
			{Name: gauge, Type: gosnmp.Integer, Value: 1}})
	}
	lies := func(how func(out *gosnmp.SnmpPacket)) *snmpAgent {
		a := says(gosnmp.Counter64, uint64(5))
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lie = how
		return a
	}
	fields := []string{counter, gauge}
	const none, only = "has none of the requested OIDs", 1.0
	cases := []measured{
		{"a text for a counter", says(gosnmp.OctetString, "very many").task(fields), check.Values{gauge: only}, ""},
		{"a text that is no number", says(gosnmp.OctetString, "NaN").task(fields), check.Values{gauge: only}, ""},
		{"an infinite text", says(gosnmp.OctetString, "-Infinity").task(fields), check.Values{gauge: only}, ""},
		{"an OID for a counter", says(gosnmp.ObjectIdentifier, ".1.3.6.1").task(fields), check.Values{gauge: only}, ""},
		{"an address for a counter", says(gosnmp.IPAddress, "10.0.0.1").task(fields), check.Values{gauge: only}, ""},
		{"nothing for a counter", says(gosnmp.Null, nil).task(fields), check.Values{gauge: only}, ""},
		{"the largest counter", says(gosnmp.Counter64, uint64(math.MaxUint64)).task(fields),
			check.Values{counter: math.MaxUint64, gauge: only}, ""},
		{"other OIDs than requested", lies(func(out *gosnmp.SnmpPacket) {
			for i := range out.Variables {
				out.Variables[i].Name = other
			}
		}).task(fields), nil, none},
		{"more OIDs than requested", lies(func(out *gosnmp.SnmpPacket) {
			for i := range 300 {
				out.Variables = append(out.Variables, gosnmp.SnmpPDU{Name: fmt.Sprintf("%s.%d", other, i),
					Type: gosnmp.Integer, Value: i})
			}
		}).task(fields), check.Values{counter: 5, gauge: only}, ""},
		{"no OID at all", lies(func(out *gosnmp.SnmpPacket) { out.Variables = nil }).task(fields), nil, none},
		{"an error about an OID that was not requested",
			lies(func(out *gosnmp.SnmpPacket) { out.Error, out.ErrorIndex = gosnmp.NoSuchName, 200 }).task(fields), nil,
			"responds with NoSuchName"},
		{"an error without a name", lies(func(out *gosnmp.SnmpPacket) { out.Error = 99 }).task(fields), nil,
			"responds with"},
		{"another request's answer", lies(func(out *gosnmp.SnmpPacket) { out.RequestID++ }).task(fields), nil,
			"no SNMP agent responds"},
	}
	for i := range cases {
		cases[i].task.Properties["snmp.community"] = "harbour"
		cases[i].task.Attributes["timeout"] = "300"
	}
	measure(t, cases)
}

func TestTruncatedOrMalformedSNMPResponseIsAnError(t *testing.T) {
	const oid = ".1.3.6.1.2.1.1.3.0"
	a := newAgent(t, gosnmp.Version2c, nil, []gosnmp.SnmpPDU{{Name: oid, Type: gosnmp.TimeTicks, Value: uint32(4711)}})
	task := a.task([]string{oid}, "snmp.community", "harbour")
	task.Attributes["timeout"] = "60"
	var whole atomic.Int64
	tear := func(how func([]byte) []byte) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.tear = func(raw []byte) []byte {
			whole.Store(int64(len(raw)))
			return how(raw)
		}
	}
	tear(func(raw []byte) []byte { return raw })
	if got, err := look(t, &check.Dialer{}, task); err != nil || got[oid] != 4711 {
		t.Fatalf("whole, it gives %v (%v)", got, err)
	}
	bytes := int(whole.Load()) // responses differ in length, because the request has a random number
	for n := 0; n < bytes; n += 5 {
		tear(func(raw []byte) []byte { return raw[:min(n, len(raw)-1)] })
		if got, err := look(t, &check.Dialer{}, task); err == nil {
			t.Errorf("the first %d of %d bytes give %v", n, bytes, got)
		}
	}
	for n := range bytes {
		tear(func(raw []byte) []byte { raw[min(n, len(raw)-1)] = 0xff; return raw })
		if got, err := look(t, &check.Dialer{}, task); err == nil && len(got) != 1 {
			t.Errorf("with byte %d garbled it gives %v", n, got)
		}
	}
}
