package explorer_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// checksLMv1 returns the access id of a request signed with "k3y-0f-lm", or responds with 401.
func checksLMv1(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.TrimPrefix(r.Header.Get("Authorization"), "LMv1 "), ":")
	var millis int64
	if _, err := fmt.Sscan(parts[len(parts)-1], &millis); err != nil || len(parts) != 3 ||
		time.Since(time.UnixMilli(millis)).Abs() > time.Minute {
		w.WriteHeader(401)
		return
	}
	mac := hmac.New(sha256.New, []byte("k3y-0f-lm"))
	fmt.Fprint(mac, r.Method, parts[2], string(body), strings.TrimPrefix(r.URL.EscapedPath(), "/santaba/rest"))
	if parts[1] != base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(mac.Sum(nil)))) {
		w.WriteHeader(401)
		return
	}
	fmt.Fprintf(w, `{"signer":%q,"version":%q}`, parts[0], r.Header.Get("X-Version"))
}

func TestRequestsAreSignedWithAnAccessKeyThatIsNotLogged(t *testing.T) {
	var log bytes.Buffer
	h := buildLogging(t, nil, &log)
	far := httptest.NewServer(http.HandlerFunc(checksLMv1))
	defer far.Close()
	id := h.addPortal(1, `{"name":"LM","baseUrl":"`+far.URL+`/santaba/rest","auth":"lmv1","account":"who",`+
		`"secret":"k3y-0f-lm","readOnly":false}`)
	for _, draft := range []string{
		`{"method":"GET","path":"/device/devices?filter=name~%22a b%22"}`,
		`{"method":"GET","path":"/device/devices/caf%C3%A9%2F1"}`,
		`{"method":"POST","path":"/device/devices","mode":"raw","body":"{\"name\":\"ä\"}"}`,
		`{"method":"DELETE","path":"/device/devices/7"}`,
	} {
		a := h.call(1, "POST /explorer/send?portal="+id, `{"sendId":"s","draft":`+draft+`}`)
		var r reply
		if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.Status != 200 {
			t.Errorf("%s returned %d %s", draft, a.status, a.body)
			continue
		}
		if got, want := h.body(1, r.Document), `{"signer":"who","version":"3"}`; got != want {
			t.Errorf("%s: got %s, want %s", draft, got, want)
		}
	}
	h.call(1, "PATCH /explorer/portals/"+id, `{"secret":"wr0ng-k3y"}`)
	if a := h.call(1, "POST /explorer/send?portal="+id,
		`{"sendId":"s","draft":{"method":"GET","path":"/x"}}`); !strings.Contains(a.body, `"status":401`) {
		t.Errorf("a wrong key returned %s", a.body)
	}
	far.Close()
	h.call(1, "POST /explorer/send?portal="+id, `{"sendId":"s","draft":{"method":"GET","path":"/x"}}`)
	for _, secret := range []string{"k3y-0f-lm", "wr0ng-k3y"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %s:\n%s", secret, log.String())
		}
	}
}

func TestPortalIsReachedThroughItsProxyWithAPassword(t *testing.T) {
	h := build(t)
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through = append(through, r.Header.Get("Proxy-Authorization")+" "+r.URL.String())
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"by":"proxy"}`)
	}))
	defer proxy.Close()
	id := h.addPortal(1, `{"name":"Far","baseUrl":"http://portal.invalid/api","auth":"none","proxy":"`+
		strings.Replace(proxy.URL, "http://", "http://me@", 1)+`","proxyPassword":"pr0xy-pass"}`)
	if got := h.bodyAt(1, id, "/things"); got != `{"by":"proxy"}` {
		t.Errorf("got %s", got)
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:pr0xy-pass")) + " http://portal.invalid/api/things"
	if got := strings.Join(through, "\n"); got != want {
		t.Errorf("the proxy received %s, want %s", got, want)
	}
	if a := h.call(1, "GET /explorer/portals/all", ""); strings.Contains(a.body, "pr0xy-pass") {
		t.Errorf("the list is %s", a.body)
	}
}

func TestPrivateCertificateAuthorityIsTrusted(t *testing.T) {
	h := build(t)
	far := httptest.NewTLSServer(http.HandlerFunc(faraway))
	defer far.Close()
	authority, err := json.Marshal(
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: far.Certificate().Raw})))
	if err != nil {
		t.Fatal(err)
	}
	id := h.addPortal(1, `{"name":"Own","baseUrl":"`+far.URL+`/api","auth":"none","authority":`+string(authority)+`}`)
	if got := h.bodyAt(1, id, "/setting/version"); got != `{"version":"3.9.1","apiVersion":3}` {
		t.Errorf("got %s", got)
	}
	if a := h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"`+far.URL+
		`/api","authority":"no certificate"}`); a.status != 400 ||
		!strings.Contains(a.body, "the text contains no certificate") {
		t.Errorf("an invalid certificate returned %d %s", a.status, a.body)
	}
}

func TestSignOutEndsTheRemoteSessionAndDeletesTheCredential(t *testing.T) {
	h := build(t)
	var ended string
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "DELETE" && r.URL.Path == "/api/session" {
			ended = r.Header.Get("Cookie") + " " + r.Header.Get("X-Csrf-Token")
			return
		}
		faraway(w, r)
	}))
	defer far.Close()
	id := h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`/api"}`)
	h.call(1, "POST /explorer/portals/"+id+"/session", `{"username":"operator","password":"pa55word-there"}`)
	if a := h.call(1, "DELETE /explorer/portals/"+id+"/session", ""); a.status != 200 ||
		!strings.Contains(a.body, `"user":""`) {
		t.Errorf("signing out returned %d %s", a.status, a.body)
	}
	if want := "spyglass_zz=f4r-s3ss10n f4r-csrf"; ended != want {
		t.Errorf("the portal received %q, want %q", ended, want)
	}
	if got, want := h.bodyAt(1, id, "/things/7"), `{"cookie":"","csrf":"","authorization":""}`; got != want ||
		len(h.secrets.values) != 0 {
		t.Errorf("afterwards %s goes out, want %s; the keyring holds %d secrets", got, want, len(h.secrets.values))
	}
}

func TestImportedVariablesBelongToTheActivePortal(t *testing.T) {
	h := build(t)
	id := h.addPortal(1, `{"name":"Far","baseUrl":"http://portal.invalid/api","auth":"none"}`)
	file := `{"name":"mine.json","variables":true,"text":"{\"info\":{\"name\":\"Mine\"},` +
		`\"variable\":[{\"key\":\"site\",\"value\":\"7\"}],\"item\":[]}"}`
	h.call(1, "POST /explorer/variables", `{"name":"site","value":"of the built-in portal"}`)
	if a := h.call(1, "POST /explorer/exchange/import?portal="+id, file); a.status != 200 ||
		!strings.Contains(a.body, `"variables":[2]`) {
		t.Fatalf("the import returned %d %s", a.status, a.body)
	}
	for at, want := range map[string]string{
		"":              `"items":[{"name":"site","value":"of the built-in portal"}]`,
		"&portal=" + id: `"items":[{"name":"site","value":"7"}]`,
	} {
		if a := h.call(1, "GET /explorer/variables?fields=name,value"+at, ""); !strings.Contains(a.body, want) {
			t.Errorf("the variables%s are %s, want %s", at, a.body, want)
		}
	}
}
