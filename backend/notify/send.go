package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// pauses lie between attempts; the last one goes on until the day is over.
var pauses = []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute, time.Hour}

const (
	attempt  = 10 * time.Second // how long one may take
	carrying = time.Minute      // with a file
	giveUp   = 24 * time.Hour   // after the first attempt
	laneFull = 100              // notices a lane takes at once
)

// dispatch gives each free lane what is due on it.
func (s *Service) dispatch(ctx context.Context) error {
	lanes, err := s.lanes(ctx)
	if err != nil {
		return err
	}
	for method, integration := range lanes {
		if !s.take(method) {
			continue
		}
		due, err := resource.Find(ctx, s.db, portal.Deliveries.Name,
			resource.Where{Field: "state", Op: "=", Value: portal.DeliveryWaiting},
			resource.Where{Field: "method", Op: "=", Value: method},
			resource.Where{Field: "nextOn", Op: "<=", Value: s.o.Clock().Unix()}, resource.Limit(laneFull))
		if err != nil || len(due) == 0 {
			s.free(method, false)
			if err != nil {
				return err
			}
			continue
		}
		s.wait.Go(func() {
			defer s.free(method, true)
			for i := range due {
				if err := s.deliver(ctx, integration, &due[i]); err != nil {
					if ctx.Err() == nil {
						s.o.Log.ErrorContext(ctx, "what became of a notice could not be kept; it is sent again", "delivery", due[i].ID, "err", err)
					}
					return
				}
			}
		})
	}
	return nil
}

// lanes are the ways out by method; nil for one that recipients name and that
// is not there.
func (s *Service) lanes(ctx context.Context) (map[string]*portal.Integration, error) {
	all, err := resource.Find(ctx, s.db, portal.Integrations.Name)
	if err != nil {
		return nil, err
	}
	b := book{integrations: all}
	lanes := map[string]*portal.Integration{mail: b.integration(mail)}
	for i := range all {
		lanes[all[i].Name] = &all[i]
	}
	// Those of an integration that was renamed or removed meanwhile.
	waiting, err := resource.Find(ctx, s.db, portal.Deliveries.Name, resource.Where{Field: "state", Op: "=", Value: portal.DeliveryWaiting},
		resource.Where{Field: "nextOn", Op: "<=", Value: s.o.Clock().Unix()}, resource.Limit(1000))
	for i := range waiting {
		if _, known := lanes[waiting[i].Method]; !known {
			lanes[waiting[i].Method] = b.integration(waiting[i].Method)
		}
	}
	return lanes, err
}

func (s *Service) take(lane string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[lane] {
		return false
	}
	s.busy[lane] = true
	return true
}

func (s *Service) free(lane string, tell bool) {
	s.mu.Lock()
	delete(s.busy, lane)
	s.mu.Unlock()
	if !tell {
		return
	}
	select {
	case s.freed <- struct{}{}:
	default: // it is known already
	}
}

// deliver makes one attempt and keeps what became of it.
func (s *Service) deliver(ctx context.Context, i *portal.Integration, d *portal.Delivery) error {
	err := s.try(ctx, i, d)
	if ctx.Err() != nil {
		return ctx.Err() // the portal stops: the next process sends it
	}
	state := ""
	kept := s.db.Write(ctx, func(tx resource.Tx) error {
		row, gone := resource.Get(ctx, tx, portal.Deliveries.Name, d.ID)
		if gone != nil {
			return nil // removed meanwhile
		}
		s.settle(row, err)
		state = row.State
		return resource.Put(ctx, tx, portal.Deliveries.Name, row)
	})
	switch state {
	case portal.DeliverySent:
		s.sent.Add(1)
	case portal.DeliveryFailed:
		s.failed.Add(1)
	case portal.DeliveryWaiting:
		s.retried.Add(1)
	}
	return kept
}

// Stats count what became of notices since the service was made.
type Stats struct {
	Sent    int64
	Failed  int64 // given up
	Retried int64 // attempts after which a notice still waits
}

// Stats are the counts as they are now.
func (s *Service) Stats() Stats {
	return Stats{Sent: s.sent.Load(), Failed: s.failed.Load(), Retried: s.retried.Load()}
}

// try makes one attempt.
func (s *Service) try(ctx context.Context, i *portal.Integration, d *portal.Delivery) error {
	if i == nil {
		return refused{fmt.Errorf("there is no integration %s any more", d.Method)}
	}
	way := s.ways[i.Type]
	if way == nil {
		return refused{fmt.Errorf("this version knows no way %s", i.Type)}
	}
	if host := hostOf(i); strings.HasSuffix(host, ".example") || host == "example" {
		return refused{fmt.Errorf("nothing was sent: %s is a name for examples, nobody answers there (RFC 6761)", host)}
	}
	limit := attempt
	if d.Attached {
		limit = carrying
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := way.send(ctx, i, d)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%s did not answer within %g seconds", cmp.Or(i.Host, i.Name), limit.Seconds())
	}
	return err
}

// hostOf is where an integration leads.
func hostOf(i *portal.Integration) string {
	if u, err := url.Parse(i.URL); err == nil && i.Type == portal.IntegrationHTTP {
		return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	}
	return strings.ToLower(strings.TrimSuffix(i.Host, "."))
}

// settle notes what became of an attempt.
func (s *Service) settle(d *portal.Delivery, err error) {
	now := s.o.Clock()
	d.Attempts++
	if d.UntilOn == 0 {
		d.UntilOn = resource.SecondsOf(now.Add(giveUp))
	}
	switch {
	case err == nil:
		d.State, d.SentOn, d.NextOn, d.Error = portal.DeliverySent, resource.SecondsOf(s.o.Pace.Now()), 0, ""
		return
	case isRefused(err), resource.SecondsOf(now) > d.UntilOn:
		d.State, d.NextOn = portal.DeliveryFailed, 0
	default:
		d.NextOn = resource.SecondsOf(now.Add(pauses[min(int(d.Attempts), len(pauses))-1]))
	}
	d.Error = oneLine(err.Error())
}

// oneLine is an error of the other side as it may be kept.
func oneLine(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?")
	if runes := []rune(text); len(runes) > 500 {
		return string(runes[:500]) + "…"
	}
	return text
}
