package server

import (
	"context"
	"slices"
	"time"

	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/reporting"
)

// changesPace is how long changes are collected before they are reported.
const changesPace = time.Second

// Changes reports which kinds of rows have changed, by the names of their
// resources, at most once in changesPace, until ctx ends or tell fails. It
// reports no details: listeners request what they may see.
func (s *Server) Changes(ctx context.Context, tell func(kinds []string) error) error {
	kinds := append(slices.Clone(s.kinds), string(reporting.ReportTasks.Name), string(incident.DemoTimes.Name),
		string(override.Overrides.Name))
	feed := s.db.Follow(kinds...)
	defer feed.Close()
	pace := time.NewTimer(0)
	defer pace.Stop()
	for {
		rows, lost, err := feed.Next(ctx)
		if err != nil {
			return err
		}
		changed := kinds
		if !lost {
			changed = nil
			for _, row := range rows {
				changed = append(changed, row.Name)
			}
			slices.Sort(changed)
			changed = slices.Compact(changed)
		}
		if err := tell(changed); err != nil {
			return err
		}
		pace.Reset(changesPace)
		select {
		case <-pace.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
