package monitor

import (
	"cmp"
	"context"
	"slices"
	"time"

	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// movedAtOnce is the number of devices reassigned in one transaction.
const movedAtOnce = 100

// move is the reassignment of a device to another collector.
type move struct{ device, from, to int64 }

// place assigns devices to running collectors.
//
// The devices of a collector that is down go to its backup, unless that is down
// too, and back when the collector runs again. If enableFailBack is false, they
// stay as long as the backup runs. In a group of collectors with autoBalance, any
// running collector polls any device of the group, see balance.
func (m *Monitor) place(ctx context.Context) error {
	all, err := resource.Find(ctx, m.db, collector.Collectors.Name)
	if err != nil {
		return err
	}
	groups, err := resource.Find(ctx, m.db, collector.CollectorGroups.Name)
	if err != nil {
		return err
	}
	s := newStaff(all)
	var moves []move
	balanced := map[int64]bool{}
	for i := range groups {
		if g := &groups[i]; g.AutoBalance && len(s.runningIn(g.ID)) > 0 {
			balanced[g.ID] = true
			more, err := m.share(ctx, s, g)
			if err != nil {
				return err
			}
			moves = append(moves, more...)
		}
	}
	for i := range all {
		if c := &all[i]; c.ID != ground.BuiltInCollector && !c.Simulated() && !balanced[c.GroupID] {
			more, err := m.cover(ctx, s, c)
			if err != nil {
				return err
			}
			moves = append(moves, more...)
		}
	}
	for part := range slices.Chunk(moves, movedAtOnce) {
		if err := m.hand(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// staff is the set of all collectors.
type staff struct {
	all     []collector.Collector
	running map[int64]bool
}

func newStaff(all []collector.Collector) *staff {
	s := &staff{all: all, running: map[int64]bool{}}
	for i := range all {
		c := &all[i]
		s.running[c.ID] = c.ID == ground.BuiltInCollector || c.LastHeartbeatOn > 0 && !c.IsDown
	}
	return s
}

// runningIn returns the ids of the collectors of a group that can be assigned
// devices.
func (s *staff) runningIn(group int64) (ids []int64) {
	for i := range s.all {
		if c := &s.all[i]; c.GroupID == group && s.running[c.ID] && !c.Simulated() {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// cover moves the devices of one collector to its backup, or back.
func (m *Monitor) cover(ctx context.Context, s *staff, c *collector.Collector) ([]move, error) {
	is, to := "!=", c.ID
	if c.IsDown {
		is, to = "=", c.BackupID
		if to == 0 || !s.running[to] {
			return nil, nil
		}
	} else if !s.running[c.ID] {
		return nil, nil // it never ran: its devices wait for it
	}
	devices, err := resource.Find(ctx, m.db, fleet.Devices.Name, resource.Where{Field: "preferredCollectorId", Op: "=",
		Value: c.ID},
		resource.Where{Field: "currentCollectorId", Op: is, Value: c.ID})
	var moves []move
	for i := range devices {
		d := &devices[i]
		if simulatedItself(d) || !c.IsDown && !c.EnableFailBack && s.running[d.CurrentCollector] {
			continue
		}
		moves = append(moves, move{d.ID, d.CurrentCollector, to})
	}
	return moves, err
}

// share spreads the devices of a group over its collectors.
func (m *Monitor) share(ctx context.Context, s *staff, g *collector.CollectorGroup) ([]move, error) {
	var members []int64
	for i := range s.all {
		if c := &s.all[i]; c.GroupID == g.ID && !c.Simulated() {
			members = append(members, c.ID)
		}
	}
	devices, err := resource.Find(ctx, m.db, fleet.Devices.Name, resource.Where{Field: "preferredCollectorId", Op: "in",
		Value: members})
	if err != nil {
		return nil, err
	}
	instances, err := m.db.CountBy(ctx, string(fleet.Instances.Name), "deviceId")
	if err != nil {
		return nil, err
	}
	var loads []load
	for i := range devices {
		if d := &devices[i]; !simulatedItself(d) {
			loads = append(loads, load{d.ID, d.CurrentCollector, max(1, instances[d.ID])})
		}
	}
	return balance(loads, s.runningIn(g.ID), g.MaxInstances), nil
}

// load is the weight of a device for its collector.
type load struct{ device, collector, weight int64 }

// slack is the accepted difference between the most and the least loaded
// collector, as a fraction of the average load. Below it no devices move.
const slack = 5 // a fifth

// balance returns the device moves that even out the load of the collectors;
// there must be at least one collector. Devices of other collectors go to the
// least loaded one, the heaviest first. Of the rest, as few as possible move:
// always the heaviest device that still evens out the most and the least loaded
// collector, until the two differ by no more than slack. If a collector has more
// than limit instances, they move as far as possible. A limit of 0 means none.
func balance(loads []load, collectors []int64, limit int64) (moves []move) {
	slices.SortFunc(loads,
		func(a, b load) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.device, b.device)) })
	has, total := map[int64]int64{}, int64(0)
	for _, c := range collectors {
		has[c] = 0
	}
	for _, l := range loads {
		total += l.weight
		if _, ok := has[l.collector]; ok {
			has[l.collector] += l.weight
		}
	}
	least := func() int64 {
		return slices.MinFunc(collectors, func(a, b int64) int { return cmp.Compare(has[a], has[b]) })
	}
	at := make([]int64, len(loads))
	for i, l := range loads {
		at[i] = l.collector
		if _, ok := has[l.collector]; !ok {
			at[i] = least()
			has[at[i]] += l.weight
		}
	}
	for {
		idle, busy := least(), slices.MaxFunc(collectors, func(a, b int64) int { return cmp.Compare(has[a], has[b]) })
		gap := has[busy] - has[idle]
		if overloaded := limit > 0 && has[busy] > limit; !overloaded && gap*slack*int64(len(collectors)) <= total {
			break
		}
		i := slices.IndexFunc(loads, func(l load) bool { return 2*l.weight <= gap })
		for i >= 0 && i < len(loads) && at[i] != busy {
			i++
		}
		if i < 0 || i == len(loads) {
			break
		}
		at[i] = idle
		has[busy], has[idle] = has[busy]-loads[i].weight, has[idle]+loads[i].weight
	}
	for i, l := range loads {
		if at[i] != l.collector {
			moves = append(moves, move{l.device, l.collector, at[i]})
		}
	}
	return moves
}

// hand assigns devices to their new collectors, unless their assignment has changed
// in the meantime. It writes no audit log entries.
func (m *Monitor) hand(ctx context.Context, moves []move) error {
	ids, to := make([]int64, len(moves)), map[int64]move{}
	for i, one := range moves {
		ids[i], to[one.device] = one.device, one
	}
	return m.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		devices, err := resource.Find(ctx, tx, fleet.Devices.Name, resource.Where{Field: "id", Op: "in", Value: ids})
		for i := range devices {
			d := &devices[i]
			if err != nil || d.CurrentCollector != to[d.ID].from {
				continue
			}
			d.CurrentCollector = to[d.ID].to
			if d.HostStatus == hostDeadCollector {
				d.HostStatus = hostNormal // until its checks find otherwise
			}
			err = resource.Put(ctx, tx, fleet.Devices.Name, d)
		}
		return err
	})
}

// watchEvery is the interval at which collectors are checked. It is short enough
// to mark a silent collector as down and reassign its devices within the time of
// the portal settings.
const watchEvery = 15 * time.Second

// followCollectors runs tendCollectors periodically.
func (m *Monitor) followCollectors(ctx context.Context) {
	each := time.NewTicker(watchEvery)
	defer each.Stop()
	for {
		if err := m.tendCollectors(ctx); err != nil && ctx.Err() == nil {
			m.log.WarnContext(ctx, "collectors could not be checked; trying again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-each.C:
		}
	}
}

// tendCollectors marks silent collectors and reassigns their devices. It runs in
// real time, whatever the speed of the demo clock.
func (m *Monitor) tendCollectors(ctx context.Context) error {
	now := m.clock().Round(0)
	limit, err := setting.CollectorDownAfter(ctx, m.db)
	if err != nil {
		return err
	}
	patient := m.patience(now, limit)
	if err := m.db.Write(
		ctx, func(tx resource.Tx) error { return watchCollectors(ctx, tx, now, limit, patient) }); err != nil {
		return err
	}
	return m.place(ctx)
}
