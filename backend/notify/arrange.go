package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// receiver identifies a sequence of notices that must stay in order.
type receiver struct {
	alert   int64
	address string
}

// unit is one outgoing message: one notice, or several notices to one address.
type unit struct {
	rows  []*alert.Delivery
	doubt []bool // InDoubt of each row before this attempt
}

// digest returns the key of a message of several notices; empty for one notice.
func (u *unit) digest() string {
	if d := u.rows[0].Digest; d != alone {
		return d
	}
	return ""
}

// alone is the Digest of a notice that is sent by itself because the receiver
// refused a digest with it.
const alone = "alone"

// arrange selects the notices that the lane sends now, and marks them as InDoubt.
func (s *Service) arrange(ctx context.Context, method string) (i *alert.Integration, units []unit, err error) {
	due, err := resource.Find(ctx, s.db, alert.Deliveries.Name, s.dueOn(method)...)
	if err != nil || len(due) == 0 {
		return nil, nil, err
	}
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		all, err := resource.Find(ctx, tx, alert.Integrations.Name)
		if err != nil {
			return err
		}
		i = (&book{integrations: all}).integration(method)
		due, err := resource.Find(ctx, tx, alert.Deliveries.Name, s.dueOn(method)...)
		if err != nil {
			return err
		}
		a := &arranging{Service: s, tx: tx, method: method, now: s.o.Clock(), changed: map[int64]*alert.Delivery{}}
		ready, err := a.inOrder(ctx, due)
		if err != nil {
			return err
		}
		if units, err = a.units(ctx, i, ready); err != nil {
			return err
		}
		a.claim(units)
		return a.keep(ctx)
	})
	return i, units, err
}

// dueOn returns the conditions for the notices that a lane may send now.
func (s *Service) dueOn(method string) []resource.Where {
	return []resource.Where{
		{Field: "state", Op: "=", Value: alert.DeliveryWaiting}, {Field: "method", Op: "=", Value: method},
		{Field: "nextOn", Op: "<=", Value: s.o.Clock().Unix()}, resource.Limit(laneFull),
	}
}

// arranging is the state of one transaction of arrange.
type arranging struct {
	*Service
	tx      resource.Tx
	method  string
	now     time.Time
	changed map[int64]*alert.Delivery
}

func (a *arranging) change(d *alert.Delivery) { a.changed[d.ID] = d }

func (a *arranging) keep(ctx context.Context) error {
	for _, d := range a.changed {
		if err := resource.Put(ctx, a.tx, alert.Deliveries.Name, d); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns the due notices that may be sent now. It omits superseded
// notices, and notices that have to wait for earlier ones to the same receiver.
func (a *arranging) inOrder(ctx context.Context, due []alert.Delivery) ([]*alert.Delivery, error) {
	alerts := map[int64]bool{}
	var ids []int64
	for i := range due {
		if id := due[i].AlertID; id > 0 && !alerts[id] {
			alerts[id], ids = true, append(ids, id)
		}
	}
	all, err := resource.Find(ctx, a.tx, alert.Deliveries.Name,
		resource.Where{Field: "alertId", Op: "in", Value: ids},
		resource.Where{Field: "method", Op: "=", Value: a.method})
	if err != nil {
		return nil, err
	}
	byReceiver := map[receiver][]*alert.Delivery{}
	for i := range all {
		to := receiver{all[i].AlertID, all[i].Address}
		byReceiver[to] = append(byReceiver[to], &all[i])
	}
	heads := map[int64]*alert.Delivery{} // by notice: the first notice waiting for the same receiver
	mine := map[int64]*alert.Delivery{}
	for _, rows := range byReceiver {
		waiting := a.supersede(rows)
		for _, d := range waiting {
			heads[d.ID], mine[d.ID] = waiting[0], d
		}
	}
	var ready []*alert.Delivery
	for i := range due {
		d := &due[i]
		if d.AlertID > 0 {
			if d = mine[d.ID]; d == nil {
				continue // superseded
			}
			if head := heads[d.ID]; head.NextOn > resource.SecondsOf(a.now) {
				d.NextOn = head.NextOn
				a.change(d)
				continue
			}
		}
		ready = append(ready, d)
	}
	return ready, a.dissolve(ctx, ready)
}

// supersede marks the notices of one alert to one receiver that are out of date,
// and returns those that are still pending. See the package comment.
func (a *arranging) supersede(rows []*alert.Delivery) (waiting []*alert.Delivery) {
	delivered, over := false, false
	last := int64(0) // the newest notice about the alert's state
	for _, d := range rows {
		delivered = delivered || d.State == alert.DeliverySent || d.InDoubt
		if d.State != alert.DeliveryWaiting {
			continue
		}
		waiting = append(waiting, d)
		switch d.Tells {
		case alert.EventCleared:
			over, last = true, d.ID
		case alert.EventActive, alert.EventEscalated:
			last = d.ID
		}
	}
	return slices.DeleteFunc(waiting, func(d *alert.Delivery) bool {
		pointless := d.ID < last && (over || d.Tells != alert.EventAcked) || over && !delivered
		if pointless {
			d.State, d.NextOn = alert.DeliverySuperseded, 0
			a.change(d)
		}
		return pointless
	})
}

// dissolve splits digests that contain a superseded notice: their other notices
// go into a new message.
func (a *arranging) dissolve(ctx context.Context, ready []*alert.Delivery) error {
	var keys []string
	for _, d := range a.changed {
		if d.State == alert.DeliverySuperseded && d.Digest != "" && d.Digest != alone {
			keys = append(keys, d.Digest)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	rows, err := resource.Find(ctx, a.tx, alert.Deliveries.Name,
		resource.Where{Field: "digest", Op: "in", Value: keys},
		resource.Where{Field: "state", Op: "=", Value: alert.DeliveryWaiting})
	if err != nil {
		return err
	}
	for i := range rows {
		d := &rows[i]
		if have := a.changed[d.ID]; have != nil {
			d = have
		}
		if at := slices.IndexFunc(ready, func(r *alert.Delivery) bool { return r.ID == d.ID }); at >= 0 {
			d = ready[at]
		}
		d.Digest = ""
		a.change(d)
	}
	return nil
}

// units returns the messages for the notices that are ready. The notices of a
// digest that was tried before stay together.
func (a *arranging) units(ctx context.Context, i *alert.Integration, ready []*alert.Delivery) ([]unit, error) {
	var units []unit
	var order []string
	tried, fresh := map[string]bool{}, map[string][]*alert.Delivery{}
	for _, d := range ready {
		switch {
		case tried[d.Digest]:
		case d.Digest != "" && d.Digest != alone:
			tried[d.Digest] = true
			// one query for each message, of up to laneFull notices
			rows, err := resource.Find(ctx, a.tx, alert.Deliveries.Name,
				resource.Where{Field: "digest", Op: "=", Value: d.Digest},
				resource.Where{Field: "state", Op: "=", Value: alert.DeliveryWaiting})
			if err != nil {
				return nil, err
			}
			units = append(units, unit{rows: pointers(rows)})
		case d.AlertID == 0 || d.Digest == alone || !grouped(i):
			units = append(units, unit{rows: []*alert.Delivery{d}})
		default:
			if fresh[d.Address] == nil {
				order = append(order, d.Address)
			}
			fresh[d.Address] = append(fresh[d.Address], d)
		}
	}
	for _, address := range order {
		units = append(units, a.group(i, address, fresh[address])...)
	}
	slices.SortStableFunc(units, func(x, y unit) int { return cmp.Compare(x.rows[0].ID, y.rows[0].ID) })
	return units, nil
}

func pointers(rows []alert.Delivery) []*alert.Delivery {
	all := make([]*alert.Delivery, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	return all
}

// group makes messages of the notices to one address: one message each for few
// notices, one digest for many, and none yet if many have just been sent.
func (a *arranging) group(i *alert.Integration, address string, rows []*alert.Delivery) []unit {
	wait := time.Duration(i.GroupWait) * time.Second
	before, until := a.recent(a.method, address, wait, int(i.GroupAbove))
	switch {
	case before+len(rows) <= int(i.GroupAbove):
		var units []unit
		for _, d := range rows {
			units = append(units, unit{rows: []*alert.Delivery{d}})
		}
		return units
	case before >= int(i.GroupAbove):
		for _, d := range rows {
			d.NextOn = resource.SecondsOf(until.Add(time.Second - 1)) // not earlier
			a.change(d)
		}
		return nil
	case len(rows) == 1:
		return []unit{{rows: rows}}
	}
	key := rand.Text()
	for _, d := range rows {
		d.Digest = key
	}
	return []unit{{rows: rows}}
}

// claim marks the notices as possibly delivered before the attempt, because a
// process that is killed meanwhile can no longer do so.
func (a *arranging) claim(units []unit) {
	for i := range units {
		u := &units[i]
		for _, d := range u.rows {
			u.doubt = append(u.doubt, d.InDoubt)
			d.InDoubt = true
			a.change(d)
		}
	}
}
