package remotewrite

import (
	"context"
	"errors"
	"time"

	"spyglass/backend/portal/forward"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// backlog tracks which samples have to be read from the series because they are
// not in memory. Service.mu guards it.
type backlog struct {
	disk  int64 // samples from this time on are read from the series; never: none
	under int64 // time of the earliest sample being sent; never: none
	upTo  int64 // a time after all samples offered so far
}

const (
	// length of a period to read, in seconds; longer if there are few samples,
	// shorter if there are many
	firstSpan  = 10 * 60
	leastSpan  = 60           //
	mostSpan   = 12 * 60 * 60 //
	littleRead = 100_000      // samples
	muchRead   = 1_000_000    //

	// A check takes half a minute at most, and its samples have the time of its
	// start: the next samples offered may be that much older.
	slack = 30

	markEvery = time.Second // minimum interval of saving the mark
)

// spill drops these samples and those in the queue; they are read from the series
// later.
func (s *Service) spill(samples []series.Sample) {
	s.backlog.disk = min(s.backlog.disk, s.queue.earliest(), earliest(samples))
	s.queue = queue{}
}

// resume starts with all samples measured since a time.
func (s *Service) resume(since int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog = backlog{disk: min(since, s.o.Clock().Unix()), under: never, upTo: since}
	s.marked = since
}

// live starts with the samples measured from now on.
func (s *Service) live() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog = backlog{disk: never, under: never, upTo: s.o.Clock().Unix()}
}

// behind reports whether there are samples to read from the series.
func (s *Service) behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.backlog.disk != never
}

// waiting returns the time before which all samples were sent or dropped. slack
// allows for samples that are measured but not offered yet.
func (s *Service) waiting(slack int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waitingNow(slack)
}

func (s *Service) waitingNow(slack int64) int64 {
	at := min(s.backlog.upTo, s.o.Clock().Unix()) - slack
	for _, early := range s.coming {
		at = min(at, early)
	}
	return min(at, s.backlog.disk, s.backlog.under, s.queue.earliest())
}

// window returns the next period to read from the series. The last one has no
// end: samples offered from now on wait in memory.
func (s *Service) window() (from, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from = s.backlog.disk
	if to = from + s.span; to > s.o.Clock().Unix()-4*slack {
		to = never
	}
	s.backlog.disk, s.backlog.under = to, from
	return from, to
}

// leave ends a window; done is false if it has to be read again.
func (s *Service) leave(from int64, done bool, sent map[point]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog.under = never
	if !done {
		s.backlog.disk = min(s.backlog.disk, from)
	}
	s.queue.drop(sent)
}

// point is one sample of one series.
type point struct {
	series.Key
	at int64
}

func pointOf(s series.Sample) point {
	return point{series.Key{Instance: s.Instance, DataPoint: s.DataPoint}, s.At}
}

// catchUp sends the samples of one period, or drops them if they are too old. It
// returns the current settings; nil if sending was turned off or ctx has ended.
func (s *Service) catchUp(ctx context.Context, row *forward.RemoteWrite, changed <-chan struct{}) *forward.RemoteWrite {
	from, to := s.window()
	begun, read := s.o.Clock().Unix(), 0
	sent := map[point]bool{} // samples that may still be offered
	var waiting []series.Sample
	some := func(n int) error {
		for len(waiting) > 0 && len(waiting) >= n {
			most := min(len(waiting), int(row.Batch))
			next := s.pass(ctx, row, waiting[:most], changed)
			if next == nil {
				return errLeft
			}
			row, waiting = next, waiting[most:]
		}
		return nil
	}
	err := s.series.Scan(ctx, from, min(to, lastMoment), func(found []series.Sample) error {
		read += len(found)
		for _, one := range found {
			if to == never && one.At >= begun-4*slack {
				sent[pointOf(one)] = true
			}
		}
		waiting = append(waiting, found...)
		return some(int(row.Batch))
	})
	if err == nil {
		err = some(1)
	}
	s.leave(from, err == nil, sent)
	switch {
	case err == nil:
		s.fit(read)
		_ = s.keepMark(ctx, slack) // logged
	case errors.Is(err, errLeft):
		return nil
	default:
		s.warn(ctx, "the backlog of remote write cannot be read", err)
		return s.waitFor(ctx, row, mostPause, changed)
	}
	return row
}

var errLeft = errors.New("the receiver was removed")

// lastMoment is later than all samples: the year 10000.
const lastMoment = 253402300800

// fit adjusts the length of the next period to read.
func (s *Service) fit(read int) {
	switch {
	case read < littleRead:
		s.span = min(2*s.span, mostSpan)
	case read > muchRead:
		s.span = max(s.span/2, leastSpan)
	}
}

// readMark returns the time to resume at; 0 if there is no mark.
func (s *Service) readMark(ctx context.Context) (int64, error) {
	mark, err := resource.Lookup(ctx, s.db, forward.RemoteWriteMarks.Name, s.id)
	if err != nil || mark == nil {
		return 0, err
	}
	return int64(mark.At), nil
}

// keepMark saves the progress if it has changed. Only the sending goroutine and Stop call
// it.
func (s *Service) keepMark(ctx context.Context, slack int64) error {
	if slack > 0 && time.Since(s.markedOn) < markEvery {
		return nil
	}
	s.markedOn = time.Now()
	return s.writeMark(ctx, slack)
}

func (s *Service) writeMark(ctx context.Context, slack int64) error {
	s.marking.Lock()
	defer s.marking.Unlock()
	s.mu.Lock()
	at, was := s.waitingNow(slack), s.marked
	s.marked = max(at, was) // what is late from now on waits for this write
	s.mu.Unlock()
	if at == was {
		return nil
	}
	if err := s.putMark(ctx, at); err != nil {
		s.warn(ctx, "the progress of remote write cannot be stored", err)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marked = at
	return nil
}

// lowerMark lowers the mark in the database while sending is off, if there is one.
func (s *Service) lowerMark(ctx context.Context, to int64) error {
	s.marking.Lock()
	defer s.marking.Unlock()
	mark, err := s.readMark(ctx)
	if err != nil || mark <= to {
		return err
	}
	return s.putMark(ctx, to)
}

func (s *Service) putMark(ctx context.Context, at int64) error {
	return s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		return resource.Put(ctx, tx, forward.RemoteWriteMarks.Name, &forward.RemoteWriteMark{ID: s.id,
			At: resource.Seconds(at)})
	})
}

// dropMark deletes the mark, so that samples measured from now on are not sent
// later.
func (s *Service) dropMark(ctx context.Context) error {
	s.marking.Lock()
	defer s.marking.Unlock()
	s.mu.Lock()
	s.marked = 0
	s.mu.Unlock()
	return s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		return resource.DeleteAll(ctx, tx, forward.RemoteWriteMarks.Name,
			resource.Where{Field: "id", Op: "=", Value: s.id})
	})
}
