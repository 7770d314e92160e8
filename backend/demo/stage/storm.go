package stage

import (
	"spyglass/backend/demo"
	"spyglass/backend/monitor"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/threshold"
)

// alertStorm moves data points beyond their thresholds; the incident's strength
// is the share of affected data points.
var alertStorm = effect{
	kind: incident.AlertStorm,
	pick: aGroup(ground.RootGroup),
	cast: theGroup,
	shows: func(s *scene, p *monitor.Point, v float64) float64 {
		if p.DataPoint.AlertExpr == "" || lot(uint64(p.Device), drawn(p.Source.Name), drawn(p.Wild),
			uint64(p.DataPoint.ID)) >= s.Strength {
			return v
		}
		severity := threshold.SeverityWarn + lot(drawn(p.Wild), uint64(p.Device), uint64(p.DataPoint.ID))%3
		for ; severity >= threshold.SeverityWarn; severity-- {
			if beyond, ok := demo.ValueOf(p.DataPoint, severity); ok {
				return beyond
			}
		}
		return v
	},
	every: 10, most: 60,
}
