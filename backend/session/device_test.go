package session

import (
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// lock fails to sign in from elsewhere until the user name is locked.
func (h *fixture) lock(t *testing.T, name string) {
	t.Helper()
	for range maxFails {
		if _, err := h.SignIn(t.Context(), name, "a wrong password", "198.51.100.9"); err == nil {
			t.Fatal("a wrong password signs in")
		}
	}
	if _, err := h.SignIn(t.Context(), name, password, "203.0.113.1"); !fault.Is(err, fault.TooMany) {
		t.Fatalf("after %d failures from elsewhere: %v", maxFails, err)
	}
}

func TestKnownAddressIsNotLockedOutByOthers(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	h.user(t, "ann", 4)
	_, device, err := h.Service.signIn(t.Context(), "jo", password, "", origin{remote: "192.0.2.7"})
	must(t, err)
	_, foreign, err := h.Service.signIn(t.Context(), "ann", password, "", origin{remote: "192.0.2.8"})
	must(t, err)
	h.lock(t, "jo")

	for _, tt := range []struct {
		what string
		from origin
		want fault.Kind
	}{
		{"the same address", origin{remote: "192.0.2.7"}, ""},
		{"the same browser elsewhere", origin{remote: "203.0.113.2", device: device}, ""},
		{"somebody else's browser", origin{remote: "203.0.113.3", device: foreign}, fault.TooMany},
		{"a browser that was made up", origin{remote: "203.0.113.4", device: device[:len(device)-4] + "AAAA"},
			fault.TooMany},
		{"another address", origin{remote: "203.0.113.5"}, fault.TooMany},
	} {
		if _, _, err := h.Service.signIn(t.Context(), "jo", password, "", tt.from); tt.want == "" && err != nil ||
			tt.want != "" && !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.want)
		}
	}
}

func TestKnownBrowserIsLockedByItsOwnFailures(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	_, device, err := h.Service.signIn(t.Context(), "jo", password, "", origin{remote: "192.0.2.7"})
	must(t, err)
	from := origin{remote: "203.0.113.2", device: device}
	for range maxFails {
		_, _, err := h.Service.signIn(t.Context(), "jo", "a wrong password", "", from)
		if !fault.Is(err, fault.NoLogin) {
			t.Fatal(err)
		}
	}
	if _, _, err := h.Service.signIn(t.Context(), "jo", password, "", from); !fault.Is(err, fault.TooMany) {
		t.Errorf("after %d failures: %v", maxFails, err)
	}
}

func TestKnownBrowserExpiresAfterAYear(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	device := h.device(id)
	h.clock.Pass(rememberDevice - time.Second)
	if !h.isDeviceOf(device, id) || h.isDeviceOf(device, id+1) {
		t.Error("within a year a browser is that of its user alone")
	}
	h.clock.Pass(time.Second)
	if h.isDeviceOf(device, id) {
		t.Error("after a year a browser is still known")
	}
}

func TestNewPasswordUnlocksTheUser(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	h.lock(t, "jo")
	must(t, h.SetPassword(t.Context(), "jo", "quite another one"))
	if _, err := h.SignIn(t.Context(), "jo", "quite another one", "203.0.113.1"); err != nil {
		t.Error(err)
	}
}

func TestRefusedTokenIsInTheAuditLogOnceAMinute(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	h.db.SetAuditor(audit.Audit)
	made, err := h.CreateToken(t.Context(), id, "", "jo")
	must(t, err)
	change(t, h, people.Tokens.Name, 1, func(k *people.Token) { k.Status = people.TokenActive + 1 })
	refused := func(authorization, remote string) {
		t.Helper()
		if _, err := h.ByToken(t.Context(), authorization, TokenRequest{Remote: remote}); !fault.Is(
			err, fault.NoLogin) {
			t.Fatal(err)
		}
	}
	for range 3 {
		refused("Bearer "+made.Bearer, "192.0.2.7")
	}
	refused("Bearer nobody", "192.0.2.8")
	h.clock.Pass(refusedEvery)
	refused("Bearer nobody", "192.0.2.8")

	rows, err := resource.Find(t.Context(), h.db, audit.AuditLogs.Name,
		resource.Where{Field: "action", Op: "=", Value: "sign-in-failed"})
	must(t, err)
	var got []string
	for _, row := range rows {
		got = append(got, row.Username+" "+row.IP+" "+row.Description)
	}
	want := []string{
		"jo 192.0.2.7 Failed to sign in with an API token",
		"unknown 192.0.2.8 Failed to sign in with an API token",
		"unknown 192.0.2.8 Failed to sign in with an API token",
	}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
}
