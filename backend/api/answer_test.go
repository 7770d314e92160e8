package api

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

func TestInternalErrorIsLoggedOnceAndNeverShown(t *testing.T) {
	p := newPortal(t, nil)
	for _, tt := range []struct{ path, secret string }{
		{"/api/test/panic", "the kettle is empty"},
		{"/api/test/broken", "no such table: secret"},
	} {
		response, text := p.request("GET "+tt.path, "admin", "")
		_, id, _ := strings.Cut(text, `"requestId":"`)
		id, _, _ = strings.Cut(id, `"`)
		want := `{"errorMessage":"the portal failed with an internal error; its log has the details under the ` +
			`request id ` + id +
			`","errorCode":1500,"errorDetail":{"requestId":"` + id + `"}}`
		if response.StatusCode != 500 || len(id) != 12 || text != want {
			t.Errorf("%s returns %d %s", tt.path, response.StatusCode, text)
		}
		if log := p.log.String(); strings.Count(log, tt.secret) != 1 || strings.Count(log, id) != 1 {
			t.Errorf("the log has the cause or the id not exactly once:\n%s", log)
		}
	}
	before := p.log.String()
	p.play(t, []scenario{
		{do: "GET /api/test/offline", as: "admin", code: 502,
			want: `{"errorMessage":"127.0.0.1:9 refuses the connection","errorCode":1502,"errorDetail":null}`},
		{do: "GET /api/test/slow", as: "admin", code: 503, want: `{"errorMessage":"this takes longer than 2 seconds;` +
			` request less, with a smaller size or a narrower filter, or try again when the portal has less to do",` +
			`"errorCode":1503,"errorDetail":null}`, headers: "Retry-After: 2"},
		{do: "GET /api/test/early", as: "admin", code: 409, want: `{"errorMessage":"the report still runs",` +
			`"errorCode":1409,"errorDetail":null}`, headers: "Content-Type: application/json\nContent-Disposition:\n" +
			"Content-Security-Policy: default-src 'none'; frame-ancestors 'none'"},
		{do: "GET /api/test/tagged", as: "admin", code: 200, want: `{"v":7}`, headers: `ETag: "v7"`},
		{do: "GET /api/test/tagged", as: "admin", head: `If-None-Match: "v6", W/"v7"`, code: 304, want: ``,
			headers: `ETag: "v7"`},
		{do: "GET /api/test/tagged", as: "admin", head: `If-None-Match: "v6"`, code: 200, want: `{"v":7}`},
		{do: "GET /api/test/report", as: "admin", code: 200, want: `<script>alert(1)</script>`,
			headers: "Content-Type: text/html; charset=utf-8\n" +
				"Content-Disposition: attachment; filename*=utf-8''a-b%20%22%3C%C3%BC%3E.html\n" +
				"Content-Security-Policy: sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; " +
				"frame-ancestors 'none'"},
	})
	if after := p.log.String(); after != before {
		t.Errorf("an error of the caller was logged: %s", strings.TrimPrefix(after, before))
	}
}

func TestEveryKindOfFaultHasAStatus(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Invalid, fault.NoLogin, fault.Denied, fault.Unknown, fault.NoMethod,
		fault.Conflict, fault.Changed,
		fault.TooLarge, fault.MediaType, fault.TooMany, fault.Offline, fault.Full, fault.Internal} {
		if code := Status(kind); code < 400 || code > 599 {
			t.Errorf("%s becomes %d", kind, code)
		}
	}
}

func TestErrorDuringAStreamAbortsIt(t *testing.T) {
	p := newPortal(t, nil)
	response, text := p.request("GET /api/test/half", "admin", "")
	if response.StatusCode != 200 || !strings.HasSuffix(text, "…unexpected EOF") {
		t.Errorf("returns %d, %d bytes ending in %q; want a broken body", response.StatusCode, len(text),
			text[max(0, len(text)-20):])
	}
	if log := p.log.String(); strings.Count(log, "the disk went away") != 1 {
		t.Errorf("the log has the cause not exactly once:\n%s", log)
	}
}

func TestSignatureCoversTheBodyAndThePathAsSent(t *testing.T) {
	p := newPortal(t, nil)
	id, err := p.sessions.UserID(t.Context(), "admin")
	must(t, err)
	token, err := p.sessions.CreateToken(t.Context(), id, "signed", "admin")
	must(t, err)
	sign := func(method, path, body string) string {
		at := fmt.Sprint(time.Now().UnixMilli())
		mac := hmac.New(sha256.New, []byte(token.AccessKey))
		fmt.Fprint(mac, method, at, body, path)
		return "Authorization: LMv1 " + token.AccessID + ":" +
			base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(mac.Sum(nil)))) + ":" + at
	}
	const wrong = `{"errorMessage":"the API token is not valid","errorCode":1401,"errorDetail":null}`
	p.play(t, []scenario{
		{do: "GET /santaba/rest/session", head: sign("GET", "/session", ""), code: 200, want: admin},
		{do: "GET /api/session?v=3", head: sign("GET", "/session", ""), code: 200, want: admin},
		{do: "GET /santaba/rest/setting/collector/collectors?fields=id",
			head: sign("GET", "/setting/collector/collectors", ""), code: 200, want: `{"total":1,"searchId":null,` +
				`"items":[{"id":1}],"data":null}`},
		{do: "GET /santaba/rest/setting/collector/collectors?fields=id", head: sign("GET", "/setting/collectors", ""),
			code: 401, want: wrong},
		{do: "POST /santaba/rest/device/groups?fields=id", head: sign("POST", "/device/groups", `{"name":"a"} `),
			body: `{"name":"a"}`, code: 401, want: wrong},
		{do: "DELETE /santaba/rest/device/devices/9", head: sign("DELETE", "/device/devices/9", ""), code: 404,
			want: `{"errorMessage":"there is no device 9","errorCode":1404,"errorDetail":null}`},
	})
	if response, text := p.request("POST /santaba/rest/device/groups", "", `{"name":"a"}`,
		sign("POST", "/device/groups", `{"name":"a"}`)); response.StatusCode != 200 {
		t.Errorf("a signed write returns %d %s", response.StatusCode, text)
	}
}

// listen opens the event stream and reads as far as its first event.
func (p *served) listen(as string) (*bufio.Reader, io.Closer) {
	r, err := http.NewRequestWithContext(p.t.Context(), "GET", "http://"+p.host+"/api/test/events", nil)
	must(p.t, err)
	if p.who[as].cookie != "" {
		r.AddCookie(&http.Cookie{Name: "spyglass_t1", Value: p.who[as].cookie})
	} else {
		r.Header.Set("Authorization", "Bearer "+p.who[as].bearer)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	must(p.t, err)
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		p.t.Errorf("Content-Type is %q", got)
	}
	lines := bufio.NewReader(response.Body)
	const want = ":\n\nevent: hello\ndata: {\"text\":\"<a\\nb>\"}\n\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(lines, got); err != nil || string(got) != want {
		p.t.Fatalf("the stream begins with %q (%v), want %q", got, err, want)
	}
	return lines, response.Body
}

func TestEventStreamEndsWithItsContextSessionOrToken(t *testing.T) {
	p := newPortal(t, nil)
	why := func() error {
		select {
		case err := <-p.ended:
			return err
		case <-time.After(10 * time.Second):
			t.Fatal("the stream does not end")
			return nil
		}
	}
	_, body := p.listen("admin")
	must(t, body.Close())
	if err := why(); err == nil || err.Error() != "context canceled" {
		t.Errorf("the caller has gone: it ended by %v", err)
	}

	stream, body := p.listen("viewer")
	defer body.Close()
	must(t, p.sessions.SignOut(t.Context(), p.who["viewer"].cookie))
	if err := why(); err != errEnded {
		t.Errorf("the session has ended: it ended by %v", err)
	}
	if rest, err := io.ReadAll(stream); err != nil ||
		strings.TrimLeft(string(rest), ":\n") != "event: session\ndata: {}\n\n" {
		t.Errorf("at the end came %q, %v", rest, err)
	}

	_, body = p.listen("token")
	defer body.Close()
	tokens, err := resource.Find(t.Context(), p.db, people.Tokens.Name)
	must(t, err)
	must(t, p.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.Delete(t.Context(), tx, people.Tokens.Name, tokens[0].ID)
	}))
	if err := why(); err != errEnded {
		t.Errorf("the token is gone: it ended by %v", err)
	}
}

func TestTruncatedBodyIsABadRequest(t *testing.T) {
	p := newPortal(t, nil)
	c, err := net.Dial("tcp", p.host)
	must(t, err)
	defer c.Close()
	fmt.Fprintf(c, "POST /api/test/echo/a HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{", p.host, p.who["token"].bearer)
	must(t, c.(*net.TCPConn).CloseWrite())
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	must(t, err)
	text, _ := io.ReadAll(response.Body)
	want := `{"errorMessage":"the body is incomplete","errorCode":1400,"errorDetail":null}`
	if response.StatusCode != 400 || string(text) != want {
		t.Errorf("returns %d %s, want 400 %s", response.StatusCode, text, want)
	}
}

func TestChunkedBodyIsLimitedWhileItArrives(t *testing.T) {
	p := newPortal(t, nil)
	for _, tt := range []struct{ size, code int }{{98, 200}, {99, 413}, {100_000, 413}} {
		body := struct{ io.Reader }{strings.NewReader(`"` + strings.Repeat("x", tt.size) + `"`)} // without a length
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+p.host+"/api/test/echo/a", body)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+p.who["token"].bearer)
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultTransport.RoundTrip(r)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != tt.code {
			t.Errorf("%d bytes returned %d, want %d", tt.size+2, response.StatusCode, tt.code)
		}
	}
}
