package session

import (
	"context"

	"spyglass/backend/resource"
)

// change is a line of the audit log that is about somebody's session.
func (s *Service) change(action, user, sentence, remote string) *resource.Change {
	return &resource.Change{
		Call: &resource.Call{At: s.clock(), Remote: remote}, User: user, Action: action, Object: "session", Title: sentence,
	}
}

// note keeps such a line in a write of its own. A full disk stops nobody.
func (s *Service) note(ctx context.Context, c *resource.Change) {
	err := s.db.Write(context.WithoutCancel(ctx), func(tx resource.Tx) error { return tx.Note(ctx, c) })
	if err != nil {
		s.log.WarnContext(ctx, "the audit log could not be written", "action", c.Action, "err", err)
	}
}

// noteFailure keeps a failed sign-in. What was typed is kept only where it is
// the name of a user: it may have been a password in the wrong place.
func (s *Service) noteFailure(ctx context.Context, username, remote string) {
	user := "unknown"
	if everyone, err := s.everyone(ctx); err == nil {
		if who := everyone.named(username); who != nil {
			user = who.row.Username
		}
	}
	s.note(ctx, s.change("sign-in-failed", user, "Failed to sign in", remote))
}

// noteEnd keeps a sign-out.
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
