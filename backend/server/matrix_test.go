package server_test

import (
	"fmt"
	"slices"
	"testing"

	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// everybody maps the roles of the matrix to their privileges. It repeats the built-in
// roles, so that the test notices changes to them.
func everybody(group string) map[string][]privilege {
	all := func(op string) []privilege {
		return []privilege{{op, "deviceGroup", "*"}, {op, "report", "*"}}
	}
	roles := map[string][]privilege{
		"administrator": append(all("write"), privilege{"write", "setting", "*"}),
		"manager": append(all("write"), privilege{"write", "setting", "collectors"},
			privilege{"write", "setting", "alerting"},
			privilege{"write", "setting", "datasources"}, privilege{"write", "setting", "opsnotes"}),
		"ackonly": append(all("ack"), privilege{"read", "setting", "datasources"},
			privilege{"read", "setting", "opsnotes"}),
		"readonly": append(all("read"), privilege{"read", "setting", "datasources"},
			privilege{"read", "setting", "opsnotes"}),
		"group reader":    {{"read", "deviceGroup", group}},
		"group acker":     {{"ack", "deviceGroup", group}},
		"group writer":    {{"write", "deviceGroup", group}},
		"reports reader":  {{"read", "report", "*"}},
		"reports writer":  {{"write", "report", "*"}},
		"settings reader": {{"read", "setting", "*"}},
		"without":         {},
	}
	for _, area := range ground.SettingAreas {
		roles[area+" reader"] = []privilege{{"read", "setting", area}}
		roles[area+" writer"] = []privilege{{"write", "setting", area}}
	}
	return roles
}

// may reports whether the privileges include the right. It does not use the portal's
// own code.
func may(held []privilege, right resource.Right) bool {
	rank := map[string]int{"read": 1, "ack": 2, "write": 3}
	return slices.ContainsFunc(held, func(p privilege) bool {
		enough := rank[p.operation] >= rank[right.Op.String()]
		return enough && p.object == string(right.Object) &&
			(p.object != "setting" || p.id == "*" || p.id == right.Area)
	})
}

// TestEveryPermissionIsEnforcedAtEveryEndpoint sends each endpoint's example as
// every role, reads before writes, to a separate portal for each role.
func TestEveryPermissionIsEnforcedAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	f := newFleet(t, everybody)
	for name, held := range f.roles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := f.copy(t)
			m := f.on(t, s, name)
			whole := slices.Contains(builtIn, name)
			for _, e := range inOrder(s.Endpoints()) {
				if e.Right.Object == resource.Open {
					continue // tested below
				}
				allowed := e.Right.Object == resource.Anyone || may(held, e.Right)
				checkRight(t, name, &e, m.example(&e), allowed, whole)
			}
		})
	}
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		s := f.copy(t)
		for name, bearer := range map[string]string{
			"nobody": "", "a wrong token": "spy_0123456789abcdef0123456789abcdef",
			"an expired token": expired(t, f, s)} {
			m := f.on(t, s, name)
			m.bearer = bearer
			for _, e := range inOrder(s.Endpoints()) {
				if e.Right.Object == resource.Open && bearer == "" {
					continue
				}
				if r := m.example(&e); r.status != 401 || !isFailure(r.text, 401) {
					t.Errorf("%s: %s returns %v, want 401", name, e.ID(), r)
				}
			}
		}
	})
}

// checkRight checks a response against the right that it requires. The portal may still
// refuse a row to a user with the right: with 404 a row that the user may not view, and
// with 403, without naming a right, a row that the user may not change or a user with more
// rights.
func checkRight(t *testing.T, name string, e *resource.Endpoint, r reply, allowed, whole bool) {
	t.Helper()
	_, right, wellFormed := r.failure()
	switch {
	case r.status >= 500, r.status == 401:
		t.Errorf("%s: %s returns %v", name, e.ID(), r)
	case r.status >= 400 && !wellFormed:
		t.Errorf("%s: %s returns %v, which is no error of ours", name, e.ID(), r)
	case !allowed && (r.status != 403 || right != e.Right.String()):
		t.Errorf("%s: %s returns %v, want 403 that names the right %q", name, e.ID(), r, e.Right)
	case allowed && right != "":
		t.Errorf("%s: %s returns %v, but the role has the right %q", name, e.ID(), r, e.Right)
	case allowed && r.status == 403 && (name == "administrator" || whole && e.Right.Area != ground.AreaUserAccess):
		t.Errorf("%s: %s returns %v, but nothing is out of this role's reach", name, e.ID(), r)
	case allowed && whole && e.Method == "GET" && r.status != 200 && r.status != 202:
		t.Errorf("%s: %s returns %v, want 200", name, e.ID(), r)
	}
}

// expired is the token of a user who is suspended by now.
func expired(t *testing.T, f *demoFleet, s *server.Server) string {
	t.Helper()
	admin := f.on(t, s, "administrator")
	who := f.on(t, s, "readonly")
	var me struct{ UserID int64 }
	who.read("/session", &me)
	admin.must("PATCH", fmt.Sprint("/setting/admins/", me.UserID), map[string]any{"status": "suspended"})
	return who.bearer
}
