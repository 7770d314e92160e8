package notify

import (
	"context"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// lane is the queue of one method. It sends one message after the other.
type lane struct {
	busy bool
	took time.Time              // when the receiver last accepted a notice
	sent map[string][]time.Time // the last messages by address, the oldest first
}

// take reserves a lane for the caller until the caller frees it.
func (s *Service) take(method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[method]
	if l == nil {
		l = &lane{sent: map[string][]time.Time{}}
		s.lanes[method] = l
	}
	if l.busy {
		return false
	}
	l.busy = true
	return true
}

func (s *Service) free(method string, signal bool) {
	s.mu.Lock()
	s.lanes[method].busy = false
	s.mu.Unlock()
	if !signal {
		return
	}
	select {
	case s.freed <- struct{}{}:
	default: // already signalled
	}
}

// recent counts the messages to an address within the last wait, up to most, and
// returns when the count decreases.
func (s *Service) recent(method, address string, wait time.Duration, most int) (n int, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, now := s.lanes[method], s.o.Clock()
	for to, times := range l.sent { // expired entries
		if last := times[len(times)-1]; now.Sub(last) >= time.Hour || last.After(now) {
			delete(l.sent, to)
		}
	}
	for _, at := range l.sent[address] {
		if now.Sub(at) >= wait {
			continue
		}
		if n++; n == 1 {
			until = at.Add(wait)
		}
	}
	return min(n, most), until
}

// recovered is the time since the last accepted notice after which the receiver
// may have been down. After a shorter time, pending notices are due soon anyway.
const recovered = time.Minute

// took records that the receiver has accepted a message, and reports whether it
// may have been down before.
func (s *Service) took(method, address string, notices, most int64) (back bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, now := s.lanes[method], s.o.Clock()
	back = l.took.IsZero() || now.Sub(l.took) >= recovered || l.took.After(now)
	l.took = now
	for range min(notices, most) { // after a digest, single notices have to wait
		l.sent[address] = append(l.sent[address], now)
	}
	if over := len(l.sent[address]) - int(most); over > 0 {
		l.sent[address] = l.sent[address][over:]
	}
	if len(l.sent[address]) == 0 {
		delete(l.sent, address)
	}
	return back
}

// resume makes all notices of a lane due, because the receiver is up again.
func (s *Service) resume(ctx context.Context, method string) error {
	for {
		var rows []alert.Delivery
		err := s.db.Write(ctx, func(tx resource.Tx) (err error) {
			now := resource.SecondsOf(s.o.Clock())
			rows, err = resource.Find(ctx, tx, alert.Deliveries.Name,
				resource.Where{Field: "state", Op: "=", Value: alert.DeliveryWaiting},
				resource.Where{Field: "method", Op: "=", Value: method},
				resource.Where{Field: "nextOn", Op: ">", Value: int64(now)}, resource.Limit(laneFull))
			for i := range rows {
				if err == nil {
					rows[i].NextOn = now
					err = resource.Put(ctx, tx, alert.Deliveries.Name, &rows[i])
				}
			}
			return err
		})
		if err != nil || len(rows) < laneFull {
			return err
		}
	}
}
