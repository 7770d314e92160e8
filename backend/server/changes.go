package server

import (
	"context"
	"slices"
	"time"

	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/reporting"
)

// changesPace is the interval at which changes are collected and reported.
const changesPace = time.Second

// Changes calls notify with the kinds of rows that have changed, by the names of
// their resources, at most once per changesPace, until ctx ends or notify fails. It
// reports no details: listeners request what they may view.
func (s *Server) Changes(ctx context.Context, notify func(kinds []string) error) error {
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
		if err := notify(changed); err != nil {
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
