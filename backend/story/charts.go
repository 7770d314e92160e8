package story

import (
	"context"
	"math"
	"slices"

	"spyglass/backend/series"
)

const (
	chartSteps = 240
	chartLead  = 30 * 60 // seconds that charts show before the story, at least
)

// draw reads the data points of the first alerts, that of the cause first, all
// over the same time.
func (t *teller) draw(ctx context.Context) error {
	from, to := t.story.Start, t.until()
	lead := max(chartLead, (to-from)/4)
	from, to = from-lead, min(t.now, to+lead)
	step := max(60, ((to-from)/chartSteps+59)/60*60)
	c := &t.story.Charts
	*c = IncidentCharts{Start: from, End: to, Step: step, Lines: []IncidentChart{}}
	var keys []series.Key
	for _, a := range t.charted() {
		key := series.Key{Instance: a.InstanceID, DataPoint: a.dataPoint}
		if a.InstanceID == 0 || slices.Contains(keys, key) || len(keys) == mostCharts {
			continue
		}
		keys = append(keys, key)
		c.Lines = append(c.Lines, IncidentChart{AlertID: a.ID, DeviceID: a.DeviceID, Device: a.Device,
			DataSource: a.DataSource, Instance: a.Instance, DataPoint: a.DataPoint, Unit: a.Unit,
			Threshold: a.Threshold, InstanceID: a.InstanceID, OnDevice: a.DeviceDataSourceID})
	}
	found, err := t.o.Series.AggregateMany(ctx, keys, from, to+1, step)
	if err != nil {
		return err
	}
	for i := range found {
		every := int64(60)
		source := func(a IncidentAlert) bool { return a.ID == c.Lines[i].AlertID }
		if d := t.sources[t.story.Alerts[slices.IndexFunc(t.story.Alerts, source)].dataSource]; d != nil {
			every = d.CollectInterval
		}
		c.Lines[i].Values = values(found[i], step, every)
	}
	return nil
}

// charted returns the alerts in the order in which they are drawn: the cause, the
// requested one, those of other devices, the rest.
func (t *teller) charted() []*IncidentAlert {
	all := make([]*IncidentAlert, len(t.story.Alerts))
	for i := range t.story.Alerts {
		all[i] = &t.story.Alerts[i]
	}
	order := func(a *IncidentAlert) int {
		switch {
		case a.ID == t.cause.ID:
			return 0
		case a.ID == t.story.ID:
			return 1
		case a.Relation == "same":
			return 2
		}
		return 3
	}
	slices.SortStableFunc(all, func(a, b *IncidentAlert) int { return order(a) - order(b) })
	return all
}

// values returns the averages of steps. Less than three missing polls are no gap.
func values(steps []series.Step, step, every int64) []*float64 {
	out, last := make([]*float64, len(steps)), -1
	for k := range steps {
		v := steps[k].Average()
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		for n := last + 1; last >= 0 && n < k && int64(k-last-1)*step < missed*every; n++ {
			out[n] = out[last]
		}
		out[k], last = &v, k
	}
	return out
}
