package monitor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// Values of a device's hostStatus.
const (
	hostNormal        = "normal"
	hostDead          = "dead"
	hostDeadCollector = "dead-collector"
)

// host is the state of a device according to its results. The engine's lock
// guards it.
type host struct {
	id        int64
	name      string           // its display name, in lower case
	parent    string           // display name of the device that it depends on
	simulated bool             // its times are those of Pace
	print     uint64           // hash of the fields that determine its tasks
	instances []int64          // polled by the engine
	status    string           // as stored in the row
	saved     resource.Seconds // lastDataTime in the row
	interval  int64            // the shortest poll interval, in seconds
	since     int64            // time of the first result in this process; 0: none
	lastData  int64            // time of the last result with data
	lastPoll  int64            // time of the last result; 0: none in this process
	silentOn  int64            // time of the first result without a response since lastData; 0: none
	upTime    int64            // -1: unknown
	savedAt   int64            // when times were last written
	fresh     bool             // it has never been polled
}

const (
	silence    = 6 * 60 // minimum number of seconds without data after which a device is dead
	saveEvery  = 5 * 60 // seconds between two writes of a device's times, in a large fleet
	saveMinute = 200    // up to this many devices, times are written each minute
	lookEvery  = 15 * time.Second
	hostsOnce  = 100 // devices in one transaction
)

// host returns the state of a device, and adds it if it is new. The caller holds
// e.mu.
func (e *Engine) host(d *fleet.Device) *host {
	h := e.hosts[d.ID]
	if h == nil {
		h = &host{id: d.ID, upTime: -1, savedAt: e.o.Clock().Unix(), fresh: d.LastRawdataTime == 0}
		e.hosts[d.ID] = h
	}
	h.status, h.saved = d.HostStatus, d.LastDataTime
	if name := strings.ToLower(d.DisplayName); h.name != name {
		if e.named[h.name] == h {
			delete(e.named, h.name)
		}
		h.name, e.named[name] = name, h
	}
	return h
}

// roundOf returns the number of the period that a time is in, for a device. The devices of
// a small fleet are written together each minute, and a fifth of a large one: rather
// than some every 15 seconds, because open screens reload after each write.
func roundOf(device, at, period int64) int64 { return (at + device*60%saveEvery) / period }

// every returns the seconds between two writes of a device's times. In a small
// fleet the times are at most a minute old.
func every(devices int) int64 { return min(int64(1+devices/saveMinute)*60, saveEvery) }

// forgetHost removes a device. The caller holds e.mu.
func (e *Engine) forgetHost(h *host) {
	delete(e.hosts, h.id)
	if e.named[h.name] == h {
		delete(e.named, h.name)
	}
}

// clock returns the current time of a device, in epoch seconds.
func (e *Engine) clock(h *host) int64 {
	if h.simulated {
		return e.o.Pace.Now().Unix()
	}
	return e.o.Clock().Unix()
}

// behind reports whether its parent may be the cause of a device's silence: the
// parent has been polled recently, and has not responded since the device fell
// silent.
func (e *Engine) behind(h *host) bool {
	p := e.named[h.parent]
	if h.parent == "" || p == nil || p == h || h.silentOn == 0 {
		return false
	}
	if p.lastPoll == 0 { // no poll since the program started: its stored status counts
		return p.status == hostDead
	}
	if e.clock(p)-p.lastPoll > p.patience() {
		return false
	}
	return p.lastData < h.silentOn
}

// noteResponses records which devices responded, and marks readings of silent devices
// whose parent may be the cause. It returns the devices that responded and were
// not normal.
func (e *Engine) noteResponses(readings []reading) (back []int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range readings {
		r := &readings[i]
		h := e.hosts[r.of.device]
		if h == nil {
			continue
		}
		if every := r.formula.source.CollectInterval; h.interval == 0 || every < h.interval {
			h.interval = every
		}
		if h.since == 0 {
			h.since = r.at
		}
		h.simulated = r.of.simulated
		if r.at < h.lastPoll-setBack {
			h.follow(r.at)
		}
		h.lastPoll = max(h.lastPoll, r.at)
		if !r.responded() {
			if h.silentOn == 0 {
				h.silentOn = r.at
			}
			continue
		}
		h.lastData, h.silentOn = max(h.lastData, r.at), 0
		if up, ok := r.formula.up(r.values); ok {
			h.upTime = up
		}
		if h.status != hostNormal {
			back = append(back, h.id)
		}
	}
	for i := range readings {
		r := &readings[i]
		if h := e.hosts[r.of.device]; h != nil && !r.responded() {
			r.behind = e.behind(h)
		}
	}
	slices.Sort(back)
	return slices.Compact(back)
}

// follow moves the host's times back to now after the clock was set back.
func (h *host) follow(now int64) {
	for _, at := range []*int64{&h.since, &h.lastData, &h.lastPoll, &h.silentOn, &h.savedAt} {
		*at = min(*at, now)
	}
}

// keepHosts periodically writes the states of devices.
func (e *Engine) keepHosts(ctx context.Context) {
	each := time.NewTicker(lookEvery)
	defer each.Stop()
	for {
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
		if err := e.saveHosts(ctx); err != nil && ctx.Err() == nil {
			e.o.Log.WarnContext(ctx, "states of devices could not be written; trying again", "err", err)
		}
	}
}

// saveHosts writes the states of devices, some at a time.
func (e *Engine) saveHosts(ctx context.Context) error {
	for ids := range slices.Chunk(e.dueHosts(), hostsOnce) {
		began := time.Now()
		if err := e.save(ctx, ids); err != nil {
			return err
		}
		if !pause(ctx, min(yield*time.Since(began), mostRest), nil) {
			return ctx.Err()
		}
	}
	return nil
}

// dueHosts returns the devices with a state or times to write.
func (e *Engine) dueHosts() []int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	period := every(len(e.hosts))
	var due []int64
	for id, h := range e.hosts {
		now := e.clock(h)
		if h.state(now) != h.status || h.lastPoll > h.savedAt &&
			roundOf(id, now, period) != roundOf(id, h.savedAt, period) || h.fresh && h.lastPoll > 0 {
			due = append(due, id)
		}
	}
	slices.Sort(due)
	return due
}

// state returns the device's current hostStatus. Only a device that is polled
// can become dead: a silent collector is not the device's fault.
func (h *host) state(now int64) string {
	patience := h.patience()
	switch {
	case h.since == 0 || now-h.lastPoll > patience:
		return h.status
	case h.lastData > 0 && now-h.lastData <= patience:
		return hostNormal
	case now-max(h.since, h.lastData) > patience:
		return hostDead
	}
	return h.status
}

// patience returns how many seconds a device may go without data.
func (h *host) patience() int64 { return max(3*h.interval, silence) }

// save writes the states of devices that have changed, without audit log entries.
func (e *Engine) save(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var saved []*host // their states after this write
	err := e.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		saved = nil // reset for a second run
		devices, err := resource.Find(ctx, tx, fleet.Devices.Name, resource.Where{Field: "id", Op: "in", Value: ids})
		if err != nil {
			return err
		}
		for i := range devices {
			h, changed := e.update(&devices[i])
			if h != nil {
				saved = append(saved, h)
			}
			if changed {
				if err := resource.Put(ctx, tx, fleet.Devices.Name, &devices[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err // they are due again
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range saved {
		if h := e.hosts[s.id]; h != nil {
			h.status, h.saved, h.savedAt, h.fresh = s.status, s.saved, s.savedAt, s.fresh
		}
	}
	return nil
}

// latest returns the later of a stored time and one measured since the program
// started; 0 for none. A time stored before the clock was set back may be in the
// future: it then counts as now, unless one was measured since.
func latest(kept resource.Seconds, known, now int64) resource.Seconds {
	if int64(kept) > now {
		return resource.Seconds(cmp.Or(known, now))
	}
	return max(kept, resource.Seconds(known))
}

// update updates a row, and reports whether it changed. It returns the state of
// the host after the write, or nil for none.
func (e *Engine) update(d *fleet.Device) (saved *host, changed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.hosts[d.ID]
	if known == nil {
		return nil, false
	}
	host := *known
	h := &host
	now := e.clock(h)
	h.savedAt = now
	if h.fresh && h.lastPoll > 0 { // users wait for the first poll
		h.fresh = false
	}
	status, dataOn, polledOn, upTime := d.HostStatus, d.LastDataTime, d.LastRawdataTime, d.UpTime
	h.status = status
	d.HostStatus = h.state(now)
	d.LastDataTime, d.LastRawdataTime = latest(d.LastDataTime, h.lastData, now),
		latest(d.LastRawdataTime, h.lastPoll, now)
	if h.upTime >= 0 {
		d.UpTime = h.upTime
	}
	h.status, h.saved = d.HostStatus, d.LastDataTime
	return h, d.HostStatus != status || d.LastDataTime != dataOn || d.LastRawdataTime != polledOn || d.UpTime != upTime
}

// Dependencies returns the ids of the polled devices that a device depends on, the
// nearest first, and of those that depend on it, directly or through others.
func (e *Engine) Dependencies(device int64) (above, below []int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.hosts[device]
	if h == nil {
		return nil, nil
	}
	for up := e.named[h.parent]; up != nil && up != h && !slices.Contains(above, up.id); up = e.named[up.parent] {
		above = append(above, up.id)
	}
	children := map[string][]*host{}
	for _, one := range e.hosts {
		if one.parent != "" && one.parent != one.name {
			children[one.parent] = append(children[one.parent], one)
		}
	}
	seen := map[int64]bool{device: true}
	for level := []*host{h}; len(level) > 0; {
		var next []*host
		for _, up := range level {
			for _, one := range children[up.name] {
				if !seen[one.id] {
					seen[one.id] = true
					next = append(next, one)
				}
			}
		}
		slices.SortFunc(next, func(a, b *host) int { return int(a.id - b.id) })
		for _, one := range next {
			below = append(below, one.id)
		}
		level = next
	}
	return above, below
}
