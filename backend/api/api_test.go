package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// scenario is a request and its complete response. HOST and PORT stand for the host and port
// of the listener.
type scenario struct {
	do      string
	as      string // name of a login, whose session or token the request uses; empty: none
	head    string // more headers, "Name: value", one per line
	body    string
	code    int
	want    string // the whole body
	headers string // headers of the response, one per line; "Name:" for a header that must be missing
}

func (p *served) play(t *testing.T, scenarios []scenario) {
	port := p.host[strings.LastIndexByte(p.host, ':')+1:]
	real := strings.NewReplacer("HOST", p.host, "PORT", port)
	for _, s := range scenarios {
		t.Run(s.do+" "+s.as+" "+s.head+" "+s.body[:min(len(s.body), 40)], func(t *testing.T) {
			var head []string
			if s.head != "" {
				head = strings.Split(real.Replace(s.head), "\n")
			}
			response, text := p.request(s.do, s.as, s.body, head...)
			if response.StatusCode != s.code || text != real.Replace(s.want) {
				t.Errorf("got %d %s\nwant %d %s", response.StatusCode, text, s.code, real.Replace(s.want))
			}
			for line := range strings.SplitSeq(s.headers, "\n") {
				name, want, _ := strings.Cut(line, ":")
				if got := strings.Join(response.Header.Values(name), " | "); name != "" &&
					got != strings.TrimSpace(want) {
					t.Errorf("%s is %q, want %q", name, got, strings.TrimSpace(want))
				}
			}
			p.hygiene(t, response)
		})
	}
}

// hygiene checks the headers that every response must have and those that none may have.
func (p *served) hygiene(t *testing.T, response *http.Response) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	policy, file := response.Header.Get("Content-Security-Policy"),
		ui[strings.TrimPrefix(response.Request.URL.Path, "/")] != nil
	if !(strings.Contains(policy, "default-src 'none'") && strings.Contains(policy, "frame-ancestors 'none'")) &&
		!(file && response.StatusCode < 400) {
		t.Errorf("the policy is %q", policy)
	}
	for name := range response.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("the response has %s; there is no CORS", name)
		}
	}
}

const (
	notHere = `{"errorMessage":"this portal is available only at HOST and localhost:PORT","errorCode":1403,` +
		`"errorDetail":null}`
	notYours = `{"errorMessage":"a page of another origin cannot send requests to this portal","errorCode":1403,` +
		`"errorDetail":null}`
	nobody = `{"errorMessage":"you are not signed in; sign in, or send an API token","errorCode":1401,` +
		`"errorDetail":null}`
	badToken = `{"errorMessage":"the API token is not valid","errorCode":1401,"errorDetail":null}`
	forged   = `{"errorMessage":"the X-CSRF-Token header does not match this session;` +
		` send a GET with X-CSRF-Token: Fetch to get the token","errorCode":1403,"errorDetail":null}`
	notJSON = `{"errorMessage":"the body must be JSON, with Content-Type: application/json","errorCode":1415,` +
		`"errorDetail":null}`
	nothing = `{"errorMessage":"there is no endpoint at this path; GET /api/openapi.json lists all endpoints",` +
		`"errorCode":1404,"errorDetail":null}`
	noDevices = `{"total":0,"searchId":null,"items":[],"data":null}`
	admin     = `{"userId":1,"username":"admin","role":"administrator","csrfToken":""}`
)

func twice(name string) string {
	return strings.ReplaceAll(`{"errorMessage":"the request has 2 NAME headers; send one","errorCode":1400,`+
		`"errorDetail":{"field":"NAME","reason":"the request has 2 NAME headers; send one"}}`, "NAME", name)
}

func TestGuardAcceptsOnlyAuthorizedCallers(t *testing.T) {
	p := newPortal(t, nil)
	p.play(t, []scenario{
		// Host: exact, on every route.
		{do: "GET /api/device/devices", as: "admin", code: 200, want: noDevices},
		{do: "GET /api/device/devices", as: "admin", head: "Host: localhost:PORT", code: 200, want: noDevices},
		{do: "GET /api/device/devices", as: "admin", head: "Host: evil.example:PORT", code: 403, want: notHere},
		{do: "GET /api/device/devices", as: "admin", head: "Host: 127.0.0.1", code: 403, want: notHere},
		{do: "GET /api/device/devices", as: "admin", head: "Host: LOCALHOST:PORT", code: 403, want: notHere},
		{do: "GET /santaba/rest/device/devices", as: "token", head: "Host: 127.0.0.2:PORT", code: 403, want: notHere},
		{do: "POST /api/session", head: "Host: evil.example", body: `{}`, code: 403, want: notHere},
		{do: "GET /explorer/echo", as: "admin", head: "Host: evil.example", code: 403, want: notHere},
		{do: "GET /", head: "Host: evil.example", code: 403, want: notHere},
		{do: "GET /launch?t=x", head: "Host: evil.example", code: 403, want: notHere},
		{do: "GET /assets/app-4f.js", head: "Host: evil.example", code: 403, want: notHere},

		// Origin: the portal's own, for reads too.
		{do: "GET /api/device/devices", as: "admin", head: "Origin: http://HOST\nSec-Fetch-Site: same-origin",
			code: 200, want: noDevices},
		{do: "GET /api/device/devices", as: "admin", head: "Sec-Fetch-Site: none", code: 200, want: noDevices},
		{do: "GET /api/device/devices", as: "admin", head: "Origin: https://evil.example", code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "admin", head: "Origin: null", code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "admin", head: "Origin: https://HOST", code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "admin", head: "Origin: http://localhost:PORT", code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "admin", head: "Origin: http://HOST\nOrigin: http://evil.example",
			code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "admin", head: "Sec-Fetch-Site: cross-site", code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "admin", head: "Sec-Fetch-Site: same-site", code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "admin", head: "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\n" +
			"Sec-Fetch-Dest: document", code: 403, want: notYours},
		{do: "GET /api/device/devices", as: "token", head: "Origin: https://evil.example", code: 403, want: notYours},
		{do: "OPTIONS /api/device/devices", head: "Origin: https://evil.example\nAccess-Control-Request-Method: GET",
			code: 403, want: notYours},
		{do: "GET /explorer/echo", as: "admin", head: "Sec-Fetch-Site: cross-site", code: 403, want: notYours},
		{do: "GET /assets/app-4f.js", head: "Sec-Fetch-Site: cross-site", code: 403, want: notYours},

		// Path and method.
		{do: "GET /api/device/devicez", as: "admin", code: 404, want: nothing, headers: "X-Rate-Limit-Limit: " +
			"500\nX-Rate-Limit-Remaining: 480"},
		{do: "GET /api/device/devices/", as: "admin", code: 404, want: nothing},
		{do: "GET /api", as: "admin", code: 404, want: nothing},
		{do: "GET /api//device/devices", as: "admin", code: 404, want: nothing},
		{do: "GET /explorer/nothing", as: "admin", code: 404, want: nothing, headers: "X-Rate-Limit-Limit: " +
			"500\nX-Version:"},
		{do: "DELETE /api/device/devices", as: "admin", code: 405, want: `{"errorMessage":"this path supports only ` +
			`GET, HEAD, POST","errorCode":1405,"errorDetail":null}`, headers: "Allow: GET, HEAD, POST"},
		{do: "OPTIONS /api/device/devices", code: 405, want: `{"errorMessage":"this path supports only GET, HEAD, ` +
			`POST",` +
			`"errorCode":1405,"errorDetail":null}`},
		{do: "BREW /api/device/devices/1", as: "admin", code: 405, want: `{"errorMessage":"this path supports only ` +
			`DELETE,` +
			` GET, HEAD, PATCH, PUT","errorCode":1405,"errorDetail":null}`, headers: "Allow: DELETE, GET, HEAD, " +
			"PATCH, PUT"},
		{do: "GET /api/device/devices", as: "admin", head: "X-HTTP-Method-Override: DELETE", code: 200,
			want: noDevices},
		{do: "HEAD /api/device/devices", as: "admin", code: 200, want: "", headers: "Content-Type: " +
			"application/json\nContent-Length: 50"},

		// Authentication.
		{do: "GET /api/device/devices", code: 401, want: nobody, headers: "WWW-Authenticate: Bearer " +
			"realm=\"Spyglass\"\nX-Rate-Limit-Limit: 500\nX-Version: 3"},
		{do: "GET /api/device/devices", head: "Cookie: spyglass_t1=guess", code: 401,
			want: `{"errorMessage":"you are not signed in, or the session has ended","errorCode":1401,` +
				`"errorDetail":null}`},
		{do: "GET /api/device/devices", head: "Cookie: spyglass=x; spyglass_t2=x", code: 401, want: nobody},
		{do: "GET /api/session", as: "token", code: 200, want: admin},
		{do: "GET /santaba/rest/session", as: "token", code: 200, want: admin},
		{do: "GET /api/session", as: "admin", head: "Authorization: Bearer wrong", code: 401, want: badToken},
		{do: "GET /api/session", as: "admin", head: "Authorization: Basic YTpi", code: 401,
			want: `{"errorMessage":"Authorization must be Bearer <token> or LMv1 ` +
				`<accessId>:<signature>:<epochMillis>","errorCode":1401,"errorDetail":null}`},
		{do: "GET /api/session", head: "Authorization+ Bearer wrong\nAuthorization+ Bearer right", code: 400,
			want: twice("Authorization")},
		{do: "GET /explorer/echo", as: "token", head: "Authorization+ Bearer wrong", code: 400,
			want: twice("Authorization")},
		{do: "POST /api/test/echo/a", as: "admin", body: `{}`, head: "X-CSRF-Token+ guess", code: 400,
			want: twice("X-Csrf-Token")},
		{do: "POST /santaba/rest/test/echo/a", as: "token", body: `{}`, head: "Content-Type+ text/plain", code: 400,
			want: twice("Content-Type")},
		{do: "GET /api/session?access_token=x", code: 401, want: nobody},
		{do: "POST /api/session", head: "Authorization: Bearer wrong", body: `{"username":"admin",` +
			`"password":"correct horse battery"}`, code: 401, want: badToken},

		// CSRF: writes by cookie.
		{do: "POST /api/test/echo/a", as: "admin", body: `{}`, head: "X-CSRF-Token: ", code: 403, want: forged},
		{do: "POST /api/test/echo/a", as: "admin", body: `{}`, head: "X-CSRF-Token: guess", code: 403, want: forged},
		{do: "DELETE /api/session", as: "admin", head: "X-CSRF-Token: Fetch", code: 403, want: forged,
			headers: "X-CSRF-Token:"},
		{do: "POST /explorer/echo", as: "admin", body: `{}`, head: "X-CSRF-Token: ", code: 403, want: forged},
		{do: "GET /api/device/devices", as: "token", head: "X-CSRF-Token: Fetch", code: 200, want: noDevices,
			headers: "X-CSRF-Token:"},

		// Rights.
		{do: "GET /api/device/devices", as: "viewer", code: 200, want: noDevices},
		{do: "POST /api/device/devices", as: "viewer", body: `{"name":"web"}`, code: 403,
			want: `{"errorMessage":"your role does not have the permission write on deviceGroup",` +
				`"errorCode":1403,"errorDetail":{"right":"write on deviceGroup"}}`},
		{do: "GET /api/setting/roles", as: "viewer", code: 403,
			want: `{"errorMessage":"your role does not have the permission read on settings: ` +
				`useraccess","errorCode":1403,` +
				`"errorDetail":{"right":"read on settings: useraccess"}}`,
			headers: "X-Rate-Limit-Remaining: 499"},

		// Bodies: only JSON, up to the limit.
		{do: "POST /api/device/devices", as: "admin", head: "Content-Type: text/plain", body: `{"name":"web"}`,
			code: 415, want: notJSON},
		{do: "POST /api/device/devices", as: "token", head: "Content-Type: application/x-www-form-urlencoded",
			body: `name=web`, code: 415, want: notJSON},
		{do: "POST /api/device/devices", as: "admin", head: "Content-Type: ", body: `{"name":"web"}`, code: 415,
			want: notJSON},
		{do: "POST /api/device/devices", as: "admin", head: "Content-Type: application/json; charset=utf-16",
			body: `{"name":"web"}`, code: 415, want: notJSON},
		{do: "POST /api/device/devices", as: "admin", head: "Content-Encoding: gzip", body: `{"name":"web"}`, code: 415,
			want: `{"errorMessage":"the body must not have a Content-Encoding; send it ` +
				`uncompressed","errorCode":1415,` +
				`"errorDetail":null}`},
		{do: "POST /api/test/echo/a", as: "admin", body: `"` + strings.Repeat("x", 99) + `"`, code: 413,
			want: `{"errorMessage":"the body is larger than 100 bytes","errorCode":1413,"errorDetail":null}`},
		{do: "POST /api/session", body: `{"username":"` + strings.Repeat("x", 4096) + `"}`, code: 413,
			want: `{"errorMessage":"the body is larger than 4096 bytes","errorCode":1413,"errorDetail":null}`},
		{do: "POST /api/test/echo/a", body: strings.Repeat("x", 101), code: 401, want: nobody},
	})
}

func TestRequestReachesItsEndpoint(t *testing.T) {
	p := newPortal(t, nil)
	seen := func(mount, lenient, vars, query, body string) string {
		return `{"at":1769853600,"body":` + body + `,"lenient":` + lenient + `,"mount":"` + mount + `","query":` +
			query + `,"remote":"127.0.0.1","user":"admin","vars":` + vars + `}`
	}
	p.play(t, []scenario{
		{do: "GET /api/test/echo/x", as: "admin", code: 200, want: seen("/api", "false", `{"name":"x"}`, `{}`, `""`)},
		{do: "GET /api/test/echo/fixed", as: "admin", code: 200, want: seen("/api", "false", `null`, `{}`, `""`)},
		// a fixed path takes precedence over {name}
		{do: "POST /api/test/echo/fixed", as: "admin", code: 405, body: `{}`,
			want: `{"errorMessage":"this path supports only GET, HEAD","errorCode":1405,"errorDetail":null}`},
		{do: "POST /api/test/echo/x", as: "admin", code: 200, want: seen("/api", "false", `{"name":"x"}`, `{}`, `""`)},
		{do: "GET /api/test/echo/a%2Fb%20%C3%BC", as: "token", code: 200,
			want: seen("/api", "false", `{"name":"a/b ü"}`, `{}`, `""`)},
		{do: "GET /santaba/rest/test/echo/x?b=2&a=1&a=%26&c&=&d=x;y=z&e=+1", as: "admin", code: 200,
			want: seen("/santaba/rest", "true", `{"name":"x"}`, `{"":[""],"a":["1","&"],"b":["2"],"c":[""],`+
				`"d":["x;y=z"],"e":[" 1"]}`, `""`)},
		{do: "GET /api/test/echo/x?a=%zz", as: "admin", code: 400, want: `{"errorMessage":"a is \"%zz\",` +
			` which is not valid percent-encoding; write % as %25","errorCode":1400,"errorDetail":{"field":"a",` +
			`"reason":"a is \"%zz\", which is not valid percent-encoding; write % as %25"}}`},
		{do: "GET /santaba/rest/test/echo/x?a=%zz", as: "token", code: 200,
			want: seen("/santaba/rest", "true", `{"name":"x"}`, `{"a":["%zz"]}`, `""`)},

		// A filter that was encoded twice, on the mount for published clients only.
		{do: "GET /santaba/rest/test/echo/x?filter=name%253A%2522a%252520b%2522", as: "token", code: 200,
			want: seen("/santaba/rest", "true", `{"name":"x"}`, `{"filter":["name:\"a%20b\""]}`, `""`)},
		{do: "GET /santaba/rest/test/echo/x?filter=name%253A%2522web%2B1%2522", as: "token", code: 200,
			want: seen("/santaba/rest", "true", `{"name":"x"}`, `{"filter":["name:\"web 1\""]}`, `""`)},
		{do: "GET /santaba/rest/test/echo/x?filter=name:%22a%2526b%22", as: "token", code: 200,
			want: seen("/santaba/rest", "true", `{"name":"x"}`, `{"filter":["name:\"a&b\""]}`, `""`)},
		{do: "GET /santaba/rest/test/echo/x?filter=name:%2250%25%22", as: "token", code: 200,
			want: seen("/santaba/rest", "true", `{"name":"x"}`, `{"filter":["name:\"50%\""]}`, `""`)},

		// Collectors by their other names.
		{do: "GET /santaba/rest/setting/collector/groups/3/test", as: "token", code: 200,
			want: seen("/santaba/rest", "true", `{"id":"3"}`, `{}`, `""`)},
		{do: "GET /santaba/rest/setting/collectors/groups/3/test", as: "token", code: 200,
			want: seen("/santaba/rest", "true", `{"id":"3"}`, `{}`, `""`), headers: "X-Rate-Limit-Remaining: 498"},
		{do: "GET /api/setting/collector/groups/3/test", as: "token", code: 404, want: nothing},
		{do: "GET /santaba/rest/setting/collector/collectors?fields=id,hostname", as: "token", code: 200,
			want: `{"total":1,"searchId":null,"items":[{"id":1,"hostname":"localhost"}],"data":null}`},

		{do: "GET /explorer/echo", as: "admin", code: 200, want: seen("/explorer", "false", `null`, `{}`, `""`),
			headers: "X-Rate-Limit-Limit: 12000\nX-Version:\nCache-Control: no-store"},
		{do: "GET /explorer/echo", code: 401, want: nobody},
	})
}

func TestBothMountsServeTheSamePortal(t *testing.T) {
	p := newPortal(t, nil)
	device := func(id, name string) string {
		return `{"id":` + id + `,"name":"` + name + `","displayName":"` + name +
			`","description":"","deviceType":0,"hostStatus":"normal","alertStatus":"none",` +
			`"alertStatusPriority":100,"hostGroupIds":"1","preferredCollectorId":1,"currentCollectorId":1,` +
			`"disableAlerting":false,"link":"","enableNetflow":false,"relatedDeviceId":-1,"customProperties":[],` +
			`"systemProperties":[{"name":"system.hostname","value":"` + name +
			`"},{"name":"system.displayname","value":"` + name + `"},` +
			`{"name":"system.collectorid","value":"1"},{"name":"system.devicetype","value":"0"}],"autoProperties":[],` +
			`"createdOn":1769853600,"updatedOn":1769853600,"lastDataTime":0,"lastRawdataTime":0,"upTimeInSeconds":0,` +
			`"deletedTimeInMs":0,"inheritedProperties":[]}`
	}
	p.play(t, []scenario{
		{do: "POST /api/device/devices", as: "admin", body: `{"name":"web-01"}`, code: 201, want: device("1", "web-01"),
			headers: "Location: /api/device/devices/1\nX-Rate-Limit-Limit: 200\nX-Rate-Limit-Remaining: 199\n" +
				"X-Rate-Limit-Window: 60"},
		{do: "POST /santaba/rest/device/devices", as: "token", body: `{"name":"web-02","hostname":"?",` +
			`"deviceType":"0","link":null}`, code: 200, want: device("2", "web-02"),
			headers: "Location: /santaba/rest/device/devices/2\nX-Rate-Limit-Remaining: 198"},
		{do: "POST /api/device/devices", as: "token", body: `{"name":"web-03","displaynam":"x"}`, code: 400,
			want: `{"errorMessage":"device has no field \"displaynam\"; did you mean displayName?","errorCode":1400,` +
				`"errorDetail":{"field":"displaynam","reason":"device has no field \"displaynam\";` +
				` did you mean displayName?"}}`},
		{do: "POST /api/device/devices", as: "token", body: `{"name":"web-03","deviceType":"0"}`, code: 400,
			want: `{"errorMessage":"deviceType must be a whole number","errorCode":1400,` +
				`"errorDetail":{"field":"deviceType","reason":"deviceType must be a whole number"}}`},
		{do: "POST /api/device/devices", as: "token", body: `{"name":"a","name":"b"}`, code: 400,
			want: `{"errorMessage":"the body is not valid JSON at byte 18: the key \"name\" is there twice",` +
				`"errorCode":1400,"errorDetail":null}`},
		{do: "POST /api/device/devices", as: "token", body: `{"name":"a"} {}`, code: 400,
			want: `{"errorMessage":"the body is not valid JSON at byte 13: there is more data after the JSON value",` +
				`"errorCode":1400,"errorDetail":null}`},
		{do: "POST /api/device/devices", as: "token", code: 400,
			want: `{"errorMessage":"the body is not valid JSON at byte 0: expected a value, but the body ends",` +
				`"errorCode":1400,"errorDetail":null}`},
		{do: "GET /api/device/devices?fields=id,name&sort=-id", as: "viewer", code: 200,
			want: `{"total":2,"searchId":null,"items":[{"id":2,"name":"web-02"},{"id":1,"name":"web-01"}],` +
				`"data":null}`},
		{do: "GET /api/device/devices?size=2000", as: "admin", code: 400,
			want: `{"errorMessage":"size must be a whole number from 1 to 1000","errorCode":1400,` +
				`"errorDetail":{"field":"size","reason":"size must be a whole number from 1 to 1000"}}`},
		{do: "GET /santaba/rest/device/devices?size=2000&fields=id", as: "token", code: 200,
			want: `{"total":2,"searchId":null,"items":[{"id":1},{"id":2}],"data":null}`},
		{do: "GET /santaba/rest/device/devices/1?fields=id", as: "token", head: "X-Version: 2", code: 200,
			want: `{"id":1}`, headers: "X-Version: 3\nX-Rate-Limit-Remaining: 499"},
		{do: "GET /api/device/devices/2?fields=id", as: "token", code: 200, want: `{"id":2}`,
			headers: "X-Version: 3\nX-Rate-Limit-Remaining: 498"},
		{do: "GET /api/device/devices/+1", as: "token", code: 404, want: `{"errorMessage":"there is no \"+1\" here;` +
			` an id must be a whole number","errorCode":1404,"errorDetail":null}`},
		{do: "GET /api/device/devices/01", as: "token", code: 404, want: `{"errorMessage":"there is no \"01\" here;` +
			` an id must be a whole number","errorCode":1404,"errorDetail":null}`},
		{do: "GET /santaba/rest/device/devices/01", as: "token", code: 404,
			want: `{"errorMessage":"there is no \"01\" here; an id must be a whole number","errorCode":1404,` +
				`"errorDetail":null}`},
		{do: "GET /api/device/devices/x", as: "admin", code: 404, want: `{"errorMessage":"there is no \"x\" here;` +
			` an id must be a whole number","errorCode":1404,"errorDetail":null}`},

		// Published clients send the whole object, and list the changed fields in patchFields.
		{do: "PATCH /santaba/rest/device/devices/1?patchFields=link,relatedDeviceId,nonsense", as: "token",
			body: `{"name":"stale","link":"https://web.example/","relatedDeviceId":"7.0"}`, code: 200,
			want: strings.NewReplacer(`"link":""`, `"link":"https://web.example/"`, `"relatedDeviceId":-1`,
				`"relatedDeviceId":7`).Replace(device("1", "web-01"))},
		{do: "PATCH /santaba/rest/device/devices/1?patchFields=link", as: "token", body: `{"link":"","link":""}`,
			code: 400, want: `{"errorMessage":"the body is not valid JSON at byte 17: the key \"link\" is there ` +
				`twice",` +
				`"errorCode":1400,"errorDetail":null}`},
		{do: "PATCH /santaba/rest/device/devices/1?patchFields=link", as: "token", body: `["link"]`, code: 400,
			want: `{"errorMessage":"the body must be a JSON object","errorCode":1400,"errorDetail":null}`},
		{do: "PATCH /api/device/devices/1?patchFields=name", as: "token", body: `{"link":""}`, code: 400,
			want: `{"errorMessage":"PATCH /device/devices/{id} has no query parameter \"patchFields\"",` +
				`"errorCode":1400,"errorDetail":{"field":"patchFields",` +
				`"reason":"PATCH /device/devices/{id} has no query parameter \"patchFields\"",` +
				`"allowed":["opType"]}}`},
		{do: "DELETE /api/device/devices/2", as: "admin", code: 200, want: `{}`},
		{do: "POST /api/setting/roles", as: "admin", body: `{"name":"x","privileges":[{"objectType":"device",` +
			`"objectId":"1","operation":"read"}]}`, code: 400,
			want: `{"errorMessage":"privileges[0].objectType is deviceGroup, report, setting or explorer",` +
				`"errorCode":1400,"errorDetail":{"field":"privileges[0].objectType",` +
				`"reason":"privileges[0].objectType is deviceGroup, report, setting or explorer",` +
				`"allowed":["deviceGroup","report","setting","explorer"]}}`},
	})
}

func TestSignInSetsTheCookieAndSignOutRemovesIt(t *testing.T) {
	p := newPortal(t, nil)
	response, text := p.request("POST /api/session", "", `{"username":"viewer","password":"correct horse battery"}`,
		"Origin: http://"+p.host)
	var who struct {
		UserID         int64
		Username, Role string
		CSRFToken      string
	}
	if err := json.Unmarshal([]byte(text), &who); err != nil || response.StatusCode != 200 ||
		who.Username != "viewer" ||
		who.Role != "readonly" || who.CSRFToken == "" {
		t.Fatalf("sign-in returns %d %s", response.StatusCode, text)
	}
	cookies := response.Cookies()
	if len(cookies) != 2 || cookies[0].Name != "spyglass_t1" || !cookies[0].HttpOnly ||
		cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" || cookies[0].Secure {
		t.Fatalf("the cookies are %v", response.Header["Set-Cookie"])
	}
	if c := cookies[1]; c.Name != "spyglass_t1_device" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode ||
		c.MaxAge != 31536000 {
		t.Errorf("the browser is remembered by %v", c)
	}
	p.who["new"] = login{cookie: cookies[0].Value, csrf: who.CSRFToken}
	response, _ = p.request("GET /api/session", "new", "", "X-CSRF-Token: Fetch")
	if got := response.Header.Get("X-CSRF-Token"); got != who.CSRFToken {
		t.Errorf("Fetch returned the token %q, want %q", got, who.CSRFToken)
	}
	response, text = p.request("DELETE /api/session", "new", "")
	if got, want := response.Header.Get("Set-Cookie"),
		"spyglass_t1=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"; response.StatusCode != 200 || text != "{}" ||
		got != want {
		t.Errorf("sign-out returns %d %s with the cookie %q, want %q", response.StatusCode, text, got, want)
	}
	if response, _ = p.request("GET /api/session", "new", ""); response.StatusCode != 401 {
		t.Errorf("after sign-out the cookie returns %d, want 401", response.StatusCode)
	}
	// An expired cookie does not prevent a new sign-in.
	if response,
		text = p.request("POST /api/session", "new",
		`{"username":"viewer","password":"correct horse battery"}`); response.StatusCode != 200 {
		t.Errorf("signing in with an old cookie returns %d %s", response.StatusCode, text)
	}
	for range 10 {
		p.request("POST /api/session", "", `{"username":"viewer","password":"wrong horse"}`)
	}
	const right = `{"username":"viewer","password":"correct horse battery"}`
	if response, _ = p.request("POST /api/session", "", right); response.StatusCode != 429 {
		t.Errorf("after ten failures an unknown browser is returned %d, want 429", response.StatusCode)
	}
	if response, text = p.request("POST /api/session", "", right, "Cookie: "+cookies[1].Name+"="+
		cookies[1].Value); response.StatusCode != 200 {
		t.Errorf("the browser that signed in before is returned %d %s", response.StatusCode, text)
	}
	if response, text = p.request("POST /api/session", "", `{"username":"viewer","password":"wrong horse"}`, "Cookie: "+
		cookies[1].Name+"="+cookies[1].Value); response.StatusCode != 401 || response.Header.Get("Set-Cookie") != "" {
		t.Errorf("a wrong password returns %d %s and the cookie %q", response.StatusCode, text,
			response.Header.Get("Set-Cookie"))
	}
}

func TestHTTPSPortalSetsASecureCookie(t *testing.T) {
	p := newPortal(t, func(o *Options) { o.Secure = true })
	response, _ := p.request("POST /api/session", "", `{"username":"viewer","password":"correct horse battery"}`,
		"Origin: https://"+p.host)
	for i, name := range []string{"__Host-spyglass_t1", "__Host-spyglass_t1_device"} {
		if c := response.Cookies(); len(c) != 2 || c[i].Name != name || !c[i].Secure {
			t.Errorf("the cookies are %v, want secure ones", response.Header["Set-Cookie"])
		}
	}
}
