package session

import (
	"strings"
	"testing"

	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

func TestAddUserFromTheCommandLine(t *testing.T) {
	h := newFixture(t)
	for _, tt := range []struct{ name, password, role, err, email string }{
		{"admin", password, "administrator", "", "admin@localhost"},
		{"j.doe@example.net", password, "readonly", "", "j.doe@example.net"},
		{"Grüße", password, "READONLY", "", "Grüße@localhost"},
		{"<o_o>", password, "readonly", "", "user@localhost"},
		{"ADMIN", password, "readonly", `conflict: there is already a user with the username "ADMIN"`, ""},
		{"jo", password, "boss", "invalid: there is no role boss", ""},
		{"jo", "short", "readonly", "invalid: a password must have 8 to 512 characters", ""},
		{"", password, "readonly", "invalid: username must have 1 to 128 bytes", ""},
		{strings.Repeat("x", 129), password, "readonly", "invalid: username must have 1 to 128 bytes", ""},
		{"jo do", password, "readonly", "invalid: username must not contain spaces, colons or slashes", ""},
	} {
		t.Run(tt.name+"/"+tt.role, func(t *testing.T) {
			id, err := h.AddUser(t.Context(), tt.name, tt.password, tt.role)
			if says(err) != tt.err {
				t.Fatalf("got %q, want %q", says(err), tt.err)
			}
			if err != nil {
				return
			}
			u, err := resource.Get(t.Context(), h.db, people.Users.Name, id)
			must(t, err)
			if u.Email != tt.email || u.CreatedBy != "system" || u.Status != "active" {
				t.Errorf("the user is %+v", u)
			}
			if sess, err := h.SignIn(t.Context(), tt.name, password, ""); err != nil ||
				sess.Access.Role != strings.ToLower(tt.role) {
				t.Errorf("signing in: %v %v", sess, err)
			}
		})
	}
}

func TestNewPasswordReplacesTheOldOne(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	for _, tt := range []struct{ name, password, err string }{
		{"nobody", "a new password", "unknown: there is no user nobody"},
		{"jo", "short", "invalid: a password must have 8 to 512 characters"},
		{"JO", "a new password", ""},
	} {
		if err := h.SetPassword(t.Context(), tt.name, tt.password); says(err) != tt.err {
			t.Errorf("%s: got %q, want %q", tt.name, says(err), tt.err)
		}
	}
	if _, err := h.SignIn(t.Context(), "jo", password, ""); says(err) != "no_login: the user name or the password is "+
		"wrong" {
		t.Errorf("the old one: %v", err)
	}
	if _, err := h.SignIn(t.Context(), "jo", "a new password", ""); err != nil {
		t.Errorf("the new one: %v", err)
	}
}
