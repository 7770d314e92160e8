package server_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestLocationOfAPropertyIsValidForAnyName(t *testing.T) {
	c, _ := newCaller(t)
	for _, name := range []string{`auto.x`, `a/b c`, `50%2F`, `größe "?#&`, `..`} {
		body := `{"name":"` + strings.ReplaceAll(name, `"`, `\"`) + `","value":"7"}`
		response, text := c.send("POST", "/device/devices/150/properties", []byte(body))
		if response.StatusCode != http.StatusCreated {
			t.Fatalf("POST %s returns %d %s", body, response.StatusCode, text)
		}
		path := strings.TrimPrefix(response.Header.Get("Location"), "/api")
		if strings.HasSuffix(path, "/..") {
			path = strings.TrimSuffix(path, "..") + "%2E%2E" // a client may not send ".." unescaped
		}
		if got, again := c.send("GET", path, nil); got.StatusCode != http.StatusOK || string(again) != string(text) ||
			got.Header.Get("ETag") != response.Header.Get("ETag") {
			t.Errorf("GET %s returns %d %s, want %s", path, got.StatusCode, again, text)
		}
		if got, text := c.send("DELETE", path, nil); got.StatusCode != http.StatusOK {
			t.Errorf("DELETE %s returns %d %s", path, got.StatusCode, text)
		}
	}
}

func TestTokensOfAllUsersAreListed(t *testing.T) {
	c, _ := newCaller(t)
	const want = `{"total":1,"searchId":null,"items":[{"id":1,"adminId":2}],"data":null}`
	if response, text := c.send("GET", "/setting/admins/apitokens?fields=id,adminId",
		nil); response.StatusCode != http.StatusOK || string(text) != want {
		t.Errorf("got %d %s, want %s", response.StatusCode, text, want)
	}
	if response, text := c.send("GET", "/setting/admins/2?fields=username", nil); string(
		text) != `{"username":"operator"}` {
		t.Errorf("got %d %s", response.StatusCode, text)
	}
}
