package session

import (
	"context"
	"net/netip"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// queueFor bounds how long a sign-in waits for its turn.
const queueFor = 1500 * time.Millisecond

// SignIn begins a session. An unknown user, a wrong password and a user who may
// not sign in are one fault.NoLogin, after the same time; ten of them for one
// user name or from one address make fault.TooMany, right password or not.
func (s *Service) SignIn(ctx context.Context, username, password, remote string) (*Session, error) {
	who, err := s.prove(ctx, username, password, remote)
	if err != nil {
		return nil, err
	}
	sess, err := s.open(ctx, who, false)
	if err == nil {
		s.recordSignIn(ctx, who.row.ID, remote)
	}
	return sess, err
}

// prove finds the user whose name and password these are, and counts failures.
func (s *Service) prove(ctx context.Context, username, password, remote string) (*person, error) {
	keys := []digest{digestOf("user " + folded(username)), digestOf("from " + network(remote))}
	queue, cancel := context.WithTimeout(ctx, queueFor)
	defer cancel()
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
		s.noteFailure(ctx, username, remote)
		return nil, fault.New(fault.NoLogin, "the user name or the password is wrong")
	}
	s.fails.succeeded(keys, keys[0])
	return who, nil
}

// checkPassword answers nil for anything but the right password of a user who
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
	if !portal.CheckPassword(hash, password) || !who.maySignIn() {
		return nil, nil
	}
	return who, nil
}

// IsPassword tells whether it is the password of a user who may sign in. It is
// not an attempt to: nothing is counted, nor written into the audit log.
func (s *Service) IsPassword(ctx context.Context, username, password string) (bool, error) {
	who, err := s.checkPassword(ctx, username, password)
	return who != nil, err
}

func errBusy() error {
	return &fault.Error{Kind: fault.TooMany, Message: "too many people sign in at once; try again in a moment", RetryAfter: time.Second}
}

// recordSignIn notes time and address at the user, and the sign-in in the audit
// log. A full disk keeps nobody out.
func (s *Service) recordSignIn(ctx context.Context, userID int64, remote string) {
	ctx = resource.WithCall(ctx, nil) // what is written at the user is part of the sign-in
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		u, err := resource.Get(ctx, tx, portal.Users.Name, userID)
		if err != nil {
			return err
		}
		u.LastLoginOn, u.LastAuthIP = resource.SecondsOf(s.clock()), remote
		if err := resource.Put(ctx, tx, portal.Users.Name, u); err != nil {
			return err
		}
		return tx.Note(ctx, s.change("sign-in", u.Username, "Signed in", remote))
	})
	if err != nil {
		s.log.WarnContext(ctx, "a sign-in could not be recorded", "user", userID, "err", err)
	}
}

// network is what counts as one address: this machine, one IPv4 address, or the
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
