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

// host is the state of a device, from its results. The engine's lock guards it.
type host struct {
	id        int64
	name      string           // its display name, in lower case
	parent    string           // that of the device that it depends on
	simulated bool             // its times are those of Pace
	print     uint64           // hash of what tasks are made from
	instances []int64          // that the engine polls
	status    string           // as stored in the row
	saved     resource.Seconds // lastDataTime there
	interval  int64            // seconds between two polls of what is polled most often
	since     int64            // the first result in this process; 0: there was none
	lastData  int64            // the last that had data, and
	lastPoll  int64            // the last of all; 0: none in this process
	silentOn  int64            // the first since lastData without a response; 0: none
	upTime    int64            // -1: unknown
	savedAt   int64            // when times were last written
	fresh     bool             // it has never been polled
}

const (
	silence    = 6 * 60 // seconds without data after which a device is dead, at least
	saveEvery  = 5 * 60 // seconds between two writes of a device's times, in a large fleet
	saveMinute = 200    // devices whose times are written each minute, where there are not more
	lookEvery  = 15 * time.Second
	hostsOnce  = 100 // devices of one transaction
)

// host returns the state of a device, and adds it when it is new; e.mu is held.
func (e *Engine) host(d *fleet.Device) *host {
	h := e.hosts[d.ID]
	if h == nil {
		h = &host{id: d.ID, upTime: -1, savedAt: e.o.Clock().Unix() - placeOf(d.ID), fresh: d.LastRawdataTime == 0}
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

// placeOf spreads the writes over the five minutes of a large fleet, by device:
// a fifth is written each minute, not some each quarter of one, because open
// screens reload after each write.
func placeOf(device int64) int64 { return device * 60 % saveEvery }

// every returns how many seconds lie between two writes of a device's times in
// a fleet: in a small one, people see times of this minute.
func every(devices int) int64 { return min(int64(1+devices/saveMinute)*60, saveEvery) }

// forgetHost drops a device; e.mu is held.
func (e *Engine) forgetHost(h *host) {
	delete(e.hosts, h.id)
	if e.named[h.name] == h {
		delete(e.named, h.name)
	}
}

// clock returns the time of a device, in epoch seconds.
func (e *Engine) clock(h *host) int64 {
	if h.simulated {
		return e.o.Pace.Now().Unix()
	}
	return e.o.Clock().Unix()
}

// behind reports whether the silence of a device may be its parent's: the
// parent has been polled recently, and has not responded since the device fell
// silent.
func (e *Engine) behind(h *host) bool {
	p := e.named[h.parent]
	if h.parent == "" || p == nil || p == h || h.silentOn == 0 {
		return false
	}
	if p.lastPoll == 0 { // not since the program began: its stored status counts
		return p.status == hostDead
	}
	if e.clock(p)-p.lastPoll > p.patience() {
		return false
	}
	return p.lastData < h.silentOn
}

// heard notes which devices responded, and marks readings of silent devices
// whose parent may be the cause. It returns the devices that responded and were
// not normal.
func (e *Engine) heard(readings []reading) (back []int64) {
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
		if !r.answered() {
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
		if h := e.hosts[r.of.device]; h != nil && !r.answered() {
			r.behind = e.behind(h)
		}
	}
	slices.Sort(back)
	return slices.Compact(back)
}

// follow moves the host's times back to now, because the clock was set back:
// nothing was measured in the future.
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

// dueHosts returns the devices whose state or times have to be written.
func (e *Engine) dueHosts() []int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	period := every(len(e.hosts))
	var due []int64
	for id, h := range e.hosts {
		now := e.clock(h)
		if h.state(now) != h.status || h.lastPoll > h.savedAt && now-h.savedAt >= period || h.fresh && h.lastPoll > 0 {
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

// patience returns how many seconds a device may give no data.
func (h *host) patience() int64 { return max(3*h.interval, silence) }

// save writes the states of devices that have changed. They do not go into the
// audit log.
func (e *Engine) save(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var saved []*host // as they are once this is written
	err := e.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		saved = nil // a second run begins anew
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
// began, 0 for none. A time stored before the clock was set back may lie in the
// future: then it counts as now if none was measured since.
func latest(kept resource.Seconds, known, now int64) resource.Seconds {
	if int64(kept) > now {
		return resource.Seconds(cmp.Or(known, now))
	}
	return max(kept, resource.Seconds(known))
}

// update brings a row up to date, and reports whether it has changed. It returns
// the host as it is once the row is written, or nil for none.
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
		h.savedAt, h.fresh = now-placeOf(d.ID)%every(len(e.hosts)), false
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
