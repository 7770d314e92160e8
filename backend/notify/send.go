package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// pauses are the waits between attempts; the last one repeats until giveUp.
var pauses = []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 20 * time.Minute, 30 * time.Minute, time.Hour}

const (
	attempt  = 10 * time.Second // time limit of one attempt
	carrying = time.Minute      // the same with a file
	giveUp   = 24 * time.Hour   // after the first attempt
	laneFull = 500              // notices that a lane takes at once, and that a digest contains at most
)

// dispatch makes each free lane send its due notices.
func (s *Service) dispatch(ctx context.Context) error {
	methods, err := s.methods(ctx)
	if err != nil {
		return err
	}
	for _, method := range methods {
		if !s.take(method) {
			continue
		}
		due, err := resource.Find(ctx, s.db, alert.Deliveries.Name, append(s.dueOn(method), resource.Limit(1))...)
		if err != nil || len(due) == 0 {
			s.free(method, false)
			if err != nil {
				return err
			}
			continue
		}
		s.wait.Go("notices", func() {
			whole := false // a lane that panicked waits for the next dispatch
			defer func() { s.free(method, whole) }()
			for more := true; more && ctx.Err() == nil; {
				var err error
				if more, err = s.round(ctx, method); err != nil && ctx.Err() == nil {
					s.o.Log.ErrorContext(ctx, "results of notices could not be stored; sending them again", "method",
						method, "err", err)
				}
			}
			whole = true
		})
	}
	return nil
}

// round sends the due notices of a lane, up to the first message that fails,
// because later ones to the same receiver have to wait. It reports whether there
// may be more.
func (s *Service) round(ctx context.Context, method string) (more bool, err error) {
	i, units, err := s.arrange(ctx, method)
	if err != nil {
		return false, err
	}
	for k := range units {
		failed, err := s.deliver(ctx, i, &units[k], units[k+1:])
		if err != nil {
			return false, err
		}
		if failed {
			break
		}
	}
	return len(units) > 0, nil
}

// methods returns the methods of the integrations and of pending notices.
func (s *Service) methods(ctx context.Context) ([]string, error) {
	all, err := resource.Find(ctx, s.db, alert.Integrations.Name)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{mail: true}
	for i := range all {
		known[all[i].Name] = true
	}
	// Methods of integrations that were renamed or removed meanwhile.
	waiting, err := resource.Find(ctx, s.db, alert.Deliveries.Name,
		resource.Where{Field: "state", Op: "=", Value: alert.DeliveryWaiting},
		resource.Where{Field: "nextOn", Op: "<=", Value: s.o.Clock().Unix()}, resource.Limit(1000))
	for i := range waiting {
		known[waiting[i].Method] = true
	}
	return slices.Sorted(maps.Keys(known)), err
}

// deliver makes one attempt and stores its outcome. After a failure, later
// messages are not tried in this round.
func (s *Service) deliver(ctx context.Context, i *alert.Integration, u *unit, after []unit) (failed bool, err error) {
	d := s.message(i, u)
	tried := s.try(ctx, i, d)
	if ctx.Err() != nil {
		return true, ctx.Err() // the portal is stopping: the next process sends it
	}
	var states []string
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		states = nil
		doubt, mine := map[int64]bool{}, map[int64]bool{}
		for k, row := range u.rows {
			doubt[row.ID], mine[row.ID] = u.doubt[k], true
		}
		if tried != nil {
			for _, other := range after {
				for k, row := range other.rows {
					doubt[row.ID] = other.doubt[k]
				}
			}
		}
		rows, err := resource.Find(ctx, tx, alert.Deliveries.Name,
			resource.Where{Field: "id", Op: "in", Value: slices.Sorted(maps.Keys(doubt))})
		for k := range rows { // some may have been deleted meanwhile
			row := &rows[k]
			was := doubt[row.ID]
			switch {
			case err != nil:
				return err
			case !mine[row.ID]:
				row.InDoubt = was
			default:
				s.settle(row, tried)
				row.InDoubt = tried != nil && (was || !isUnsent(tried))
				if isRefused(tried) && len(u.rows) > 1 { // each alone may succeed
					row.State, row.NextOn, row.Digest = alert.DeliveryWaiting, resource.SecondsOf(s.o.Clock()), alone
				}
				states = append(states, row.State)
			}
			err = resource.Put(ctx, tx, alert.Deliveries.Name, row)
		}
		return err
	})
	s.count(states)
	if err != nil || tried != nil || i == nil {
		return tried != nil, err
	}
	if s.took(d.Method, d.Address, int64(len(u.rows)), i.GroupAbove) {
		err = s.resume(ctx, d.Method)
	}
	return false, err
}

func (s *Service) count(states []string) {
	for _, state := range states {
		switch state {
		case alert.DeliverySent:
			s.sent.Add(1)
		case alert.DeliveryFailed:
			s.failed.Add(1)
		case alert.DeliveryWaiting:
			s.retried.Add(1)
		}
	}
}

// Stats counts the outcomes of notices since the service was created.
type Stats struct {
	Sent    int64
	Failed  int64 // permanently failed
	Retried int64 // failed attempts of notices that are still pending
}

// Stats returns the current counts.
func (s *Service) Stats() Stats {
	return Stats{Sent: s.sent.Load(), Failed: s.failed.Load(), Retried: s.retried.Load()}
}

// try makes one attempt.
func (s *Service) try(ctx context.Context, i *alert.Integration, d *alert.Delivery) error {
	if i == nil {
		return refused{fmt.Errorf("the integration %s no longer exists", d.Method)}
	}
	way := s.ways[i.Type]
	if way == nil {
		return refused{fmt.Errorf("this version does not support the integration type %s", i.Type)}
	}
	if host := hostOf(i); strings.HasSuffix(host, ".example") || host == "example" {
		return refused{fmt.Errorf("nothing was sent: %s is a reserved example name (RFC 6761)", host)}
	}
	limit := attempt
	if d.Attached {
		limit = carrying
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var err error
	if broke := s.o.Guard.Run("notices by "+i.Type, func() { err = way.send(ctx, i, d) }); broke != nil {
		return errBroke // retried like any other failed attempt
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%s did not respond within %g seconds", cmp.Or(i.Host, i.Name), limit.Seconds())
	}
	return err
}

var errBroke = errors.New("sending it failed with an internal error; see the log")

// hostOf returns the host of an integration.
func hostOf(i *alert.Integration) string {
	if u, err := url.Parse(i.URL); err == nil && i.Type == alert.IntegrationHTTP {
		return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	}
	return strings.ToLower(strings.TrimSuffix(i.Host, "."))
}

// settle stores the outcome of an attempt.
func (s *Service) settle(d *alert.Delivery, err error) {
	now := s.o.Clock()
	d.Attempts++
	if d.UntilOn == 0 {
		d.UntilOn = resource.SecondsOf(now.Add(giveUp))
	}
	switch {
	case err == nil:
		d.State, d.SentOn, d.NextOn, d.Error = alert.DeliverySent, resource.SecondsOf(s.o.Pace.Now()), 0, ""
		return
	case isRefused(err), resource.SecondsOf(now) > d.UntilOn:
		d.State, d.NextOn = alert.DeliveryFailed, 0
	default:
		d.NextOn = resource.SecondsOf(now.Add(pauses[min(int(d.Attempts), len(pauses))-1]))
	}
	d.Error = oneLine(err.Error())
}

// oneLine returns an error text of the other side in the form that is stored.
func oneLine(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?")
	if runes := []rune(text); len(runes) > 500 {
		return string(runes[:500]) + "…"
	}
	return text
}
