package localca_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/localca"
	"spyglass/backend/private"
)

const named = "acme.example.test"

func options(t *testing.T, names ...string) localca.Options {
	return localca.Options{Data: t.TempDir(), Instance: "ab12", Names: names,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func open(t *testing.T, o localca.Options) *localca.Authority {
	t.Helper()
	a, err := localca.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// trusting returns a client that trusts an authority at a given time, and resolves every name to
// the server.
func trusting(t *testing.T, pem []byte, server *httptest.Server, now func() time.Time) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatal("there is no certificate")
	}
	var dialer net.Dialer
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, Time: now}, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	return &http.Client{Transport: transport}
}

func serve(t *testing.T, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	s.Listener = tls.NewListener(s.Listener, &tls.Config{GetCertificate: certificate, MinVersion: tls.VersionTLS12})
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func TestClientThatTrustsTheAuthorityReachesOnlyTheGivenNames(t *testing.T) {
	a := open(t, options(t, named))
	client := trusting(t, a.PEM(), serve(t, a.Certificate), nil)
	for _, tt := range []struct {
		host string
		err  string // part of the error; empty: none
	}{
		{host: named}, {host: "localhost"}, {host: "127.0.0.1"}, {host: "[::1]"},
		{"other.example.test", "not other.example.test"},
		{"example.com", "not example.com"},
		{"127.0.0.9", "not 127.0.0.9"}, // the constraint allows it, but the certificate does not cover it
	} {
		response, err := client.Get("https://" + tt.host + "/")
		if err == nil {
			_ = response.Body.Close()
		}
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("https://%s: %v, want %q", tt.host, err, tt.err)
		}
	}
}

// A thief of the key can issue certificates for other sites, but clients reject them.
func TestAuthorityKeyCannotSignOtherNames(t *testing.T) {
	o := options(t, named)
	a := open(t, o)
	ca, err := localca.Read(o.Data)
	if err != nil {
		t.Fatal(err)
	}
	if !ca.PermittedDNSDomainsCritical || !ca.MaxPathLenZero ||
		!slices.Equal(ca.PermittedDNSDomains, []string{"localhost", named}) ||
		!reflect.DeepEqual(ca.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}) {
		t.Errorf("the authority may vouch for %v %v", ca.PermittedDNSDomains, ca.ExtKeyUsage)
	}
	stolen := tlsKey(t, filepath.Join(o.Data, "https", "authority.key"))
	for _, tt := range []struct {
		host string
		ok   bool
	}{{named, true}, {"127.0.0.9", true}, {"example.com", false}, {"notacme.example.test", false},
		{"example.test", false}, {"10.0.0.1", false}, {"192.168.0.1", false}, {"[2001:db8::1]", false}} {
		forged := forge(t, ca, stolen, tt.host)
		client := trusting(t, a.PEM(), serve(t, func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return forged, nil
		}), nil)
		response, err := client.Get("https://" + tt.host + "/")
		if err == nil {
			_ = response.Body.Close()
		}
		wrong := x509.CertificateInvalidError{}
		if tt.ok && err != nil || !tt.ok && (!errors.As(err, &wrong) ||
			wrong.Reason != x509.CANotAuthorizedForThisName) {
			t.Errorf("a forged certificate of %s: %v", tt.host, err)
		}
	}
}

func tlsKey(t *testing.T, file string) *ecdsa.PrivateKey {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	key, err := localca.ParseKey(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func forge(t *testing.T, ca *x509.Certificate, by *ecdsa.PrivateKey, host string) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour)}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, ca, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

func TestCertificateIsRenewedBeforeItExpires(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := options(t, named)
	o.Clock = func() time.Time { return now }
	a := open(t, o)
	client := trusting(t, a.PEM(), serve(t, a.Certificate), o.Clock)
	const day = 24 * time.Hour
	first := serial(t, client)
	pin := a.Pin()
	for _, tt := range []struct {
		after   time.Duration
		renewed bool
	}{{59 * day, false}, {60 * day, true}, {119 * day, false}, {121 * day, true}, {9 * 365 * day, true}, {0, true}} {
		now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(tt.after)
		last := serial(t, client)
		if (last != first) != tt.renewed {
			t.Errorf("after %s it is renewed: %v, want %v", tt.after, last != first, tt.renewed)
		}
		first = last
	}
	if a.Pin() != pin {
		t.Error("a renewal changes the pin")
	}
}

// serial connects and returns the serial number of the certificate.
func serial(t *testing.T, client *http.Client) string {
	t.Helper()
	response, err := client.Get("https://" + named + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.TLS.PeerCertificates[0].SerialNumber.String()
}

func TestAuthorityIsReplacedWhenItExpiresOrANameIsAdded(t *testing.T) {
	o := options(t, named)
	now := time.Now()
	o.Clock = func() time.Time { return now }
	first := open(t, o)
	if !first.Created() {
		t.Error("the first start finds an authority")
	}
	for _, tt := range []struct {
		names   []string
		years   int
		created bool
	}{
		{[]string{named}, 0, false},
		{nil, 0, false}, // an authority may cover more names than requested
		{[]string{named, "two.example.test"}, 0, true},
		{[]string{"two.example.test"}, 9, false},
		{[]string{"two.example.test"}, 10, true},
	} {
		o.Names = tt.names
		now = time.Now().AddDate(tt.years, 0, 0)
		a := open(t, o)
		if a.Created() != tt.created {
			t.Errorf("for %q after %d years it is created: %v", tt.names, tt.years, a.Created())
		}
		leaf, err := a.Certificate(nil)
		if err != nil || !slices.Equal(leaf.Leaf.DNSNames, append([]string{"localhost"}, tt.names...)) {
			t.Errorf("the certificate is for %q, %v; want %q", leaf.Leaf.DNSNames, err, tt.names)
		}
	}
}

// keyring is a keyring in memory.
type keyring struct {
	has    map[string]string
	silent bool
}

func (k *keyring) Available() (bool, string) { return !k.silent, "" }

func (k *keyring) Get(account string) (string, error) {
	if secret, ok := k.has[account]; ok && !k.silent {
		return secret, nil
	}
	return "", fault.New(fault.Unknown, "none")
}

func (k *keyring) Set(account, secret string) bool {
	if k.silent {
		return false
	}
	k.has[account] = secret
	return true
}

func (k *keyring) Delete(account string) error { delete(k.has, account); return nil }

func TestKeyIsInTheKeyringOrAPrivateFile(t *testing.T) {
	keys := &keyring{has: map[string]string{}}
	o := options(t, named)
	o.Keys = keys
	file := filepath.Join(o.Data, "https", "authority.key")
	open(t, o)
	if _, err := os.Stat(file); len(keys.has) != 1 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the keyring has %d keys, and the file is there: %v", len(keys.has), err)
	}
	if a := open(t, o); a.Created() {
		t.Error("the second start does not find the key in the keyring")
	}
	keys.silent = true
	if _, err := localca.Open(o); !fault.Is(err, fault.Offline) ||
		!strings.Contains(err.Error(), "Unlock the keyring") {
		t.Errorf("with a locked keyring: %v", err)
	}

	o.Data = t.TempDir()
	file = filepath.Join(o.Data, "https", "authority.key")
	open(t, o)
	if a := open(t, o); a.Created() {
		t.Error("the second start does not find the key in the file")
	}
	info, err := os.Stat(file)
	if err != nil || private.OthersMay(file, info) {
		t.Fatalf("others may read the key: %v %v", info, err)
	}
	if runtime.GOOS == "windows" {
		return // Windows uses access lists instead of modes; package private tests those
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := localca.Open(o); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "other users can read the key") {
		t.Errorf("with a key that others can read: %v", err)
	}
}

func TestDamagedAuthorityIsRefusedWithAnInstruction(t *testing.T) {
	for _, tt := range []struct {
		file, text, want string
	}{
		{"authority.crt", "-----BEGIN", "is damaged"},
		{"authority.key", "nonsense", "cannot be read"},
	} {
		o := options(t)
		open(t, o)
		if err := os.WriteFile(filepath.Join(o.Data, "https", tt.file), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := localca.Open(o)
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "Delete the folder") {
			t.Errorf("%s: %v", tt.file, err)
		}
	}
	// the key of another folder does not match the certificate
	o, other := options(t), options(t)
	open(t, o)
	open(t, other)
	text, err := os.ReadFile(localca.File(other.Data))
	if err == nil {
		err = os.WriteFile(localca.File(o.Data), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if a := open(t, o); !a.Created() {
		t.Error("a certificate of another key is used")
	}
	if _, err := localca.Read(t.TempDir()); !fault.Is(err, fault.Unknown) ||
		!strings.Contains(err.Error(), "serve --https") {
		t.Errorf("without an authority: %v", err)
	}
}

func TestNamesAreValidated(t *testing.T) {
	got, err := localca.CheckNames([]string{"ACME.example.test.", "localhost", "acme.example.test", " b.example.com "})
	if want := []string{"acme.example.test", "b.example.com"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, tt := range []struct{ name, err string }{
		{"", "is not a host name"},
		{"acme", `"acme" has no dot. Use a name such as acme.example.test`},
		{"https://acme.example.test", "Leave out the scheme"},
		{"acme.example.test:443", "Leave out the scheme, the port"},
		{"*.example.test", "has a wildcard"},
		{"10.0.0.1", "is an address"},
		{"[::1]", "is an address"},
		{"1.2.3", "ends in a number"},
		{"com", "has no dot"},
		{"co.uk", "below which others have their names"},
		{"github.io", "below which others have their names"},
		{"-a.example.test", "is not a host name"},
		{"a..test", "is not a host name"},
		{"bücher.example.test", "is not a host name"},
		{"a b.example.test", "is not a host name"},
		{strings.Repeat("a", 64) + ".test", "is not a host name"},
	} {
		_, err := localca.CheckNames([]string{tt.name})
		if f := fault.Of(err); err == nil || f.Kind != fault.Invalid || f.Field != "names" ||
			!strings.Contains(f.Message, tt.err) {
			t.Errorf("%q: %v, want %q", tt.name, err, tt.err)
		}
	}
}

func TestHostsReportsTheMissingLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hosts")
	text := "127.0.0.1\tlocalhost A.example.test # b.example.test\n::1 c.example.test\n\n10.0.0.9 d.example.test\n" +
		"127.0.0.1 d.example.test\nnonsense\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := localca.LookUp(file, net.IPv4(127, 0, 0, 1), []string{"a.example.test", "b.example.test", "c.example.test",
		"d.example.test"})
	want := localca.Hosts{File: file, Line: "127.0.0.1 b.example.test c.example.test",
		Missing: []string{"b.example.test", "c.example.test"}, Other: []string{"d.example.test"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := localca.LookUp(file+".none", net.IPv4(127, 0, 0, 1), []string{"a.example.test"}); len(got.Missing) != 1 {
		t.Errorf("without a file: %+v", got)
	}
}
