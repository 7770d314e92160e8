package api

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// addDevices creates n devices, from "d0001" on.
func (p *served) addDevices(n int) {
	p.t.Helper()
	ctx := p.t.Context()
	must(p.t, p.db.Write(ctx, func(tx resource.Tx) error {
		for i := range n {
			d := fleet.Device{Name: fmt.Sprintf("d%04d", i+1), DisplayName: fmt.Sprintf("d%04d", i+1),
				GroupIDs: resource.IDs{ground.RootGroup}, CollectorID: 1}
			if err := resource.Put(ctx, tx, fleet.Devices.Name, &d); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestListIsStreamedAsNDJSON(t *testing.T) {
	p := newPortal(t, nil)
	p.addDevices(1203)
	for _, tt := range []struct {
		query string
		lines int
		last  string
	}{
		{"", 1203, ""},
		{"?fields=id,inheritedProperties&size=1&offset=7", 1203, `{"id":1203,"inheritedProperties":[]}`},
		{"?fields=displayName&sort=-displayName", 1203, `{"displayName":"d0001"}`},
		{"?fields=displayName&sort=%2Bname,-id", 1203, `{"displayName":"d1203"}`},
		{"?fields=id&filter=displayName~%2211%22", 120, `{"id":1199}`},
		{"?filter=id:0", 0, ""},
	} {
		response, text := p.request("GET /api/device/devices"+tt.query, "viewer", "", "Accept: application/x-ndjson")
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if text == "" {
			lines = nil
		}
		if response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/x-ndjson" ||
			len(lines) != tt.lines {
			t.Errorf("%s returns %d %s, %d lines, want %d", tt.query, response.StatusCode,
				response.Header.Get("Content-Type"), len(lines), tt.lines)
			continue
		}
		for _, line := range lines {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%s: a line is %q", tt.query, line)
			}
		}
		if tt.last != "" && lines[len(lines)-1] != tt.last {
			t.Errorf("%s ends in %s, want %s", tt.query, lines[len(lines)-1], tt.last)
		}
	}
	for accept, want := range map[string]string{"application/json": "application/json", "*/*": "application/json",
		"application/x-ndjson;q=0":              "application/json",
		"text/html, application/x-ndjson;q=0.5": "application/x-ndjson"} {
		if response, _ := p.request("GET /api/device/devices?size=1", "viewer", "",
			"Accept: "+accept); response.Header.Get(
			"Content-Type") != want {
			t.Errorf("%s gets %s, want %s", accept, response.Header.Get("Content-Type"), want)
		}
	}
	if response, text := p.request("GET /api/device/devices?filter=nope:1", "viewer", "",
		"Accept: application/x-ndjson"); response.StatusCode != 400 ||
		response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("a wrong filter returns %d %s", response.StatusCode, text)
	}
}

// TestStreamIsAConsistentSnapshot changes every row while a client reads a stream.
func TestStreamIsAConsistentSnapshot(t *testing.T) {
	p := newPortal(t, nil)
	p.addDevices(3000) // more than the buffers on the way can hold
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+p.host+"/api/device/devices?fields=id,"+
		"displayName,customProperties,systemProperties,autoProperties,description", nil)
	must(t, err)
	r.Header.Set("Accept", "application/x-ndjson")
	r.Header.Set("Authorization", "Bearer "+p.who["token"].bearer)
	response, err := http.DefaultTransport.RoundTrip(r)
	must(t, err)
	defer response.Body.Close()
	in := bufio.NewReader(response.Body)
	_, err = in.ReadString('\n')
	must(t, err)
	must(t, p.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.DeleteAll(t.Context(), tx, fleet.Devices.Name,
			resource.Where{Field: "id", Op: ">", Value: int64(10)})
	}))
	rest, err := io.ReadAll(in)
	must(t, err)
	if n := bytes.Count(rest, []byte("\n")); n != 2999 {
		t.Errorf("%d lines follow the first, want 2999", n)
	}
}

func TestLargeResponseIsCompressedIfAccepted(t *testing.T) {
	p := newPortal(t, nil)
	p.addDevices(20)
	p.request("PATCH /api/device/devices/1", "admin", `{"description":"`+strings.Repeat("long ", 500)+`"}`)
	_, plain := p.request("GET /api/device/devices", "viewer", "")
	for _, tt := range []struct{ path, accept, lines, coding string }{
		{"/device/devices", "gzip;q=1", "", "gzip"},
		{"/device/devices", "gzip;q=1", "application/x-ndjson", "gzip"},
		{"/device/devices/1", "br, gzip;q=0.5", "", "gzip"},
		{"/device/devices", "gzip", "", ""}, // a local client, with the header that Go's client adds by default
		{"/device/devices", "gzip;q=0", "", ""},
		{"/device/devices", "deflate", "", ""},
		{"/session", "gzip;q=1", "", ""}, // small
	} {
		response, text := p.request("GET /api"+tt.path, "viewer", "", "Accept-Encoding: "+tt.accept,
			"Accept: "+tt.lines)
		if response.Header.Get("Content-Encoding") != tt.coding {
			t.Errorf("%s with %s is %q, want %q", tt.path, tt.accept, response.Header.Get("Content-Encoding"),
				tt.coding)
			continue
		}
		if tt.coding == "" {
			continue
		}
		z, err := gzip.NewReader(strings.NewReader(text))
		must(t, err)
		unpacked, err := io.ReadAll(z)
		must(t, err)
		if tt.path == "/device/devices" && tt.lines == "" && string(unpacked) != plain {
			t.Errorf("%s unpacks into %s", tt.path, unpacked)
		}
		if tt.lines != "" && bytes.Count(unpacked, []byte("\n")) != 20 {
			t.Errorf("the stream unpacks into %s", unpacked)
		}
		if tag := response.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, `W/"`) {
			t.Errorf("%s is packed and has the strong tag %s", tt.path, tag)
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	p := newPortal(t, nil)
	p.addDevices(1)
	response, _ := p.request("GET /api/device/devices/1", "admin", "")
	old := response.Header.Get("ETag")
	for _, tt := range []struct {
		do, body, header string
		code             int
	}{
		{"GET /api/device/devices/1", "", "If-None-Match: " + old, 304},
		{"GET /api/device/devices/1", "", "If-None-Match: W/" + old, 304},
		{"GET /api/device/devices/1", "", `If-None-Match: "other"`, 200},
		{"PATCH /api/device/devices/1", `{"description":"x"}`, `If-Match: "other"`, 412},
		{"PATCH /api/device/devices/1", `{"description":"x"}`, "If-Match: " + old, 200},
		{"GET /api/device/devices/1", "", "If-None-Match: " + old, 200},
		{"PATCH /api/device/devices/1", `{"description":"y"}`, "If-Match: " + old, 412},
		{"PUT /api/device/devices/1", `{"name":"d0001"}`, "If-Match: " + old, 412},
		{"DELETE /api/device/devices/1", "", "If-Match: " + old, 412},
		{"PUT /api/device/devices/1", `{"name":"d0001"}`, "If-Match: *", 200},
		{"DELETE /santaba/rest/device/devices/1", "", "If-Match: *", 200},
	} {
		if response, text := p.request(tt.do, "admin", tt.body, tt.header); response.StatusCode != tt.code ||
			tt.code == 412 &&
				!strings.Contains(text, `"errorCode":1412`) {
			t.Errorf("%s with %s returns %d %s, want %d", tt.do, tt.header, response.StatusCode, text, tt.code)
		}
	}
	doc := p.document()
	row := doc.Paths.Value("/device/devices/{id}")
	for _, op := range []struct{ method, header string }{{"GET", "If-None-Match"}, {"PUT", "If-Match"},
		{"PATCH", "If-Match"}, {"DELETE", "If-Match"}} {
		o := row.GetOperation(op.method)
		if o.Parameters.GetByInAndName("header", op.header) == nil {
			t.Errorf("%s does not document %s", op.method, op.header)
		}
		if op.method != "DELETE" && o.Responses.Status(200).Value.Headers["ETag"] == nil {
			t.Errorf("%s does not document its ETag", op.method)
		}
	}
	if doc.Paths.Value("/device/devices").Get.Responses.Status(200).Value.Content["application/x-ndjson"] == nil {
		t.Error("the list does not document its lines")
	}
}

func TestBatchIsAtomicUnlessItSaysOtherwise(t *testing.T) {
	p := newPortal(t, nil)
	p.addDevices(2)
	const mixed = `"operations":[{"op":"create","body":{"name":"new"}},{"op":"patch","id":1,` +
		`"body":{"description":"x"}},{"op":"delete","id":2},{"op":"create","body":{"name":"D0001"}},{"op":"patch",` +
		`"id":99,"body":{}},{"op":"paint"}]`
	const wrong = `{"errorMessage":"there is already a device with the displayName \"D0001\"","errorCode":1409,` +
		`"errorDetail":{"field":"displayName","reason":"there is already a device with the displayName \"D0001\""}}`
	const none = `{"errorMessage":"there is no device 99","errorCode":1404,"errorDetail":null}`
	const paint = `{"errorMessage":"op must be create, patch or ` +
		`delete","errorCode":1400,"errorDetail":{"field":"op",` +
		`"reason":"op must be create, patch or delete","allowed":["create","patch","delete"]}}`
	tag := func(text string) string { // tags depend on the other fields of the row
		parts := strings.Split(text, `"etag":"\"`)
		for i := range parts[1:] {
			_, rest, _ := strings.Cut(parts[i+1], `\""`)
			parts[i+1] = "…" + rest
		}
		return strings.Join(parts, `"etag":`)
	}
	for _, tt := range []struct {
		as, body string
		code     int
		want     string
	}{
		{"admin", `{` + mixed + `}`, 409, `{"errorMessage":"nothing was written: 3 of 6 operations failed,` +
			` number 3 first: there is already a device with the displayName \"D0001\"","errorCode":1409,` +
			`"errorDetail":{"field":"operations[3].displayName",` +
			`"reason":"nothing was written: 3 of 6 operations failed,` +
			` number 3 first: there is already a device with the displayName \"D0001\"","results":[` +
			`{"op":"create","id":0,"ok":true,"etag":"","error":null},{"op":"patch","id":1,"ok":true,"etag":"",` +
			`"error":null},{"op":"delete","id":2,"ok":true,"etag":"","error":null},` +
			`{"op":"create","id":0,"ok":false,"etag":"","error":` + wrong + `},{"op":"patch","id":99,"ok":false,` +
			`"etag":"","error":` + none + `},{"op":"paint","id":0,"ok":false,"etag":"","error":` + paint + `}]}}`},
		{"viewer", `{` + mixed + `}`, 403, ``},
		{"admin", `{}`, 400, `{"errorMessage":"operations must have 1 to 1000 operations","errorCode":1400,` +
			`"errorDetail":{"field":"operations","reason":"operations must have 1 to 1000 operations"}}`},
		{"admin", `{"operations":[],"atomc":true}`, 400, `{"errorMessage":"a batch has no field \"atomc\";` +
			` did you mean atomic?","errorCode":1400,"errorDetail":{"field":"atomc",` +
			`"reason":"a batch has no field \"atomc\"; did you mean atomic?"}}`},
		{"admin", `{"atomic":false,` + mixed + `}`, 200, `{"succeeded":3,"failed":3,"results":[{"op":"create","id":3,` +
			`"ok":true,"etag":…,"error":null},{"op":"patch","id":1,"ok":true,"etag":…,"error":null},{"op":"delete",` +
			`"id":2,"ok":true,"etag":"","error":null},` +
			`{"op":"create","id":0,"ok":false,"etag":"","error":` + wrong + `},{"op":"patch","id":99,"ok":false,` +
			`"etag":"","error":` + none + `},{"op":"paint","id":0,"ok":false,"etag":"","error":` + paint + `}]}`},
	} {
		response, text := p.request("POST /api/device/devices/batch", tt.as, tt.body)
		if got := tag(text); response.StatusCode != tt.code || tt.want != "" && got != tt.want {
			t.Errorf("%s\nanswers %d %s\nwant %d %s", tt.body, response.StatusCode, got, tt.code, tt.want)
		}
	}
	if _, text := p.request("GET /api/device/devices?fields=displayName,description", "admin",
		""); text != `{"total":2,"searchId":null,"items":[{"displayName":"d0001","description":"x"},`+
		`{"displayName":"new","description":""}],"data":null}` {
		t.Errorf("there are %s", text)
	}
	if _, text := p.request("GET /api/setting/accesslogs?fields=username,ip,description&filter=object:device", "admin",
		""); text != `{"total":3,"searchId":null,"items":[{"username":"admin","ip":"127.0.0.1",`+
		`"description":"Added the device 3, \"new\""},{"username":"admin","ip":"127.0.0.1",`+
		`"description":"Changed the device 1, \"d0001\": description"},{"username":"admin","ip":"127.0.0.1",`+
		`"description":"Deleted the device 2, \"d0002\""}],"data":null}` {
		t.Errorf("the log says %s", text)
	}
	many := strings.Repeat(`,{"op":"create","body":{"name":"x"}}`, 1001)[1:]
	if response, text := p.request("POST /api/device/devices/batch", "admin", `{"operations":[`+many+
		`]}`); response.StatusCode != 400 {
		t.Errorf("1,001 operations returned %d %s", response.StatusCode, text)
	}
}

func TestAuditLogHasSignInAndSignOut(t *testing.T) {
	p := newPortal(t, nil)
	if response, _ := p.request("GET /api/setting/accesslogs", "viewer", ""); response.StatusCode != 403 {
		t.Errorf("the viewer gets %d, want 403", response.StatusCode)
	}
	p.request("POST /api/session", "", `{"username":"ADMIN","password":"wrong"}`)
	p.request("POST /api/session", "", `{"username":"hunter22","password":"wrong"}`)
	p.request("POST /api/session", "", `{"username":"viewer","password":"`+password+`"}`)
	p.request("DELETE /api/session", "viewer", "")
	p.request("POST /api/setting/admins/2/apitokens", "admin", `{"note":"nightly"}`)
	response, text := p.request("GET /api/setting/accesslogs?fields=username,action,object,description&sort=-id&size=5",
		"admin", "")
	const want = `{"username":"admin","action":"create","object":"apiToken",` +
		`"description":"Added the API token 2, \"nightly\""},` +
		`{"username":"viewer","action":"sign-out","object":"session","description":"Signed out"},` +
		`{"username":"viewer","action":"sign-in","object":"session","description":"Signed in"},` +
		`{"username":"unknown","action":"sign-in-failed","object":"session","description":"Failed to sign in"},` +
		`{"username":"admin","action":"sign-in-failed","object":"session","description":"Failed to sign in"}`
	if response.StatusCode != 200 || !strings.Contains(text, `"items":[`+want+`]`) {
		t.Errorf("returns %d %s\nwant %s", response.StatusCode, text, want)
	}
}
