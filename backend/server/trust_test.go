package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"spyglass/backend/server"
	"spyglass/backend/testkit"
)

// Limits of the memory that a portal may allocate for a bad request (trust.md, rule 7), in
// bytes. go run ./build torture limits the response times, on an idle
// machine.
const (
	mostAllocated = 1 << 20
	mostPerByte   = 40       // per byte of the request, in addition
	mostToSignIn  = 48 << 20 // for the hash of a password, in addition
)

// hostile is a request as sent. PORT, TOKEN and MOUNT stand for their
// values.
type hostile struct {
	line   string // "GET MOUNT/device/devices"
	header string // header lines; empty for the usual Host, token and type
	body   string
	want   int // status on /api, and on /santaba/rest unless loose is set
	loose  int // status on /santaba/rest, if it differs
}

// exchange sends the request and reads the response.
func (h hostile) exchange(t *testing.T, s *server.Server, bearer, mount string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(s.Address())
	head := "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n"
	if h.body != "" {
		head += "Content-Type: application/json\r\n"
	}
	if h.header != "" {
		head = strings.ReplaceAll(h.header, "\n", "\r\n") + "\r\n"
	}
	if h.body != "" && !strings.Contains(head, "Content-Length") && !strings.Contains(head, "Transfer-Encoding") {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(h.body))
	}
	text := strings.NewReplacer("PORT", port, "TOKEN", bearer, "MOUNT", mount).Replace(h.line + " HTTP/1.1\r\n" + head +
		"Connection: close\r\n\r\n")
	go func() { _, _ = io.WriteString(conn, text+h.body) }() // an early response ends the request
	method, _, _ := strings.Cut(h.line, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.80s: %v", h.line, err)
	}
	body, _ := io.ReadAll(response.Body) // cut off where the server cut the request
	return response, string(body)
}

func long(text string, n int) string { return strings.Repeat(text, n) }

func filtered(filter string) string {
	return "GET MOUNT/device/devices?filter=" + url.QueryEscape(filter)
}

// hostileHeaders fail before the request reaches its endpoint.
var hostileHeaders = []hostile{
	{line: "GET MOUNT/device/devices", header: "Host: evil.example\nAuthorization: Bearer TOKEN", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1\nAuthorization: Bearer TOKEN", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: LOCALHOST:PORT\nAuthorization: Bearer TOKEN", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT.\nAuthorization: Bearer TOKEN", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:0PORT\nAuthorization: Bearer TOKEN", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: [::1]:PORT\nAuthorization: Bearer TOKEN", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: \nAuthorization: Bearer TOKEN", want: 403},
	{line: "GET http://evil.example/api/device/devices", want: 403},
	{line: "POST MOUNT/session", header: "Host: evil.example", body: `{}`, want: 403},
	{line: "GET /", header: "Host: evil.example", want: 403},
	{line: "GET /launch?t=x", header: "Host: evil.example", want: 403},
	{line: "GET /explorer/start", header: "Host: evil.example", want: 403},
	{line: "OPTIONS *", header: "Host: evil.example", want: 403},
	{line: "CONNECT evil.example:80", header: "Host: evil.example:80", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Origin: http://evil.example", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\nOrigin: null",
		want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Origin: https://127.0.0.1:PORT", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Origin: http://localhost:PORT", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Origin: http://127.0.0.1:PORT\nOrigin: http://evil.example", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Sec-Fetch-Site: cross-site", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Sec-Fetch-Site: same-site", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document", want: 403},
	{line: "GET /", header: "Host: 127.0.0.1:PORT\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\n" +
		"Sec-Fetch-Dest: iframe", want: 403},
	{line: "GET /", header: "Host: 127.0.0.1:PORT\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\n" +
		"Sec-Fetch-Dest: image", want: 403},
	{line: "POST /", header: "Host: 127.0.0.1:PORT\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\n" +
		"Sec-Fetch-Dest: document", want: 403},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT", want: 401},
	{line: "GET MOUNT/device/devices?access_token=TOKEN&token=TOKEN", header: "Host: 127.0.0.1:PORT", want: 401},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer nonsense", want: 401},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer", want: 401},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Basic YWRtaW46YWRtaW4=",
		want: 401},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: LMv1 a:b", want: 401},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: LMv1 a:b:99999999999999999999",
		want: 401},
	{line: "GET MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nX-Remote-User: admin\nX-Forwarded-User: admin\n" +
		"X-Forwarded-For: 127.0.0.1", want: 401},
	{line: "GET MOUNT/session", header: "Host: 127.0.0.1:PORT\nCookie: spyglass_=x; spyglass_aaaaaaaa=" +
		long("z", 4000), want: 401},
	{line: "HEAD MOUNT/device/devices", want: 200},
	{line: "GET MOUNT/device/devices/batch", want: 405},
	{line: "PUT MOUNT/device/devices/batch", body: "{}", want: 405},
	{line: "OPTIONS MOUNT/device/devices", want: 405},
	{line: "TRACE MOUNT/device/devices", want: 405},
	{line: "PROPFIND MOUNT/device/devices", want: 405},
	{line: "DELETE MOUNT/device/devices", want: 405},
	{line: "POST MOUNT/device/devices/1", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"X-HTTP-Method-Override: DELETE", want: 405},
	{line: "POST /", want: 405},
	{line: "POST MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN",
		body: `{"name":"a"}`, want: 415},
	{line: "POST MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Content-Type: text/plain", body: `{"name":"a"}`, want: 415},
	{line: "POST MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Content-Type: application/x-www-form-urlencoded", body: `name=a`, want: 415},
	{line: "POST MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Content-Type: multipart/form-data; boundary=x", body: `--x--`, want: 415},
	{line: "POST MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Content-Type: application/json; charset=utf-16", body: `{}`, want: 415},
	{line: "POST MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Content-Type: application/json\nContent-Encoding: gzip", body: `{}`, want: 415},
	{line: "POST MOUNT/session", header: "Host: 127.0.0.1:PORT\nContent-Type: text/plain", body: `{}`, want: 415},
	{line: "POST MOUNT/device/devices", header: "Host: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n" +
		"Content-Type: application/json\nContent-Length: 4194305", body: `{`, want: 413},
	{line: "POST MOUNT/session", header: "Host: 127.0.0.1:PORT\nContent-Type: application/json", body: `{"username":"` +
		long("a", 4<<10) + `"}`, want: 413},
	{line: "POST MOUNT/session", header: "Host: 127.0.0.1:PORT\nContent-Type: application/json",
		body: `{"username":["a"],"password":"b"}`, want: 400},
	{line: "POST MOUNT/session", header: "Host: 127.0.0.1:PORT\nContent-Type: application/json",
		body: `{"username":"a","username":"b","password":"c"}`, want: 400},
	{line: "POST MOUNT/session", header: "Host: 127.0.0.1:PORT\nContent-Type: application/json",
		body: `{"username":"' OR 1=1 --","password":"x"}`, want: 401},
	{line: "GET MOUNT/nothing", want: 404},
	{line: "GET MOUNT", want: 404},
	{line: "GET MOUNT/", want: 404},
	{line: "GET MOUNT//device/devices", want: 404},
	{line: "GET MOUNT/device/devices/", want: 404},
	{line: "GET MOUNT/../../etc/passwd", want: 404},
	{line: "GET MOUNT/%2e%2e/%2e%2e/etc/passwd", want: 404},
	{line: "GET MOUNT/device%2Fdevices", want: 404},
	{line: "GET /assets/../../../etc/passwd.txt", want: 404},
	{line: "GET /nothing.js", want: 404},
	{line: "GET /.git/config.txt", want: 404},
}

// hostileQueries have an invalid path or query.
var hostileQueries = []hostile{
	{line: "GET MOUNT/device/devices/0", want: 404},
	{line: "GET MOUNT/device/devices/-1", want: 404},
	{line: "GET MOUNT/device/devices/1.0", want: 404},
	{line: "GET MOUNT/device/devices/1e3", want: 404},
	{line: "GET MOUNT/device/devices/9223372036854775807", want: 404},
	{line: "GET MOUNT/device/devices/9223372036854775808", want: 404},
	{line: "GET MOUNT/device/devices/1%00", want: 404},
	{line: "GET MOUNT/device/devices/1%0d%0aX-Evil:1", want: 404},
	{line: "GET MOUNT/device/devices/%ff", want: 404},
	{line: "GET MOUNT/device/devices/1;drop", want: 404},
	{line: "GET MOUNT/device/devices/..", want: 404},
	{line: "GET MOUNT/device/devices/" + long("9", 5000), want: 404},
	{line: "GET MOUNT/setting/admins/1/apitokens/1%20OR%201=1", want: 404},
	{line: "GET MOUNT/setting/admins/x/apitokens", want: 404},
	{line: "GET MOUNT/device/devices?size=0", want: 400},
	{line: "GET MOUNT/device/devices?size=-1", want: 400},
	{line: "GET MOUNT/device/devices?size=1001", want: 400, loose: 200},
	{line: "GET MOUNT/device/devices?size=1e3", want: 400},
	{line: "GET MOUNT/device/devices?size=99999999999999999999", want: 400},
	{line: "GET MOUNT/device/devices?size=%00", want: 400},
	{line: "GET MOUNT/device/devices?offset=-1", want: 400},
	{line: "GET MOUNT/device/devices?offset=9223372036854775808", want: 400},
	{line: "GET MOUNT/device/devices?x=%zz", want: 400, loose: 200},
	{line: "GET MOUNT/device/devices?%zz=1", want: 400},
	{line: "GET MOUNT/device/devices?sort=body", want: 400},
	{line: "GET MOUNT/device/devices?sort=rowid", want: 400},
	{line: "GET MOUNT/device/devices?sort=id;DROP%20TABLE%20device", want: 400},
	{line: "GET MOUNT/device/devices?sort=%22id%22%20DESC", want: 400},
	{line: "GET MOUNT/device/devices?sort=customProperties.sealed", want: 400},
	{line: "GET MOUNT/device/devices?sort=customProperties", want: 400},
	{line: "GET MOUNT/device/devices?sort=%ff%00", want: 400},
	{line: "GET MOUNT/device/devices?sort=id,id,id,id,id,id,id,id,id", want: 400},
	{line: "GET MOUNT/setting/admins?sort=password", want: 400},
	{line: "GET MOUNT/device/devices?fields=body", want: 400},
	{line: "GET MOUNT/device/devices?fields=id%22", want: 400},
	{line: "GET MOUNT/device/devices?fields=" + long("x", 20000), want: 400},
	{line: "GET MOUNT/device/devices/1?fields=customProperties.sealed", want: 400},
	{line: "GET MOUNT/setting/admins?fields=password", want: 400},
	{line: "GET MOUNT/setting/admins/1/apitokens?fields=bearerHash", want: 400},
	{line: filtered(`password:"x"`), want: 400},
	{line: filtered(`customProperties.sealed~"x"`), want: 400},
	{line: "GET MOUNT/setting/admins?filter=password~%22a%22", want: 400},
	{line: "GET MOUNT/setting/admins/1/apitokens?filter=sealedKey~%22a%22", want: 400},
	{line: filtered(`displayName`), want: 400},
	{line: filtered(`displayName~`), want: 400},
	{line: filtered(`displayName:"open`), want: 400},
	{line: filtered(`displayName~"x" OR 1=1 --`), want: 400},
	{line: filtered("displayName~\"a\x00b\""), want: 400},
	{line: filtered("displayName~\"\xff\""), want: 400},
	{line: filtered(`id:1||||id:2`), want: 400},
	{line: filtered(`(((((`), want: 400},
	{line: filtered(`id>1e300`), want: 400},
	{line: filtered(`id:99999999999999999999`), want: 400},
	{line: filtered(`createdOn>"2026-99-99"`), want: 400},
	{line: filtered(`createdOn>9223372036854775807`), want: 400},
	{line: filtered(`disableAlerting:maybe`), want: 400},
	{line: filtered(`customProperties:"x"`), want: 400},
	{line: filtered(`id` + long(`:1|`, 1000)), want: 400},
	{line: filtered(`id:1` + long(`|1`, 100)), want: 400},
	{line: filtered(`displayName~"` + long("a", 4<<10) + `"`), want: 400},
	{line: filtered(long(`displayName~"a"||`, 101) + `id:1`), want: 400},
	{line: filtered(long(`(`, 4000)), want: 400},
}

// hostileBodies are invalid bodies of a POST to /device/devices.
var hostileBodies = []hostile{
	{body: ` `, want: 400},
	{body: `null`, want: 400},
	{body: `[]`, want: 400},
	{body: `"x"`, want: 400},
	{body: `{`, want: 400},
	{body: `{"name":"a"} {}`, want: 400},
	{body: `{"name":"a","name":"b"}`, want: 400},
	{body: `{"name":"a","n\u0061me":"b"}`, want: 400},
	{body: `{"Name":"a"}`, want: 400},
	{body: `{"name":"a","constructor":1}`, want: 400, loose: 200},
	{body: `{"name":"a\u0000b"}`, want: 400},
	{body: `{"name":"a\nb"}`, want: 400},
	{body: `{"name":"b","displayName":"a\u001b[31mb"}`, want: 400},
	{body: "{\"name\":\"a\nb\"}", want: 400},
	{body: `{"n\u0007ame":"b"}`, want: 400},
	{body: `{"name":"\ud800"}`, want: 400},
	{body: "{\"name\":\"\xff\xfe\"}", want: 400},
	{body: "\ufeff{}", want: 400},
	{body: `{"name":NaN}`, want: 400},
	{body: `{"name":01}`, want: 400},
	{body: `{"name":'a'}`, want: 400},
	{body: `{"name":"a",}`, want: 400},
	{body: `{"name":"a" /* */}`, want: 400},
	{body: `{"name":null}`, want: 400},
	{body: `{"name":["a"]}`, want: 400},
	{body: `{"name":{"a":1}}`, want: 400},
	{body: `{"name":""}`, want: 400},
	{body: `{"name":"a b"}`, want: 400},
	{body: `{"name":"../../etc/passwd"}`, want: 400},
	{body: `{"name":"<script>alert(1)</script>"}`, want: 400},
	{body: `{"name":"` + long("a", 256) + `"}`, want: 400},
	{body: `{"name":"a","description":"` + long("a", 4001) + `"}`, want: 400},
	{body: `{"name":"a","link":"javascript:alert(1)"}`, want: 400},
	{body: `{"name":"a","link":"http://"}`, want: 400},
	{body: `{"name":"a","link":"http://x/\u0001"}`, want: 400},
	{body: `{"name":"a","deviceType":9223372036854775808}`, want: 400},
	{body: `{"name":"a","deviceType":1e400}`, want: 400},
	{body: `{"name":"a","deviceType":1.5}`, want: 400},
	{body: `{"name":"a","deviceType":-1}`, want: 400},
	{body: `{"name":"a","preferredCollectorId":9223372036854775807}`, want: 400},
	{body: `{"name":"a","disableAlerting":"yes"}`, want: 400},
	{body: `{"name":"a","hostGroupIds":"9223372036854775808"}`, want: 400},
	{body: `{"name":"a","hostGroupIds":"1,-1"}`, want: 400},
	{body: `{"name":"a","hostGroupIds":"999999"}`, want: 400},
	{body: `{"name":"a","hostGroupIds":[1]}`, want: 400},
	{body: `{"name":"a","customProperties":{}}`, want: 400},
	{body: `{"name":"a","customProperties":[{"name":"a","value":"b"},{"name":"A","value":"c"}]}`, want: 400},
	{body: `{"name":"a","customProperties":[{"name":"","value":"b"}]}`, want: 400},
	{body: `{"name":"a","customProperties":[{"name":"a\u0001","value":"b"}]}`, want: 400},
	{body: `{"name":"one","customProperties":[{"name":"a","value":1}]}`, want: 400, loose: 200},
	{body: `{"name":"list","customProperties":[{"name":"a","value":[1]}]}`, want: 400},
	{body: `{"name":"foreign","customProperties":[{"name":"a","value":"b","x":"y"}]}`, want: 400, loose: 200},
	{body: `{"name":"a","customProperties":[` + properties(1001) + `]}`, want: 400},
	{body: long(`[`, 33) + long(`]`, 33), want: 400},
	{body: long(`{"a":`, 100) + `1` + long(`}`, 100), want: 400},
	{body: long(`[`, 1<<20), want: 400},
	{body: `{"name":[` + long(`0,`, 1<<20) + `0]}`, want: 400},
	{body: `{"` + long("k", 300) + `":1}`, want: 400},
	{body: `{"name":"` + long(`\u0061`, 200_000) + `"}`, want: 400},
	{body: `{"id":1e99999,"name":"` + long("n", 300) + `"}`, want: 400},
}

func properties(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `,{"name":"p%d","value":""}`, i)
	}
	return out.String()[1:]
}

func TestInvalidRequestsNeverCrashThePortal(t *testing.T) {
	o := options(t)
	o.NoLimits = true
	s := start(t, o)
	bearer := token(t, o, "admin")
	all := append(append([]hostile{}, hostileHeaders...), hostileQueries...)
	for _, h := range hostileBodies {
		h.line = "POST MOUNT/device/devices"
		all = append(all, h)
	}
	for _, mount := range []string{"/api", "/santaba/rest"} {
		for _, h := range all {
			before := testkit.Allocated()
			response, body := h.exchange(t, s, bearer, mount)
			used, sent := testkit.Allocated()-before, len(h.line)+len(h.header)+len(h.body)
			want := h.want
			if h.loose != 0 && mount != "/api" {
				want = h.loose
			}
			if response.StatusCode != want {
				t.Errorf("%s: %.100s %.60q %.80s\nanswers %d, want %d\n%.300s", mount, h.line, h.header, h.body,
					response.StatusCode, want, body)
			}
			most := uint64(mostAllocated + mostPerByte*sent)
			if strings.HasPrefix(h.line, "POST MOUNT/session") {
				most += mostToSignIn
			}
			if used > most {
				t.Errorf("%s: %.100s %.80s\nof %d bytes takes %d bytes of memory, want at most %d",
					mount, h.line, h.body, sent, used, most)
			}
			if want >= 400 && !strings.HasPrefix(h.line, "HEAD") && !isFailure(body, want) {
				t.Errorf("%s: %.100s %.80s\nis no error of ours: %.300s", mount, h.line, h.body, body)
			}
			for _, name := range []string{"Access-Control-Allow-Origin", "X-Evil", "Server", "X-Powered-By"} {
				if response.Header.Get(name) != "" {
					t.Errorf("%.100s: the response has %s", h.line, name)
				}
			}
		}
	}
	if status, body := get(t, s, bearer, "/api/device/devices"); status != 200 {
		t.Errorf("afterwards it returns %d %v", status, body)
	}
}

// isFailure reports whether a response is exactly the error body of wire.md.
func isFailure(body string, status int) bool {
	var f struct {
		ErrorMessage string          `json:"errorMessage"`
		ErrorCode    int             `json:"errorCode"`
		ErrorDetail  json.RawMessage `json:"errorDetail"`
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(&f) == nil && f.ErrorMessage != "" && f.ErrorCode == 1000+status && len(f.ErrorDetail) > 0
}

// Responses that net/http itself sends have a status, but not the portal's body.
func TestNonHTTPConnectionsAreRefused(t *testing.T) {
	s := start(t, options(t))
	for _, h := range []hostile{
		{line: "GET /api/device/devices", header: "Host: 127.0.0.1:PORT\nX-Long: " + long("a", 80<<10), want: 431},
		{line: "GET /api/device/devices?x=" + long("a", 80<<10), header: "Host: 127.0.0.1:PORT", want: 431},
		{line: "GET /api/device/devices", header: "Host: 127.0.0.1:PORT\n" +
			strings.TrimSpace(long("X-Many: aaaaaaaa\n", 6000)), want: 431},
		{line: "POST /api/device/devices", header: "Host: 127.0.0.1:PORT\nContent-Length: -1", want: 400},
		{line: "POST /api/device/devices", header: "Host: 127.0.0.1:PORT\nContent-Length: 99999999999999999999",
			want: 400},
		{line: "POST /api/device/devices", header: "Host: 127.0.0.1:PORT\nContent-Length: 2\nContent-Length: 3",
			body: "{}", want: 400},
		{line: "POST /api/device/devices", header: "Host: 127.0.0.1:PORT\nTransfer-Encoding: gzip, chunked",
			body: "0\r\n\r\n", want: 501},
		{line: "GET /api/device/devices", header: "Host: 127.0.0.1:PORT\nHost: evil.example", want: 400},
		{line: "GET /api/device/devices", header: "Host: 127.0.0.1:PORT\nX A: b", want: 400},
		{line: "GET /api/device/devices", header: "X-No: host", want: 400},
		{line: "GET /api/%zz", header: "Host: 127.0.0.1:PORT", want: 400},
		{line: "GET /a b", header: "Host: 127.0.0.1:PORT", want: 400},
		{line: "NONSENSE", header: "Host: 127.0.0.1:PORT", want: 400},
	} {
		response, body := h.exchange(t, s, "", "")
		if response.StatusCode != h.want {
			t.Errorf("%.60s %.80q returns %d, want %d: %.100s", h.line, h.header, response.StatusCode, h.want, body)
		}
	}
}
