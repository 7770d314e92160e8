package session

import (
	"fmt"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// TestSignOutAffectsOnlyTheGivenUsers ends sessions by user name. A single wrong
// name, or a user with more rights than the caller, prevents all sign-outs.
func TestSignOutAffectsOnlyTheGivenUsers(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", ground.Administrator)
	clerk := h.user(t, "clerk", 3)
	h.user(t, "kim", 3)
	h.user(t, "sam", 3)
	h.signIn(t, "jo")
	signedIn := map[string]string{}
	for _, name := range []string{"jo", "kim", "sam"} {
		signedIn[name] = h.signIn(t, name).Secret
	}
	who, err := h.Access(t.Context(), clerk)
	must(t, err)
	who.Grants = append(who.Grants, resource.Grant{Object: resource.Setting, Area: ground.AreaUserAccess,
		Op: resource.Modify})
	const id = "POST /setting/admins/services/logoffUsers"
	for _, step := range []struct {
		names string
		kind  fault.Kind // empty: no error
		in    string     // users who are still signed in
	}{
		{`"KIM","nobody"`, fault.Invalid, "jo kim sam"},
		{`"kim","jo"`, fault.Denied, "jo kim sam"},
		{``, fault.Invalid, "jo kim sam"},
		{`"KIM"`, "", "jo sam"},
		{`"sam","kim"`, "", "jo"},
	} {
		_, err := h.send(t, id, resource.Call{Access: who, Body: []byte(fmt.Sprintf(`{"userNames":[%s]}`, step.names))})
		if step.kind == "" && err != nil || step.kind != "" && !fault.Is(err, step.kind) {
			t.Errorf("%s: %v, want %v", step.names, err, step.kind)
		}
		in := ""
		for _, name := range []string{"jo", "kim", "sam"} {
			if _, err := h.ByCookie(t.Context(), signedIn[name]); err == nil {
				in += name + " "
			}
		}
		if in != step.in+" " {
			t.Errorf("after %s these are signed in: %s; want %s", step.names, in, step.in)
		}
	}
}
