package session

import (
	"context"
	"net/netip"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// queueFor bounds how long a sign-in waits for its turn.
const queueFor = 1500 * time.Millisecond

// SignIn begins a session. An unknown user, a wrong password and a user who may
// not sign in are one fault.NoLogin, after the same time; ten of them for one
// user name or from one address make fault.TooMany, right password or not, but
// for who signed in from the same browser or address before: those count alone.
func (s *Service) SignIn(ctx context.Context, username, password, remote string) (*Session, error) {
	sess, _, err := s.signIn(ctx, username, password, origin{remote: remote})
	return sess, err
}

// origin identifies the address and browser of a sign-in.
type origin struct {
	remote string // address
	device string // what the browser was given at an earlier sign-in; may be empty
}

// signIn also returns the secret by which the browser is recognized next time.
func (s *Service) signIn(ctx context.Context, username, password string,
	from origin) (sess *Session, device string, err error) {
	who, err := s.prove(ctx, username, password, from)
	if err != nil {
		return nil, "", err
	}
	if sess, err = s.open(ctx, who, false); err != nil {
		return nil, "", err
	}
	s.recordSignIn(ctx, who, s.rehash(who, password), from.remote)
	return sess, s.device(who.row.ID), nil
}

// prove returns the user with this name and password, and counts failures.
func (s *Service) prove(ctx context.Context, username, password string, from origin) (*person, error) {
	queue, cancel := context.WithTimeout(ctx, queueFor)
	defer cancel()
	keys, err := s.counted(queue, username, from)
	if err != nil {
		return nil, err
	}
	if err := s.fails.begin(queue, keys); err != nil {
		return nil, err
	}
	who, err := s.checkPassword(queue, username, password)
	switch {
	case err != nil:
		s.fails.abandon(keys)
		return nil, err
	case who == nil:
		s.fails.failed(keys)
		s.noteFailure(ctx, username, from.remote)
		return nil, fault.New(fault.NoLogin, "the user name or the password is wrong")
	}
	s.fails.succeeded(keys, keys[0])
	return who, nil
}

// counted lists what failures are counted by: the user name from anywhere and
// the address, so that neither guessing for one user nor for all gets far. Who
// guesses from elsewhere must not lock a user out, so a browser or an address
// that this user signed in from before has a count of its own.
func (s *Service) counted(ctx context.Context, username string, from origin) ([]digest, error) {
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	name := userKey(username)
	if who := everyone.named(username); who != nil {
		if s.isDeviceOf(from.device, who.row.ID) {
			return []digest{digestOf("device " + from.device)}, nil
		}
		if who.row.LastAuthIP != "" && network(who.row.LastAuthIP) == network(from.remote) {
			return []digest{digestOf("user " + folded(username) + " from " + network(from.remote))}, nil
		}
	}
	return []digest{name, digestOf("from " + network(from.remote))}, nil
}

func userKey(username string) digest { return digestOf("user " + folded(username)) }

// checkPassword returns nil for anything but the right password of a user who
// may sign in. All ways through it take one hash.
func (s *Service) checkPassword(ctx context.Context, username, password string) (*person, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	case <-ctx.Done():
		return nil, errBusy()
	}
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	who, hash := everyone.named(username), ""
	if who != nil {
		hash = who.row.Password
	}
	if !people.CheckPassword(hash, password) || !who.maySignIn() {
		return nil, nil
	}
	return who, nil
}

// IsPassword reports whether it is the password of a user who may sign in. It
// is not an attempt to: nothing is counted, nor written into the audit log.
func (s *Service) IsPassword(ctx context.Context, username, password string) (bool, error) {
	who, err := s.checkPassword(ctx, username, password)
	return who != nil, err
}

func errBusy() error {
	return &fault.Error{Kind: fault.TooMany, Message: "too many users are signing in; try again in a moment",
		RetryAfter: time.Second}
}

// rehash returns the user's password hashed at today's cost, or "" when its hash
// has that cost already or too many sign-ins are under way.
func (s *Service) rehash(who *person, password string) string {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	default:
		return "" // the next sign-in tries again
	}
	hash, _ := people.RehashPassword(who.row.Password, password)
	return hash
}

// recordSignIn stores time and address in the user's row, replaces an outdated
// hash unless the password has changed meanwhile, and writes the sign-in into
// the audit log. A full disk does not prevent signing in.
func (s *Service) recordSignIn(ctx context.Context, who *person, hash, remote string) {
	ctx = resource.WithCall(ctx, nil) // what is written at the user is part of the sign-in
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		u, err := resource.Get(ctx, tx, people.Users.Name, who.row.ID)
		if err != nil {
			return err
		}
		u.LastLoginOn, u.LastAuthIP = resource.SecondsOf(s.clock()), remote
		if hash != "" && u.Password == who.row.Password {
			u.Password = hash
		}
		if err := resource.Put(ctx, tx, people.Users.Name, u); err != nil {
			return err
		}
		return tx.Note(ctx, s.change("sign-in", u.Username, "Signed in", remote))
	})
	if err != nil {
		s.log.WarnContext(ctx, "a sign-in could not be recorded", "user", who.row.ID, "err", err)
	}
}

// network returns what counts as one address: this machine, one IPv4 address, or the
// IPv6 network that one customer has.
func network(remote string) string {
	addr, err := netip.ParseAddr(remote)
	if err != nil {
		return remote
	}
	addr = addr.Unmap().WithZone("")
	if addr.IsLoopback() {
		return "loopback"
	}
	if addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().String()
	}
	return addr.String()
}
