package stage

import (
	"math"

	"spyglass/backend/monitor"
	"spyglass/backend/portal/incident"
)

// lastDays is the number of days a certificate has left when the incident
// begins.
const lastDays = 32

// certificateExpiring speeds up the last days of a certificate: each takes a few
// minutes.
var certificateExpiring = effect{
	kind: incident.CertificateExpiring,
	pick: aDevice("web-prod-"),
	cast: theDevice,
	shows: func(s *scene, p *monitor.Point, v float64) float64 {
		if p.DataPoint.Name != "daysLeft" {
			return v
		}
		return min(v, math.Ceil(lastDays*(1-s.part(p.At)*float64(s.Strength)/100)))
	},
	every: 60, most: 24 * 3600,
}
