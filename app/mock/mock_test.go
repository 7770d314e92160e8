package mock

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"spyglass/app/workspace"
)

func zip(text string) []byte {
	z := workspace.NewZipper()
	_, _ = z.Write([]byte(text))
	return z.Zipped()
}

// ok is a recorded request whose response is its own number.
func ok(number, method, url, body string) Recorded {
	return Recorded{From: "request " + number, Method: method, URL: url, Body: body, Status: 200,
		Zipped: zip(`"` + number + `"`)}
}

func send(m *Mock, method, url, body string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

const portal = "https://portal.example/api"

var recorded = []Recorded{
	ok("0", "GET", portal+"/device/devices?size=5&filter=name~%22a%26b%22", ""),
	ok("1", "GET", portal+"/device/devices", ""),
	ok("2", "GET", portal+"/device/devices", ""), // newer
	ok("3", "GET", "https://portal.example/santaba/rest/device/devices", ""),
	ok("4", "POST", portal+"/device/devices", `{"name": "web-01", "groupId": 1, "tags": ["a", "b"]}`),
	ok("5", "POST", portal+"/device/devices", `{"name": "{{name}}", "groupId": {{group}}}`),
	ok("6", "GET", portal+"/session?token=********", ""),
	{From: "Fleet/One", Name: "Found", Method: "GET", URL: "/device/groups/{id}", Status: 200, Zipped: zip(`"7"`),
		Params: map[string]string{"id": "1"}},
	{From: "Fleet/Two", Name: "Found", Method: "GET", URL: "/device/groups/{id}", Status: 200, Zipped: zip(`"8"`),
		Params: map[string]string{"id": "2"}},
	{From: "Fleet/Three", Name: "Missing", Method: "GET", URL: "/alert/alerts/{{id}}", Status: 404, Zipped: zip(`"9"`)},
	{From: "Fleet/Three", Name: "Found", Method: "GET", URL: "/alert/alerts/{{id}}", Status: 200, Zipped: zip(`"10"`)},
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestRequestGetsTheBestMatchingResponse(t *testing.T) {
	strict := New(Options{Recorded: recorded, Log: quiet()})
	loose := New(Options{Recorded: recorded, Log: quiet(), Loose: true})
	for _, tt := range []struct {
		m                  *Mock
		method, path, body string
		want               string // empty: 404
	}{
		{strict, "GET", "/api/device/devices?filter=name~%22a%26b%22&size=5", "", "0"},
		{strict, "GET", "/api/device/devices", "", "2"},
		{strict, "HEAD", "/api/device/devices", "", "head"},
		{strict, "GET", "/santaba/rest/device/devices", "", "3"},
		{strict, "GET", "/device/devices/", "", "3"},
		{strict, "GET", "/api/device/devices?size=6", "", ""},
		{loose, "GET", "/api/device/devices?size=6&filter=name~%22a%26b%22", "", "0"},
		{loose, "GET", "/api/device/devices?fields=id", "", "2"},
		{strict, "POST", "/api/device/devices", `{"tags":["a","b"],"groupId":1.0,"name":"web-01"}`, "4"},
		{strict, "POST", "/api/device/devices", `{"tags":["b","a"],"groupId":1,"name":"web-01"}`, ""},
		{strict, "POST", "/api/device/devices", `{"groupId":7,"name":"db-01"}`, "5"},
		{strict, "POST", "/api/device/devices", `{"groupId":7,"name":"db-01","x":1}`, ""},
		{strict, "PUT", "/api/device/devices", ``, ""},
		{strict, "GET", "/api/session?token=other", "", "6"},
		{strict, "GET", "/api/device/groups/1", "", "7"},
		{strict, "GET", "/api/device/groups/2", "", "8"},
		{strict, "GET", "/api/device/groups/3", "", "8"},
		{strict, "GET", "/api/alert/alerts/5", "", "10"},
	} {
		r := send(tt.m, tt.method, tt.path, tt.body, "Authorization", "LMv1 id:signature:1")
		got := text(t, r)
		switch {
		case tt.want == "" && r.StatusCode != 404, tt.want == "head" && (r.StatusCode != 200 || got != ""),
			tt.want != "" && tt.want != "head" && got != `"`+tt.want+`"`:
			t.Errorf("%s %s %s gets %d %s, not %q", tt.method, tt.path, tt.body, r.StatusCode, got, tt.want)
		}
	}
}

func TestExampleCanBeSelected(t *testing.T) {
	m := New(Options{Recorded: recorded, Log: quiet()})
	for _, header := range [][]string{{"X-Mock-Response-Code", "404"}, {"X-Mock-Response-Name", "Missing"}} {
		if r := send(m, "GET", "/api/alert/alerts/5", "", header...); r.StatusCode != 404 || text(t, r) != `"9"` {
			t.Errorf("%v does not choose the example", header)
		}
	}
}

func TestUnmatchedRequestNamesTheNearest(t *testing.T) {
	m := New(Options{Recorded: recorded, Log: quiet()})
	for _, tt := range []struct{ method, path, body, says string }{
		{"GET", "/api/device/devices?size=6&filter=name~%22a%26b%22", "", "no response is recorded for GET " +
			`/api/device/devices?size=6&filter=name~%22a%26b%22; the nearest is GET ` +
			`/api/device/devices?size=5&filter=name~%22a%26b%22, which differs in size`},
		{"GET", "/api/device/device", "", "no response is recorded for GET /api/device/device; the nearest is GET " +
			"/santaba/rest/device/devices, which has another path"},
		{"DELETE", "/api/device/groups/1", "", "no response is recorded for DELETE /api/device/groups/1; the nearest " +
			"is GET /device/groups/{id}, which has another method"},
		{"POST", "/api/device/devices", "x", "no response is recorded for POST /api/device/devices; the nearest is " +
			"POST /api/device/devices, which has another body"},
		{"GET", "/api/session?token=a&secret=hunter2", "", "no response is recorded for GET " +
			"/api/session?token=********&secret=********; the nearest is GET /api/session?token=********, " +
			"which differs in secret"},
	} {
		r := send(m, tt.method, tt.path, tt.body)
		var f struct {
			ErrorMessage string
			ErrorCode    int
			ErrorDetail  struct{ Nearest string }
		}
		if err := json.Unmarshal([]byte(text(t, r)), &f); err != nil || r.StatusCode != 404 || f.ErrorCode != 1404 ||
			f.ErrorMessage != tt.says || f.ErrorDetail.Nearest == "" {
			t.Errorf("%s %s gets %d, %v, %+v", tt.method, tt.path, r.StatusCode, err, f)
		}
	}
}

func TestResponseIsSentAsRecorded(t *testing.T) {
	var log bytes.Buffer
	m := New(Options{Local: true, Log: slog.New(slog.NewTextHandler(&log, nil)), Recorded: []Recorded{
		{From: "request 1", Method: "GET", URL: "/a", Status: 207, Zipped: zip("a,b"), Headers: [][2]string{
			{"Content-Type", "text/csv"}, {"X-Rate-Limit-Limit", "100"}, {"Content-Length", "99"},
			{"Set-Cookie", "a=b"}, {"Content-Encoding", "br"}}},
	}})
	r := send(m, "GET", "http://127.0.0.1:80/api/a", "")
	if got := text(t, r); r.StatusCode != 207 || got != "a,b" || len(r.Header) != 2 ||
		r.Header.Get("Content-Type") != "text/csv" || r.Header.Get("X-Rate-Limit-Limit") != "100" {
		t.Errorf("it is sent as %d %q %v", r.StatusCode, got, r.Header)
	}
	if !strings.Contains(log.String(), `msg=response method=GET path=/api/a status=207 matched="request 1"`) {
		t.Errorf("the log is %s", &log)
	}
	if r := send(m, "GET", "http://evil.example/api/a", ""); r.StatusCode != 403 {
		t.Errorf("a request under another host's name gets %d", r.StatusCode)
	}
}

func TestFailOptionFailsAPercentageOfRequests(t *testing.T) {
	for _, wrong := range []string{"", "429", "429:", "200:10%", "429:0%", "429:101%", "x:10%"} {
		if _, err := ReadFailing(wrong); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	fail, err := ReadFailing("503:40%")
	if err != nil {
		t.Fatal(err)
	}
	m := New(Options{Recorded: recorded, Log: quiet(), Fail: fail})
	failed := 0
	for range 10 {
		r := send(m, "GET", "/api/device/devices", "")
		if body := text(t, r); r.StatusCode == 503 && r.Header.Get("Retry-After") == "1" &&
			strings.Contains(body, `"errorCode":1503`) {
			failed++
		}
	}
	if failed != 4 {
		t.Errorf("%d of 10 requests fail", failed)
	}
}

func TestLatencyEndsWhenTheRequestIsCancelled(t *testing.T) {
	m := New(Options{Recorded: recorded, Log: quiet(), Latency: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/api/device/devices", nil).WithContext(ctx))
	if w.Body.Len() > 0 {
		t.Errorf("it gets %s", w.Body)
	}
}
