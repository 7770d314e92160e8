package app

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/server"
)

func TestExplorerReachesItsPortalOverTLSByName(t *testing.T) {
	folder := t.TempDir()
	standIn := httptest.NewTLSServer(nil) // has a certificate for example.com, of an authority that nobody knows
	standIn.Close()
	own := standIn.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	store := func(name, kind string, content []byte) string {
		path := filepath.Join(folder, name)
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // nobody listens there
	v := visit(t, server.Options{Data: filepath.Join(folder, "data"), Listen: "localhost:0",
		TLSCert: store("cert.pem", "CERTIFICATE", own.Certificate[0]), TLSKey: store("key.pem", "PRIVATE KEY", key)})
	v.client = standIn.Client()

	base := strings.Replace(v.app.Origin(), "127.0.0.1", "localhost", 1) + "/api"
	const draft = `{"draft":{"method":"GET","path":"/setting/version"}}`
	_, text := v.send("POST", "/explorer/send", draft, nil)
	if !strings.Contains(text, `"status":200`) || !strings.Contains(text, base+"/setting/version") {
		t.Errorf("the Explorer's request returned %s, want 200 from %s", text, base)
	}
	if _, text := v.send("POST", "/explorer/snippets", draft, nil); !strings.Contains(text, base+"/setting/version") {
		t.Errorf("the snippets are %s, want the address %s", text, base)
	}
}
