package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gosnmp/gosnmp" // SNMP in all its versions, with their ciphers
)

const (
	snmpWait = 10 * time.Second
	mostOIDs = 50 // in one packet
)

func snmpCheck(d *Dialer) Check {
	return Check{
		Name: "snmp", Title: "SNMP", PublishedName: "snmp", PublishedSearch: "ad_snmp",
		Needs: &Need{Property: "snmp.community", Secret: true, Category: "snmp",
			Label: "Community", Example: "public"},
		Doc: "Values from an SNMP agent. The raw fields are OIDs, in which ##WILDVALUE## is replaced by the " +
			"instance.",
		Attributes: []Setting{{"timeout", "how long to wait, in milliseconds; 10000 unless given. Each packet is " +
			"sent up to three times meanwhile"}},
		Properties: []Setting{
			{"snmp.version", "v1, v2c or v3; v2c unless given"}, {"snmp.port", "161 unless given"},
			{"snmp.community", "of v1 and v2c; public unless given"},
			{"snmp.security", "name of the user, of v3"},
			{"snmp.auth", "MD5, SHA, SHA224, SHA256, SHA384 or SHA512; SHA unless given"},
			{"snmp.authToken", "password for signing messages; empty: not signed"},
			{"snmp.priv", "DES, AES, AES192 or AES256; AES unless given"},
			{"snmp.privToken", "password for encrypting messages; empty: not encrypted"},
			{"snmp.contextName", "context of v3, where an agent has several"},
		},
		Fields: []Setting{{".1.3.6.1.2.1.1.3.0", "for example; any OID of a number, or of a text that is one"}},
		Run: func(ctx context.Context, t *Task) (Values, error) {
			ctx, cancel, err := t.within(ctx, snmpWait)
			if err != nil {
				return nil, err
			}
			defer cancel()
			fields, err := fieldsByOID(t)
			if err != nil {
				return nil, err
			}
			agent, err := d.snmp(ctx, t.Host, t.Property)
			if err != nil {
				return nil, err
			}
			defer agent.close()
			return agent.values(ctx, fields)
		},
		Find: d.snmpFind,
	}
}

// fieldsByOID returns the raw fields for each OID.
func fieldsByOID(t *Task) (map[string][]string, error) {
	fields := map[string][]string{}
	for _, field := range t.Fields {
		oid, err := cleanOID(t.expand(field))
		if err != nil {
			return nil, err
		}
		fields[oid] = append(fields[oid], field)
	}
	return fields, nil
}

// cleanOID returns an OID with a leading dot.
func cleanOID(text string) (string, error) {
	parts := strings.Split(strings.TrimPrefix(text, "."), ".")
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || i == 0 && n > 2 || len(parts) < 2 {
			return "", fmt.Errorf("%q is not an OID", text)
		}
	}
	return "." + strings.Join(parts, "."), nil
}

// agent is a connection to an SNMP agent. The caller closes it.
type agent struct {
	*gosnmp.GoSNMP
	at    string // host:port
	close func()
}

// snmp opens a socket to an agent, which closes when ctx ends. It sends nothing
// yet. property returns a property of the device, or otherwise if it has none.
func (d *Dialer) snmp(ctx context.Context, host string, property func(name, otherwise string) string) (*agent, error) {
	at, err := target(host, property("snmp.port", ""), 161)
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(at)
	n, _ := strconv.Atoi(port)
	wait := snmpWait
	if ends, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(ends))
	}
	x := &gosnmp.GoSNMP{
		Target: host, Port: uint16(n), Transport: "udp", //nolint:gosec // target has validated the port
		Context: ctx, Control: d.control,
		Timeout: max(wait/3, time.Millisecond), Retries: 2, MaxOids: mostOIDs,
	}
	if err := identify(x, property); err != nil {
		return nil, err
	}
	if err := x.Connect(); errors.Is(err, errRefused) {
		return nil, errRefused
	} else if err != nil {
		return nil, fmt.Errorf("SNMP at %s: %w", at, err)
	}
	conn := x.Conn
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	return &agent{x, at, func() { stop(); _ = conn.Close() }}, nil
}

// identify sets the version and the credentials for requests.
func identify(x *gosnmp.GoSNMP, property func(name, otherwise string) string) error {
	switch version := strings.ToLower(property("snmp.version", "v2c")); version {
	case "v1", "1":
		x.Version, x.Community = gosnmp.Version1, property("snmp.community", "public")
	case "v2c", "v2", "2c", "2":
		x.Version, x.Community = gosnmp.Version2c, property("snmp.community", "public")
	case "v3", "3":
		x.Version, x.ContextName = gosnmp.Version3, property("snmp.contextname", "")
		return identifyUser(x, property)
	default:
		return fmt.Errorf("snmp.version must be v1, v2c or v3, not %q", version)
	}
	if len(x.Community) > 127 {
		return errors.New("snmp.community is longer than 127 bytes")
	}
	return nil
}

var (
	signatures = map[string]gosnmp.SnmpV3AuthProtocol{
		"MD5": gosnmp.MD5, "SHA": gosnmp.SHA, "SHA1": gosnmp.SHA, "SHA224": gosnmp.SHA224, "SHA256": gosnmp.SHA256,
		"SHA384": gosnmp.SHA384, "SHA512": gosnmp.SHA512,
	}
	ciphers = map[string]gosnmp.SnmpV3PrivProtocol{"DES": gosnmp.DES, "AES": gosnmp.AES, "AES128": gosnmp.AES,
		"AES192": gosnmp.AES192, "AES256": gosnmp.AES256}
)

func identifyUser(x *gosnmp.GoSNMP, property func(name, otherwise string) string) error {
	user := &gosnmp.UsmSecurityParameters{UserName: property("snmp.security", ""),
		AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv}
	if user.UserName == "" {
		return errors.New("snmp.security is missing: version v3 requires a user name")
	}
	x.SecurityModel, x.SecurityParameters, x.MsgFlags = gosnmp.UserSecurityModel, user, gosnmp.NoAuthNoPriv
	sign, secret := property("snmp.authtoken", ""), property("snmp.privtoken", "")
	if sign == "" && secret != "" {
		return errors.New("snmp.authToken is missing: snmp.privToken requires it, because encrypted messages are " +
			"also signed")
	}
	name := func(property string) string { return strings.ToUpper(strings.ReplaceAll(property, "-", "")) }
	if sign != "" {
		how, ok := signatures[name(property("snmp.auth", "SHA"))]
		if !ok {
			return errors.New("snmp.auth must be MD5, SHA, SHA224, SHA256, SHA384 or SHA512")
		}
		user.AuthenticationProtocol, user.AuthenticationPassphrase, x.MsgFlags = how, sign, gosnmp.AuthNoPriv
	}
	if secret != "" {
		how, ok := ciphers[name(property("snmp.priv", "AES"))]
		if !ok {
			return errors.New("snmp.priv must be DES, AES, AES192 or AES256")
		}
		user.PrivacyProtocol, user.PrivacyPassphrase, x.MsgFlags = how, secret, gosnmp.AuthPriv
	}
	return nil
}

// values requests OIDs, and returns their values by field.
func (a *agent) values(ctx context.Context, fields map[string][]string) (Values, error) {
	oids := make([]string, 0, len(fields))
	for oid := range fields {
		oids = append(oids, oid)
	}
	slices.Sort(oids)
	out := Values{}
	for size := mostOIDs; len(oids) > 0; {
		part := oids[:min(size, len(oids))]
		response, err := a.Get(part)
		switch {
		case err != nil:
			return nil, a.sentence(ctx, err)
		case response.Error == gosnmp.TooBig && len(part) > 1:
			size = len(part) / 2
			continue
		case response.Error == gosnmp.NoSuchName && response.ErrorIndex >= 1 && int(response.ErrorIndex) <= len(part):
			// v1 then returns no values, so request the others again
			oids = slices.Delete(oids, int(response.ErrorIndex)-1, int(response.ErrorIndex))
			continue
		case response.Error != gosnmp.NoError:
			return nil, &Failure{Text: fmt.Sprintf("the SNMP agent at %s responds with %s", a.at, response.Error),
				Responded: true}
		}
		for _, v := range response.Variables {
			if n, ok := numberOf(v); ok {
				for _, field := range fields[v.Name] {
					out[field] = n
				}
			}
		}
		oids = oids[len(part):]
	}
	if len(out) == 0 && len(fields) > 0 {
		return nil, &Failure{Text: fmt.Sprintf("the SNMP agent at %s has none of the requested OIDs", a.at),
			Responded: true}
	}
	return out, nil
}

// numberOf returns a value as a number; false if it is not numeric.
func numberOf(v gosnmp.SnmpPDU) (float64, bool) {
	switch n := v.Value.(type) {
	case int:
		return float64(n), true
	case uint:
		return float64(n), true
	case uint32:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float32:
		return float64(n), true
	case float64:
		return n, true
	case []byte:
		f, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimRight(string(n), "\x00")), 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return 0, false
}

// sentence describes an error, without secrets.
func (a *agent) sentence(ctx context.Context, err error) error {
	text := err.Error()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case exhausted(err), unreachable(err):
		return err
	case errors.Is(err, gosnmp.ErrUnknownUsername), errors.Is(err, gosnmp.ErrWrongDigest),
		strings.Contains(text, "authentic"):
		// The response for an unknown user is unsigned, so it looks like one with
		// a wrong signature.
		return &Failure{Text: fmt.Sprintf("the SNMP agent at %s has no user with the name in snmp.security, or uses "+
			"another snmp.auth or snmp.authToken than the device's properties", a.at), Responded: true}
	case errors.Is(err, gosnmp.ErrDecryption), strings.Contains(text, "crypt"):
		return &Failure{Text: fmt.Sprintf("the SNMP agent at %s uses another snmp.priv or snmp.privToken",
			a.at), Responded: true}
	case errors.Is(err, gosnmp.ErrUnknownSecurityLevel):
		return &Failure{Text: fmt.Sprintf("the SNMP agent at %s requires that user to sign or encrypt requests",
			a.at), Responded: true}
	case ctx.Err() != nil, errors.Is(err, gosnmp.ErrMaxRetriesExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, context.DeadlineExceeded):
		return &Failure{Text: fmt.Sprintf("no SNMP agent responds at %s; an agent also ignores requests with a wrong "+
			"community or version", a.at), Silent: true}
	case isClosed(err):
		return &Failure{Text: fmt.Sprintf("nothing listens for SNMP at %s", a.at), Responded: true}
	}
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Errorf("the response of the SNMP agent at %s is invalid: %s", a.at, line)
}
