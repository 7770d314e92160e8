package explorer_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// authority issues certificates.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test authority"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{key, cert}
}

func (a *authority) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
}

// serve starts a portal on 127.0.0.1 with a certificate for the given names.
func (a *authority) serve(t *testing.T, seen *string, names ...string) *httptest.Server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: names[0]},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*seen += r.Header.Get("Authorization")
		faraway(w, r)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestPinnedPortalAcceptsOnlyThePinnedCertificate(t *testing.T) {
	h := build(t)
	trusted := newAuthority(t)
	var seen string
	attacker := trusted.serve(t, &seen, "attacker.example")
	honest := trusted.serve(t, &seen, "127.0.0.1", "localhost")
	wrong := strings.Repeat("0", 64)
	const ok, other = `"ok":true`, "is not the one you trusted"
	for _, tt := range []struct {
		name   string
		at     *httptest.Server
		byName bool
		pin    string
		want   string
	}{
		{"no pin, certificate for another host", attacker, false, "", "is for another host"},
		{"no pin, right certificate", honest, false, "", ok},
		{"wrong pin, trusted certificate for another host", attacker, false, wrong, other},
		{"wrong pin, trusted certificate for this host", honest, false, wrong, other},
		{"wrong pin, by name", honest, true, wrong, other},
		{"pin of another certificate of the same authority", attacker, false, fingerprint(honest), other},
		{"pin of the certificate", honest, false, fingerprint(honest), ok},
		{"pin of the certificate, by name", honest, true, fingerprint(honest), ok},
		{"pin of the certificate although it is for another host", attacker, false, fingerprint(attacker), ok},
		{"pin of the key", honest, false, keyPrint(honest), ok},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen = ""
			base := tt.at.URL
			if tt.byName {
				base = strings.Replace(base, "127.0.0.1", "localhost", 1)
			}
			body, err := json.Marshal(map[string]any{"name": "x", "auth": "token", "secret": "t0k3n-0f-far",
				"baseUrl":   base + "/api",
				"authority": trusted.pem(), "fingerprint": tt.pin, "proxy": "none"})
			if err != nil {
				t.Fatal(err)
			}
			if a := h.call(1, "POST /explorer/portals/test", string(body)); !strings.Contains(a.body, tt.want) {
				t.Errorf("got %d %s, want %s", a.status, a.body, tt.want)
			}
			if leaked := strings.Contains(seen, "t0k3n-0f-far"); leaked != (tt.want == ok) {
				t.Errorf("the token arrived: %v", leaked)
			}
		})
	}
}

// keyPrint returns the SHA-256 of the public key in a server's certificate.
func keyPrint(s *httptest.Server) string {
	sum := sha256.Sum256(s.Certificate().RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}
