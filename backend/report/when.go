package report

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
)

// mostRuns is the number of runs in a preview of a schedule.
const mostRuns = 3

// times holds the next runs of a schedule.
type times struct {
	Next     []resource.Seconds `json:"next" doc:"the next runs, in epoch seconds"`
	Timezone string             `json:"timezone" doc:"the time zone of the schedule"`
}

// whenEndpoint previews a schedule before it is saved.
func (s *Service) whenEndpoint(fails []resource.Failure) resource.Endpoint {
	response := resource.SchemaOf(times{})
	response.Name = "ScheduleTimes"
	return resource.Endpoint{
		Method: "GET", Path: "/report/schedule", Summary: "Preview a schedule", Right: resource.Right{
			Object: resource.Reports, Op: resource.Read}, Response: &response,
		Doc: "Returns the next three runs of a schedule. Nothing is stored.",
		Params: []resource.Param{
			{Name: "schedule", In: "query", Required: true, Schema: resource.Text("The cron expression: minute, " +
				"hour, day " +
				"of the month, month, day of the week"), Example: "0 7 * * 1"},
			{Name: "scheduleTimezone", In: "query", Schema: resource.Text("IANA name of its time zone; empty: the " +
				"portal's"), Example: "Europe/Berlin"},
		},
		Errors: fails,
		Example: resource.Example{Path: "/report/schedule",
			Query: [][2]string{{"schedule", "0 7 * * 1"}, {"scheduleTimezone", "Europe/Berlin"}}},
		Handle: s.when,
	}
}

func (s *Service) when(_ context.Context, c *resource.Call) (any, error) {
	schedule, err := reporting.ParseSchedule(c.Query.Get("schedule"))
	if err != nil {
		return nil, err
	}
	zone, name := s.o.Zone(), c.Query.Get("scheduleTimezone")
	if name != "" {
		if zone, err = time.LoadLocation(name); err != nil || name == "Local" {
			return nil, fault.At("scheduleTimezone",
				"scheduleTimezone must be an IANA time zone name such as Europe/Berlin")
		}
	}
	out := times{Timezone: zone.String(), Next: make([]resource.Seconds, 0, mostRuns)}
	for at := c.At.In(zone); len(out.Next) < mostRuns; {
		if at = schedule.Next(at); at.IsZero() { // beyond the years that cron searches
			break
		}
		out.Next = append(out.Next, resource.SecondsOf(at))
	}
	return out, nil
}
