package server

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/seed"
)

// seeded is the name of the entry about the seed of a portal. Its value is seedPending
// until the seed was applied.
const (
	seeded      = "seed"
	seedPending = "pending"
	seedDone    = "done"
)

// seed applies the seed of the options to a new portal, once. It is resumed if an earlier
// start failed in between.
func (s *Server) seed(ctx context.Context) error {
	if s.o.Seed == "" {
		return nil
	}
	state, err := s.db.Known(ctx, seeded)
	if err != nil || state == seedDone {
		return err
	}
	if state != seedPending {
		return fault.New(fault.Conflict, "the portal exists already, and --seed is for a new one; nothing was "+
			"changed. Start without --seed, or with another --data folder or database")
	}
	file, err := seed.Read(s.o.Seed)
	if err != nil {
		return err
	}
	began := time.Now()
	err = file.Apply(ctx, seed.Portal{DB: s.db, Endpoints: s.endpoints, Sessions: s.Sessions, Now: s.o.Clock()})
	if err != nil {
		return err
	}
	s.o.Log.InfoContext(ctx, "the seed was applied", "file", s.o.Seed, "took", time.Since(began))
	return s.db.Know(ctx, seeded, seedDone)
}
