package stage

import (
	"context"
	"time"

	"spyglass/backend/monitor"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// collectorDown silences a simulated collector: it sends no heartbeats and polls
// nothing.
var collectorDown = effect{
	kind: incident.CollectorDown,
	pick: func(ctx context.Context, r resource.Reader, i *incident.Incident) error {
		all, err := simulatedCollectors(ctx, r)
		if len(all) > 0 {
			i.CollectorID = all[0].ID
		}
		return err
	},
	cast: func(ctx context.Context, r resource.Reader, i *incident.Incident) (map[int64]bool, error) {
		devices, err := resource.Find(ctx, r, fleet.Devices.Name, resource.Where{Field: "currentCollectorId", Op: "=",
			Value: i.CollectorID})
		cast := make(map[int64]bool, len(devices))
		for k := range devices {
			cast[devices[k].ID] = true
		}
		return cast, err
	},
	reach: func(*scene, int64, int64) monitor.Reach { return monitor.Unwatched },
}

// simulatedCollectors returns the collectors that have no real machine.
func simulatedCollectors(ctx context.Context, r resource.Reader) ([]collector.Collector, error) {
	all, err := resource.Find(ctx, r, collector.Collectors.Name,
		resource.Where{Field: "id", Op: ">", Value: ground.BuiltInCollector})
	var found []collector.Collector
	for _, c := range all {
		if c.Simulated() {
			found = append(found, c)
		}
	}
	return found, err
}

// beatEvery is the heartbeat interval of simulated collectors, in seconds.
const beatEvery = 15

// beat sends heartbeats of the simulated collectors that no incident silences.
func (s *Stage) beat(ctx context.Context) error {
	now := resource.SecondsOf(time.Now())
	if now-resource.Seconds(s.beaten.Load()) < beatEvery {
		return nil
	}
	all, err := simulatedCollectors(ctx, s.o.DB)
	if err != nil {
		return err
	}
	for i := range all {
		if s.silences(all[i].ID) {
			continue
		}
		err := s.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
			c, err := resource.Get(ctx, tx, collector.Collectors.Name, all[i].ID)
			if err != nil {
				return nil // it was deleted meanwhile
			}
			c.LastHeartbeatOn, c.IsDown = now, false
			return resource.Put(ctx, tx, collector.Collectors.Name, c)
		})
		if err != nil {
			return err
		}
	}
	s.beaten.Store(int64(now))
	return nil
}

// silences reports whether an incident silences the collector.
func (s *Stage) silences(collector int64) bool {
	for _, one := range *s.scenes.Load() {
		if one.Kind == incident.CollectorDown && one.CollectorID == collector && one.at(time.Now().Unix()) {
			return true
		}
	}
	return false
}
