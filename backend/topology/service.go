package topology

import (
	"context"
	"maps"
	"slices"
	"sync"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// Service serves maps.
type Service struct {
	db resource.LiveDB

	mu       sync.Mutex
	feed     resource.Feed       // of devices and groups; nil until the first request
	changed  map[int64]bool      // devices that were written or deleted since graph was made
	lost     bool                // any device may have changed
	graph    *graph              // of all devices; nil until they are read
	drawings map[string]*drawing // by rights; their states may be those of an earlier graph
}

// mostDrawings limits the maps that are kept; each has the names of the devices on it.
const mostDrawings = 50

// New returns a Service.
func New(db resource.LiveDB) *Service { return &Service{db: db, changed: map[int64]bool{}} }

// refresh updates the graph. The caller holds mu.
func (s *Service) refresh(ctx context.Context) error {
	if s.feed == nil {
		s.feed = s.db.Follow(string(fleet.DeviceRows), string(fleet.GroupRows))
	}
	rows, lost := s.feed.Pending()
	s.lost = s.lost || lost
	for _, row := range rows {
		if row.Name == string(fleet.DeviceRows) {
			s.changed[row.ID] = true
		}
	}
	tree, err := fleet.TreeOf(ctx, s.db)
	if err != nil {
		return err
	}
	was := s.graph
	switch {
	case s.graph == nil || s.lost || len(s.changed) > len(s.graph.nodes)/2:
		devices, err := resource.Find(ctx, s.db, fleet.DeviceRows)
		if err != nil {
			return err
		}
		s.graph = newGraph(devices, tree)
	case len(s.changed) > 0 || tree != s.graph.tree:
		ids := slices.Sorted(maps.Keys(s.changed))
		var devices []fleet.Device
		if len(ids) > 0 {
			devices, err = resource.Find(ctx, s.db, fleet.DeviceRows, resource.Where{Field: "id", Op: "in", Value: ids})
			if err != nil {
				return err
			}
		}
		s.graph = s.graph.with(ids, devices, tree)
	}
	if was == nil || was.links != s.graph.links {
		s.drawings = map[string]*drawing{}
	}
	clear(s.changed)
	s.lost = false
	return nil
}

// drawing returns the map for a caller.
func (s *Service) drawing(ctx context.Context, who *resource.Access) (*drawing, error) {
	all, ids := who.Groups(resource.Read)
	key := "all"
	if !all {
		key = resource.IDs(ids).String()
	}
	defer resource.Pause(ctx)() // callers share this work, which takes seconds for the first one
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	d := s.drawings[key]
	if d != nil && d.graph == s.graph {
		return d, nil
	}
	var err error
	if d != nil && d.links == s.graph.links {
		d, err = d.with(s.graph)
	} else {
		d, err = draw(s.graph, func(group int64) bool {
			_, found := slices.BinarySearch(ids, group)
			return all || found
		})
	}
	if err != nil {
		return nil, err
	}
	if len(s.drawings) >= mostDrawings {
		clear(s.drawings)
	}
	s.drawings[key] = d
	return d, nil
}
