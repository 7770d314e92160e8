package demo

import (
	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// pastIncident is one that is over.
func (f *filler) pastIncident() error {
	one := portal.Incident{ID: 1, Kind: portal.CPUStorm, GroupID: webShop, Strength: 95, Duration: 1800, State: portal.IncidentEnded, StartOn: f.ago(2), EndOn: f.ago(2) + 1800, StartedBy: "admin"}
	return resource.Put(f.write.Context, f.write.Tx, portal.Incidents.Name, &one)
}
