package explorer_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestRedirectsAreListedInOrder(t *testing.T) {
	h := build(t)
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/raw/a":
			http.Redirect(w, r, "/api/raw/b?x=1", http.StatusFound)
		case "/api/raw/b":
			http.Redirect(w, r, "c", http.StatusTemporaryRedirect)
		}
	})
	a := h.call(1, "POST /explorer/send", `{"sendId":"s","draft":{"path":"/raw/a"}}`)
	var r struct{ Hops json.RawMessage }
	if err := json.Unmarshal([]byte(a.body), &r); err != nil {
		t.Fatal(a.body)
	}
	if got, want := string(r.Hops),
		`[{"status":302,"location":"/api/raw/b?x=1"},{"status":307,"location":"/api/raw/c"}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSecretsInRedirectsAreMasked(t *testing.T) {
	h := build(t)
	h.variables()
	if a := h.call(1, "POST /explorer/variables",
		`{"name":"hidden","value":"s3cr3t!","secret":true,"scope":"global"}`); a.status/100 != 2 {
		t.Fatal(a.body)
	}
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/raw/a" {
			http.Redirect(w, r, "/api/raw/b?"+r.URL.RawQuery, http.StatusFound)
		}
	})
	a := h.call(1, "POST /explorer/send", `{"sendId":"s","draft":{"path":"/raw/a","query":[{"on":true,"key":"k",`+
		`"value":"{{hidden}}"}]}}`)
	if !strings.Contains(a.body, `"hops":[{"status":302,"location":"/api/raw/b?…"}]`) ||
		strings.Contains(a.body, "s3cr3t") {
		t.Errorf("got %s", a.body)
	}
}
