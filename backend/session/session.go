// Package session authenticates callers: it signs people in, keeps their
// sessions, checks API tokens, and computes what a user may see and do.
//
// # Secrets
//
// A session, a window, a launch token, a bearer token and the desktop's
// credential are 32 random bytes in base64url. Only their SHA-256 is kept, so
// the timing of a lookup by digest reveals nothing. LMv1 access keys must be
// computed with and are sealed with the portal's key. No secret is logged.
//
// # Time
//
// Limits in memory (idle, longest, launch, failed sign-ins) are differences of
// Options.Clock, which is monotonic: setting the wall clock neither ends a
// session nor opens a lock. Only what is compared with another machine or
// survives a restart uses the wall clock: LMv1 signatures, last use, and the age
// of the desktop's credential.
//
// # What ends a session
//
// A change of password, second factor, status or roles, or of a held role's privileges, is seen
// by the next request, and closes Session.Done within 2 s. So does deleting the
// user. Tokens read status and rights at every request.
//
// # Concurrency
//
// A Service is safe for concurrent use. Once warm, ByCookie, ByToken and Access
// are a hash and a few map lookups, without SQL. Stop ends all sessions and
// waits for the two goroutines; close the HTTP server before and the store after.
//
// # Errors
//
// fault.NoLogin is for everything that is not a valid login, with the same
// message for every reason. fault.TooMany carries RetryAfter.
package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Options configures a Service.
type Options struct {
	Instance string           // the portal's id, which is part of the cookie's name
	Secure   bool             // the portal is served over TLS
	Log      *slog.Logger     // slog.Default when nil
	Clock    func() time.Time // time.Now when nil; must be monotonic
	Idle     time.Duration    // without a request; 15 minutes when 0
	Longest  time.Duration    // from sign-in; 24 hours when 0
	Guard    *service.Guard
	OIDC     OIDC
	Shared   bool // other processes serve the same portal: sessions are rows (SignedIns)
}

// Service manages the sessions, tokens and access of one portal.
type Service struct {
	db      resource.SecretDB
	log     *slog.Logger
	clock   func() time.Time
	start   time.Time
	o       Options
	hashing chan struct{} // limits concurrent password checks; each needs 46 MiB
	fails   *throttle

	mu       sync.RWMutex
	closed   bool
	live     map[digest]*live
	launches map[digest]launch
	windows  []digest // digests of the windows' secrets, oldest first

	oidc     provider
	oidcHTTP *http.Client

	lastSteps map[int64]int64 // of codes that could not be recorded as used, by user

	record  recorder
	refused refusals
	wait    service.Group
}

// Session is a request's view of a signed-in user. It is immutable.
type Session struct {
	Secret     string // the cookie's value
	CSRF       string // the token that every write must send
	Persistent bool   // started by launching the desktop window: it has no time limits
	Window     string // the window's secret; set only by Redeem for a window
	Access     *resource.Access
	// Must is the step that the user must complete before the portal serves anything
	// else: MustChangePassword, MustSetUp2FA, or empty.
	Must string

	done <-chan struct{}
}

// Done is closed when the session has ended, at most 2 s after the reason.
func (s *Session) Done() <-chan struct{} { return s.done }

// watchEvery is the interval at which idle sessions are checked.
const watchEvery = 2 * time.Second

// New returns a Service. Add credentials, users, roles, tokens and groups to db
// before.
func New(db resource.SecretDB, o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Idle == 0 {
		o.Idle = 15 * time.Minute
	}
	if o.Longest == 0 {
		o.Longest = 24 * time.Hour
	}
	s := &Service{
		db: db, log: o.Log, clock: o.Clock, start: o.Clock(), o: o,
		hashing: make(chan struct{}, min(4, runtime.GOMAXPROCS(0))),
		fails:   newThrottle(o.Clock),
		live:    map[digest]*live{}, launches: map[digest]launch{}, lastSteps: map[int64]int64{},
		oidcHTTP: newOIDCClient(o.OIDC),
		record:   newRecorder(), refused: refusals{last: map[string]time.Duration{}},
	}
	s.wait.Guard = o.Guard
	s.wait.Keep("end of sessions", s.watch)
	s.wait.Keep("last use of tokens", s.recordUse)
	return s, nil
}

// CookieName returns the name of a portal's session cookie. Cookies ignore ports,
// so it contains the portal's id. With TLS it has the prefix that prevents other
// hosts of the domain from setting it (RFC 6265bis, 4.1.3.2).
//
// Because cookies ignore ports, a browser also sends it to other servers on the
// same address: over plain HTTP on a machine that several people use, a user who
// opens another user's page at 127.0.0.1 gives the cookie to that user. The
// window is not affected, and TLS prevents it.
func CookieName(instance string, secure bool) string {
	if secure {
		return "__Host-spyglass_" + instance
	}
	return "spyglass_" + instance
}

// CookieName returns the name of this portal's session cookie.
func (s *Service) CookieName() string { return CookieName(s.o.Instance, s.o.Secure) }

// Stop ends all sessions, writes pending changes and waits, no longer than
// until ctx is done. It may be twice.
func (s *Service) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for key, l := range s.live {
		delete(s.live, key)
		close(l.done)
	}
	clear(s.launches)
	s.windows = nil
	s.mu.Unlock()
	return s.wait.Stop(ctx)
}

// now returns the monotonic time since the service started.
func (s *Service) now() time.Duration { return s.clock().Sub(s.start) }

// digest is the SHA-256 of a secret.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}
