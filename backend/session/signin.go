package session

import (
	"context"
	"net/netip"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// queueFor limits how long a sign-in waits for its turn.
const queueFor = 1500 * time.Millisecond

// SignIn begins a session. It returns the same fault.NoLogin, after the same
// time, for an unknown user, a wrong password and a user who may not sign in.
// After ten of them for one user name or from one address, it returns
// fault.TooMany, even for the right password. A browser or an address from which
// the user has signed in before has its own count instead.
func (s *Service) SignIn(ctx context.Context, username, password, remote string) (*Session, error) {
	sess, _, err := s.signIn(ctx, username, password, "", origin{remote: remote})
	return sess, err
}

// origin identifies the address and browser of a sign-in.
type origin struct {
	remote string // address
	device string // the cookie of an earlier sign-in; may be empty
}

// signIn also returns the secret by which the browser is recognized next time. For a
// user with a second factor it checks the code, too; see checkCode.
func (s *Service) signIn(ctx context.Context, username, password, code string,
	from origin) (sess *Session, device string, err error) {
	who, err := s.prove(ctx, username, password, &code, from)
	if err != nil {
		return nil, "", err
	}
	if sess, err = s.open(ctx, who, false, stepsOf(who)); err != nil {
		return nil, "", err
	}
	s.recordSignIn(ctx, who, s.rehash(who, password), from.remote)
	return sess, s.device(who.row.ID), nil
}

// prove returns the user with this name and password and, unless code is nil, with this
// code of their second factor. It counts failures: wrong codes like wrong passwords, so
// that nobody who knows the password can guess a code.
func (s *Service) prove(ctx context.Context, username, password string, code *string, from origin) (*person, error) {
	queue, cancel := context.WithTimeout(ctx, queueFor)
	defer cancel()
	keys, err := s.counted(queue, username, from)
	if err != nil {
		return nil, err
	}
	if err := s.beginAttempt(queue, keys); err != nil {
		return nil, err
	}
	who, err := s.checkPassword(queue, username, password)
	if err == nil && who != nil && code != nil {
		err = s.checkCode(ctx, who, *code)
	}
	switch {
	case isFactorError(err) && *code != "":
		s.failedAttempt(ctx, keys)
		s.noteFailure(ctx, username, from.remote)
		return nil, err
	case err != nil:
		s.fails.abandon(keys)
		return nil, err
	case who == nil:
		s.failedAttempt(ctx, keys)
		s.noteFailure(ctx, username, from.remote)
		return nil, fault.New(fault.NoLogin, "the user name or the password is wrong")
	}
	s.succeededAttempt(ctx, keys, keys[0])
	return who, nil
}

// counted returns the keys by which failures are counted: the user name from
// anywhere, and the address, which limits guessing for one user and for many. An
// attacker elsewhere must not lock a user out, so a browser or an address from
// which this user has signed in before has its own count.
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

// checkPassword returns the user if the password is right and the user may sign
// in, otherwise nil. All cases compute one hash.
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

// IsPassword reports whether this is the password of a user who may sign in. It
// is not a sign-in: it counts no failures and writes no audit log entries.
func (s *Service) IsPassword(ctx context.Context, username, password string) (bool, error) {
	who, err := s.checkPassword(ctx, username, password)
	return who != nil, err
}

func errBusy() error {
	return &fault.Error{Kind: fault.TooMany, Message: "too many users are signing in; try again in a moment",
		RetryAfter: time.Second}
}

// rehash returns the user's password hashed at the current cost, or "" if its
// hash already has that cost or too many sign-ins are in progress.
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
// hash unless the password has changed meanwhile, and writes an audit log entry.
// A full disk does not prevent signing in.
func (s *Service) recordSignIn(ctx context.Context, who *person, hash, remote string) {
	ctx = resource.WithCall(ctx, nil) // the update of the user is part of the sign-in
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

// network returns the addresses that count as one: this machine, one IPv4
// address, or the IPv6 network of one customer.
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
