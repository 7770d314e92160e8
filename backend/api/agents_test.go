package api

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

func TestMCPRequestsPassTheGuardWithATokenOnly(t *testing.T) {
	p := newPortal(t, func(o *Options) {
		o.Agents = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			call := resource.CallOf(r.Context())
			body, err := io.ReadAll(r.Body)
			w.Header().Set("Mcp-Session-Id", "s1")
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, r.Method, " ", call.Access.User, " ", call.Remote, " ", string(body), " ", err)
		})
	})
	const (
		only = `{"errorMessage":"this path supports only DELETE, POST","errorCode":1405,"errorDetail":null}`
		take = `{"errorMessage":"agents sign in with an API token: send Authorization: Bearer, and the token",` +
			`"errorCode":1401,"errorDetail":null}`
	)
	p.play(t, []scenario{
		{do: "POST /mcp", as: "token", body: `{"a":1}`, code: 202, want: `POST admin 127.0.0.1 {"a":1} <nil>`,
			headers: "Mcp-Session-Id: s1"},
		{do: "DELETE /mcp", as: "token", code: 202, want: `DELETE admin 127.0.0.1  <nil>`},
		{do: "GET /mcp", as: "token", code: 405, want: only, headers: "Allow: DELETE, POST"},
		{do: "POST /mcp", body: `{}`, code: 401, want: nobody, headers: `WWW-Authenticate: Bearer realm="Spyglass"`},
		{do: "POST /mcp", as: "admin", body: `{}`, code: 401, want: take},
		{do: "POST /mcp", as: "token", head: "Authorization: Bearer wrong", body: `{}`, code: 401, want: badToken},
		{do: "POST /mcp", as: "token", head: "Host: evil.example", body: `{}`, code: 403, want: notHere},
		{do: "POST /mcp", as: "token", head: "Origin: https://evil.example", body: `{}`, code: 403, want: notYours},
		{do: "POST /mcp", as: "token", head: "Sec-Fetch-Site: cross-site", body: `{}`, code: 403, want: notYours},
		{do: "POST /mcp", as: "token", head: "Content-Type: text/plain", body: `{}`, code: 415, want: notJSON},
		{do: "POST /mcp", as: "token", body: strings.Repeat(" ", maxMessage+1), code: 413,
			want: `{"errorMessage":"the body is larger than 1048576 bytes","errorCode":1413,"errorDetail":null}`},
		{do: "POST /mcp/x", as: "token", body: `{}`, code: 405,
			want: `{"errorMessage":"this path supports only GET, HEAD","errorCode":1405,"errorDetail":null}`},
	})
}
