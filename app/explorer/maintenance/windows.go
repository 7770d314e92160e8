// Package maintenance computes when the maintenance that a portal lists is in effect.
//
// Remote portals list their maintenance as recurrences; the page draws time windows.
//
// # Units
//
// Times are epoch milliseconds; durations are minutes.
//
// # Concurrency
//
// The endpoint works on its body alone, and starts no goroutines.
//
// # Errors
//
// fault.Invalid, with the field planned: too many were sent. A recurrence of an
// unknown kind has no windows.
package maintenance

import (
	"context"
	"slices"
	"time"

	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/resource"
)

// planned is a maintenance window in a portal's list.
type planned struct {
	Recurrence  string          `json:"sdtType,omitempty"`
	Timezone    string          `json:"timezone,omitempty"`
	Start       resource.Millis `json:"startDateTime,omitempty"`
	End         resource.Millis `json:"endDateTime,omitempty"`
	Hour        int64           `json:"hour,omitempty"`
	Minute      int64           `json:"minute,omitempty"`
	EndHour     int64           `json:"endHour,omitempty"`
	EndMinute   int64           `json:"endMinute,omitempty"`
	Duration    int64           `json:"duration,omitempty"`
	WeekDay     string          `json:"weekDay,omitempty"`
	WeekOfMonth string          `json:"weekOfMonth,omitempty"`
	MonthDay    int64           `json:"monthDay,omitempty"`
}

// windowsRequest is the body of /maintenance/windows.
type windowsRequest struct {
	From, To resource.Millis
	Planned  []planned
}

var windowsRequests = resource.Resource[*windowsRequest]{Name: "window", Label: "window",
	Fields: []resource.Field[*windowsRequest]{
		{Name: "from", At: func(w *windowsRequest) any { return &w.From }, Doc: "The time range",
			Required: true},
		{Name: "to", At: func(w *windowsRequest) any { return &w.To }, Required: true},
		{Name: "planned", At: func(w *windowsRequest) any { return &w.Planned },
			Doc:      "Maintenance schedules as the portal lists them",
			Required: true},
	}}

// stretch is a period in which the maintenance at that index of the list is in
// effect.
type stretch struct {
	Of   int             `json:"of"`
	From resource.Millis `json:"from"`
	To   resource.Millis `json:"to"`
}

type stretches struct {
	Items []stretch `json:"items"`
}

const (
	maxPlanned = 1000
	maxWindows = 2000 // per list
)

var recurrences = []string{maintenance.OneTime, maintenance.Daily, maintenance.Weekly, maintenance.Monthly,
	maintenance.MonthlyByWeek}

// Endpoint returns POST /maintenance/windows.
func Endpoint() resource.Endpoint {
	return serve.Post("/maintenance/windows", "Calculate the times of maintenance", &windowsRequests,
		func(_ context.Context, _ *resource.Call, in *windowsRequest) (*stretches, error) {
			if len(in.Planned) > maxPlanned {
				return nil, fault.At("planned", "at most %d schedules are allowed", maxPlanned)
			}
			out := []stretch{}
			for i := range in.Planned {
				out = in.Planned[i].windows(out, i, in.From, in.To)
			}
			return &stretches{out}, nil
		})
}

// windows adds the windows that overlap the time from…to; none for an unknown
// kind.
func (p *planned) windows(out []stretch, of int, from, to resource.Millis) []stretch {
	if !slices.Contains(recurrences, p.Recurrence) {
		return out
	}
	if p.Duration <= 0 {
		const day = 24 * 60
		p.Duration = (p.EndHour*60+p.EndMinute-p.Hour*60-p.Minute+day-1)%day + 1
	}
	sdt := maintenance.SDT{
		Recurrence: p.Recurrence, Timezone: p.Timezone, Start: p.Start, End: p.End, Hour: p.Hour, Minute: p.Minute,
		Duration: p.Duration,
		WeekDay:  p.WeekDay, WeekOfMonth: p.WeekOfMonth, MonthDay: p.MonthDay,
	}
	schedule, end := sdt.Schedule(time.UTC), time.UnixMilli(int64(to))
	w, ok := schedule.At(time.UnixMilli(int64(from)))
	if !ok {
		w, ok = schedule.Next(time.UnixMilli(int64(from)))
	}
	for ok && w.Begin.Before(end) && len(out) < maxWindows {
		out = append(out, stretch{of, resource.MillisOf(w.Begin), resource.MillisOf(w.End)})
		w, ok = schedule.Next(w.Begin)
	}
	return out
}
