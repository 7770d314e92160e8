package session

import (
	"context"
	"encoding/hex"
	"time"

	"spyglass/backend/resource"
)

// signInFailure counts the failed sign-ins of a key at all nodes, see throttle.
type signInFailure struct {
	ID      int64
	Key     string // SHA-256 of the user name or address, hex
	Failed  int64
	Locks   int64
	FirstOn resource.Millis
	LastOn  resource.Millis
	UntilOn resource.Millis // 0: not locked
}

const failureRows resource.Name[*signInFailure] = "signInFailure"

// Failures declares the failed sign-ins of a portal with several nodes, without endpoints.
var Failures = resource.Resource[*signInFailure]{
	Name: failureRows, Label: "failed sign-in", Object: resource.Setting, Area: "useraccess",
	Doc: "Failed sign-ins of a user name or address.",
	Fields: []resource.Field[*signInFailure]{
		{Name: "id", At: func(f *signInFailure) any { return &f.ID }, Doc: "Set by the portal", ReadOnly: true},
		{Name: "key", At: func(f *signInFailure) any { return &f.Key }, Doc: "Digest of the name or address",
			ReadOnly: true, Index: true},
		{Name: "failed", At: func(f *signInFailure) any { return &f.Failed }, Doc: "Failures since the last lock",
			ReadOnly: true},
		{Name: "locks", At: func(f *signInFailure) any { return &f.Locks }, Doc: "Consecutive locks", ReadOnly: true},
		{Name: "firstOn", At: func(f *signInFailure) any { return &f.FirstOn }, Doc: "First failure", ReadOnly: true},
		{Name: "lastOn", At: func(f *signInFailure) any { return &f.LastOn }, Doc: "Last failure", ReadOnly: true,
			Index: true},
		{Name: "untilOn", At: func(f *signInFailure) any { return &f.UntilOn }, Doc: "End of the lock; 0: none",
			ReadOnly: true},
	},
}

// attempts returns the counts of a row on a clock.
func (f *signInFailure) attempts() attempts {
	a := attempts{failed: int(f.Failed), locks: int(f.Locks), first: time.UnixMilli(int64(f.FirstOn)),
		last: time.UnixMilli(int64(f.LastOn))}
	if f.UntilOn > 0 {
		a.until = time.UnixMilli(int64(f.UntilOn))
	}
	return a
}

func (f *signInFailure) set(a attempts) {
	f.Failed, f.Locks, f.UntilOn = int64(a.failed), int64(a.locks), 0
	f.FirstOn, f.LastOn = resource.MillisOf(a.first), resource.MillisOf(a.last)
	if !a.until.IsZero() {
		f.UntilOn = resource.MillisOf(a.until)
	}
}

func failureOf(ctx context.Context, in resource.Reader, key digest) (*signInFailure, error) {
	text := hex.EncodeToString(key[:])
	found, err := resource.Find(ctx, in, failureRows, resource.Where{Field: "key", Op: "=", Value: text})
	if err != nil || len(found) == 0 {
		return &signInFailure{Key: text}, err
	}
	return &found[0], nil
}

// beginAttempt admits a sign-in, see throttle.begin, by the failures at all nodes.
func (s *Service) beginAttempt(ctx context.Context, keys []digest) error {
	if s.o.Shared {
		for _, key := range keys {
			row, err := failureOf(ctx, s.db, key)
			if err != nil {
				return err
			}
			s.fails.set(key, row.attempts())
		}
	}
	return s.fails.begin(ctx, keys)
}

// failedAttempt ends a sign-in that has failed.
func (s *Service) failedAttempt(ctx context.Context, keys []digest) {
	if !s.o.Shared {
		s.fails.failed(keys)
		return
	}
	counts := make([]attempts, len(keys))
	now := s.clock()
	err := s.db.Write(resource.WithCall(context.WithoutCancel(ctx), nil), func(tx resource.Tx) error {
		for i, key := range keys {
			row, err := failureOf(ctx, tx, key)
			if err != nil {
				return err
			}
			counts[i] = row.attempts()
			counts[i].age(now)
			counts[i].fail(now)
			row.set(counts[i])
			if err := resource.Put(ctx, tx, failureRows, row); err != nil {
				return err
			}
		}
		return resource.DeleteAll(ctx, tx, failureRows,
			resource.Where{Field: "lastOn", Op: "<", Value: int64(resource.MillisOf(now.Add(-forgetAfter)))})
	})
	if err != nil {
		s.log.WarnContext(ctx, "a failed sign-in could not be counted for all nodes", "err", err)
		s.fails.failed(keys)
		return
	}
	s.fails.abandon(keys)
	for i, key := range keys {
		s.fails.set(key, counts[i])
	}
}

// succeededAttempt ends a sign-in that has succeeded, see throttle.succeeded.
func (s *Service) succeededAttempt(ctx context.Context, keys []digest, forgiven digest) {
	s.fails.succeeded(keys, forgiven)
	s.forgetFailures(ctx, forgiven)
}

// forgetFailures deletes the failures of a key at all nodes.
func (s *Service) forgetFailures(ctx context.Context, key digest) {
	if !s.o.Shared {
		return
	}
	row, err := failureOf(ctx, s.db, key)
	if err == nil && row.ID > 0 {
		err = s.db.Write(resource.WithCall(context.WithoutCancel(ctx), nil), func(tx resource.Tx) error {
			return resource.DeleteAll(ctx, tx, failureRows, resource.Where{Field: "id", Op: "=", Value: row.ID})
		})
	}
	if err != nil {
		s.log.WarnContext(ctx, "failed sign-ins could not be forgotten", "err", err)
	}
}
