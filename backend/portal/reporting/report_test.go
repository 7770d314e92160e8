package reporting_test

import (
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
)

func TestParseTimeRange(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 31, 15, 4, 5, 0, oslo) // a Tuesday, two days after the clock went forward
	const bad = "dateRange must be a range such as Last 7 days, Last calendar month or 2026-01-01 TO 2026-01-31"
	for _, tt := range []struct{ text, from, to, err string }{
		{text: "", from: "2026-03-30T15:04:05+02:00", to: "2026-03-31T15:04:05+02:00"},
		{text: "last 24 HOURS", from: "2026-03-30T15:04:05+02:00", to: "2026-03-31T15:04:05+02:00"},
		{text: "Last 3 days", from: "2026-03-28T15:04:05+01:00", to: "2026-03-31T15:04:05+02:00"},
		{text: "Last week", from: "2026-03-24T15:04:05+01:00", to: "2026-03-31T15:04:05+02:00"},
		{text: "Last 90 minutes", from: "2026-03-31T13:34:05+02:00", to: "2026-03-31T15:04:05+02:00"},
		{text: "Today", from: "2026-03-31T00:00:00+02:00", to: "2026-03-31T15:04:05+02:00"},
		{text: "Yesterday", from: "2026-03-30T00:00:00+02:00", to: "2026-03-31T00:00:00+02:00"},
		{text: "Last calendar week", from: "2026-03-23T00:00:00+01:00", to: "2026-03-30T00:00:00+02:00"},
		{text: "Last calendar month", from: "2026-02-01T00:00:00+01:00", to: "2026-03-01T00:00:00+01:00"},
		{text: "Month to date", from: "2026-03-01T00:00:00+01:00", to: "2026-03-31T15:04:05+02:00"},
		{text: "Any time", from: "0001-01-01T00:00:00Z", to: "0001-01-01T00:00:00Z"},
		{text: "2026-03-29 TO 2026-03-29", from: "2026-03-29T00:00:00+01:00", to: "2026-03-30T00:00:00+02:00"},
		{text: "2026-01-01 08:00 to 2026-01-01 08:59", from: "2026-01-01T08:00:00+01:00",
			to: "2026-01-01T09:00:00+01:00"},
		{text: "2026-01-02 TO 2026-01-01", err: "the end of dateRange is before its start"},
		{text: "Last 0 days", err: bad},
		{text: "Last 9999999 days", err: bad},
		{text: "Last 3 fortnights", err: bad},
		{text: "2026-02-30 TO 2026-03-01", err: bad},
		{text: "whenever", err: bad},
	} {
		from, to, err := reporting.ParseRange(tt.text, now)
		if tt.err != "" {
			if f := fault.Of(err); f.Field != "dateRange" || f.Message != tt.err {
				t.Errorf("%q: got %v, want %s", tt.text, err, tt.err)
			}
			continue
		}
		if got, until := from.Format(time.RFC3339), to.Format(time.RFC3339); err != nil || got != tt.from ||
			until != tt.to {
			t.Errorf("%q: got %s to %s (%v), want %s to %s", tt.text, got, until, err, tt.from, tt.to)
		}
	}
}

func TestScheduleIsAFiveFieldCronExpression(t *testing.T) {
	schedule, err := reporting.ParseSchedule("30 6 1 * *")
	if err != nil {
		t.Fatal(err)
	}
	if next := schedule.Next(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)); !next.Equal(
		time.Date(2026, 6, 1, 6, 30, 0, 0,
			time.UTC)) {
		t.Errorf("it comes next at %s", next)
	}
	for _, text := range []string{"", "daily", "@daily", "@every 1s", "0 7 * *", "0 0 7 * * *", "60 7 * * *",
		"0 7 30 2 *",
		"TZ=", "CRON_TZ=Europe/Oslo 0 7 * * *", "TZ=x * * * *"} {
		if _, err := reporting.ParseSchedule(text); fault.Of(err).Field != "schedule" {
			t.Errorf("%q: got %v, want a refusal at schedule", text, err)
		}
	}
}

func TestResultIsVisibleWithThePermissionsOfItsUser(t *testing.T) {
	reads := func(grants ...resource.Grant) *resource.Access { return &resource.Access{Grants: grants} }
	groups := func(ids ...int64) resource.Grant {
		g := resource.Grant{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{}}
		for _, id := range ids {
			g.Groups[id] = true
		}
		return g
	}
	all := resource.Grant{Object: resource.DeviceGroup, Op: resource.Read, All: true}
	users := resource.Grant{Object: resource.Setting, Area: ground.AreaUserAccess, Op: resource.Read}
	devices := resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
	settings := resource.Right{Object: resource.Setting, Area: ground.AreaUserAccess, Op: resource.Read}
	for _, tt := range []struct {
		name string
		kind resource.Right
		ran  *resource.Access
		sees *resource.Access
		want bool
	}{
		{"the same groups", devices, reads(groups(2, 3)), reads(groups(3, 2)), true},
		{"more groups", devices, reads(groups(2)), reads(groups(2, 3)), true},
		{"fewer groups", devices, reads(groups(2, 3)), reads(groups(2)), false},
		{"all groups", devices, reads(groups(2)), reads(all), true},
		{"not all groups", devices, reads(all), reads(groups(2)), false},
		{"no groups at all", devices, reads(groups(2)), reads(users), false},
		{"users", settings, reads(users), reads(users), true},
		{"no users", settings, reads(users), reads(all), false},
	} {
		task := reporting.ReportTask{State: reporting.TaskDone}
		task.Saw(tt.kind, tt.ran)
		if got := task.SeenBy(tt.sees); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
