package server

import (
	"spyglass/backend/resource"
	"spyglass/backend/story"
)

// stories returns the endpoint for the story of an alert.
func (s *Server) stories() []resource.Endpoint {
	return story.New(story.Options{DB: s.db, Series: s.series, Zone: s.zone,
		Dependencies: func(device int64) (above, below []int64) {
			if engine := s.engine.Load(); engine != nil {
				return engine.Dependencies(device)
			}
			return nil, nil
		}}).Endpoints()
}
