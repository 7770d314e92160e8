package session

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/argon2"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/testkit"
)

func TestSignInNeedsTheCorrectPasswordOfAnActiveUser(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	suspended, apiOnly := h.user(t, "sam", 4), h.user(t, "bot", 4)
	change(t, h, people.Users.Name, suspended, func(u *people.User) { u.Status = "suspended" })
	change(t, h, people.Users.Name, apiOnly, func(u *people.User) { u.APIOnly = true })
	const wrong = "no_login: the user name or the password is wrong"
	for _, tt := range []struct{ name, password, err string }{
		{"jo", password, ""},
		{"JO", password, ""},
		{"jo", "Correct horse battery", wrong},
		{"jo", "", wrong},
		{"jo", hash(), wrong},
		{"jo ", password, wrong},
		{"nobody", password, wrong},
		{"", "", wrong},
		{"sam", password, wrong},
		{"bot", password, wrong},
	} {
		t.Run(tt.name+"/"+tt.password, func(t *testing.T) {
			sess, err := h.SignIn(t.Context(), tt.name, tt.password, t.Name())
			if says(err) != tt.err {
				t.Fatalf("got %q, want %q", says(err), tt.err)
			}
			if err == nil && (sess.Access.User != "jo" || sess.Access.Role != "readonly") {
				t.Errorf("signed in as %+v", sess.Access)
			}
		})
	}
}

func TestEachSignInIsANewSessionAndIsRecorded(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	one, two := h.signIn(t, "jo"), h.signIn(t, "jo")
	if one.Secret == two.Secret || one.CSRF == two.CSRF || len(one.Secret) != 43 || len(one.CSRF) != 43 {
		t.Errorf("the secrets are %v and %v", one, two)
	}
	u, err := resource.Get(t.Context(), h.db, people.Users.Name, id)
	must(t, err)
	if u.LastLoginOn != resource.SecondsOf(h.clock.Now()) || u.LastAuthIP != "192.0.2.7" {
		t.Errorf("recorded %d from %q", u.LastLoginOn, u.LastAuthIP)
	}
	for _, sess := range []*Session{one, two} {
		if _, err := h.ByCookie(t.Context(), sess.Secret); err != nil {
			t.Error(err)
		}
	}
}

// The memory that argon2id allocates shows the number and the cost of the password
// hashes.
func TestUnknownUserTakesAsLongAsAWrongPassword(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	work := func(name string) uint64 {
		before := testkit.Allocated()
		_, _ = h.SignIn(t.Context(), name, "a wrong password", name)
		return (testkit.Allocated() - before) >> 20
	}
	known, unknown := work("jo"), work("nobody")
	if known < 40 || known > 60 || unknown < known-2 || unknown > known+2 {
		t.Errorf("%d MB for a known user, %d MB for an unknown one, want one hash of 46 MB each", known, unknown)
	}
}

func TestEleventhFailureIsRefused(t *testing.T) {
	for _, tt := range []struct {
		what   string
		name   func(i int) string
		remote func(i int) string
		other  [2]string // name and address that may still sign in
	}{
		{"one user from anywhere", func(int) string { return "jo" },
			func(i int) string { return fmt.Sprint("192.0.2.", i) }, [2]string{"ann", "192.0.2.3"}},
		{"one user in any letter case", func(i int) string { return []string{"jo", "JO", "Jo"}[i%3] },
			func(i int) string { return fmt.Sprint("192.0.2.", i) }, [2]string{"ann", "192.0.2.3"}},
		{"any user from one address", func(i int) string { return fmt.Sprint("jo", i) },
			func(int) string { return "192.0.2.1" }, [2]string{"jo", "192.0.2.2"}},
		{"any user from one IPv6 network", func(i int) string { return fmt.Sprint("jo", i) },
			func(i int) string { return fmt.Sprintf("2001:db8::%x", i) }, [2]string{"jo", "2001:db8:0:1::1"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			h.user(t, "jo", 4)
			h.user(t, "ann", 4)
			for i := range 10 {
				if _, err := h.SignIn(t.Context(), tt.name(i), "a wrong password", tt.remote(i)); !fault.Is(
					err, fault.NoLogin) {
					t.Fatalf("attempt %d: %v", i+1, err)
				}
				h.clock.Pass(time.Second)
			}
			for i := 10; i < 12; i++ {
				_, err := h.SignIn(t.Context(), tt.name(i), password, tt.remote(i))
				if says(err) != "too_many: too many failed sign-ins; wait before you try again" ||
					fault.Of(err).RetryAfter != 59*time.Second {
					t.Fatalf("attempt %d: %v after %v", i+1, err, fault.Of(err).RetryAfter)
				}
			}
			if _, err := h.SignIn(t.Context(), tt.other[0], password, tt.other[1]); err != nil {
				t.Errorf("somebody else: %v", err)
			}
			h.clock.Pass(59 * time.Second)
			if _, err := h.SignIn(t.Context(), "jo", password, tt.remote(1)); err != nil {
				t.Errorf("when the lock has ended: %v", err)
			}
		})
	}
}

func TestLocksDoubleUpToAnHour(t *testing.T) {
	h := newFixture(t)
	keys := []digest{digestOf("jo")}
	var locks []time.Duration
	for range 9 {
		for range maxFails {
			must(t, h.fails.begin(t.Context(), keys))
			h.fails.failed(keys)
		}
		lock := fault.Of(h.fails.begin(t.Context(), keys)).RetryAfter
		locks = append(locks, lock)
		h.clock.Pass(lock)
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}
	for i := range want {
		if locks[i] != want[i]*time.Minute {
			t.Fatalf("locks are %v, want %v minutes", locks, want)
		}
	}
}

func TestFailuresExpire(t *testing.T) {
	h := newFixture(t)
	user, address := digestOf("jo"), digestOf("from")
	for range 2 * maxFails { // one failure per minute never locks
		must(t, h.fails.begin(t.Context(), []digest{user}))
		h.fails.failed([]digest{user})
		h.clock.Pass(time.Minute)
	}
	h.clock.Pass(failWindow)
	fail := func(keys ...digest) {
		must(t, h.fails.begin(t.Context(), keys))
		h.fails.failed(keys)
	}
	for range 9 {
		fail(user, address)
	}
	must(t, h.fails.begin(t.Context(), []digest{user, address}))
	h.fails.succeeded([]digest{user, address}, user)
	for range 9 { // a success resets the user's count
		fail(user)
	}
	fail(address) // but not the address's
	if err := h.fails.begin(t.Context(), []digest{address}); !fault.Is(err, fault.TooMany) {
		t.Errorf("the address: %v", err)
	}
}

func TestParallelWrongPasswordsAreLimitedToTen(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	var tried, refused atomic.Int64
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			switch _, err := h.SignIn(t.Context(), "jo", "a wrong password", "192.0.2.1"); {
			case fault.Is(err, fault.NoLogin):
				tried.Add(1)
			case fault.Is(err, fault.TooMany):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if tried.Load() > 10 || tried.Load()+refused.Load() != 40 {
		t.Errorf("%d were tried, %d refused", tried.Load(), refused.Load())
	}
}

func TestSignInWaitsForPendingFailures(t *testing.T) {
	for _, tt := range []struct {
		what string
		end  func(*throttle, []digest)
		kind fault.Kind // error of the waiting sign-in; empty: it may continue
	}{
		{"one of them succeeds", func(f *throttle, keys []digest) { f.succeeded(keys, keys[0]) }, ""},
		{"one of them is given up", (*throttle).abandon, ""},
		{"all of them fail", func(f *throttle, keys []digest) {
			for range maxFails {
				f.failed(keys)
			}
		}, fault.TooMany},
		{"nothing happens", func(*throttle, []digest) {}, fault.TooMany},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, keys := newThrottle(time.Now), []digest{digestOf("jo")}
				for range maxFails {
					must(t, f.begin(t.Context(), keys))
				}
				ctx, cancel := context.WithTimeout(t.Context(), queueFor)
				defer cancel()
				var err error
				waited := make(chan struct{})
				go func() {
					err = f.begin(ctx, keys)
					close(waited)
				}()
				synctest.Wait()
				select {
				case <-waited:
					t.Fatal("it did not wait")
				default:
				}
				tt.end(f, keys)
				<-waited
				if tt.kind == "" && err != nil || tt.kind != "" && !fault.Is(err, tt.kind) {
					t.Errorf("it receives %v", err)
				}
			})
		})
	}
}

func TestFailureMemoryIsLimitedAndKeepsLocks(t *testing.T) {
	h := newFixture(t)
	locked := []digest{digestOf("jo")}
	for range maxFails {
		must(t, h.fails.begin(t.Context(), locked))
		h.fails.failed(locked)
	}
	for i := range maxTracked + 100 {
		keys := []digest{digestOf(fmt.Sprint(i))}
		must(t, h.fails.begin(t.Context(), keys))
		h.fails.failed(keys)
	}
	if n := len(h.fails.all); n > maxTracked {
		t.Errorf("%d names are remembered", n)
	}
	if err := h.fails.begin(t.Context(), locked); !fault.Is(err, fault.TooMany) {
		t.Errorf("the lock was forgotten: %v", err)
	}
}

func TestAddressGrouping(t *testing.T) {
	for _, tt := range []struct{ remote, want string }{
		{"192.0.2.1", "192.0.2.1"},
		{"::ffff:192.0.2.1", "192.0.2.1"},
		{"127.0.0.1", "loopback"},
		{"127.9.9.9", "loopback"},
		{"::1", "loopback"},
		{"2001:db8::1", "2001:db8::/64"},
		{"2001:db8::ffff:1", "2001:db8::/64"},
		{"fe80::1%eth0", "fe80::/64"},
		{"", ""},
		{"not an address", "not an address"},
	} {
		if got := network(tt.remote); got != tt.want {
			t.Errorf("%s counts as %s, want %s", tt.remote, got, tt.want)
		}
	}
}

// outdated is the hash of password at the cost of earlier versions.
func outdated() string {
	salt := []byte("0123456789abcdef")
	sum := argon2.IDKey([]byte(password), salt, 2, 19*1024, 1, 32)
	b64 := base64.RawStdEncoding
	return "$argon2id$v=19$m=19456,t=2,p=1$" + b64.EncodeToString(salt) + "$" + b64.EncodeToString(sum)
}

func TestSignInRehashesAnOutdatedPasswordAndKeepsSessions(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	u, err := resource.Get(t.Context(), h.db, people.Users.Name, id)
	must(t, err)
	u.Password = outdated()
	put(t, h, people.Users.Name, u)
	launched, err := h.Redeem(t.Context(), h.Launch(id, true))
	must(t, err)
	secret, err := h.Credential(t.Context(), id)
	must(t, err)
	first := h.signIn(t, "jo")
	if u, err = resource.Get(t.Context(), h.db, people.Users.Name, id); err != nil ||
		!strings.HasPrefix(u.Password, "$argon2id$v=19$m=47104,t=1,p=1") {
		t.Fatalf("stored as %q: %v", u.Password, err)
	}
	second := h.signIn(t, "jo")
	for _, sess := range []*Session{launched, first, second} {
		if _, err := h.ByCookie(t.Context(), sess.Secret); err != nil {
			t.Error(err)
		}
	}
	if who, err := h.Resume(t.Context(), secret); err != nil || who != id {
		t.Errorf("resumed user %d: %v", who, err)
	}
	must(t, h.SetPassword(t.Context(), "jo", password))
	for _, sess := range []*Session{launched, first, second} {
		if _, err := h.ByCookie(t.Context(), sess.Secret); !fault.Is(err, fault.NoLogin) {
			t.Errorf("a session outlived a new password: %v", err)
		}
	}
}

func TestCredentialOfAnOlderVersionStillWorks(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	secret, err := h.Credential(t.Context(), id)
	must(t, err)
	everyone, err := h.everyone(t.Context())
	must(t, err)
	rows, err := resource.Find(t.Context(), h.db, credentialRows)
	must(t, err)
	rows[0].Mark = hex.EncodeToString(everyone.byID[id].formerMark[:])
	put(t, h, credentialRows, &rows[0])
	for range 2 {
		if who, err := h.Resume(t.Context(), secret); err != nil || who != id {
			t.Errorf("resumed user %d: %v", who, err)
		}
	}
}

func TestPasswordMustNotBeTheUserOrPortalName(t *testing.T) {
	h := newFixture(t)
	h.user(t, "johanna.doe", 4)
	settings, err := setting.Settings.Defaults()
	must(t, err)
	settings.ID, settings.Name = setting.SettingID, "North Harbour"
	put(t, h, setting.Settings.Name, settings)
	for _, bad := range []string{"Johanna.Doe", "johanna.doe@example.net", "northharbour", "North Harbour",
		"password1"} {
		if err := h.SetPassword(t.Context(), "johanna.doe", bad); !fault.Is(err, fault.Invalid) ||
			fault.Of(err).Field != "password" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := h.AddUser(t.Context(), "nightly-export", "Nightly-Export", "readonly"); !fault.Is(err, fault.Invalid) {
		t.Errorf("added with its own name as password: %v", err)
	}
	must(t, h.SetPassword(t.Context(), "johanna.doe", "north harbour crane"))
}
