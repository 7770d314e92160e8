package check_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gosnmp/gosnmp" // names of types

	"spyglass/backend/check"
)

// switchRows returns the rows of a switch with three interfaces.
func switchRows() []gosnmp.SnmpPDU {
	rows := []gosnmp.SnmpPDU{{Name: ".1.3.6.1.2.1.1.3.0", Type: gosnmp.TimeTicks, Value: uint32(4711)},
		{Name: ".1.3.6.1.2.1.1.5.0", Type: gosnmp.OctetString, Value: " 21.5 "},
		{Name: ".1.3.6.1.2.1.1.6.0", Type: gosnmp.OctetString, Value: "Oslo"}}
	for i, name := range []string{"lo", "Ethernet1", "Ethernet12"} {
		at := []int{1, 2, 12}[i]
		rows = append(rows,
			gosnmp.SnmpPDU{Name: fmt.Sprintf(".1.3.6.1.2.1.2.2.1.2.%d", at), Type: gosnmp.OctetString,
				Value: "port " + name},
			gosnmp.SnmpPDU{Name: fmt.Sprintf(".1.3.6.1.2.1.2.2.1.3.%d", at), Type: gosnmp.Integer,
				Value: []int{24, 6, 6}[i]},
			gosnmp.SnmpPDU{Name: fmt.Sprintf(".1.3.6.1.2.1.2.2.1.6.%d", at), Type: gosnmp.OctetString,
				Value: []byte{0, 0x1b, 0xfe, byte(at)}},
			gosnmp.SnmpPDU{Name: fmt.Sprintf(".1.3.6.1.2.1.2.2.1.8.%d", at), Type: gosnmp.Integer, Value: i},
			gosnmp.SnmpPDU{Name: fmt.Sprintf(".1.3.6.1.2.1.31.1.1.1.1.%d", at), Type: gosnmp.OctetString, Value: name},
			gosnmp.SnmpPDU{Name: fmt.Sprintf(".1.3.6.1.2.1.31.1.1.1.6.%d", at), Type: gosnmp.Counter64,
				Value: uint64(1<<40 + at)},
		)
	}
	return append(rows, gosnmp.SnmpPDU{Name: ".1.3.6.1.2.1.31.1.1.1.18.2", Type: gosnmp.OctetString,
		Value: "Uplink\x00"})
}

func sealed() *gosnmp.UsmSecurityParameters {
	return &gosnmp.UsmSecurityParameters{UserName: "spyglass", AuthenticationProtocol: gosnmp.SHA256,
		AuthenticationPassphrase: "hazel-otter-41", PrivacyProtocol: gosnmp.AES, PrivacyPassphrase: "teal-anchor-30"}
}

var user = []string{"snmp.version", "v3", "snmp.security", "spyglass", "snmp.auth", "SHA-256", "snmp.authtoken",
	"hazel-otter-41", "snmp.privtoken", "teal-anchor-30"}

func TestSNMPReadsNumbers(t *testing.T) {
	const octets, status, absent = ".1.3.6.1.2.1.31.1.1.1.6.##WILDVALUE##", "1.3.6.1.2.1.2.2.1.8.##wildvalue##",
		".1.3.6.1.2.1.1.9.0"
	fields := []string{octets, absent, status, ".1.3.6.1.2.1.1.3.0", ".1.3.6.1.2.1.1.5.0", ".1.3.6.1.2.1.1.6.0"}
	want := check.Values{octets: 1<<40 + 2, status: 1, ".1.3.6.1.2.1.1.3.0": 4711, ".1.3.6.1.2.1.1.5.0": 21.5}
	one, two, three := newAgent(t, gosnmp.Version1, nil, switchRows()),
		newAgent(t, gosnmp.Version2c, nil, switchRows()), newAgent(t, gosnmp.Version3, sealed(), switchRows())
	measure(t, []measured{
		{"version 1", one.task(fields, "snmp.version", "v1", "snmp.community", "harbour"), want, ""},
		{"version 2", two.task(fields, "snmp.community", "harbour"), want, ""},
		{"version 3", three.task(fields, user...), want, ""},
		{"nothing there", two.task([]string{absent}, "snmp.community", "harbour"), nil,
			"has none of the requested OIDs"},
		{"nothing there in version 1", one.task([]string{absent}, "snmp.version", "1", "snmp.community", "harbour"),
			nil, "has none of the requested OIDs"},
	})
}

func TestSNMPErrorsContainNoSecrets(t *testing.T) {
	two, three := newAgent(t, gosnmp.Version2c, nil, switchRows()), newAgent(t, gosnmp.Version3, sealed(), switchRows())
	fields := []string{".1.3.6.1.2.1.1.3.0"}
	with := func(pairs ...string) []string { return append(slices.Clone(user), pairs...) }
	gone := newAgent(t, gosnmp.Version2c, nil, nil)
	_ = gone.conn.Close()
	cases := []measured{
		{"another community", two.task(fields, "snmp.community", "kestrel-osl"), nil,
			"no SNMP agent responds at 127.0.0.1:" + two.port},
		{"another user", three.task(fields, with("snmp.security", "nobody")...), nil,
			"has no user with the name in snmp.security, or uses another"},
		{"another password", three.task(fields, with("snmp.authtoken", "kestrel-osl")...), nil,
			"uses another snmp.auth or snmp.authToken than the device's properties"},
		{"another secret", three.task(fields, with("snmp.privtoken", "kestrel-osl")...), nil,
			"uses another snmp.priv or snmp.privToken"},
		{"another version", two.task(fields, "snmp.version", "v4"), nil,
			`snmp.version must be v1, v2c or v3, not "v4"`},
		{"another signature", three.task(fields, with("snmp.auth", "kestrel-osl")...), nil, "snmp.auth must be " +
			"MD5, SHA"},
		{"another cipher", three.task(fields, with("snmp.priv", "kestrel-osl")...), nil, "snmp.priv must be DES, AES"},
		{"no user", three.task(fields, with("snmp.security", "")...), nil, "snmp.security is missing"},
		{"a secret alone", three.task(fields, with("snmp.authtoken", "")...), nil, "snmp.authToken is missing"},
		{"no OID", two.task([]string{"sysUpTime"}), nil, `"sysUpTime" is not an OID`},
		{"half an OID", two.task([]string{".1.3.6.##nothing##"}), nil, `".1.3.6." is not an OID`},
		{"no port", two.task(fields, "snmp.port", "snmp"), nil, `the port is "snmp", which is not a number`},
		{"nobody", gone.task(fields), nil, "nothing listens for SNMP at"},
		{"no such host", check.Task{Method: "snmp", Host: "nobody.invalid", Fields: fields}, nil, "nobody.invalid"},
	}
	for _, tt := range cases {
		got, err := look(t, &check.Dialer{}, tt.task)
		if err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %v (%v), want %q in the error", tt.name, got, err, tt.err)
			continue
		}
		for _, secret := range []string{"kestrel-osl", "hazel-otter-41", "teal-anchor-30"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %q tells a secret", tt.name, err)
			}
		}
	}
}

func TestSNMPRequestsAtMostFiftyOIDsAndFewerIfTooBig(t *testing.T) {
	var rows []gosnmp.SnmpPDU
	var fields []string
	want := check.Values{}
	for i := 1; i <= 120; i++ {
		oid := fmt.Sprintf(".1.3.6.1.4.1.9999.%d", i)
		rows, fields = append(rows, gosnmp.SnmpPDU{Name: oid, Type: gosnmp.Gauge32, Value: uint32(i)}),
			append(fields, oid)
		want[oid] = float64(i)
	}
	large, small := newAgent(t, gosnmp.Version2c, nil, rows), newAgent(t, gosnmp.Version2c, nil, rows)
	small.limit(20)
	measure(t, []measured{
		{"a large agent", large.task(fields, "snmp.community", "harbour"), want, ""},
		{"a small agent", small.task(fields, "snmp.community", "harbour"), want, ""},
	})
	if want := []int{50, 50, 20}; !slices.Equal(large.requests(), want) {
		t.Errorf("the large agent received requests for %v, want %v", large.requests(), want)
	}
	if want := []int{50, 25, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12}; !slices.Equal(small.requests(), want) {
		t.Errorf("the small agent received requests for %v, want %v", small.requests(), want)
	}
}

func TestSNMPFindsTheInstancesOfATable(t *testing.T) {
	const columns, more = ".1.3.6.1.2.1.2.2.1.", ".1.3.6.1.2.1.31.1.1.1."
	interfaces := map[string]any{"name": "snmp", "discoveryType": "wildcard", "OID": columns + "2", "lookupOID": more +
		"1", "descriptionOID": more + "18"}
	named := []check.Found{{"1", "lo", ""}, {"2", "Ethernet1", "Uplink"}, {"12", "Ethernet12", ""}}
	one, two, three := newAgent(t, gosnmp.Version1, nil, switchRows()),
		newAgent(t, gosnmp.Version2c, nil, switchRows()), newAgent(t, gosnmp.Version3, sealed(), switchRows())
	for _, tt := range []struct {
		name       string
		agent      *snmpAgent
		method     map[string]any
		properties []string
		want       []check.Found
		err        string
	}{
		{"version 1", one, interfaces, []string{"snmp.version", "v1"}, named, ""},
		{"version 2", two, interfaces, nil, named, ""},
		{"version 3", three, interfaces, user, named, ""},
		{"without names", two, map[string]any{"OID": columns + "2"}, nil,
			[]check.Found{{"1", "port lo", ""}, {"2", "port Ethernet1", ""}, {"12", "port Ethernet12", ""}}, ""},
		{"by value", two, map[string]any{"OID": columns + "6", "lookupOID": more + "1", "discoveryType": "value"}, nil,
			[]check.Found{{"00:1b:fe:01", "lo", ""}, {"00:1b:fe:02", "Ethernet1", ""},
				{"00:1b:fe:0c", "Ethernet12", ""}}, ""},
		{"without loopback", two, map[string]any{"OID": columns + "2", "lookupOID": more + "1", "typeOID": columns +
			"3", "skipTypes": "53, 24"}, nil, []check.Found{{"2", "Ethernet1", ""}, {"12", "Ethernet12", ""}}, ""},
		{"of an agent that tells no types", two, map[string]any{"OID": columns + "2", "lookupOID": more + "1",
			"typeOID": columns + "4", "skipTypes": "24"}, nil, []check.Found{{"1", "lo", ""}, {"2", "Ethernet1", ""},
			{"12", "Ethernet12", ""}}, ""},
		{"an empty table", two, map[string]any{"OID": columns + "5"}, nil, []check.Found{}, ""},
		{"the last table", one, map[string]any{"OID": more + "18"}, []string{"snmp.version", "v1"},
			[]check.Found{{"2", "Uplink", ""}}, ""},
		{"no table", two, map[string]any{}, nil, nil, `OID: "" is not an OID`},
		{"another type", two, map[string]any{"discoveryType": "guess"}, nil, nil,
			`discoveryType must be wildcard, lookup or value, not "guess"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			properties := attributes(append([]string{"snmp.port", tt.agent.port, "snmp.community", "harbour"},
				tt.properties...)...)
			found, err := check.Discoverers(check.All(&check.Dialer{}))["snmp"].Discover(t.Context(),
				check.Search{Host: "127.0.0.1", Attributes: tt.method, Properties: properties})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("the error is %v, want %q in it", err, tt.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(found, tt.want) {
				t.Errorf("got %v (%v), want %v", found, err, tt.want)
			}
		})
	}
}

// checkNamed returns the check with this name from All.
func checkNamed(t *testing.T, name string) check.Check {
	t.Helper()
	for _, c := range check.All(&check.Dialer{}) {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no check %s", name)
	return check.Check{}
}

// values returns raw fields as text, in the order of their names.
func values(v check.Values) string {
	var out []string
	for name, n := range v {
		out = append(out, fmt.Sprintf("%s=%v", name, n))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
