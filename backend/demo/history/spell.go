package history

import (
	"context"
	"strconv"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// spell is a period in which a data point has the value of its alert, so that the
// samples match the alerts.
type spell struct {
	from, to int64 // epoch seconds; to is excluded, and 0 while the alert is active
	value    float64
}

// valueIn returns the value of the spells at a time.
func valueIn(spells []spell, at int64) (v float64, ok bool) {
	for _, s := range spells {
		if at >= s.from && (s.to == 0 || at < s.to) {
			return s.value, true
		}
	}
	return 0, false
}

// findSpells reads the alerts of the week before this history was created. Later
// alerts come from polls and have samples.
func (h *History) findSpells(ctx context.Context) error {
	h.spells = map[series.Key][]spell{}
	for _, still := range []resource.Where{{Field: "endEpoch", Op: "=", Value: 0},
		{Field: "endEpoch", Op: ">", Value: h.made - past}} {
		alerts, err := resource.Find(ctx, h.db, alert.Alerts.Name, still,
			resource.Where{Field: "startEpoch", Op: "<", Value: h.made})
		if err != nil {
			return err
		}
		for i := range alerts {
			a := &alerts[i]
			v, err := strconv.ParseFloat(a.Value, 64)
			if err != nil {
				continue // missing data, or not an alert of a data point
			}
			key := series.Key{Instance: a.InstanceID, DataPoint: a.DataPointID}
			h.spells[key] = append(h.spells[key], spell{int64(a.StartOn), int64(a.EndOn), v})
		}
	}
	return nil
}
