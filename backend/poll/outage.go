package poll

import (
	"fmt"
	"slices"
	"time"

	"spyglass/backend/check"
)

const (
	leastSilent = 3                      // number of silent devices that indicates a failure of this machine
	probeAfter  = 200 * time.Millisecond // how long silent results wait before others are polled immediately
	longestHold = time.Minute            // the maximum wait
	mostHeld    = 100_000                // results
	mostProbes  = 48                     // instances to poll immediately after another one fell silent
	perSource   = 8                      // the maximum of these with the same data source
)

// outcome is a result that is not delivered yet.
type outcome struct {
	check.Result
	of     *entry
	began  time.Time // when the check began
	silent bool      // no response: a time-out, or no route to the device
}

// outage determines whether silence is a failure of the devices or of this
// machine; see "Outages" of the package. The poller's lock guards it.
type outage struct {
	up          map[int64]int // number of instances whose last check got a response, by device
	all         int           // the sum of them
	respondedAt int64         // time of the last response, in epoch seconds; 0: none yet
	held        []outcome     // silent results that wait for a decision, the oldest first
	polled      map[*entry]bool
	silent      map[int64]bool // devices that are silent since the first of held
	probe       time.Time      // when to poll others to find out; zero after that
	until       time.Time      // deadline of the decision; zero if nothing waits
	text        string         // description of the outage; empty if there is none
	over        time.Time      // end of the last outage
}

// mark records whether the last check of an instance got a response.
func (o *outage) mark(e *entry, up bool) {
	if e.up == up {
		return
	}
	e.up = up
	if device := e.task.DeviceID; up {
		if o.up == nil {
			o.up = map[int64]int{}
		}
		o.up[device]++
		o.all++
	} else {
		o.all--
		if o.up[device]--; o.up[device] == 0 {
			delete(o.up, device)
		}
		delete(o.polled, e)
	}
}

// sift returns the results to deliver now.
func (p *Poller) sift(batch []outcome, now time.Time) []check.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, out := &p.outage, make([]check.Result, 0, len(batch))
	for i := range batch {
		one := &batch[i]
		if !one.of.remote || one.of.gone {
			out = append(out, one.Result)
			continue
		}
		switch {
		case one.Responded != nil && *one.Responded:
			out = p.respond(out, one, now)
		case one.Local == check.LocalNetwork && !o.until.IsZero():
			o.noteSilent(one)
			out = append(out, one.Result)
		case !one.silent:
			if one.Local == "" && o.text == "" {
				o.mark(one.of, false)
			}
			out = append(out, one.Result)
		case o.text != "":
			out = append(out, one.local(o.text))
		case one.began.Before(o.over): // the check ran during the outage
		case !one.of.up:
			out = append(out, one.Result)
		default:
			out = p.hold(out, one, now)
		}
	}
	switch {
	case o.until.IsZero():
		return out
	case len(o.polled) >= o.all, !now.Before(o.until), len(o.held) >= mostHeld:
		return p.decide(out)
	case !o.probe.IsZero() && !now.Before(o.probe):
		o.probe = time.Time{}
		p.probe()
	}
	return out
}

// respond handles a response: devices that were silent before it have failed
// themselves, and an outage has ended.
func (p *Poller) respond(out []check.Result, one *outcome, now time.Time) []check.Result {
	o := &p.outage
	out = p.release(out)
	if o.text != "" {
		o.text, o.over, one.Reached = "", now, true
		p.o.Log.Info("devices respond again")
	}
	o.respondedAt, one.of.respondedAt = max(o.respondedAt, one.At), one.At
	o.mark(one.of, true)
	return append(out, one.Result)
}

// hold keeps a silent result until it is known whether the device or this machine
// failed.
func (p *Poller) hold(out []check.Result, one *outcome, now time.Time) []check.Result {
	o := &p.outage
	if len(o.up) < leastSilent {
		o.mark(one.of, false)
		return append(out, one.Result)
	}
	if o.until.IsZero() {
		longest := time.Duration(0)
		for _, e := range p.tasks {
			if e.up {
				longest = max(longest, time.Duration(e.task.Interval)*time.Second)
			}
		}
		o.polled, o.silent = map[*entry]bool{}, map[int64]bool{}
		o.probe, o.until = now.Add(probeAfter), now.Add(max(probeAfter, min(longestHold, longest)))
	}
	o.held = append(o.held, *one)
	o.noteSilent(one)
	return out
}

// noteSilent records that an instance was polled without a response since the first
// silence.
func (o *outage) noteSilent(one *outcome) {
	if one.of.up {
		o.polled[one.of], o.silent[one.of.task.DeviceID] = true, true
	}
}

// probe polls instances immediately: those that responded most recently, some of
// each data source.
func (p *Poller) probe() {
	var may []*entry
	for _, e := range p.tasks {
		if e.up && !e.busy && !p.outage.polled[e] {
			may = append(may, e)
		}
	}
	slices.SortFunc(may, func(a, b *entry) int {
		if a.respondedAt != b.respondedAt {
			return int(b.respondedAt - a.respondedAt)
		}
		return int(a.task.InstanceID - b.task.InstanceID)
	})
	sources, probes := map[int64]int{}, 0
	for _, e := range may {
		if sources[e.task.DataSourceID]++; sources[e.task.DataSourceID] > perSource {
			continue
		}
		if probes++; probes > mostProbes {
			break
		}
		e.due = p.o.Clock.Now()
		p.queue.put(e)
	}
	p.nudge()
}

// decide ends the wait: if few devices are silent, they have failed themselves;
// otherwise this machine has.
func (p *Poller) decide(out []check.Result) []check.Result {
	o := &p.outage
	if len(o.silent) < leastSilent {
		return p.release(out)
	}
	since := o.respondedAt
	if since == 0 {
		since = o.held[0].At
	}
	o.text = fmt.Sprintf("%s has had no response from any of its %d devices since %s. Check its network connection.",
		p.o.Name, len(o.up), time.Unix(since, 0).UTC().Format("15:04 UTC"))
	p.o.Log.Warn("no device responds", "devices", len(o.up), "since", since)
	for i := range o.held {
		if !o.held[i].of.gone {
			out = append(out, o.held[i].local(o.text))
		}
	}
	o.forget()
	return out
}

// release delivers held results as the devices' own silence.
func (p *Poller) release(out []check.Result) []check.Result {
	o := &p.outage
	for i := range o.held {
		if one := &o.held[i]; !one.of.gone {
			o.mark(one.of, false)
			out = append(out, one.Result)
		}
	}
	o.forget()
	return out
}

func (o *outage) forget() {
	o.held, o.polled, o.silent, o.probe, o.until = nil, nil, nil, time.Time{}, time.Time{}
}

// rest returns the held results when the poller stops. It drops those that may be
// this machine's failure, because that can no longer be determined.
func (p *Poller) rest() []check.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.outage.silent) >= leastSilent {
		p.outage.forget()
	}
	return p.release(nil)
}

// local converts the result to a failure of this machine.
func (one *outcome) local(text string) check.Result {
	r := one.Result
	r.Values, r.Error, r.Local = nil, text, check.LocalUplink
	return r
}

// ownEvery is the time for which the names and addresses of this machine are
// cached.
const ownEvery = time.Minute

// remote reports whether a task polls another machine over the network. The
// caller holds p.mu.
func (p *Poller) remote(t *check.Task) bool {
	if p.o.Instant(t) {
		return false
	}
	if p.o.Remote != nil {
		return p.o.Remote(t)
	}
	if now := time.Now(); p.ownAt.IsZero() || now.Sub(p.ownAt) > ownEvery {
		p.own, p.ownAt = check.Own(), now
	}
	return t.Remote(p.own)
}
