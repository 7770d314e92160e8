package monitor

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// Sizes and durations of the worker's steps.
const (
	firstChunk = 8 // devices in the first transaction
	mostChunk  = 500
	compared   = 200                  // devices compared at a time, outside the write transaction
	brief      = 4 * time.Millisecond // duration of a transaction
	yield      = 2                    // how many times as long as a step the worker rests
	deference  = 12                   // the same while others write devices
	leastRest  = 1 * time.Millisecond // so that others waiting for the processor get it
	mostRest   = 250 * time.Millisecond
)

// worker is the state of one run of the goroutine. Everything that must survive
// it is in the database.
type worker struct {
	m     *Monitor
	turn  int             // each kind of work goes first in turn
	chunk int64           // devices in the next transaction
	busy  <-chan struct{} // signals that others write devices

	at    int64  // the last device of the current pass over all devices
	print string // applying.Print when the pass began; empty: no pass

	took    time.Duration // duration of the last step
	devices int           // devices processed since the last report
	since   time.Time     // time of the last report
}

// step does the first pending work, for a few devices. more is false if there is
// none.
func (w *worker) step(ctx context.Context) (more bool, err error) {
	began := time.Now()
	defer func() { w.took = time.Since(began) }()
	state, err := w.state(ctx, w.m.db)
	if err != nil {
		return false, err
	}
	jobs := []func(context.Context, *fleet.Settling) (bool, error){w.changed, w.fresh, w.all, w.due}
	w.turn++
	for i := range jobs {
		if more, err := jobs[(w.turn+i)%len(jobs)](ctx, state); more || err != nil {
			return more, err
		}
	}
	return false, nil
}

// rest returns how long the worker pauses before the next step.
func (w *worker) rest() time.Duration {
	times := time.Duration(yield)
	select {
	case <-w.busy:
		times = deference
	default:
	}
	return min(max(w.took*times, leastRest), mostRest)
}

// report logs the progress, periodically and at the end.
func (w *worker) report(ctx context.Context, done bool) {
	if w.devices == 0 || !done && time.Since(w.since) < progress {
		return
	}
	w.m.log.DebugContext(ctx, "devices were associated with data sources", "devices", w.devices, "done", done)
	w.devices, w.since = 0, time.Now()
}

func (w *worker) state(ctx context.Context, r resource.Reader) (*fleet.Settling, error) {
	state, err := resource.Get(ctx, r, fleet.SettlingRow.Name, fleet.SettlingID)
	if fault.Is(err, fault.Unknown) {
		return &fleet.Settling{ID: fleet.SettlingID}, nil
	}
	return state, err
}

// brieflyWrite runs do in a transaction, and adjusts the size of the next one
// to the time it took.
func (w *worker) brieflyWrite(ctx context.Context, devices int, do func(tx resource.Tx) error) error {
	var took time.Duration
	err := w.m.db.Write(ctx, func(tx resource.Tx) error {
		began := time.Now()
		defer func() { took = time.Since(began) }()
		return do(tx)
	})
	if err != nil {
		return err
	}
	w.devices += devices
	switch {
	case took > brief:
		w.chunk = max(1, w.chunk*int64(brief)/int64(took))
	case took < brief/2 && int64(devices) >= w.chunk:
		w.chunk = min(mostChunk, w.chunk*2)
	}
	return nil
}

// changed processes devices from the queue of changed devices.
func (w *worker) changed(ctx context.Context, _ *fleet.Settling) (bool, error) {
	queue, err := resource.Find(ctx, w.m.db, fleet.UnsettledRows.Name, resource.Limit(w.chunk))
	if err != nil || len(queue) == 0 {
		return false, err
	}
	ids := make([]int64, len(queue))
	for i, u := range queue {
		ids[i] = u.ID
	}
	return true, w.brieflyWrite(ctx, len(ids), func(tx resource.Tx) error {
		if err := w.associate(ctx, tx, ids); err != nil {
			return err
		}
		return resource.DeleteAll(ctx, tx, fleet.UnsettledRows.Name, resource.Where{Field: "id", Op: "in", Value: ids})
	})
}

func (w *worker) associate(ctx context.Context, tx resource.Tx, ids []int64) error {
	devices, err := resource.Find(ctx, tx, fleet.Devices.Name, resource.Where{Field: "id", Op: "in", Value: ids})
	if err == nil {
		_, err = fleet.Associate(ctx, tx, devices, w.m.now())
	}
	return err
}

// fresh processes new devices.
func (w *worker) fresh(ctx context.Context, state *fleet.Settling) (bool, error) {
	ids, err := w.m.db.IDs(ctx, string(fleet.Devices.Name), resource.Where{Field: "id", Op: ">", Value: state.LastID},
		resource.Limit(w.chunk))
	if err != nil || len(ids) == 0 {
		return false, err
	}
	applying, err := fleet.ApplyingOf(ctx, w.m.db)
	if err != nil {
		return false, err
	}
	if state.LastID == 0 { // the first devices: this pass or a later one covers all of them
		state.Print = applying.Print
	}
	state.LastID = ids[len(ids)-1]
	return true, w.brieflyWrite(ctx, len(ids), func(tx resource.Tx) error {
		if err := w.associate(ctx, tx, ids); err != nil {
			return err
		}
		return resource.Put(ctx, tx, fleet.SettlingRow.Name, state)
	})
}

// all processes all devices if the data sources that may apply have changed since
// the last pass. A change during a pass counts at once for the rest, and starts
// another pass for the others.
func (w *worker) all(ctx context.Context, state *fleet.Settling) (bool, error) {
	applying, err := fleet.ApplyingOf(ctx, w.m.db)
	if err != nil {
		return false, err
	}
	if w.print == "" {
		if applying.Print == state.Print {
			return false, nil
		}
		w.at, w.print = 0, applying.Print
	}
	devices, err := resource.Find(ctx, w.m.db, fleet.Devices.Name, resource.Where{Field: "id", Op: ">", Value: w.at},
		resource.Where{Field: "id", Op: "<=", Value: state.LastID}, resource.Limit(compared))
	if err != nil {
		return false, err
	}
	if len(devices) == 0 {
		state.Print, w.print = w.print, ""
		return true,
			w.m.db.Write(
				ctx, func(tx resource.Tx) error { return resource.Put(ctx, tx, fleet.SettlingRow.Name, state) })
	}
	differ, err := fleet.Unsettling(ctx, w.m.db, devices)
	if err != nil {
		return false, err
	}
	last := devices[len(devices)-1].ID
	if int64(len(differ)) > w.chunk {
		differ = differ[:w.chunk]
		last = differ[len(differ)-1]
	}
	if len(differ) > 0 {
		err = w.brieflyWrite(ctx, len(differ), func(tx resource.Tx) error { return w.associate(ctx, tx, differ) })
	}
	if err == nil {
		w.at = last
	}
	return true, err
}
