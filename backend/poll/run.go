package poll

import (
	"context"
	"errors"
	"slices"
	"time"

	"spyglass/backend/check"
)

// run starts checks when they are due.
func (p *Poller) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		instant, wait := p.due(ctx)
		for _, e := range instant {
			p.look(ctx, e)
		}
		if ctx.Err() != nil {
			return
		}
		if len(instant) > 0 {
			continue // time has passed
		}
		wait, changed := p.o.Clock.Wait(wait)
		timer.Reset(max(wait, p.o.Together/2))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-changed:
		case <-p.wake:
		}
	}
}

// most limits the instant checks that run before due tasks are searched again.
const most = 256

// due removes due entries from the queue: it starts checks that wait for a
// response in their own goroutines, and returns instant ones. wait is the time
// until the next one is due.
func (p *Poller) due(ctx context.Context) (instant []*entry, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Clock.Now().Round(0) // the wall clock, which may be set back
	if now.Before(p.looked) {
		p.queue.again(now)
	}
	if p.leapt(now) {
		p.queue.spread(now)
	}
	p.looked, p.meant = now, time.Time{}
	for len(instant) < most {
		e := p.queue.first()
		if wait = lookAgain; e != nil {
			wait = min(wait, e.due.Sub(now))
		}
		if wait > 0 {
			p.meant = now.Add(wait)
			return instant, wait
		}
		was := e.due
		e.due = p.queue.next(e.task, now)
		p.queue.put(e)
		if e.busy || p.stopped {
			p.stats.Missed++
			continue
		}
		e.busy, e.begun = true, was
		if p.o.Instant(e.task) {
			p.begin(e, now)
			instant = append(instant, e)
			continue
		}
		p.place(ctx, e)
	}
	return instant, 0
}

// leapt reports whether much more time has passed than the planned wait: on an
// accelerated clock, a short delay in real time is a long one.
func (p *Poller) leapt(now time.Time) bool {
	late := time.Duration(float64(leap) * max(1, p.o.Clock.Speed()))
	return !p.meant.IsZero() && now.Sub(p.meant) > late
}

func (p *Poller) begin(e *entry, now time.Time) {
	p.stats.Checks++
	p.stats.Late = max(p.stats.Late, now.Sub(e.begun))
}

// place gives the entry a worker, or queues it for one.
func (p *Poller) place(ctx context.Context, e *entry) {
	d := p.devices[e.task.DeviceID]
	if d == nil {
		d = &device{}
		p.devices[e.task.DeviceID] = d
	}
	switch {
	case d.running >= perDevice:
		d.waiting = append(d.waiting, e)
	case p.running >= p.o.Workers:
		p.waiting = append(p.waiting, e)
	default:
		p.send(ctx, d, e)
	}
}

func (p *Poller) send(ctx context.Context, d *device, e *entry) {
	d.running++
	p.running++
	p.begin(e, p.o.Clock.Now())
	device := e.task.DeviceID
	p.looks.Go("poll", func() {
		defer p.done(ctx, device)
		p.look(ctx, e)
	})
}

// done frees a worker, and gives it to the entry that has waited longest: for
// that device, or for any worker.
func (p *Poller) done(ctx context.Context, id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	d := p.devices[id]
	d.running--
	if len(d.waiting) > 0 {
		p.waiting = append(p.waiting, d.waiting[0])
		d.waiting = d.waiting[1:]
	}
	if d.running == 0 && len(d.waiting) == 0 {
		delete(p.devices, id)
	}
	for len(p.waiting) > 0 && p.running < p.o.Workers && !p.stopped {
		e := p.waiting[0]
		p.waiting = p.waiting[1:]
		if e.gone {
			e.busy = false
			continue
		}
		p.place(ctx, e)
	}
}

// limitOf returns the timeout of a check: less than its interval, so that it has
// ended when it is due again.
func limitOf(t *check.Task) time.Duration {
	return min(longest, time.Duration(max(t.Interval, 1))*time.Second*9/10)
}

// look runs one check and delivers its result. It blocks while Deliver is too
// slow.
func (p *Poller) look(ctx context.Context, e *entry) {
	p.mu.Lock()
	t := e.task
	p.mu.Unlock()
	at, began := p.o.Clock.Now(), time.Now()
	limit, cancel := context.WithTimeout(ctx, limitOf(t))
	values, err := p.runCheck(limit, t)
	timedOut := errors.Is(limit.Err(), context.DeadlineExceeded)
	cancel()
	broken := ctx.Err() != nil && err != nil // stopped: this says nothing about the device
	p.mu.Lock()
	e.busy = false
	gone := e.gone
	if !gone && !broken {
		p.stats.Done++
		if err != nil {
			p.stats.Failed++
		}
	}
	p.mu.Unlock()
	if gone || broken {
		return
	}
	r := outcome{
		Result: check.Result{InstanceID: t.InstanceID, At: at.Unix(),
			Took: float64(time.Since(began).Microseconds()) / 1000}, of: e, began: began}
	r.Set(values, err)
	r.silent = r.Local == "" && !*r.Responded && (timedOut || check.IsSilent(err))
	p.results <- r
}

// runCheck runs one check; a panic counts as a failure.
func (p *Poller) runCheck(ctx context.Context, t *check.Task) (values check.Values, err error) {
	if broke := p.o.Guard.Run("poll "+t.Method, func() { values, err = p.o.Run(ctx, t) }); broke != nil {
		return nil, errBroke
	}
	return values, err
}

var errBroke = errors.New("the check failed with an internal error; see the collector's log")

// deliver delivers results in batches. The first result after a pause is
// delivered immediately, so that alerts are not delayed, unless others are due at
// the same time; otherwise a batch waits for more. Silent results may be held
// until it is known whose failure they are.
func (p *Poller) deliver(ctx context.Context) {
	var last time.Time
	for {
		batch, more := p.await(last)
		last = time.Now()
		results := p.sift(batch, last)
		if !more {
			results = append(results, p.rest()...)
		}
		for part := range slices.Chunk(results, maxBatch) {
			p.hand(ctx, part)
		}
		if !more {
			return
		}
	}
}

// await returns the next results, or none if held ones have to be decided; more
// is false when the poller has stopped.
func (p *Poller) await(last time.Time) (batch []outcome, more bool) {
	p.mu.Lock()
	until := p.outage.until
	if probe := p.outage.probe; !probe.IsZero() {
		until = probe
	}
	p.mu.Unlock()
	var decide <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		decide = timer.C
	}
	select {
	case first, ok := <-p.results:
		if !ok {
			return nil, false
		}
		wait := gather
		if p.o.Together == 0 {
			wait -= time.Since(last)
		}
		return p.collect(first, wait), true
	case <-decide:
		return nil, true
	}
}

func (p *Poller) hand(ctx context.Context, results []check.Result) {
	var err error
	if broke := p.o.Guard.Run("poll results", func() { err = p.o.Deliver(ctx, results) }); broke != nil {
		err = broke
	}
	if err != nil {
		p.o.Log.WarnContext(ctx, "results of polling are lost", "results", len(results), "err", err)
	}
}

// collect adds the results that are pending or arrive within wait.
func (p *Poller) collect(first outcome, wait time.Duration) []outcome {
	batch := append(make([]outcome, 0, 64), first)
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		for over := false; !over && len(batch) < maxBatch; {
			select {
			case r, ok := <-p.results:
				if !ok {
					return batch
				}
				batch = append(batch, r)
			case <-timer.C:
				over = true
			}
		}
	}
	for len(batch) < maxBatch {
		select {
		case r, ok := <-p.results:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}
