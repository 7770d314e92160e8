package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestAuditLogNamesTheProgramOfAToken(t *testing.T) {
	p := newPortal(t, nil)
	last := func() string {
		_, text := p.request("GET /api/setting/accesslogs?sort=-id&size=1&fields=client,username", "admin", "")
		return text
	}
	for _, tt := range []struct{ as, agent, want string }{
		{"token", "Spyglass/1 (MCP; claude-ai 1.2)", "Spyglass/1 (MCP; claude-ai 1.2)"},
		{"token", strings.Repeat("ä", 300), strings.Repeat("ä", maxClient)},
		{"token", "a\tb", "ab"},
		{"admin", "Mozilla/5.0", ""},
	} {
		response, text := p.request("POST /api/device/groups", tt.as, `{"name":"`+fmt.Sprint(len(tt.agent), tt.as)+`"}`,
			"User-Agent: "+tt.agent)
		if response.StatusCode != http.StatusCreated {
			t.Fatalf("%d %s", response.StatusCode, text)
		}
		if got := last(); !strings.Contains(got, `"client":"`+tt.want+`"`) {
			t.Errorf("%q is logged as %s", tt.agent, got)
		}
	}
}
