package remotewrite

import (
	"context"
	"errors"
	"time"

	"spyglass/backend/portal/forward"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// Pauses and limits.
const (
	attempt    = 10 * time.Second // timeout of a request
	leastPause = time.Second
	mostPause  = time.Minute
	longPause  = 10 * time.Minute // the longest Retry-After to respect
	tellEvery  = time.Minute      // maximum age of the counts in the row
	// how often parts of a batch may be refused before the rest is refused undivided
	mostDivided = 200
	oldAge      = 2 * time.Minute // age from which samples count as old
)

// run sends pending samples until ctx ends.
func (s *Service) run(ctx context.Context) {
	changed, stop := s.db.Watch(string(forward.RemoteWrites.Name))
	defer stop()
	for ctx.Err() == nil {
		row, err := s.settings(ctx)
		if err != nil {
			s.warn(ctx, "the settings of remote write cannot be read", err)
			if !s.pause(ctx, mostPause, changed, nil) {
				return
			}
			continue
		}
		wake, wait := s.wake, time.Duration(row.Interval)*time.Second
		switch {
		case !row.Enabled:
			s.setState(ctx, forward.RemoteWriteOff)
			wake, wait = nil, mostPause
		case s.writtenState() == forward.RemoteWriteOff:
			s.lastError = ""
			s.setState(ctx, forward.RemoteWriteReady)
			fallthrough
		default:
			if s.behind() {
				wait = 0
			}
		}
		if !s.pause(ctx, wait, changed, wake) {
			return
		}
		if row, err = s.settings(ctx); err == nil && row.Enabled {
			s.flush(ctx, row, changed)
		}
	}
}

// settings reads and applies the current settings.
func (s *Service) settings(ctx context.Context) (*forward.RemoteWrite, error) {
	if s.o.Store != nil {
		row := *s.o.Store
		return &row, s.set(ctx, &row)
	}
	row, err := resource.Get(ctx, s.db, forward.RemoteWrites.Name, forward.RemoteWriteID)
	if err == nil {
		err = s.set(ctx, row)
	}
	return row, err
}

// pause waits until d has passed or it is woken. It returns false if ctx has
// ended.
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

// flush sends all pending samples, a batch at a time.
func (s *Service) flush(ctx context.Context, row *forward.RemoteWrite, changed <-chan struct{}) {
	for row != nil && ctx.Err() == nil {
		samples := s.take(int(row.Batch))
		switch {
		case len(samples) > 0:
			if row = s.pass(ctx, row, samples, changed); row != nil {
				s.taken()
				_ = s.keepMark(ctx, slack) // errors are logged; the next batch saves it
			}
		case s.behind():
			row = s.catchUp(ctx, row, changed)
		default:
			return
		}
	}
}

// pass sends one batch. It returns the current settings; nil if sending was
// turned off or ctx has ended.
func (s *Service) pass(ctx context.Context, row *forward.RemoteWrite, samples []series.Sample,
	changed <-chan struct{}) *forward.RemoteWrite {
	s.divided = 0
	samples, err := s.names.wanted(ctx, samples, row.GroupID)
	if ctx.Err() != nil {
		return nil
	}
	batch := []byte(nil)
	if err == nil {
		batch, err = s.names.request(samples)
	}
	if err != nil {
		s.count(func(t *Stats) { t.Refused += int64(len(samples)) })
		s.warn(ctx, "samples have no valid name and are not sent", err)
		return row
	}
	if len(samples) == 0 {
		return row // the devices were deleted or are in other groups
	}
	return s.deliver(ctx, row, batch, samples, changed)
}

// deliver sends a batch until it is accepted, refused, or too old.
func (s *Service) deliver(ctx context.Context, row *forward.RemoteWrite, batch []byte, samples []series.Sample,
	changed <-chan struct{}) *forward.RemoteWrite {
	n, newest := int64(len(samples)), samples[0].At
	for i := range samples {
		newest = max(newest, samples[i].At)
	}
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		age := s.o.Clock().Sub(time.Unix(newest, 0))
		if age > time.Duration(row.Keep)*time.Hour {
			s.count(func(t *Stats) { t.Expired += n })
			return row
		}
		err := s.send(ctx, row, batch)
		var later *laterError
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			s.count(func(t *Stats) { t.Sent += n })
			s.lastSent, s.lastError, s.refusing = resource.SecondsOf(s.o.Clock()), "", false
			state := forward.RemoteWriteSending
			if age > oldAge {
				state = forward.RemoteWriteBehind
			}
			s.setState(ctx, state)
			return row
		case !errors.As(err, &later):
			if s.divided++; s.o.Store != nil && n > 1 && s.divided <= mostDivided {
				return s.divide(ctx, row, samples, changed)
			}
			s.refused(ctx, n, err)
			return row
		}
		s.count(func(t *Stats) { t.Retries++ })
		s.lastError = oneLine(err)
		s.setState(ctx, forward.RemoteWriteRetrying)
		if row = s.waitFor(ctx, row, max(pause, min(later.after, longPause)), changed); row == nil {
			if ctx.Err() == nil {
				s.count(func(t *Stats) { t.Expired += n })
			}
			return nil
		}
	}
}

// divide sends the halves of a batch that was refused.
func (s *Service) divide(ctx context.Context, row *forward.RemoteWrite, samples []series.Sample,
	changed <-chan struct{}) *forward.RemoteWrite {
	half := len(samples) / 2
	for _, part := range [][]series.Sample{samples[:half], samples[half:]} {
		batch, err := s.names.request(part)
		if err != nil {
			s.refused(ctx, int64(len(part)), err)
			continue
		}
		if row = s.deliver(ctx, row, batch, part, changed); row == nil {
			return nil
		}
	}
	return row
}

// refused counts a batch that the receiver has refused, and logs the first of
// several.
func (s *Service) refused(ctx context.Context, n int64, err error) {
	s.count(func(t *Stats) { t.Refused += n })
	s.lastError = oneLine(err)
	if !s.refusing {
		s.warn(ctx, "the receiver of remote write rejects samples; they are dropped until it accepts some again",
			errors.New(s.lastError))
	}
	s.refusing = true
	s.setState(ctx, forward.RemoteWriteRefused)
}

// waitFor waits before the next attempt, or until the settings change. It returns
// them; nil if sending was turned off or ctx has ended.
func (s *Service) waitFor(ctx context.Context, was *forward.RemoteWrite, d time.Duration,
	changed <-chan struct{}) *forward.RemoteWrite {
	until := time.Now().Add(d)
	for {
		if !s.pause(ctx, time.Until(until), changed, nil) {
			return nil
		}
		row, err := s.settings(ctx)
		if err != nil {
			row = was
		}
		mended := row.URL != was.URL || row.Auth != was.Auth || row.Username != was.Username || row.Secret != was.Secret
		switch {
		case !row.Enabled:
			return nil
		case mended || !time.Now().Before(until):
			return row
		}
	}
}

func (s *Service) writtenState() string {
	if s.writtenOn.IsZero() {
		return forward.RemoteWriteOff
	}
	return s.written.State
}

// setState writes the state to the row if it has changed or the counts are old.
func (s *Service) setState(ctx context.Context, state string) {
	stats := s.Stats()
	now := forward.RemoteWrite{State: state, SentOn: s.lastSent, Sent: stats.Sent, Dropped: stats.Refused +
		stats.Expired, Error: s.lastError}
	if state == forward.RemoteWriteBehind || state == forward.RemoteWriteRetrying {
		now.Since = resource.Seconds(s.waiting(0))
	}
	news := now.State != s.written.State || now.Error != s.written.Error || s.writtenOn.IsZero()
	if now == s.written || !news && time.Since(s.writtenOn) < tellEvery {
		return
	}
	if s.o.Store != nil {
		if now.State != s.written.State {
			s.o.Log.InfoContext(ctx, "sample store", "state", state, "err", now.Error)
		}
		s.written, s.writtenOn = now, time.Now()
		return
	}
	err := s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		row, err := resource.Get(ctx, tx, forward.RemoteWrites.Name, forward.RemoteWriteID)
		if err != nil {
			return err
		}
		row.State, row.Since, row.Sent, row.Dropped, row.Error = now.State, now.Since, now.Sent, now.Dropped, now.Error
		row.SentOn = max(row.SentOn, now.SentOn)
		return resource.Put(ctx, tx, forward.RemoteWrites.Name, row)
	})
	if err != nil {
		s.warn(ctx, "the state of remote write cannot be stored", err)
		return
	}
	s.written, s.writtenOn = now, time.Now()
}

func (s *Service) warn(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.o.Log.WarnContext(ctx, what, "err", err)
	}
}
