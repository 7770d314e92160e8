package check_test

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gosnmp/gosnmp" // encodes the agent's packets

	"spyglass/backend/check"
)

// snmpAgent is a local SNMP agent. It speaks one version of SNMP with clients
// that have its community or, in v3, its user's passwords.
type snmpAgent struct {
	conn      net.PacketConn
	port      string
	speaks    *gosnmp.GoSNMP
	community string
	rows      []gosnmp.SnmpPDU // in order

	mu       sync.Mutex
	lie      func(*gosnmp.SnmpPacket) // makes a v2 response malicious; nil: leaves it valid
	tear     func(raw []byte) []byte  // changes the bytes of a response in transit
	mostOIDs int                      // requests for more get tooBig
	sizes    []int                    // number of OIDs of each request
}

const engine = "\x80\x00\x1f\x88\x80test-engine"

// newAgent starts an agent; user is nil except for v3.
func newAgent(t *testing.T, version gosnmp.SnmpVersion, user *gosnmp.UsmSecurityParameters,
	rows []gosnmp.SnmpPDU) *snmpAgent {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &snmpAgent{conn: conn, rows: rows, community: "harbour", mostOIDs: 1000,
		speaks: &gosnmp.GoSNMP{Version: version}}
	_, a.port, _ = net.SplitHostPort(conn.LocalAddr().String())
	if user != nil {
		user.AuthoritativeEngineID, user.AuthoritativeEngineBoots, user.AuthoritativeEngineTime = engine, 1, 1
		a.speaks.SecurityModel, a.speaks.SecurityParameters, a.speaks.MsgFlags = gosnmp.UserSecurityModel, user,
			gosnmp.AuthPriv
		if err := user.InitSecurityKeys(); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(a.rows, func(x, y gosnmp.SnmpPDU) int { return compareOID(x.Name, y.Name) })
	done := make(chan struct{})
	go func() { defer close(done); a.serve() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return a
}

func compareOID(x, y string) int {
	numbers := func(oid string) (out []int) {
		for part := range strings.SplitSeq(oid[1:], ".") {
			n, _ := strconv.Atoi(part)
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(x), numbers(y))
}

func (a *snmpAgent) serve() {
	buffer := make([]byte, 65536)
	for {
		n, from, err := a.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		if response := a.response(slices.Clone(buffer[:n])); response != nil {
			_, _ = a.conn.WriteTo(response, from)
		}
	}
}

func (a *snmpAgent) response(raw []byte) []byte {
	var q *gosnmp.SnmpPacket
	var err error
	if a.speaks.Version == gosnmp.Version3 {
		// this function verifies the signature, unlike the other
		q, err = a.speaks.UnmarshalTrap(slices.Clone(raw), true)
		if err != nil {
			return a.refuse(raw, err)
		}
		if len(q.Variables) == 0 { // engine discovery
			return a.report(q, "4", gosnmp.NoAuthNoPriv)
		}
		return a.seal(q, gosnmp.GetResponse, gosnmp.AuthPriv, a.find(q)...)
	}
	q, err = a.speaks.SnmpDecodePacket(raw)
	if err != nil || q.Version != a.speaks.Version || q.Community != a.community {
		return nil
	}
	out := &gosnmp.SnmpPacket{Version: q.Version, Community: q.Community, PDUType: gosnmp.GetResponse,
		RequestID: q.RequestID, Variables: a.find(q)}
	a.mu.Lock()
	tooBig, lie, tear := len(q.Variables) > a.mostOIDs, a.lie, a.tear
	a.mu.Unlock()
	if tooBig {
		out.Error, out.Variables = gosnmp.TooBig, q.Variables
	}
	for i, v := range out.Variables {
		if q.Version == gosnmp.Version1 && (v.Type == gosnmp.NoSuchInstance || v.Type == gosnmp.EndOfMibView) {
			out.Error, out.ErrorIndex, out.Variables = gosnmp.NoSuchName, uint8(i+1), q.Variables
			break
		}
	}
	if lie != nil {
		lie(out)
	}
	raw, _ = out.MarshalMsg()
	if tear != nil {
		raw = tear(raw)
	}
	return raw
}

// refuse returns the report with which agents refuse a v3 request.
func (a *snmpAgent) refuse(raw []byte, why error) []byte {
	q, err := a.speaks.SnmpDecodePacket(raw)
	if q == nil || q.MsgID == 0 {
		return nil
	}
	switch {
	case strings.Contains(why.Error(), "unknown user name"):
		return a.report(q, "3", gosnmp.NoAuthNoPriv)
	case err == nil, strings.Contains(why.Error(), "authentic"):
		return a.report(q, "5", gosnmp.NoAuthNoPriv)
	}
	return a.report(q, "6", gosnmp.AuthNoPriv) // the agent cannot decrypt the request
}

// report returns a response with a counter of usmStats.
func (a *snmpAgent) report(q *gosnmp.SnmpPacket, number string, flags gosnmp.SnmpV3MsgFlags) []byte {
	return a.seal(q, gosnmp.Report, flags, gosnmp.SnmpPDU{Name: ".1.3.6.1.6.3.15.1.1." + number + ".0",
		Type: gosnmp.Counter32, Value: uint32(1)})
}

func (a *snmpAgent) seal(q *gosnmp.SnmpPacket, kind gosnmp.PDUType, flags gosnmp.SnmpV3MsgFlags,
	rows ...gosnmp.SnmpPDU) []byte {
	out := &gosnmp.SnmpPacket{
		Version: gosnmp.Version3, MsgFlags: flags, SecurityModel: gosnmp.UserSecurityModel,
		SecurityParameters: a.speaks.SecurityParameters.Copy(),
		PDUType:            kind, MsgID: q.MsgID, RequestID: q.RequestID, ContextEngineID: engine, Variables: rows,
	}
	if err := a.speaks.SecurityParameters.InitPacket(out); err != nil {
		return nil
	}
	raw, _ := out.MarshalMsg()
	return raw
}

// find returns the rows at the OIDs of a request, or the rows after them.
func (a *snmpAgent) find(q *gosnmp.SnmpPacket) []gosnmp.SnmpPDU {
	a.mu.Lock()
	a.sizes = append(a.sizes, len(q.Variables))
	a.mu.Unlock()
	var out []gosnmp.SnmpPDU
	for _, v := range q.Variables {
		at, there := slices.BinarySearchFunc(a.rows, v.Name, func(row gosnmp.SnmpPDU, oid string) int {
			return compareOID(row.Name, oid)
		})
		switch {
		case q.PDUType == gosnmp.GetRequest && there:
			out = append(out, a.rows[at])
			continue
		case q.PDUType == gosnmp.GetRequest:
			out = append(out, gosnmp.SnmpPDU{Name: v.Name, Type: gosnmp.NoSuchInstance})
			continue
		case there:
			at++
		}
		many := 1
		if q.PDUType == gosnmp.GetBulkRequest {
			many = int(q.MaxRepetitions)
		}
		out = append(out, a.rows[at:min(at+many, len(a.rows))]...)
		if at+many > len(a.rows) {
			out = append(out, gosnmp.SnmpPDU{Name: v.Name, Type: gosnmp.EndOfMibView})
		}
	}
	return out
}

// limit sets the maximum number of OIDs per response.
func (a *snmpAgent) limit(oids int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mostOIDs = oids
}

// requests returns the number of OIDs of each request.
func (a *snmpAgent) requests() []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.sizes)
}

// task returns a task for the agent, with additional device properties.
func (a *snmpAgent) task(fields []string, properties ...string) check.Task {
	return check.Task{Method: "snmp", Host: "127.0.0.1", Wild: "2", Fields: fields,
		Attributes: attributes("timeout", "900"),
		Properties: attributes(append([]string{"snmp.port", a.port}, properties...)...)}
}
