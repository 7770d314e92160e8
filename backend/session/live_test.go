package session

import (
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

const ended = "no_login: you are not signed in, or the session has ended"

func TestSessionExpiresAfterFifteenIdleMinutesOrADay(t *testing.T) {
	times := func(n int, d time.Duration) (steps []time.Duration) {
		for range n {
			steps = append(steps, d)
		}
		return steps
	}
	for _, tt := range []struct {
		what       string
		persistent bool
		steps      []time.Duration // pauses between requests
		err        string          // error of the last request
	}{
		{"used at once", false, times(1, 0), ""},
		{"used every 14 minutes", false, times(100, 14*time.Minute), ""},
		{"used every 14 minutes for over a day", false, times(103, 14*time.Minute), ended},
		{"idle for just less than 15 minutes", false, times(1, 15*time.Minute-time.Second), ""},
		{"idle for 15 minutes", false, times(1, 15*time.Minute), ended},
		{"a desktop window over a weekend", true, times(1, 72*time.Hour), ""},
	} {
		t.Run(tt.what, func(t *testing.T) {
			h := newFixture(t)
			id := h.user(t, "jo", 4)
			sess, err := h.Redeem(t.Context(), h.Launch(id, tt.persistent))
			must(t, err)
			for i, step := range tt.steps {
				h.clock.Pass(step)
				want := ""
				if i == len(tt.steps)-1 {
					want = tt.err
				}
				if _, err := h.ByCookie(t.Context(), sess.Secret); says(err) != want {
					t.Fatalf("request %d says %q, want %q", i+1, says(err), want)
				}
			}
		})
	}
}

func TestInvalidSecretIsNoSession(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	sess := h.signIn(t, "jo")
	for _, secret := range []string{"", "x", sess.CSRF, sess.Secret + "=", sess.Secret[1:], newSecret()} {
		if _, err := h.ByCookie(t.Context(), secret); says(err) != ended {
			t.Errorf("%q says %q", secret, says(err))
		}
	}
	got, err := h.ByCookie(t.Context(), sess.Secret)
	must(t, err)
	if got.Secret != sess.Secret || got.CSRF != sess.CSRF || got.Persistent || got.Access.User != "jo" {
		t.Errorf("the session is %+v", got)
	}
}

// events are changes while jo, who has role 5, is signed in.
var events = []struct {
	what string
	ends bool
	do   func(t *testing.T, h *fixture, id int64, sess *Session)
}{
	{"the password changes", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		must(t, h.SetPassword(t.Context(), "jo", "a new password"))
	}},
	{"somebody else writes another password", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Users.Name, id, func(u *people.User) { u.Password = "$argon2id$another" })
	}},
	{"the user is suspended", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Users.Name, id, func(u *people.User) { u.Status = "suspended" })
	}},
	{"the user becomes one for programs only", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Users.Name, id, func(u *people.User) { u.APIOnly = true })
	}},
	{"the user gets another role", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Users.Name, id, func(u *people.User) { u.Roles = []people.RoleRef{{ID: 3}} })
	}},
	{"the user gets a further role", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Users.Name, id, func(u *people.User) { u.Roles = append(u.Roles, people.RoleRef{ID: 3}) })
	}},
	{"the role's privileges change", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Roles.Name, 5, func(r *people.Role) { r.Privileges[0].Operation = "read" })
	}},
	{"the user is deleted", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		remove(t, h, people.Users.Name, id)
	}},
	{"the user signs out", true, func(t *testing.T, h *fixture, id int64, sess *Session) {
		must(t, h.SignOut(t.Context(), sess.Secret))
	}},
	{"the user's sessions are ended", true, func(t *testing.T, h *fixture, id int64, _ *Session) {
		must(t, h.EndUser(t.Context(), id))
	}},

	{"nothing", false, func(*testing.T, *fixture, int64, *Session) {}},
	{"the user's phone number changes", false, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Users.Name, id, func(u *people.User) { u.Phone = "1" })
	}},
	{"the user signs in elsewhere", false, func(t *testing.T, h *fixture, _ int64, _ *Session) { h.signIn(t, "jo") }},
	{"the role is renamed", false, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Roles.Name, 5, func(r *people.Role) { r.Name = "renamed" })
	}},
	{"another role changes", false, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Roles.Name, 4, func(r *people.Role) { r.Privileges = nil })
	}},
	{"another user is suspended", false, func(t *testing.T, h *fixture, id int64, _ *Session) {
		change(t, h, people.Users.Name, h.user(t, "sam", 5), func(u *people.User) { u.Status = "suspended" })
	}},
	{"a group is added", false, func(t *testing.T, h *fixture, _ int64, _ *Session) {
		put(t, h, fleet.Groups.Name, &fleet.Group{Name: "new", ParentID: 1})
	}},
}

func TestSessionEndsWithItsUserOrPassword(t *testing.T) {
	for _, tt := range events {
		t.Run(tt.what, func(t *testing.T) {
			h := newFixture(t)
			put(t, h, people.Roles.Name,
				&people.Role{
					Name:       "night",
					Privileges: []people.Privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: "ack"}}})
			id := h.user(t, "jo", 5)
			sess := h.signIn(t, "jo")
			tt.do(t, h, id, sess)
			_, err := h.ByCookie(t.Context(), sess.Secret)
			if got := fault.Is(err, fault.NoLogin); got != tt.ends || !tt.ends && err != nil {
				t.Errorf("the next request says %v", err)
			}
		})
	}
}

func TestEventStreamEndsWithinFiveSecondsOfItsSession(t *testing.T) {
	for _, tt := range events {
		t.Run(tt.what, func(t *testing.T) {
			hash() // outside the measurement
			synctest.Test(t, func(t *testing.T) {
				h := newFixture(t)
				put(t, h, people.Roles.Name,
					&people.Role{
						Name:       "night",
						Privileges: []people.Privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: "ack"}}})
				id := h.user(t, "jo", 5)
				sess, err := h.Redeem(t.Context(), h.Launch(id, false))
				must(t, err)
				tt.do(t, h, id, sess)
				got := false
				select {
				case <-sess.Done():
					got = true
				case <-time.After(5 * time.Second):
				}
				if got != tt.ends {
					t.Errorf("the session has ended: %v", got)
				}
			})
		})
	}
}

func TestIdleSessionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		sess, err := h.Redeem(t.Context(), h.Launch(h.user(t, "jo", 4), false))
		must(t, err)
		h.clock.Pass(15 * time.Minute)
		select {
		case <-sess.Done():
		case <-time.After(5 * time.Second):
			t.Error("it goes on")
		}
		if len(h.live) != 0 {
			t.Errorf("%d sessions are kept", len(h.live))
		}
	})
}

func TestSessionsPerUserAreLimitedAndTheOldestEnds(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	other, err := h.Redeem(t.Context(), h.Launch(h.user(t, "sam", 4), false))
	must(t, err)
	var all []*Session
	for range perUser + 2 {
		sess, err := h.Redeem(t.Context(), h.Launch(id, false))
		must(t, err)
		all = append(all, sess)
		h.clock.Pass(time.Millisecond)
	}
	for i, sess := range append(all, other) {
		want := ""
		if i < 2 {
			want = ended
		}
		if _, err := h.ByCookie(t.Context(), sess.Secret); says(err) != want {
			t.Errorf("session %d says %q", i+1, says(err))
		}
	}
}

func TestSessionSeesANewGroupAtOnce(t *testing.T) {
	h := newFixture(t)
	put(t, h, fleet.Groups.Name, &fleet.Group{Name: "west", ParentID: 1})
	put(t, h, people.Roles.Name,
		&people.Role{
			Name:       "west",
			Privileges: []people.Privilege{{ObjectType: "deviceGroup", ObjectID: "2", Operation: "read"}}})
	h.user(t, "jo", 5)
	sess := h.signIn(t, "jo")
	put(t, h, fleet.Groups.Name, &fleet.Group{Name: "inside", ParentID: 2})
	sess, err := h.ByCookie(t.Context(), sess.Secret)
	must(t, err)
	if all, ids := sess.Access.Groups(resource.Read); all || len(ids) != 2 || ids[0] != 2 || ids[1] != 3 {
		t.Errorf("the groups are %v %v", all, ids)
	}
}
