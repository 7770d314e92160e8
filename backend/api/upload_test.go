package api

import (
	"strings"
	"testing"

	"spyglass/backend/fault"
)

const formHead = "Content-Type: multipart/form-data; boundary=7f"

// form returns a multipart body with these lines.
func form(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n" }

func TestUploadsAreAcceptedOnlyWhereDeclared(t *testing.T) {
	p := newPortal(t, nil)
	file := form("--7f", `Content-Disposition: form-data; name="note"`, "", "first", "--7f",
		`Content-Disposition: form-data; name="file"; filename="x.json"`, "Content-Type: application/json", "",
		`{"a":1}`, "--7f--")
	response := func(body string) string {
		return `{"at":1769853600,"body":"` + body +
			`","lenient":false,"mount":"/api","query":{},"remote":"127.0.0.1","user":"admin","vars":null}`
	}
	wrong := func(message string) string {
		return `{"errorMessage":"` + message + `","errorCode":1400,"errorDetail":null}`
	}
	p.play(t, []scenario{
		{do: "POST /api/test/upload", as: "token", head: formHead, body: file, code: 200, want: response(`{\"a\":1}`)},
		{do: "POST /api/test/upload", as: "token", body: `{"b":2}`, code: 200, want: response(`{\"b\":2}`)},
		{do: "POST /api/test/upload", as: "token", head: formHead,
			body: strings.Replace(file, `name="file"`, `name="data"`, 1), code: 400,
			want: `{"errorMessage":"the form has no file in a part named file","errorCode":1400,` +
				`"errorDetail":{"field":"file","reason":"the form has no file in a part named file"}}`},
		{do: "POST /api/test/upload", as: "token", head: formHead, body: file[:60], code: 400,
			want: wrong("the form is incomplete, or its parts are not separated as Content-Type says")},
		{do: "POST /api/test/upload", as: "token", head: "Content-Type: multipart/form-data", body: file, code: 415,
			want: `{"errorMessage":"the body must be JSON, with Content-Type: application/json","errorCode":1415,` +
				`"errorDetail":null}`},
		{do: "POST /api/test/echo/x", as: "token", head: formHead, body: file[:90], code: 415,
			want: `{"errorMessage":"the body must be JSON, with Content-Type: application/json","errorCode":1415,` +
				`"errorDetail":null}`},
		{do: "POST /api/test/upload", as: "admin", head: formHead + "\nX-CSRF-Token: ", body: file, code: 403,
			want: `{"errorMessage":"the X-CSRF-Token header does not match this session;` +
				` send a GET with X-CSRF-Token: Fetch to get the token","errorCode":1403,"errorDetail":null}`},
	})
}

func TestRunningFaultIs202(t *testing.T) {
	if got := Status(fault.Running); got != 202 {
		t.Errorf("running is %d", got)
	}
}
