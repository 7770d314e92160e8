package maintenance

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// Watched is an object that may be in maintenance: an instance with everything
// that it belongs to; a device alone, or a data source on it; a group; or a
// collector. An id of 0 is ignored.
type Watched struct {
	DeviceID           int64
	GroupIDs           resource.IDs // groups of the device, read from it when nil; or a group alone
	DataSourceID       int64
	DeviceDataSourceID int64
	InstanceID         int64
	InstanceGroupID    int64
	CollectorID        int64
}

// InMaintenance returns the maintenance windows in effect that cover an object,
// sorted by id. It needs no query until a maintenance window or a device group
// changes, unless GroupIDs are missing and a group is in maintenance.
func InMaintenance(ctx context.Context, r resource.Reader, of Watched, now time.Time) ([]SDT, error) {
	plan, err := planOf(ctx, r)
	if err != nil || plan.empty {
		return nil, err
	}
	var found []SDT
	add := func(list []*planned) {
		for _, p := range list {
			if (p.sdt.Type != GroupSDT || p.sdt.DataSourceID == 0 || p.sdt.DataSourceID == of.DataSourceID) &&
				p.at(now) {
				found = append(found, *p.sdt)
			}
		}
	}
	add(plan.of(DeviceSDT, of.DeviceID))
	add(plan.of(DeviceDataSourceSDT, of.DeviceDataSourceID))
	add(plan.of(InstanceSDT, of.InstanceID))
	add(plan.of(InstanceGroupSDT, of.InstanceGroupID))
	add(plan.of(CollectorSDT, of.CollectorID))
	if len(plan.by[GroupSDT]) > 0 && (of.DeviceID > 0 || len(of.GroupIDs) > 0) {
		groups := of.GroupIDs
		if groups == nil {
			device, err := resource.Get(ctx, r, fleet.DeviceRows, of.DeviceID)
			if err != nil {
				return nil, err
			}
			groups = device.GroupIDs
		}
		for _, id := range plan.above(groups) {
			add(plan.of(GroupSDT, id))
		}
	}
	slices.SortFunc(found, func(a, b SDT) int { return int(a.ID - b.ID) })
	return found, nil
}

// plan holds all maintenance windows by type and id. It is shared.
type plan struct {
	empty bool
	by    map[string]map[int64][]*planned // by type and id
	tree  *fleet.Tree
}

func planOf(ctx context.Context, r resource.Reader) (*plan, error) {
	value, err := r.Memo("maintenance", []string{string(SDTRows), string(fleet.GroupRows), string(setting.SettingRows)},
		func() (any, error) {
			tree, err := fleet.TreeOf(ctx, r)
			if err != nil {
				return nil, err
			}
			all, err := resource.Find(ctx, r, SDTRows)
			if err != nil {
				return nil, err
			}
			p := &plan{empty: len(all) == 0, by: map[string]map[int64][]*planned{}, tree: tree}
			known := zones{"": setting.ZoneOf(ctx, r)}
			for i := range all {
				s := &all[i]
				if p.by[s.Type] == nil {
					p.by[s.Type] = map[int64][]*planned{}
				}
				id := s.itemID()
				p.by[s.Type][id] = append(p.by[s.Type][id], &planned{sdt: s, schedule: s.schedule(known)})
			}
			return p, nil
		})
	if err != nil {
		return nil, err
	}
	return value.(*plan), nil
}

func (p *plan) of(kind string, id int64) []*planned {
	if id == 0 {
		return nil
	}
	return p.by[kind][id]
}

// above returns the groups and all their parents, without duplicates.
func (p *plan) above(groups resource.IDs) []int64 {
	var ids []int64
	for _, id := range groups {
		for up := p.tree.Groups[id]; up != nil && !slices.Contains(ids, up.ID); up = p.tree.Groups[up.ParentID] {
			ids = append(ids, up.ID)
		}
	}
	return ids
}

// planned is one maintenance window, with its cached state around now.
type planned struct {
	sdt      *SDT
	schedule *Schedule
	known    atomic.Pointer[span]
}

// span is a period during which a maintenance is in effect throughout, or not at
// all.
type span struct {
	from, to time.Time // to is zero for no end
	in       bool
}

// at reports whether the window is in effect. It computes the schedule once per
// window.
func (p *planned) at(t time.Time) bool {
	if k := p.known.Load(); k != nil && !t.Before(k.from) && (k.to.IsZero() || t.Before(k.to)) {
		return k.in
	}
	k := &span{from: t}
	if w, ok := p.schedule.At(t); ok {
		*k = span{w.Begin, w.End, true}
	} else if w, ok := p.schedule.Next(t); ok {
		k.to = w.Begin
	}
	p.known.Store(k)
	return k.in
}

// NextMaintenance returns when the next maintenance window begins or ends; zero
// for never, as far as known.
func NextMaintenance(ctx context.Context, r resource.Reader, now time.Time) (next time.Time, err error) {
	plan, err := planOf(ctx, r)
	if err != nil {
		return time.Time{}, err
	}
	for _, items := range plan.by {
		for _, list := range items {
			for _, p := range list {
				p.at(now)
				if to := p.known.Load().to; to.After(now) && (next.IsZero() || to.Before(next)) {
					next = to
				}
			}
		}
	}
	return next, nil
}

// sdtsOfDevice returns the maintenance windows for a device and for anything
// below it, and those for its groups and their parents.
func sdtsOfDevice(ctx context.Context, r resource.Reader, id int64) ([]resource.Where, error) {
	device, err := resource.Get(ctx, r, fleet.DeviceRows, id)
	if err != nil {
		return nil, err
	}
	plan, err := planOf(ctx, r)
	if err != nil {
		return nil, err
	}
	own, err := resource.Find(ctx, r, SDTRows, resource.Where{Field: "deviceId", Op: "=", Value: id})
	if err != nil {
		return nil, err
	}
	ids := []int64{}
	for i := range own {
		ids = append(ids, int64(own[i].ID))
	}
	for _, group := range plan.above(device.GroupIDs) {
		for _, p := range plan.of(GroupSDT, group) {
			ids = append(ids, int64(p.sdt.ID))
		}
	}
	return []resource.Where{{Field: "id", Op: "in", Value: ids}}, nil
}

// sdtsOfGroup returns the maintenance windows for a group and its parents.
func sdtsOfGroup(ctx context.Context, r resource.Reader, id int64) ([]resource.Where, error) {
	plan, err := planOf(ctx, r)
	if err != nil {
		return nil, err
	}
	return []resource.Where{{Field: "deviceGroupId", Op: "in", Value: plan.above(resource.IDs{id})}}, nil
}
