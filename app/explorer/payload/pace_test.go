package payload

import (
	"testing"
	"time"
)

func TestRunStaysBelowTheRateLimit(t *testing.T) {
	now := time.Unix(1_790_000_000, 0)
	for _, tt := range []struct {
		name  string
		sent  []time.Duration // before now
		quota *Quota
		want  time.Duration
	}{
		{name: "nobody says a limit", sent: []time.Duration{time.Second}},
		{name: "a limit of nothing is none", quota: &Quota{Limit: 0, Remaining: 0, Window: 60}},
		{name: "there is plenty", sent: []time.Duration{time.Second},
			quota: &Quota{Limit: 100, Remaining: 99, Window: 60}},
		{name: "near the limit it waits for its oldest request to leave the window",
			sent:  []time.Duration{50 * time.Second, 40 * time.Second},
			quota: &Quota{Limit: 100, Remaining: 5, Window: 60}, want: 10 * time.Second},
		{name: "requests that left the window count no more", sent: []time.Duration{70 * time.Second, 60 * time.Second,
			30 * time.Second}, quota: &Quota{Limit: 100, Remaining: 0, Window: 60}, want: 30 * time.Second},
		{name: "at least the even pace", sent: []time.Duration{60*time.Second - time.Millisecond},
			quota: &Quota{Limit: 60, Remaining: 1, Window: 60}, want: time.Second},
		{name: "of a tiny limit the last one is kept for others",
			quota: &Quota{Limit: 2, Remaining: 1, Window: 10}, want: 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Pace{}
			for _, ago := range tt.sent {
				p.sent = append(p.sent, now.Add(-ago))
			}
			if got := p.After(tt.quota, now); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
