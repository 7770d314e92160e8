package session

import (
	"testing"

	"spyglass/backend/resource"
)

func TestOnlyUnlimitedAdministratorsViewAsAnotherRole(t *testing.T) {
	h := newFixture(t)
	admin, viewer := h.user(t, "boss", 1), h.user(t, "jo", 4)
	const refused = "denied: only administrators can preview what another role sees, and not with a token that " +
		"expires or is limited to a role"
	for _, tt := range []struct {
		what string
		who  holder
		role string
		err  string
	}{
		{"an administrator", holder{userID: admin}, "4", ""},
		{"a viewer", holder{userID: viewer}, "4", refused},
		{"a limited token", holder{userID: admin, roleID: 2}, "4", refused},
		{"a token with the role administrator that expires", holder{admin, 1, true}, "4", refused},
		{"a temporary token", holder{userID: admin, temporary: true}, "4", refused},
		{"a deleted role", holder{userID: admin}, "4711", "invalid: there is no role 4711"},
		{"no role", holder{userID: admin}, "", "invalid: X-Spyglass-As-Role must be the id of a role"},
	} {
		who, err := h.access(t.Context(), tt.who)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := h.AsRole(t.Context(), who, tt.role, "/device/devices", "")
		if says(err) != tt.err {
			t.Errorf("%s: %q, want %q", tt.what, says(err), tt.err)
		}
		read := resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
		write := resource.Right{Object: resource.DeviceGroup, Op: resource.Modify}
		if err == nil && (seen.Role != "readonly" || !seen.May(read) || seen.May(write)) {
			t.Errorf("%s reads with %+v", tt.what, seen)
		}
	}
	if _, err := h.AsRole(t.Context(), nil, "4", "/", ""); says(err) != refused {
		t.Errorf("nobody: %v", err)
	}
}
