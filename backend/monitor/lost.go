package monitor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// lossShown is the minimum time for which the alert about lost samples stays
// open, so that its recipients are notified.
const lossShown = time.Minute

// loss counts samples that could not be stored, until an alert reports them.
// See "Lost samples" of Engine.
type loss struct {
	mu     sync.Mutex
	looked bool      // an alert of an earlier process was cleared
	lost   int       // samples, since storing last succeeded
	first  time.Time // when storing first failed
	last   time.Time // when storing last failed
	reason string
	raised time.Time // when the alert opened; zero if it is not open
}

// noteLoss opens the portal's own alert when samples cannot be stored, and clears
// it when they can be stored again. If the alert itself cannot be stored on a
// full disk, it opens later with the next samples, even if these can be stored.
func (e *Engine) noteLoss(ctx context.Context, samples int, failed error) {
	if samples == 0 || ctx.Err() != nil || fault.Is(failed, fault.Offline) { // the portal is stopping
		return
	}
	l, now := &e.loss, e.o.Clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if failed != nil {
		if l.lost == 0 {
			l.first = now
		}
		l.lost, l.last, l.reason = l.lost+samples, now, fault.Sentence(failed)
	}
	switch {
	case l.lost > 0 && l.raised.IsZero():
		if e.writeLossAlert(ctx, l, now, true) == nil {
			l.raised, l.looked = now, true
		}
	case failed == nil && (!l.looked || l.lost > 0 && now.Sub(l.raised) >= lossShown):
		if e.writeLossAlert(ctx, l, now, false) == nil {
			l.lost, l.raised, l.looked = 0, time.Time{}, true
		}
	}
}

// writeLossAlert writes the alert. It may fail for the same reason as storing the
// samples; that reason is in the log already.
func (e *Engine) writeLossAlert(ctx context.Context, l *loss, now time.Time, open bool) error {
	f := &alert.Finding{
		CollectorID: ground.BuiltInCollector, Condition: alert.ConditionSamples, Severity: threshold.SeverityCritical,
		Value: "samples lost", Reason: l.text(now), At: resource.SecondsOf(now),
	}
	return e.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) (err error) {
		if open {
			_, _, err = alert.Raise(ctx, tx, f)
			return err
		}
		f.Value = ""
		_, err = alert.Clear(ctx, tx, f)
		return err
	})
}

// text returns the text of an alert that opens now.
func (l *loss) text(now time.Time) string {
	if !now.After(l.last) {
		return "The portal cannot store samples: " + l.reason + ". New samples are lost."
	}
	words := "1 sample"
	if l.lost != 1 {
		words = fmt.Sprintf("%d samples", l.lost)
	}
	return fmt.Sprintf("The portal could not store %s from %s to %s: %s.", words, l.first.UTC().Format(time.DateTime),
		l.last.UTC().Format(time.DateTime+" MST"), l.reason)
}

// append stores samples.
func (e *Engine) append(ctx context.Context, all []series.Sample) error {
	err := e.o.Append(ctx, all)
	e.noteLoss(ctx, len(all), err)
	return err
}
