package monitor

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/override"
	"spyglass/backend/resource"
)

// everything lists the resources that can affect any task.
var everything = []string{string(datasource.DataSources.Name), string(fleet.Groups.Name),
	string(override.GroupDataSourceSettings.Name), string(fleet.Functions.Name)}

// tasksOnce is the number of devices whose tasks are created at a time.
const tasksOnce = 100

// keepTasks updates the polled tasks when the database changes.
func (e *Engine) keepTasks(ctx context.Context) {
	feed := e.o.DB.Follow(append([]string{string(fleet.Devices.Name), string(fleet.Instances.Name)}, everything...)...)
	defer feed.Close()
	k := &keeper{e: e}
	all, rows := true, []resource.Changed(nil)
	for {
		if err := k.step(ctx, all, rows); err != nil {
			if ctx.Err() != nil {
				return
			}
			e.o.Log.WarnContext(ctx, "the list of polled instances could not be updated; trying again", "err", err)
			all = true // includes the changes read from the feed
			if !pause(ctx, retry, nil) {
				return
			}
			continue
		}
		var err error
		if rows, all, err = feed.Next(ctx); err != nil || !pause(ctx, quiet, nil) {
			return
		}
	}
}

// keepAlerts follows alert changes that others write. If missed is set, it first
// reads all alerts.
func (e *Engine) keepAlerts(ctx context.Context, missed bool) {
	feed := e.o.DB.Follow(string(alert.Alerts.Name))
	defer feed.Close()
	if missed {
		if err := e.judge.changed(ctx, nil); err != nil && ctx.Err() == nil {
			e.o.Log.WarnContext(ctx, "alerts could not be read", "err", err)
		}
	}
	for {
		rows, lost, err := feed.Next(ctx)
		if err != nil {
			return
		}
		ids := make([]int64, len(rows))
		for i := range rows {
			ids[i] = rows[i].ID
		}
		if lost {
			ids = nil
		}
		if err := e.judge.changed(ctx, ids); err != nil && ctx.Err() == nil {
			e.o.Log.WarnContext(ctx, "alerts could not be read", "err", err)
		}
	}
}

// keeper is the state of the goroutine that updates tasks.
type keeper struct {
	e      *Engine
	maker  *taskMaker
	shared string // hash of the data that the maker was built from
}

// step processes changes of these rows, or of all rows.
func (k *keeper) step(ctx context.Context, all bool, rows []resource.Changed) error {
	var devices, instances []int64
	remake := all
	for _, row := range rows {
		switch row.Name {
		case string(fleet.Devices.Name):
			devices = append(devices, row.ID)
		case string(fleet.Instances.Name):
			instances = append(instances, row.ID)
		default:
			remake = true
		}
	}
	if remake || k.maker == nil {
		was := k.shared
		if err := k.make(ctx); err != nil {
			return err
		}
		if all || k.shared != was {
			return k.all(ctx)
		}
	}
	of, err := k.devicesOf(ctx, instances)
	if err != nil {
		return err
	}
	if err := k.some(ctx, devices, false); err != nil {
		return err
	}
	return k.some(ctx, of, true)
}

// make reads the data that all tasks share.
func (k *keeper) make(ctx context.Context) (err error) {
	if k.maker, err = newTasks(ctx, k.e.o.DB); err != nil {
		return err
	}
	settings, err := resource.Find(ctx, k.e.o.DB, override.GroupDataSourceSettings.Name)
	if err != nil {
		return err
	}
	sum := fnv.New64a()
	for _, id := range slices.Sorted(maps.Keys(k.maker.sources)) {
		s := k.maker.sources[id]
		fmt.Fprintln(sum, s.ID, s.Name, s.CollectMethod, s.CollectInterval, k.maker.attributes[id], k.maker.fields[id])
	}
	for _, id := range slices.Sorted(maps.Keys(k.maker.tree.Groups)) {
		g := k.maker.tree.Groups[id]
		fmt.Fprintln(sum, g.ID, g.ParentID, g.CustomProperties)
	}
	for i := range settings {
		fmt.Fprintln(sum, settings[i])
	}
	k.shared = fmt.Sprint(sum.Sum64())
	return nil
}

// all processes all devices, and pauses after each step for as long as the step
// took.
func (k *keeper) all(ctx context.Context) error {
	seen := map[int64]bool{}
	for last := int64(0); ; {
		began := time.Now()
		devices, err := resource.Find(ctx, k.e.o.DB, fleet.Devices.Name,
			resource.Where{Field: "id", Op: ">", Value: last}, resource.Limit(tasksOnce))
		if err != nil {
			return err
		}
		if len(devices) == 0 {
			break
		}
		last = devices[len(devices)-1].ID
		for i := range devices {
			seen[devices[i].ID] = true
		}
		if err := k.put(ctx, devices); err != nil {
			return err
		}
		if !pause(ctx, min(time.Since(began), mostRest), nil) {
			return ctx.Err()
		}
	}
	k.drop(func(device int64) bool { return !seen[device] })
	return nil
}

// devicesOf returns the devices of instances. It drops deleted instances.
func (k *keeper) devicesOf(ctx context.Context, instances []int64) ([]int64, error) {
	var devices []int64
	for ids := range slices.Chunk(instances, 1000) {
		among := resource.Where{Field: "id", Op: "in", Value: ids}
		here, err := k.e.o.DB.IDs(ctx, string(fleet.Instances.Name), among)
		if err != nil {
			return nil, err
		}
		of, err := k.e.o.DB.Tally(ctx, string(fleet.Instances.Name), []resource.By{{Field: "deviceId"}}, among)
		if err != nil {
			return nil, err
		}
		for _, device := range of {
			devices = append(devices, device.Of[0].(int64))
		}
		k.e.dropInstances(without(ids, here))
	}
	slices.Sort(devices)
	return slices.Compact(devices), nil
}

// some remakes the tasks of some devices. Unless must is set, it skips devices in
// which only fields written by the portal itself have changed.
func (k *keeper) some(ctx context.Context, ids []int64, must bool) error {
	for ids := range slices.Chunk(ids, tasksOnce) {
		devices, err := resource.Find(ctx, k.e.o.DB, fleet.Devices.Name,
			resource.Where{Field: "id", Op: "in", Value: ids})
		if err != nil {
			return err
		}
		here := map[int64]bool{}
		for i := range devices {
			here[devices[i].ID] = true
		}
		gone := map[int64]bool{}
		for _, id := range ids {
			gone[id] = !here[id]
		}
		if slices.Contains(slices.Collect(maps.Values(gone)), true) {
			k.drop(func(device int64) bool { return gone[device] })
		}
		if !must {
			devices = slices.DeleteFunc(devices, k.e.asBefore)
		}
		if err := k.put(ctx, devices); err != nil {
			return err
		}
	}
	return nil
}

// asBefore copies the status of a device, and reports whether nothing else can
// have changed.
func (e *Engine) asBefore(d fleet.Device) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.hosts[d.ID] != nil
	return known && e.host(&d).print == printOf(&d)
}

// printOf returns a hash of the fields of a device that its tasks depend on.
func printOf(d *fleet.Device) uint64 {
	sum := fnv.New64a()
	fmt.Fprint(sum, d.Name, d.GroupIDs, d.CurrentCollector, d.DisableAlerting, d.CustomProperties, d.SystemProperties,
		d.AutoProperties)
	return cmp.Or(sum.Sum64(), 1)
}

// mostSimulated limits the simulated devices that are polled: those with the
// lowest ids. A larger fleet is for lists and searches; samples of its devices
// would only use memory.
const mostSimulated = 1000

// put creates the tasks of devices, and passes changed tasks to the poller.
func (k *keeper) put(ctx context.Context, devices []fleet.Device) error {
	devices = slices.DeleteFunc(slices.Clone(devices), func(d fleet.Device) bool {
		return d.ID > mostSimulated &&
			simulatedItself(&d)
	})
	if len(devices) == 0 {
		return nil
	}
	made, err := k.maker.of(ctx, k.e.o.DB, devices)
	if err != nil {
		return err
	}
	made = slices.DeleteFunc(made, func(a assigned) bool { return !k.e.polls(&a) })
	k.e.mu.Lock()
	on := map[int64]*host{}
	for i := range devices {
		h := k.e.host(&devices[i])
		h.print = printOf(&devices[i])
		h.parent = strings.ToLower(k.maker.tree.Properties(&devices[i])[fleet.ParentProperty])
		on[h.id] = h
	}
	tasks := k.e.takeIn(made)
	gone := place(made, on)
	k.e.mu.Unlock()
	k.e.dropInstances(gone)
	k.e.poll(tasks)
	return nil
}

// takeIn stores assigned instances, and returns the tasks that have changed. The
// caller holds e.mu.
func (e *Engine) takeIn(made []assigned) (tasks []*check.Task) {
	for i := range made {
		a := &made[i]
		if a.task.Method == methodSimulate {
			a.task.Attributes, a.task.Properties = nil, nil // never used
		}
		was, now := e.instances[a.instance.ID], newWatched(a)
		switch {
		case was == nil || !sameTask(was.task, now.task):
			tasks = append(tasks, now.task)
		case was.same(now):
			continue
		default:
			now.task = was.task
		}
		e.instances[now.instance] = now
	}
	return tasks
}

// place records which instances the devices have, and returns those that they no
// longer have.
func place(made []assigned, on map[int64]*host) (gone []int64) {
	here := make(map[int64]bool, len(made))
	for i := range made {
		here[made[i].instance.ID] = true
	}
	for _, h := range on {
		for _, id := range h.instances {
			if !here[id] {
				gone = append(gone, id)
			}
		}
		h.instances = nil
	}
	for i := range made {
		h := on[made[i].device.ID]
		h.instances = append(h.instances, made[i].instance.ID)
	}
	return gone
}

// drop removes the devices for which gone returns true.
func (k *keeper) drop(gone func(device int64) bool) {
	k.e.mu.Lock()
	var ids []int64
	for id, h := range k.e.hosts {
		if gone(id) {
			ids = append(ids, h.instances...)
			k.e.forgetHost(h)
		}
	}
	k.e.mu.Unlock()
	k.e.dropInstances(ids)
}

func (e *Engine) dropInstances(ids []int64) {
	if len(ids) == 0 {
		return
	}
	e.mu.Lock()
	for _, id := range ids {
		delete(e.instances, id)
	}
	e.mu.Unlock()
	e.poller.Drop(ids...)
	e.simulated.Drop(ids...)
	e.intake.forget(ids...)
	e.reasons.forget(ids...)
	e.local.forget(ids...)
	e.judge.forget(ids...)
}

func sameTask(a, b *check.Task) bool {
	return a.DeviceID == b.DeviceID && a.DataSourceID == b.DataSourceID && a.Host == b.Host &&
		a.DataSource == b.DataSource && a.Method == b.Method &&
		a.Wild == b.Wild && a.Wild2 == b.Wild2 && a.Interval == b.Interval && maps.Equal(a.Attributes, b.Attributes) &&
		maps.Equal(a.Properties, b.Properties) && slices.Equal(a.Fields, b.Fields)
}

// same reports whether results are judged in the same way.
func (w *watched) same(other *watched) bool {
	return w.alertsOff == other.alertsOff && w.host == other.host && w.wild == other.wild &&
		w.spot.InstanceGroupID == other.spot.InstanceGroupID && slices.Equal(w.spot.Groups, other.spot.Groups)
}
