package collect

import (
	"testing"

	"spyglass/backend/check"
)

func TestSlowClockIsDetectedByConsistentlyOldResults(t *testing.T) {
	const start = 1_790_000_000
	steady := func(age int64) func(int64) int64 { return func(int64) int64 { return age } }
	for _, tt := range []struct {
		name    string
		age     func(after int64) int64 // age of the newest result of a post
		every   int64                   // seconds between two posts
		waiting int64
		lasts   int64 // seconds
		want    int64
	}{
		{"right", steady(1), 1, 0, 300, 0},
		{"four minutes slow, polls each second", steady(240), 1, 1, 120, -240},
		{"four minutes slow, polls each five minutes", steady(240), 300, 0, 900, -240},
		{"a day slow", steady(86_400), 60, 0, 300, -86_400},
		{"not known within a minute", steady(240), 1, 0, 50, 0},
		{"catches up in minutes", func(after int64) int64 { return max(0, 600-10*after) }, 1, 0, 59, 0},
		{"catches up slowly", func(after int64) int64 { return 1800 - after }, 1, 0, 300, 0},
		{"others wait", steady(240), 1, 20, 300, 0},
		{"ahead", steady(-100), 10, 0, 60, 100},
		{"polls that take long", func(after int64) int64 { return 240 + after%7*4 }, 10, 0, 300, -240},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, offset, changes := &lags{}, int64(0), 0
			for after := int64(0); after <= tt.lasts; after += tt.every {
				l.waits(2, tt.waiting)
				now := start + after
				at := now - tt.age(after)
				was := offset
				if offset = l.offset(2, was, now, []check.Result{{At: at - 60}, {At: at}}); offset != was {
					changes++
				}
			}
			if offset != tt.want && (tt.want >= 0 || offset < tt.want-5 || offset > tt.want) || changes > 1 {
				t.Errorf("the clock is %d s ahead after %d changes, want %d", offset, changes, tt.want)
			}
		})
	}
	l, offset := &lags{}, int64(0)
	for after := range int64(180) {
		now, age := start+after, int64(240)
		if after > 120 {
			age = 0 // a person corrects the clock
		}
		offset = l.offset(2, offset, now, []check.Result{{At: now - age}})
		if after == 120 && offset != -240 || after == 121 && offset != 0 {
			t.Errorf("after %d s the clock is %d s ahead", after, offset)
		}
	}
}
