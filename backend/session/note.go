package session

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"spyglass/backend/resource"
)

// change returns an audit log entry about a user's session.
func (s *Service) change(action, user, sentence, remote string) *resource.Change {
	return &resource.Change{
		Call: &resource.Call{At: s.clock(), Remote: remote}, User: user, Action: action, Object: "session",
		Title: sentence,
	}
}

// note writes such an entry in its own transaction. A full disk does not prevent
// signing in or out.
func (s *Service) note(ctx context.Context, c *resource.Change) {
	err := s.db.Write(context.WithoutCancel(ctx), func(tx resource.Tx) error { return tx.Note(ctx, c) })
	if err != nil {
		s.log.WarnContext(ctx, "the audit log could not be written", "action", c.Action, "err", err)
	}
}

// noteFailure records a failed sign-in. It records the user name only if that
// user exists: otherwise it may be a password in the wrong field.
func (s *Service) noteFailure(ctx context.Context, username, remote string) {
	user := "unknown"
	if everyone, err := s.everyone(ctx); err == nil {
		if who := everyone.named(username); who != nil {
			user = who.row.Username
		}
	}
	s.note(ctx, s.change("sign-in-failed", user, "Failed to sign in", remote))
}

// noteBadToken records a refused API token, at most once a minute for each
// address, because a client with an old token retries again and again. It records
// the name of the token's user if known.
func (s *Service) noteBadToken(ctx context.Context, user, remote string) {
	if !s.refused.first(network(remote), s.now()) {
		return
	}
	s.note(ctx, s.change("sign-in-failed", cmp.Or(user, "unknown"), "Failed to sign in with an API token", remote))
}

// refusals holds the addresses with a refused token in the last minute.
type refusals struct {
	mu   sync.Mutex
	last map[string]time.Duration
}

const (
	refusedEvery = time.Minute
	maxRefused   = 1000 // maximum number of addresses
)

// first reports whether no token of the address was refused within refusedEvery.
// If there are too many addresses, it returns false: this is an attack, and the
// log has enough entries about it.
func (r *refusals) first(address string, now time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, known := r.last[address]; known && now-last < refusedEvery {
		return false
	}
	if len(r.last) >= maxRefused {
		maps.DeleteFunc(r.last, func(_ string, last time.Duration) bool { return now-last >= refusedEvery })
		if len(r.last) >= maxRefused {
			return false
		}
	}
	r.last[address] = now
	return true
}

// noteEnd records a sign-out.
func (s *Service) noteEnd(ctx context.Context, userID int64) {
	everyone, err := s.everyone(ctx)
	if err != nil || everyone.byID[userID] == nil {
		return
	}
	remote := ""
	if call := resource.CallOf(ctx); call != nil {
		remote = call.Remote
	}
	s.note(ctx, s.change("sign-out", everyone.byID[userID].row.Username, "Signed out", remote))
}
