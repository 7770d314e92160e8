package check_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns" // the server under test

	"spyglass/backend/check"
)

// zone holds the records of the tests' name server.
const zone = `
example.org.     60 IN A     192.0.2.1
example.org.     60 IN A     192.0.2.2
example.org.     60 IN AAAA  2001:db8::1
example.org.     60 IN MX    10 mail.example.org.
example.org.     60 IN TXT   "all is well"
example.org.     60 IN NS    ns.example.org.
example.org.     60 IN SOA   ns.example.org. host.example.org. 1 2 3 4 5
www.example.org. 60 IN CNAME example.org.
1.2.0.192.in-addr.arpa. 60 IN PTR example.org.
`

// nameServer serves the zone over UDP and TCP on the same port.
func nameServer(t *testing.T) (port string) {
	t.Helper()
	var records []dns.RR
	for parser := dns.NewZoneParser(strings.NewReader(zone), "", ""); ; {
		record, ok := parser.Next()
		if !ok {
			break
		}
		records = append(records, record)
	}
	response := func(w dns.ResponseWriter, q *dns.Msg) {
		m, question := new(dns.Msg).SetReply(q), q.Question[0]
		switch _, overUDP := w.RemoteAddr().(*net.UDPAddr); {
		case question.Name == "broken.example.org.":
			m.Rcode = dns.RcodeServerFailure
		case question.Name == "long.example.org." && overUDP:
			m.Truncated = true
		case question.Name == "long.example.org.":
			for range 30 {
				m.Answer = append(m.Answer,
					&dns.A{Hdr: dns.RR_Header{Name: question.Name, Rrtype: dns.TypeA, Class: dns.ClassINET},
						A: net.IPv4(192, 0, 2, 9)})
			}
		case question.Name == "nobody.example.org.":
			m.Rcode = dns.RcodeNameError
		}
		for _, record := range records {
			if kind := record.Header().Rrtype; record.Header().Name == question.Name &&
				(kind == question.Qtype || kind == dns.TypeCNAME) {
				m.Answer = append(m.Answer, record)
			}
		}
		_ = w.WriteMsg(m)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	packets, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*dns.Server{{Listener: l}, {PacketConn: packets}} {
		s.Handler = dns.HandlerFunc(response)
		ready, done := make(chan struct{}), make(chan struct{})
		s.NotifyStartedFunc = func() { close(ready) }
		go func() { defer close(done); _ = s.ActivateAndServe() }()
		<-ready
		t.Cleanup(func() { _ = s.Shutdown(); <-done })
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// mute returns the number of a UDP port that receives packets and never responds.
func mute(t *testing.T) (port string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, port, _ = net.SplitHostPort(conn.LocalAddr().String())
	return port
}

func TestDNSCheckQueriesTheDevice(t *testing.T) {
	port, silent := nameServer(t), mute(t)
	query := func(name, kind string, more ...string) check.Task {
		return check.Task{Method: "dns", Host: "127.0.0.1",
			Attributes: attributes(append(more, "port", port, "host", name, "type", kind)...)}
	}
	answers := func(n float64) check.Values { return check.Values{"answers": n} }
	measure(t, []measured{
		{"two addresses", query("example.org", "A"), answers(2), ""},
		{"the usual type", query("example.org", ""), answers(2), ""},
		{"a name with a dot", query("example.org.", "aaaa"), answers(1), ""},
		{"mail", query("example.org", "MX"), answers(1), ""},
		{"text", query("example.org", "TXT"), answers(1), ""},
		{"name servers", query("example.org", "NS"), answers(1), ""},
		{"the zone", query("example.org", "SOA"), answers(1), ""},
		{"another name", query("www.example.org", "CNAME"), answers(1), ""},
		{"another name is no address", query("www.example.org", "A"), answers(0), ""},
		{"an address", query("192.0.2.1", "PTR"), answers(1), ""},
		{"no such name", query("nobody.example.org", "A"), answers(0), ""},
		{"more than fits a packet", query("long.example.org", "A"), answers(30), ""},
		{"a server that fails", query("broken.example.org", "A"), nil, "127.0.0.1:" + port + " returned SERVFAIL"},
		{"no name", query("", "A"), nil, `the host is "", which is not a valid name`},
		{"another type", query("example.org", "AXFR"), nil,
			`the type must be A, AAAA, MX, TXT, NS, CNAME, SOA, PTR, not ` +
				`"AXFR"`},
		{
			"nobody answers",
			check.Task{Method: "dns", Host: "127.0.0.1", Attributes: attributes("port", silent, "host", "example.org",
				"timeout", "50")}, nil, "127.0.0.1:" + silent + " did not respond within"},
	})
}

func TestDNSAndSNMPEndWhenTheirContextIsCancelled(t *testing.T) {
	silent := mute(t)
	for _, task := range []check.Task{
		{Host: "127.0.0.1", Method: "dns", Attributes: attributes("host", "example.org", "port", silent)},
		{Host: "127.0.0.1", Method: "snmp", Properties: attributes("snmp.port", silent),
			Fields: []string{".1.3.6.1.2.1.1.3.0"}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(30*time.Millisecond, cancel)
		if got, err := check.Run(ctx, check.All(&check.Dialer{}), &task); err == nil ||
			!strings.Contains(err.Error(), "canceled") {
			t.Errorf("%s: got %v (%v)", task.Method, got, err)
		}
	}
}
