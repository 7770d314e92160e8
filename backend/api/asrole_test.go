package api

import (
	"context"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

func TestAdministratorViewsAsAnotherRoleReadOnly(t *testing.T) {
	p := newPortal(t, func(o *Options) {
		o.Endpoints = append(o.Endpoints, resource.Endpoint{Method: "GET", Path: "/setting/secret",
			Summary: "Create a token",
			Right:   resource.Right{Object: resource.Setting, Area: "collectors", Op: resource.Modify},
			Handle: func(context.Context, *resource.Call) (any, error) {
				t.Error("a preview created a token")
				return nil, nil
			}})
	})
	for _, tt := range []struct {
		do, as, role string
		code         int
		want         string // text that the response contains
	}{
		{"GET /api/setting/roles", "admin", "", 200, `"total":`},
		{"GET /api/setting/roles", "admin", "4", 403, "your role does not have the permission read on settings: " +
			"useraccess"},
		{"GET /api/device/devices", "admin", "4", 200, `"total":`},
		{"GET /api/session", "admin", "4", 200, `"role":"readonly"`},
		{"POST /api/device/devices", "admin", "4", 403, "a preview as another role can only read"},
		{"GET /api/setting/secret", "admin", "2", 403, "a preview as another role can only read"},
		{"DELETE /api/device/devices/1", "admin", "1", 403, "a preview as another role can only read"},
		{"GET /api/device/devices", "viewer", "1", 403, "only administrators can preview"},
		{"GET /api/device/devices", "", "4", 401, "you are not signed in"},
		{"GET /api/device/devices", "admin", "4711", 400, "there is no role 4711"},
		{"GET /api/device/devices", "admin", " ", 400, "X-Spyglass-As-Role must be the id of a role"},
		{"GET /api/device/devices", "admin", "x", 400, "X-Spyglass-As-Role must be the id of a role"},
	} {
		body := ""
		if strings.HasPrefix(tt.do, "POST") {
			body = `{"name":"web"}`
		}
		var headers []string
		if tt.role != "" {
			headers = []string{"X-Spyglass-As-Role: " + tt.role}
		}
		response, text := p.request(tt.do, tt.as, body, headers...)
		if response.StatusCode != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("%s by %q as role %q: %d %s, want %d with %s", tt.do, tt.as, tt.role, response.StatusCode, text,
				tt.code, tt.want)
		}
	}
	const want = "Viewed /setting/roles as the role readonly"
	_, text := p.request(`GET /api/setting/accesslogs?filter=action:%22preview%22`, "admin", "")
	if !strings.Contains(text, want) {
		t.Errorf("the audit log has %s, want %s", text, want)
	}
}
