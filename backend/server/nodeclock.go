package server

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// nodeClock is the clock of a node: that of its machine, unless that one differs from the
// clock of the database. So all nodes agree about the times of sessions, samples and
// alerts, although a machine's clock is wrong.
type nodeClock struct {
	machine func() time.Time
	log     *slog.Logger
	offset  atomic.Int64 // to the clock of the machine
}

// Limits of a nodeClock.
const (
	clockTolerance = 2 * time.Second // below which the machine's clock counts as right
	clockDelay     = time.Second     // of a response of the database, beyond which it says too little
	clockEach      = 15 * time.Second
)

// nodeClock sets Clock, and returns the clock behind it if that has to be compared.
func (o *Options) nodeClock() *nodeClock {
	if o.Clock != nil {
		return nil
	}
	o.Clock = time.Now
	if off := o.ClockOff; off != 0 {
		o.Clock = func() time.Time { return time.Now().Add(off) }
	}
	if o.Database == "" {
		return nil
	}
	c := &nodeClock{machine: o.Clock, log: o.Log}
	o.Clock = c.now
	return c
}

func (c *nodeClock) now() time.Time { return c.machine().Add(time.Duration(c.offset.Load())) }

// compare compares the machine's clock with that of the database.
func (c *nodeClock) compare(ctx context.Context, database func(context.Context) (time.Time, error)) error {
	began := time.Now()
	at, err := database(ctx)
	took := time.Since(began)
	if err != nil || took > clockDelay {
		return err // the last offset is still good
	}
	offset := at.Add(took / 2).Sub(c.machine().Round(0)).Round(time.Millisecond)
	was := time.Duration(c.offset.Load())
	if offset.Abs() < clockTolerance {
		offset = 0
	}
	if (offset-was).Abs() < clockTolerance && (offset == 0) == (was == 0) {
		return nil // one that follows each measurement would go back and forth
	}
	c.offset.Store(int64(offset))
	if offset == 0 {
		c.log.InfoContext(ctx, "the clock of this machine agrees with that of the database again")
		return nil
	}
	c.log.WarnContext(ctx, "the clock of this machine is wrong, or that of the database: taking that of the database",
		"ahead", -offset)
	return nil
}

// keepClock compares the clocks again and again.
func (s *Server) keepClock(ctx context.Context) {
	each := time.NewTicker(clockEach)
	defer each.Stop()
	for {
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
		// the leases log that the database is away
		_ = s.clock.compare(ctx, s.db.Now)
	}
}
