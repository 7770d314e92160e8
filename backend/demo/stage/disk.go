package stage

import (
	"math"

	"spyglass/backend/monitor"
	"spyglass/backend/portal/incident"
)

// used maps a data point for used space to the data point for its capacity.
var used = map[string]string{"used": "capacity", "diskUsed": "diskTotal"}

// soon is the share of the incident after which disks are fullest; they stay full
// until its end.
const soon = 0.8

// diskFilling fills all disks of a device, beginning at their current usage.
var diskFilling = effect{
	kind: incident.DiskFilling,
	pick: aDevice("db-pg-"),
	cast: theDevice,
	shows: func(s *scene, p *monitor.Point, v float64) float64 {
		capacity := used[p.DataPoint.Name]
		if capacity == "" {
			return v
		}
		full := p.Of(capacity) * float64(s.Strength) / 100
		return math.Round(max(v, v+(full-v)*min(1, s.part(p.At)/soon)))
	},
	every: 120, most: 24 * 3600,
}
