package demo

import (
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// pastIncident adds an incident that has ended.
func (f *filler) pastIncident() error {
	one := incident.Incident{ID: 1, Kind: incident.CPUStorm, GroupID: WebShop, Strength: 95, Duration: 1800,
		State: incident.IncidentEnded, StartOn: f.ago(2), EndOn: f.ago(2) + 1800, StartedBy: "admin"}
	return resource.Put(f.write.Context, f.write.Tx, incident.Incidents.Name, &one)
}
