package explorer_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSendingToOtherPortalsNeedsPermission(t *testing.T) {
	h := build(t)
	var requests atomic.Int64
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		faraway(w, r)
	}))
	defer far.Close()
	id := h.addPortal(stranger, `{"name":"Far","baseUrl":"`+far.URL+`/api","auth":"none","readOnly":false}`)
	for do, body := range map[string]string{
		"POST /explorer/send?portal=" +
			id: `{"sendId":"s","draft":{"method":"PUT","path":"/latest/api/token"}}`,
		"POST /explorer/preview?portal=" + id:         `{"draft":{"path":"/x"}}`,
		"POST /explorer/portals/test":                 `{"name":"x","auth":"none","baseUrl":"` + far.URL + `/api"}`,
		"POST /explorer/portals/" + id + "/session":   `{"username":"a","password":"b"}`,
		"DELETE /explorer/portals/" + id + "/session": "",
		"POST /explorer/portals/" + id + "/catalog":   "",
		"POST /explorer/lookup?portal=" + id:          `{"drafts":[{"method":"GET","path":"/x"}]}`,
	} {
		if a := h.call(stranger, do, body); a.status != 403 ||
			!strings.Contains(a.body, "Your role cannot send requests to other portals") {
			t.Errorf("%s returned %d %s", do, a.status, a.body)
		}
	}
	if requests.Load() != 0 {
		t.Errorf("the other portal received %d requests", requests.Load())
	}
	if a := h.call(1, "GET /explorer/start", ""); !strings.Contains(a.body, `"write on explorer"`) {
		t.Error("the administrator's rights lack it")
	}
}

func TestProxyIsNotUsedForForbiddenAddresses(t *testing.T) {
	h := build(t)
	var requests atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		faraway(w, r)
	}))
	defer proxy.Close()
	for base, want := range map[string]string{
		"http://169.254.169.254/latest": "is a multicast, link-local or metadata address",
		h.base + "/api":                 "is this Spyglass itself",
	} {
		if a := h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"`+base+`","proxy":"`+
			proxy.URL+`"}`); a.status != 502 || !strings.Contains(a.body, want) {
			t.Errorf("%s returned %d %s", base, a.status, a.body)
		}
	}
	if requests.Load() != 0 {
		t.Errorf("the proxy received %d requests", requests.Load())
	}
	if h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"http://192.0.2.7/api","proxy":"`+
		proxy.URL+`"}`); requests.Load() == 0 {
		t.Error("the proxy got nothing at all")
	}
}

func TestSendingCredentialsUnencryptedNeedsConsent(t *testing.T) {
	h := build(t)
	const refused = "would get your credential in clear text over http://"
	for _, c := range []struct{ base, auth, more, want string }{
		{"http://192.0.2.7/api", "token", "", refused},
		{"http://192.0.2.7/api", "session", "", refused},
		{"http://127.0.0.1.evil.example/api", "token", "", refused},
		{"http://192.0.2.7/api", "token", `,"sendInClear":true`, `"sendInClear":true`},
		{"http://192.0.2.7/api", "lmv1", `,"account":"id"`, `"sendInClear":false`},
		{"http://192.0.2.7/api", "none", "", `"sendInClear":false`},
		{"https://192.0.2.7/api", "token", `,"sendInClear":true`, `"sendInClear":false`},
		{"http://[::1]:9/api", "token", "", `"sendInClear":false`},
		{"http://localhost:9/api", "session", "", `"sendInClear":false`},
	} {
		a := h.call(1, "POST /explorer/portals", `{"name":"`+c.base+c.auth+c.more[:min(1, len(c.more))]+`","baseUrl":"`+
			c.base+`","auth":"`+c.auth+`"`+c.more+`}`)
		if !strings.Contains(a.body, c.want) || (a.status == 400) != (c.want == refused) {
			t.Errorf("%s by %s%s returned %d %s", c.base, c.auth, c.more, a.status, a.body)
		}
	}
	if a := h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"token","secret":"t",`+
		`"baseUrl":"http://192.0.2.7/api"}`); a.status != 400 || !strings.Contains(a.body, refused) {
		t.Errorf("a test of a portal returned %d %s", a.status, a.body)
	}
	id := h.addPortal(1, `{"name":"Far","baseUrl":"http://192.0.2.8/api","auth":"token","sendInClear":true}`)
	if a := h.call(1, "PATCH /explorer/portals/"+id, `{"baseUrl":"http://192.0.2.9/api"}`); a.status != 400 ||
		!strings.Contains(a.body, refused) {
		t.Errorf("another address returned %d %s", a.status, a.body)
	}
}

func TestExplorerConnectsOnlyToAllowedNetworks(t *testing.T) {
	h := build(t)
	var requests atomic.Int64
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		faraway(w, r)
	}))
	defer far.Close()
	id := h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`/api","auth":"none","readOnly":false}`)
	for _, c := range []struct{ allowed, refused, proxy, want string }{
		{"", "", "", ""},
		{"127.0.0.0/8", "", "", ""},
		// also on an open connection
		{"127.0.0.0/8", "127.0.0.1", "", "127.0.0.1 is in the network 127.0.0.1/32 of explorerRefusedNetworks"},
		{"10.0.0.0/8", "", "", "no network of explorerAllowedNetworks contains 127.0.0.1"},
		// the rule applies to the proxy, too
		{"10.0.0.0/8", "", far.URL, "no network of explorerAllowedNetworks contains 127.0.0.1"},
		{"", "127.0.0.2", "", ""},
	} {
		h.allowed, h.refused = c.allowed, c.refused
		before := requests.Load()
		a := h.call(1, "POST /explorer/send?portal="+id, `{"sendId":"s","draft":{"method":"GET","path":"/x"}}`)
		if c.proxy != "" {
			a = h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"http://10.1.2.3/api",`+
				`"proxy":"`+c.proxy+`"}`)
		}
		if reached := requests.Load() > before; reached != (c.want == "") || !strings.Contains(a.body, c.want) {
			t.Errorf("allowed %q, refused %q, by %q: reached %t, want %q: %d %s", c.allowed, c.refused, c.proxy,
				reached, c.want, a.status, a.body)
		}
	}
}

func TestProxyIsUsedOnlyForAllowedNetworks(t *testing.T) {
	h := build(t)
	var requests atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		faraway(w, r)
	}))
	defer proxy.Close()
	h.refused = "10.0.0.0/8"
	for host, want := range map[string]string{
		"10.1.2.3":               "10.1.2.3 is in the network 10.0.0.0/8 of explorerRefusedNetworks",
		"only.the.proxy.invalid": "cannot be resolved",
	} {
		a := h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"http://`+host+
			`/api","proxy":"`+proxy.URL+`"}`)
		if a.status != 502 || !strings.Contains(a.body, want) || requests.Load() != 0 {
			t.Errorf("%s: the proxy received %d requests, and the response is %d %s", host, requests.Load(), a.status,
				a.body)
		}
	}
	if h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"http://192.0.2.7/api","proxy":"`+
		proxy.URL+`"}`); requests.Load() == 0 {
		t.Error("the proxy got nothing at all")
	}
}
