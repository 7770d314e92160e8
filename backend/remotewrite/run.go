package remotewrite

import (
	"context"
	"errors"
	"time"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// Pauses.
const (
	attempt    = 10 * time.Second // a request, at most
	leastPause = time.Second
	mostPause  = time.Minute
	longPause  = 10 * time.Minute // the most that a receiver may ask for
	tellEvery  = time.Minute      // how old the counts in the row may be
)

// run sends what waits until ctx ends.
func (s *Service) run(ctx context.Context) {
	changed, stop := s.db.Watch(string(portal.RemoteWrites.Name))
	defer stop()
	for ctx.Err() == nil {
		row, err := resource.Get(ctx, s.db, portal.RemoteWrites.Name, portal.RemoteWriteID)
		if err != nil {
			s.warn(ctx, "the settings of remote write cannot be read", err)
			if !s.pause(ctx, mostPause, changed, nil) {
				return
			}
			continue
		}
		s.set(row)
		wake, wait := s.wake, time.Duration(row.Interval)*time.Second
		if !row.Enabled {
			s.tell(ctx, portal.RemoteWriteOff)
			wake, wait = nil, mostPause
		} else if s.toldState() == portal.RemoteWriteOff {
			s.lastError = ""
			s.tell(ctx, portal.RemoteWriteReady)
		}
		if !s.pause(ctx, wait, changed, wake) {
			return
		}
		if row, err = resource.Get(ctx, s.db, portal.RemoteWrites.Name, portal.RemoteWriteID); err == nil && row.Enabled {
			s.flush(ctx, row, changed)
		}
	}
}

// pause waits until the time is over or it is woken; it is false when ctx is done.
func (s *Service) pause(ctx context.Context, d time.Duration, changed, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	case <-wake:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// flush sends all that waits, a batch at a time.
func (s *Service) flush(ctx context.Context, row *portal.RemoteWrite, changed <-chan struct{}) {
	for ctx.Err() == nil {
		samples := s.take(int(row.Batch))
		if len(samples) == 0 {
			return
		}
		batch, n, err := s.names.request(ctx, samples, row.GroupID)
		if err != nil {
			s.count(func(t *Stats) { t.Refused += int64(len(samples)) })
			s.warn(ctx, "samples cannot be named, and are not sent on", err)
			continue
		}
		if n == 0 {
			continue // of devices that are gone, or of other groups
		}
		if row = s.deliver(ctx, row, batch, int64(n), changed); row == nil {
			return
		}
	}
}

// deliver sends a batch until it is taken or refused. It answers the settings
// as they are then; nil when nothing is to be sent any more.
func (s *Service) deliver(ctx context.Context, row *portal.RemoteWrite, batch []byte, n int64, changed <-chan struct{}) *portal.RemoteWrite {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		err := s.send(ctx, row, batch)
		var later *laterError
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			s.count(func(t *Stats) { t.Sent += n })
			s.lastSent, s.lastError = resource.SecondsOf(s.o.Clock()), ""
			s.tell(ctx, portal.RemoteWriteSending)
			return row
		case !errors.As(err, &later):
			s.count(func(t *Stats) { t.Refused += n })
			s.lastError = oneLine(err)
			s.tell(ctx, portal.RemoteWriteRefused)
			return row
		}
		s.count(func(t *Stats) { t.Retries++ })
		s.lastError = oneLine(err)
		s.tell(ctx, portal.RemoteWriteRetrying)
		if row = s.waitFor(ctx, row, max(pause, min(later.after, longPause)), changed); row == nil {
			s.count(func(t *Stats) { t.Overflow += n })
			return nil
		}
	}
}

// waitFor waits before the next attempt, shorter when somebody mends the
// settings. It answers them; nil when sending was turned off or ctx is done.
func (s *Service) waitFor(ctx context.Context, was *portal.RemoteWrite, d time.Duration, changed <-chan struct{}) *portal.RemoteWrite {
	until := time.Now().Add(d)
	for {
		if !s.pause(ctx, time.Until(until), changed, nil) {
			return nil
		}
		row, err := resource.Get(ctx, s.db, portal.RemoteWrites.Name, portal.RemoteWriteID)
		if err != nil {
			row = was
		}
		s.set(row)
		mended := row.URL != was.URL || row.Auth != was.Auth || row.Username != was.Username || row.Secret != was.Secret
		switch {
		case !row.Enabled:
			return nil
		case mended || !time.Now().Before(until):
			return row
		}
	}
}

func (s *Service) toldState() string {
	if s.toldOn.IsZero() {
		return portal.RemoteWriteOff
	}
	return s.told.State
}

// tell writes how it goes, when that is news or the counts are old.
func (s *Service) tell(ctx context.Context, state string) {
	stats := s.Stats()
	now := portal.RemoteWrite{State: state, SentOn: s.lastSent, Sent: stats.Sent, Dropped: stats.Refused + stats.Overflow, Error: s.lastError}
	news := now.State != s.told.State || now.Error != s.told.Error || s.toldOn.IsZero()
	if now == s.told || !news && time.Since(s.toldOn) < tellEvery {
		return
	}
	err := s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		row, err := resource.Get(ctx, tx, portal.RemoteWrites.Name, portal.RemoteWriteID)
		if err != nil {
			return err
		}
		row.State, row.Sent, row.Dropped, row.Error = now.State, now.Sent, now.Dropped, now.Error
		row.SentOn = max(row.SentOn, now.SentOn)
		return resource.Put(ctx, tx, portal.RemoteWrites.Name, row)
	})
	if err != nil {
		s.warn(ctx, "how remote write goes cannot be kept", err)
		return
	}
	s.told, s.toldOn = now, time.Now()
}

func (s *Service) warn(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.o.Log.WarnContext(ctx, what, "err", err)
	}
}
