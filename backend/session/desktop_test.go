package session

import (
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

const (
	usedUp = "no_login: this link has been used or is older than 30 seconds; start again from the app"
	gone   = "no_login: the user is suspended or deleted"
	over   = "no_login: the desktop's session has ended; sign in again"
)

func TestLaunchTokenWorksOnceWithinThirtySeconds(t *testing.T) {
	h := newFixture(t)
	jo, sam, bot := h.user(t, "jo", 4), h.user(t, "sam", 4), h.user(t, "bot", 4)
	change(t, h, people.Users.Name, sam, func(u *people.User) { u.Status = "suspended" })
	change(t, h, people.Users.Name, bot, func(u *people.User) { u.APIOnly = true })
	for _, tt := range []struct {
		what  string
		token func() string
		err   string
	}{
		{"at once", func() string { return h.Launch(jo, true) }, ""},
		{"after 29 seconds", func() string {
			defer h.clock.Pass(29 * time.Second)
			return h.Launch(jo, true)
		}, ""},
		{"after 30 seconds", func() string {
			defer h.clock.Pass(30 * time.Second)
			return h.Launch(jo, true)
		}, usedUp},
		{"a second time", func() string {
			token := h.Launch(jo, true)
			_, err := h.Redeem(t.Context(), token)
			must(t, err)
			return token
		}, usedUp},
		{"after the user's sessions were ended", func() string {
			token := h.Launch(jo, true)
			must(t, h.EndUser(t.Context(), jo))
			return token
		}, usedUp},
		{"another text", func() string { return "x" }, usedUp},
		{"nothing", func() string { return "" }, usedUp},
		{"a suspended user", func() string { return h.Launch(sam, true) }, gone},
		{"a user for programs only", func() string { return h.Launch(bot, true) }, gone},
		{"no user", func() string { return h.Launch(99, true) }, gone},
	} {
		t.Run(tt.what, func(t *testing.T) {
			sess, err := h.Redeem(t.Context(), tt.token())
			if says(err) != tt.err {
				t.Fatalf("got %q, want %q", says(err), tt.err)
			}
			if err == nil && (sess.Access.User != "jo" || !sess.Persistent) {
				t.Errorf("the session is %+v", sess)
			}
		})
	}
	for range maxLaunches + 10 {
		h.Launch(jo, true)
	}
	if len(h.launches) > maxLaunches {
		t.Errorf("%d launch tokens are kept", len(h.launches))
	}
}

func TestDesktopResumesTheSessionAfterARestart(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	secret, err := h.Credential(t.Context(), id)
	must(t, err)
	must(t, h.Stop(t.Context()))
	must(t, h.db.Close())

	h = openFixture(t, h.path, h.clock)
	for range 2 { // it may crash before it renews the credential
		got, err := h.Resume(t.Context(), secret)
		if err != nil || got != id {
			t.Fatalf("got %d, %v", got, err)
		}
	}
}

func TestSignInWorksOnAReadOnlyDatabase(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	secret, err := h.Credential(t.Context(), id)
	must(t, err)
	h.db.Refuse(fault.New(fault.Busy, "portal.db is damaged"))
	h.signIn(t, "jo")
	if got, err := h.Resume(t.Context(), secret); err != nil || got != id {
		t.Errorf("the desktop resumes %d, %v", got, err)
	}
	if got, err := h.Resume(t.Context(), "another"); !fault.Is(err, fault.NoLogin) {
		t.Errorf("an unknown secret resumes %d, %v", got, err)
	}
}

func TestDesktopCredentialIsRevokedWithItsUserOrPassword(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		what string
		do   func(h *fixture, id int64)
		err  string
	}{
		{"nothing happens", func(*fixture, int64) {}, ""},
		{"a browser session of the user signs out", func(h *fixture, id int64) {
			sess, err := h.Redeem(t.Context(), h.Launch(id, false))
			must(t, err)
			must(t, h.SignOut(t.Context(), sess.Secret))
		}, ""},
		{"a desktop session of the user signs out", func(h *fixture, id int64) {
			sess, err := h.Redeem(t.Context(), h.Launch(id, true))
			must(t, err)
			must(t, h.SignOut(t.Context(), sess.Secret))
		}, over},
		{"a session that became the desktop's signs out", func(h *fixture, id int64) {
			sess, err := h.Redeem(t.Context(), h.Launch(id, false))
			must(t, err)
			must(t, h.Persist(sess.Secret))
			must(t, h.SignOut(t.Context(), sess.Secret))
		}, over},
		{"the user's sessions are ended", func(h *fixture, id int64) { must(t, h.EndUser(t.Context(), id)) }, over},
		{"the password changes",
			func(h *fixture, id int64) { must(t, h.SetPassword(t.Context(), "jo", "a new password")) }, over},
		{"the roles change", func(h *fixture, id int64) {
			change(t, h, people.Users.Name, id, func(u *people.User) { u.Roles = []people.RoleRef{{ID: 3}} })
		}, over},
		{"the user is suspended, and active again", func(h *fixture, id int64) {
			change(t, h, people.Users.Name, id, func(u *people.User) { u.Status = "suspended" })
			change(t, h, people.Users.Name, id, func(u *people.User) { u.Status = "active" })
		}, ""},
		{"the user is suspended", func(h *fixture, id int64) {
			change(t, h, people.Users.Name, id, func(u *people.User) { u.Status = "suspended" })
		}, over},
		{"the user is deleted", func(h *fixture, id int64) { remove(t, h, people.Users.Name, id) }, over},
		{"29 days pass", func(h *fixture, _ int64) { h.clock.Pass(29 * day) }, ""},
		{"31 days pass", func(h *fixture, _ int64) { h.clock.Pass(31 * day) }, over},
		{"the clock is set back", func(h *fixture, _ int64) { h.clock.Pass(-1000 * day) }, ""},
		{"five more are made", func(h *fixture, id int64) {
			for range maxCredentials {
				_, err := h.Credential(t.Context(), id)
				must(t, err)
			}
		}, over},
	} {
		t.Run(tt.what, func(t *testing.T) {
			h := newFixture(t)
			id := h.user(t, "jo", 4)
			secret, err := h.Credential(t.Context(), id)
			must(t, err)
			tt.do(h, id)
			got, err := h.Resume(t.Context(), secret)
			if says(err) != tt.err || err == nil && got != id {
				t.Errorf("got %d and %q, want %q", got, says(err), tt.err)
			}
			for _, other := range []string{"", "x", bearerHash(secret)} {
				if _, err := h.Resume(t.Context(), other); says(err) != over {
					t.Errorf("%q: %v", other, err)
				}
			}
		})
	}
}

func TestOnlyActiveUsersHaveADesktopCredential(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	change(t, h, people.Users.Name, id, func(u *people.User) { u.Status = "suspended" })
	for _, id := range []int64{id, 99} {
		if _, err := h.Credential(t.Context(), id); says(err) != gone {
			t.Errorf("user %d: %v", id, err)
		}
	}
	if err := h.Persist("x"); says(err) != ended {
		t.Errorf("making no session persistent says %v", err)
	}
}

func TestOpenDesktopWindowRenewsItsCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		id := h.user(t, "jo", 4)
		_, err := h.Credential(t.Context(), id)
		must(t, err)
		_, err = h.Redeem(t.Context(), h.Launch(id, true))
		must(t, err)
		h.clock.Pass(25 * time.Hour)
		<-time.After(5 * time.Second) // in the bubble's time, while the write completes
		rows, err := resource.Find(t.Context(), h.db, credentialRows)
		must(t, err)
		if len(rows) != 1 || rows[0].UsedOn != resource.SecondsOf(h.clock.Now()) {
			t.Errorf("not renewed: %+v", rows)
		}
	})
}
