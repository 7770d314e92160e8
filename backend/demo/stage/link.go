package stage

import (
	"spyglass/backend/monitor"
	"spyglass/backend/portal/incident"
)

// flap is the minimum time between two changes of a link, in seconds.
const flap = 120

// flappingLink takes the first interface of a device down and up again.
var flappingLink = effect{
	kind: incident.FlappingLink,
	pick: aDevice("dist-sw-"),
	cast: theDevice,
	shows: func(s *scene, p *monitor.Point, v float64) float64 {
		if p.DataPoint.Name != "operStatus" || p.Wild != "1" {
			return v
		}
		if lot(uint64(s.ID), uint64(p.Device), uint64(p.At/flap)) < s.Strength {
			return 2
		}
		return 1
	},
	every: 60, most: 24 * 3600,
}
