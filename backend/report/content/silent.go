package content

import (
	"context"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// The resolution of time without data.
const (
	leastStep = 300 // seconds
	mostSteps = 20_000
	hourly    = 30 * 24 * 3600 // seconds: older samples may be hourly
)

// silent returns the times in which a device has no samples.
func (a *availabilities) silent(ctx context.Context, d *fleet.Device) (spans, error) {
	from := max(a.from, int64(d.CreatedOn))
	if a.sources == nil || from >= a.to {
		return nil, nil
	}
	instances, err := resource.Find(ctx, a.From, fleet.Instances.Name,
		resource.Where{Field: "deviceId", Op: "=", Value: d.ID},
		resource.Where{Field: "stopMonitoring", Op: "=", Value: false})
	if err != nil {
		return nil, err
	}
	step := max(leastStep, (a.to-from)/mostSteps+1)
	if from < a.At.Unix()-hourly {
		step = max(step, 3600)
	}
	for i := range instances {
		if s := a.sources[instances[i].DataSourceID]; s != nil {
			step = max(step, 2*s.CollectInterval)
		}
	}
	seen := make([]bool, (a.to-from+step-1)/step)
	for i := range instances {
		s := a.sources[instances[i].DataSourceID]
		if s == nil || len(s.DataPoints) == 0 {
			continue
		}
		q := series.Query{Instance: instances[i].ID, DataPoints: []int64{s.DataPoints[0].ID}, From: from, To: a.to}
		steps, err := a.Series.Aggregate(ctx, q, step)
		if err != nil {
			return nil, err
		}
		for k, one := range steps[0] {
			seen[k] = seen[k] || one.Count > 0
		}
	}
	if n := len(seen); n > 1 && (a.to-from)%step != 0 {
		seen[n-1] = seen[n-1] || seen[n-2] // the last step is shorter: its sample may not have arrived yet
	}
	var out []span
	for k, is := range seen {
		if !is {
			at := from + int64(k)*step
			out = append(out, span{at, min(at+step, a.to)})
		}
	}
	return union(out), a.progress(ctx, a.ready, 0)
}
