package explorer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/app/explorer/serve"
)

func TestSendReturnsTheWholeExchange(t *testing.T) {
	h := build(t)
	r := h.send(1, `{"path":"/alert/alerts","query":[{"on":true,"key":"size","value":"3"}]}`)
	items, total := int64(3), int64(1204)
	want := reply{
		Status: 200, StatusText: "OK", Bytes: 79, Items: &items, Total: &total, JSON: true, RowCount: 16, LineCount: 1,
		HistoryID: 1,
		URL:       h.base + "/api/alert/alerts?size=3", Document: r.Document, Rows: r.Rows, Headers: r.Headers,
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}
	if len(r.Rows) != 16 || r.Rows[1]["key"] != "total" || r.Rows[1]["text"] != "1204" {
		t.Errorf("the rows are %v", r.Rows)
	}
	a := h.call(1, "GET /explorer/history/1?fields=method,path,url,status,statusText,bytes,error,kept", "")
	if want := `{"method":"GET","path":"/alert/alerts","url":"` + h.base +
		`/api/alert/alerts?size=3","status":200,"statusText":"OK","bytes":79,"error":"","kept":true}`; a.body != want {
		t.Errorf("got  %s\nwant %s", a.body, want)
	}
	a = h.call(1, "GET /explorer/history/1/reply", "")
	var again reply
	if err := json.Unmarshal([]byte(a.body), &again); err != nil {
		t.Fatal(a.body)
	}
	if want.Document, want.Rows = again.Document, again.Rows; !reflect.DeepEqual(again, want) ||
		again.Document == r.Document {
		t.Errorf("from the history came %+v, want %+v", again, want)
	}
}

func TestErrorStatusIsAResponse(t *testing.T) {
	h := build(t)
	r := h.send(1, `{"path":"/nothing/here"}`)
	if r.Status != 404 || r.StatusText != "Not Found" || !r.JSON || r.HistoryID != 1 || r.Items != nil {
		t.Errorf("got %+v", r)
	}
}

func TestInvalidHeadersAreNotSent(t *testing.T) {
	h := build(t)
	h.variables()
	var got atomic.Pointer[http.Header]
	h.answerRaw(func(_ http.ResponseWriter, r *http.Request) { header := r.Header.Clone(); got.Store(&header) })
	cookie := "spyglass_ab12=" + cookieSecret + "-1"
	for _, tt := range []struct {
		method, headers string
		want            http.Header
		fault           string
	}{
		{method: "GET", want: http.Header{"Accept": {"application/json"}, "User-Agent": {"Spyglass/0.1.0"},
			"Cookie": {cookie}}},
		{method: "DELETE", want: http.Header{"Accept": {"application/json"}, "User-Agent": {"Spyglass/0.1.0"},
			"Cookie": {cookie}, "X-Csrf-Token": {csrfSecret}}},
		{method: "GET", headers: `{"on":true,"key":"accept","value":"text/csv"},{"on":true,"key":"X-A",` +
			`"value":" one "},{"on":true,"key":"x-a","value":"{{id}}"},{"on":false,"key":"X-B","value":"1"}`,
			want: http.Header{"Accept": {"text/csv"}, "User-Agent": {"Spyglass/0.1.0"}, "X-A": {"one", "42"},
				"Cookie": {cookie}}},
		{method: "GET", headers: `{"on":true,"key":"Authorization","value":"Bearer {{secret}}"}`,
			want: http.Header{"Accept": {"application/json"}, "User-Agent": {"Spyglass/0.1.0"},
				"Authorization": {"Bearer " + planted}}},
		{method: "GET", headers: `{"on":true,"key":"host","value":"x"}`, fault: `headers.host: host cannot be set: ` +
			`it is always the host of the portal`},
		{method: "GET", headers: `{"on":true,"key":"Cookie","value":"a=b"}`, fault: `headers.Cookie: Cookie cannot ` +
			`be set: it is the cookie of your session; to act as another user, set Authorization`},
		{method: "GET", headers: `{"on":true,"key":"content-length","value":"5"}`,
			fault: `headers.content-length: content-length cannot be set: it is calculated when the request is sent`},
		{method: "GET", headers: `{"on":true,"key":"Connection","value":"close"}`,
			fault: `headers.Connection: Connection cannot be set: Spyglass manages the connection`},
		{method: "GET", headers: `{"on":true,"key":"X Y","value":"1"}`, fault: `headers.X Y: "X Y" is not a valid ` +
			`header name; use letters, digits and hyphens`},
		{method: "GET", headers: `{"on":true,"key":"","value":"1"}`, fault: `headers.: "" is not a valid header ` +
			`name; use letters, digits and hyphens`},
		{method: "GET", headers: `{"on":true,"key":"X-A","value":"{{lines}}"}`, fault: `headers.X-A: a header must ` +
			`be one line without control characters`},
		{method: "GET", headers: `{"on":true,"key":"X-A","value":"a\r\nX-Evil: 1"}`,
			fault: `headers.X-A: a header must be one line without control characters`},
	} {
		t.Run(tt.method+tt.headers, func(t *testing.T) {
			got.Store(nil)
			a := h.call(1, "POST /explorer/send", `{"draft":{"method":"`+tt.method+`","path":"/raw/x","headers":[`+
				tt.headers+`]}}`)
			if tt.fault != "" {
				if text := h.fault(a); text != tt.fault || got.Load() != nil {
					t.Errorf("got %s, want %s", text, tt.fault)
				}
				return
			}
			if a.status != 200 || !reflect.DeepEqual(*got.Load(), tt.want) {
				t.Errorf("got  %v\nwant %v", *got.Load(), tt.want)
			}
		})
	}
}

func TestCancelEndsTheRequestAndIsInTheHistory(t *testing.T) {
	h := build(t)
	arrived, ended := make(chan struct{}), make(chan struct{})
	h.answerRaw(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(ended)
	})
	events := h.listen(1)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(h.request(ctx, 1, "POST /explorer/send", `{"sendId":"s",`+
			`"draft":{"path":"/raw/slow"}}`))
		failed <- err
	}()
	<-arrived
	cancel()
	if err := <-failed; err == nil {
		t.Error("the cancelled request returned a response")
	}
	<-ended
	if got, want := next(t, events), `workspace {"kind":"history"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	a := h.call(1, "GET /explorer/history?fields=path,status,error,kept", "")
	if want := `{"total":1,"searchId":null,"items":[{"path":"/raw/slow","status":0,"error":"cancelled",` +
		`"kept":false}],"data":null}`; a.body != want {
		t.Errorf("got %s, want %s", a.body, want)
	}
}

func TestStopCancelsRequestsAndStreamsAndRefusesNewOnes(t *testing.T) {
	h := build(t)
	arrived := make(chan struct{})
	h.answerRaw(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	events := h.listen(1)
	done := make(chan answer, 1)
	go func() { done <- h.call(1, "POST /explorer/send", `{"draft":{"path":"/raw/slow"}}`) }()
	<-arrived
	h.Stop()
	if a := <-done; a.status != 503 || h.fault(a) != "portal: Spyglass is stopping" {
		t.Errorf("got %d %s", a.status, a.body)
	}
	for e := range events {
		if e != `workspace {"kind":"history"}` {
			t.Errorf("the stream still sent %s", e)
		}
	}
	if a := h.call(1, "POST /explorer/send", `{"draft":{"path":"/raw/slow"}}`); a.status != 503 {
		t.Errorf("a later request returned %d", a.status)
	}
}

func TestConnectionErrorNamesTheAddress(t *testing.T) {
	h := build(t)
	address := strings.TrimPrefix(h.base, "http://")
	for _, tt := range []struct {
		name  string
		raw   http.HandlerFunc
		fault string // up to a number of seconds
		there bool   // the server responded
		is    serve.Failure
	}{
		{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, `portal: ` + address +
			` did not respond within 1 second`, false, serve.TimedOut},
		{"silence after the headers", func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, `portal: ` + address + ` responded with 200 OK and then stalled: no body arrived within 1 second`, true,
			serve.Stalled},
		{"silence after a part", func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("0123456789"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, `portal: ` + address + ` responded with 200 OK and then stalled: 10 bytes arrived, and nothing more ` +
			`for `, true,
			serve.Stalled},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("0123456789"))
			}
		}, `portal: ` + address + ` responded with 200 OK, but did not finish within 1 second`, true, serve.Stalled},
		{"cut before the response", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			`portal: ` +
				address + ` closed the connection without a response`, false, serve.NoResponse},
		{"cut within the response", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("0123456789"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, `portal: the response from ` + address + ` broke off after 10 bytes`, true, serve.Incomplete},
		{"a circle of redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/api/raw/again", http.StatusFound)
		},
			`portal: the portal redirects in a loop: more than 10 times`, true, serve.Redirects},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.answerRaw(tt.raw)
			a := h.call(1, "POST /explorer/send", `{"draft":{"path":"/raw/x?k=`+planted+`","timeout":1}}`)
			if got := h.fault(a); a.status != 502 || !strings.HasPrefix(got, tt.fault) ||
				strings.Contains(a.body, `"answered":true`) != tt.there ||
				!strings.Contains(a.body, `"failure":"`+string(tt.is)+`"`) {
				t.Errorf("got %d %s, want %s, returned %t and the failure %s:\n%s", a.status, got, tt.fault, tt.there,
					tt.is, a.body)
			}
		})
	}
}

func TestTabKeepsItsResponseAfterAFailedSend(t *testing.T) {
	h := build(t)
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/raw/gone" {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, `{"total":1,"items":[{"id":1}]}`)
	})
	h.call(1, "POST /explorer/tabs", `{}`)
	for _, tt := range []struct{ do, body, want string }{
		{"send", `"draft":{"path":"/raw/list"}`, `{"historyId":1}`},
		{"send", `"draft":{"path":"/raw/gone"}`, `{"historyId":1}`},
		{"pages", `"sendId":"s","draft":{"path":"/raw/list?size=5"}`, `{"historyId":3}`},
		{"pages", `"sendId":"s","draft":{"path":"/raw/gone"}`, `{"historyId":3}`},
	} {
		h.call(1, "POST /explorer/"+tt.do, `{"tabId":1,`+tt.body+`}`)
		if a := h.call(1, "GET /explorer/tabs/1?fields=historyId", ""); a.body != tt.want {
			t.Errorf("after %s %s got %s, want %s", tt.do, tt.body, a.body, tt.want)
		}
	}
}

func TestOnlyRedirectsWithinThePortalAreFollowed(t *testing.T) {
	h := build(t)
	const other = "http://127.0.0.2:1/"
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/raw/in":
			http.Redirect(w, r, "/api/alert/alerts", http.StatusFound)
		case "/api/raw/out":
			http.Redirect(w, r, other, http.StatusFound)
		}
	})
	if r := h.send(1, `{"path":"/raw/in"}`); r.Status != 200 || *r.Items != 3 {
		t.Errorf("within: %+v", r)
	}
	if r := h.send(1, `{"path":"/raw/out"}`); r.Status != 302 || !hasHeader(r, "Location", other) {
		t.Errorf("to another portal: %+v", r)
	}
}

func hasHeader(r reply, name, value string) bool {
	for _, h := range r.Headers {
		if h == [2]string{name, value} {
			return true
		}
	}
	return false
}

func TestPOSTIsSentOnce(t *testing.T) {
	h := build(t)
	var times atomic.Int64
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		if times.Add(1) > 1 {
			panic(http.ErrAbortHandler) // breaks a connection that is reused
		}
	})
	h.send(1, `{"method":"POST","path":"/raw/x"}`)
	if a := h.call(1, "POST /explorer/send", `{"draft":{"method":"POST","path":"/raw/x"}}`); a.status != 502 ||
		times.Load() != 2 {
		t.Errorf("returned %d after %d requests", a.status, times.Load())
	}
}

func TestLargeResponseIsStreamedToDisk(t *testing.T) {
	h := build(t)
	const rows = 400_000
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for name, value := range map[string]string{"Limit": "500", "Remaining": "499", "Window": "60"} {
			w.Header().Set("X-Rate-Limit-"+name, value)
		}
		_, _ = w.Write([]byte(`{"items":[`))
		block := bytes.Repeat([]byte(`{"id":7,"name":"`+strings.Repeat("x", 104)+`"},`), 1000)
		for range rows/1000 - 1 {
			_, _ = w.Write(block)
		}
		_, _ = w.Write(block[:len(block)-1])
		_, _ = w.Write([]byte(`],"total":5000000}`))
	})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := h.send(1, `{"path":"/raw/large"}`)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if r.Bytes < 45<<20 || *r.Items != rows || *r.Total != 5_000_000 || len(r.Rows) != 100 ||
		!reflect.DeepEqual(r.Quota, map[string]int64{"limit": 500, "remaining": 499, "window": 60}) {
		t.Errorf("got %d bytes, %v of %v items, %d rows, quota %v", r.Bytes, *r.Items, *r.Total, len(r.Rows), r.Quota)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 12<<20 {
		t.Errorf("%d bytes of heap hold a response of %d", grown, r.Bytes)
	}
	if total := after.TotalAlloc - before.TotalAlloc; int64(total) > r.Bytes*2 {
		t.Errorf("%d bytes were allocated on the way", total)
	}
	a := h.call(1, fmt.Sprintf("GET /explorer/documents/%s/find?query=%%22&from=0", r.Document), "")
	if a.status != 200 {
		t.Errorf("finding in it returned %d %s", a.status, a.body)
	}
	if a := h.call(1, "GET /explorer/history/1/reply", ""); a.status != 404 {
		t.Errorf("it was kept in the history: %d", a.status)
	}
}

func TestProgressIsReportedDuringTheDownload(t *testing.T) {
	h := build(t)
	events, others := h.listen(1), h.listen(2)
	more := make(chan struct{})
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(1<<20))
		for range 16 {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<16))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-more:
			case <-time.After(50 * time.Millisecond): // simulates a slow connection
			}
		}
	})
	done := make(chan answer, 1)
	go func() { done <- h.call(1, "POST /explorer/send", `{"sendId":"mine","draft":{"path":"/raw/x"}}`) }()
	var got struct {
		SendID             string
		Received, Expected int64
	}
	text := next(t, events)
	close(more)
	if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "progress ")), &got); err != nil || got.SendID != "mine" ||
		got.Received < 1 || got.Received > got.Expected || got.Expected != 1<<20 {
		t.Errorf("got %s", text)
	}
	<-done
	h.call(2, "PATCH /explorer/settings", `{"a":1}`)
	if got, want := next(t, others), `workspace {"kind":"settings"}`; got != want {
		t.Errorf("another user received %s, want %s", got, want)
	}
}

func TestNoSecretIsStoredOrLogged(t *testing.T) {
	h := build(t)
	h.variables()
	for _, draft := range []string{
		`{"path":"/raw/{{secret}}"}`,
		`{"path":"/device/devices/{{secret}}?a={{secret}}","headers":[{"on":true,"key":"X-A","value":"{{secret}}"}]}`,
		`{"method":"POST","path":"/raw/x","headers":[{"on":true,"key":"Authorization","value":"Bearer ` + planted +
			`"}],"query":[{"on":true,"key":"api_key","value":"` + planted + `"}]}`,
		`{"method":"POST","path":"/raw/x?token=` + planted +
			`&size=1","body":"{\"customProperties\":[{\"name\":\"snmp.community\",\"value\":\"` + planted +
			`\"}],\"n\": {{id}}, \"password\":\"` + planted + `\"}"}`,
		`{"method":"POST","path":"/device/devices","body":"{\"name\":\"x\",\"pin\":\"` + planted + `\"}"}`,
		`{"method":"POST","path":"/session","body":"{\"password\":\"` + planted + `\"}"}`,
	} {
		h.answerRaw(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Echo", r.URL.Path) })
		h.send(1, draft)
	}
	found := h.call(1, "GET /explorer/history?size=100", "").body + h.call(1, "GET /explorer/variables", "").body +
		h.call(1, "GET /explorer/start", "").body
	if n := strings.Count(found, `"statusText"`); n != 6 {
		t.Fatalf("the history has %d requests", n)
	}
	for _, secret := range []string{planted, cookieSecret} {
		if strings.Contains(found, secret) {
			t.Errorf("%s is shown in %s", secret, found)
		}
	}
	h.Close()
	if err := h.workspace.Close(); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(planted)) || bytes.Contains(text, []byte(cookieSecret)) {
			t.Errorf("%s holds a secret", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSigningInAsAnotherUserKeepsTheOwnSession(t *testing.T) {
	h := build(t)
	r := h.send(1, `{"method":"POST","path":"/session","body":"{}"}`)
	if got := h.body(1, r.Document); !strings.Contains(got, `"came":""`) {
		t.Errorf("the own cookie went along: %s", got)
	}
	if !hasHeader(r, "Set-Cookie", "spyglass_ab12=********; Path=/; HttpOnly; SameSite=Strict") ||
		!hasHeader(r, "X-Csrf-Token", "********") {
		t.Errorf("the headers are %v", r.Headers)
	}
	if a := h.call(1, "GET /explorer/history/1/reply", ""); a.status != 404 {
		t.Errorf("the response was kept: %d %s", a.status, a.body)
	}
}
