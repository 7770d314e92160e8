package stage

import (
	"spyglass/backend/demo"
	"spyglass/backend/monitor"
	"spyglass/backend/portal/incident"
)

// cpuStorm keeps processors busy: at the incident's strength, or up to two
// percent less.
var cpuStorm = effect{
	kind: incident.CPUStorm,
	pick: aGroup(demo.WebShop),
	cast: theGroup,
	shows: func(s *scene, p *monitor.Point, v float64) float64 {
		busy := float64(s.Strength) - float64(lot(uint64(p.Device), uint64(p.At)))/50
		switch p.DataPoint.Name {
		case "cpuPercent":
			return max(v, busy)
		case "cpuIdlePercent":
			return min(v, 100-busy)
		case "load1", "load5":
			return max(v, busy/5)
		}
		return v
	},
	every: 60, most: 360,
}
