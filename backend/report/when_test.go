package report_test

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/report"
	"spyglass/backend/resource"
)

func TestSchedulePreviewUsesItsTimeZone(t *testing.T) {
	h := open(t)
	s := report.New(h.db,
		report.Options{Files: folder(t, t.TempDir()), Zone: func() *time.Location { return time.UTC }})
	for _, tt := range []struct{ schedule, zone, want, field string }{
		{"0 7 * * 1", "", `{"next":[1792998000,1793602800,1794207600],"timezone":"UTC"}`, ""},
		// The clock goes back that night, so 02:30 occurs twice.
		{"30 2 * * *", "Europe/Berlin", `{"next":[1792888200,1792891800,1792978200],"timezone":"Europe/Berlin"}`, ""},
		{"0 7 * *", "", "", "schedule"},
		{"", "", "", "schedule"},
		{"0 7 * * 1", "Mars/Olympus", "", "scheduleTimezone"},
		{"0 7 * * 1", "Local", "", "scheduleTimezone"},
	} {
		for _, e := range s.Endpoints() {
			if e.Path != "/report/schedule" {
				continue
			}
			at := time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)
			out, err := e.Handle(t.Context(),
				&resource.Call{At: at, Query: url.Values{"schedule": {tt.schedule}, "scheduleTimezone": {tt.zone}}})
			text, _ := json.Marshal(out)
			if tt.field != "" && fault.Of(err).Field != tt.field || tt.field == "" && string(text) != tt.want {
				t.Errorf("%q in %q: got %s (%v), want %s%s", tt.schedule, tt.zone, text, err, tt.want, tt.field)
			}
		}
	}
}
