package maintenance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/portal/maintenance"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// text formats a window for people.
func text(w maintenance.Window, ok bool) string {
	if !ok {
		return "none"
	}
	return w.Begin.Format("2006-01-02 15:04 -0700") + " to " + w.End.In(w.Begin.Location()).Format("01-02 15:04 -0700")
}

func TestNextWindow(t *testing.T) {
	const night, late = 2 * 60, 22 * 60
	days := func(list ...time.Weekday) []time.Weekday { return list }
	for _, tt := range []struct {
		name  string
		zone  string
		s     maintenance.Schedule
		after string // in the window's time zone
		want  string
	}{
		{"every night", "Europe/Berlin", maintenance.Schedule{Recurrence: maintenance.Daily, Minute: night,
			Minutes: 90},
			"2026-05-04 12:00", "2026-05-05 02:00 +0200 to 05-05 03:30 +0200"},
		{"one that has just begun is not the next", "Europe/Berlin",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: night, Minutes: 90}, "2026-05-05 02:00",
			"2026-05-06 02:00 +0200 to 05-06 03:30 +0200"},
		{"across midnight", "Europe/Berlin", maintenance.Schedule{Recurrence: maintenance.Daily, Minute: late,
			Minutes: 240},
			"2026-12-31 12:00", "2026-12-31 22:00 +0100 to 01-01 02:00 +0100"},
		{"all day, every day", "Europe/Berlin", maintenance.Schedule{Recurrence: maintenance.Daily, Minutes: 1440},
			"2026-05-04 12:00", "2026-05-05 00:00 +0200 to 05-06 00:00 +0200"},
		{"the night the clock goes forward", "Europe/Berlin",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 60, Minutes: 240}, "2026-03-28 12:00",
			"2026-03-29 01:00 +0100 to 03-29 05:00 +0200"},
		{"an hour that is not there", "Europe/Berlin",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 150, Minutes: 60}, "2026-03-28 12:00",
			"2026-03-29 03:00 +0200 to 03-29 03:30 +0200"},
		{"all of it in that hour", "Europe/Berlin",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 130, Minutes: 40}, "2026-03-28 12:00",
			"2026-03-29 03:00 +0200 to 03-29 03:40 +0200"},
		{"an hour that comes twice", "Europe/Berlin",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 150, Minutes: 60}, "2026-10-24 12:00",
			"2026-10-25 02:30 +0200 to 10-25 03:30 +0100"},
		{"the end in that hour", "Europe/Berlin",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 60, Minutes: 90}, "2026-10-24 12:00",
			"2026-10-25 01:00 +0200 to 10-25 02:30 +0200"},
		{"half an hour that is not there", "Australia/Lord_Howe",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 135, Minutes: 60}, "2026-10-03 12:00",
			"2026-10-04 02:30 +1100 to 10-04 03:15 +1100"},
		{"a midnight that is not there", "Africa/Cairo",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 0, Minutes: 120}, "2026-04-23 12:00",
			"2026-04-24 01:00 +0300 to 04-24 02:00 +0300"},
		{"a day that was not there", "Pacific/Apia",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 600, Minutes: 60}, "2011-12-29 12:00",
			"2011-12-31 10:00 +1400 to 12-31 11:00 +1400"},
		{"some days of the week", "America/New_York",
			maintenance.Schedule{Recurrence: maintenance.Weekly, Minute: late, Minutes: 480,
				Days: days(time.Tuesday, time.Saturday)}, "2026-05-06 12:00", "2026-05-09 22:00 -0400 to 05-10 06:00 " +
				"-0400"},
		{"a whole weekend", "America/New_York",
			maintenance.Schedule{Recurrence: maintenance.Weekly, Minutes: 2880, Days: days(time.Saturday)},
			"2026-03-05 12:00",
			"2026-03-07 00:00 -0500 to 03-09 00:00 -0400"},
		{"the 31st", "Asia/Kathmandu",
			maintenance.Schedule{Recurrence: maintenance.Monthly, Minute: night, Minutes: 60, MonthDay: 31},
			"2026-01-31 12:00",
			"2026-03-31 02:00 +0545 to 03-31 03:00 +0545"},
		{"the 29th, in a leap year", "Asia/Kathmandu",
			maintenance.Schedule{Recurrence: maintenance.Monthly, Minute: night, Minutes: 60, MonthDay: 29},
			"2028-02-01 12:00",
			"2028-02-29 02:00 +0545 to 02-29 03:00 +0545"},
		{"the second Tuesday", "UTC",
			maintenance.Schedule{Recurrence: maintenance.MonthlyByWeek, Minute: night, Minutes: 60,
				Days: days(time.Tuesday),
				Week: 2}, "2026-05-13 00:00", "2026-06-09 02:00 +0000 to 06-09 03:00 +0000"},
		{"the last Sunday", "UTC",
			maintenance.Schedule{Recurrence: maintenance.MonthlyByWeek, Minute: night, Minutes: 60,
				Days: days(time.Sunday),
				Week: 5}, "2026-05-01 00:00", "2026-05-31 02:00 +0000 to 05-31 03:00 +0000"},
		{"the last Saturday, which is the fourth", "UTC",
			maintenance.Schedule{Recurrence: maintenance.MonthlyByWeek, Minute: night, Minutes: 60,
				Days: days(time.Saturday),
				Week: 5}, "2026-02-01 00:00", "2026-02-28 02:00 +0000 to 02-28 03:00 +0000"},
		{"not before the start", "UTC",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: night, Minutes: 60,
				Start: time.Date(2026, 6, 1, 2, 30, 0, 0, time.UTC)}, "2026-01-01 00:00",
			"2026-06-01 02:30 +0000 to 06-01 03:00 +0000"},
		{"not after the end", "UTC",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: night, Minutes: 60,
				End: time.Date(2026, 5, 4, 2, 20, 0, 0, time.UTC)}, "2026-05-04 00:00",
			"2026-05-04 02:00 +0000 to 05-04 02:20 +0000"},
		{"never again", "UTC",
			maintenance.Schedule{Recurrence: maintenance.Daily, Minute: night, Minutes: 60,
				End: time.Date(2026, 5, 4, 2, 0, 0, 0, time.UTC)}, "2026-05-04 00:00", "none"},
		{"once", "UTC",
			maintenance.Schedule{Recurrence: maintenance.OneTime, Start: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
				End: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)}, "2026-05-04 00:00",
			"2026-06-01 00:00 +0000 to 06-02 00:00 +0000"},
		{"once, and over", "UTC",
			maintenance.Schedule{Recurrence: maintenance.OneTime, Start: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
				End: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)}, "2026-06-01 00:00", "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.s.Zone = zone(t, tt.zone)
			after, err := time.ParseInLocation("2006-01-02 15:04", tt.after, tt.s.Zone)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(tt.s.Next(after)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestWindowIncludesItsStartAndExcludesItsEnd(t *testing.T) {
	s := maintenance.Schedule{Recurrence: maintenance.Daily, Minute: 22 * 60, Minutes: 240, Zone: time.UTC}
	for at, want := range map[string]bool{"21:59:59.999": false, "22:00:00": true, "23:59:59": true, "00:00:00": true,
		"01:59:59.999": true, "02:00:00": false, "12:00:00": false} {
		moment, err := time.Parse("2006-01-02 15:04:05", "2026-05-04 "+at)
		if err != nil {
			t.Fatal(err)
		}
		if w, in := s.At(moment); in != want || in && (moment.Before(w.Begin) || !moment.Before(w.End)) {
			t.Errorf("at %s: %s", at, text(w, in))
		}
	}
}

// oracle computes the windows of a schedule independently, by stepping through local
// time minute by minute.
type oracle struct {
	minutes []time.Time
	shown   []int64 // local time in minutes since 1970
}

func newOracle(from, to time.Time, z *time.Location) *oracle {
	o := &oracle{}
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		local := t.In(z)
		o.minutes = append(o.minutes, t)
		o.shown = append(o.shown,
			time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), 0, 0, time.UTC).Unix()/60)
	}
	return o
}

// first returns the index of the first minute, at from or later, whose local time is at least shows.
func (o *oracle) first(from int, shows int64) int {
	for i := from; i < len(o.shown); i++ {
		if o.shown[i] >= shows {
			return i
		}
	}
	return len(o.shown)
}

// windows returns the windows that start on dates between the first and the
// last.
func (o *oracle) windows(s *maintenance.Schedule) (list [][2]int) {
	begun := 0
	for day := o.shown[0]/1440 + 1; day < o.shown[len(o.shown)-1]/1440; day++ {
		date := time.Unix(day*86400, 0).UTC()
		if !onDate(s, date) {
			continue
		}
		there := slices.ContainsFunc(o.shown, func(m int64) bool { return m/1440 == day })
		if !there {
			continue
		}
		begin := o.first(begun, day*1440+int64(s.Minute))
		end := o.first(begin, day*1440+int64(s.Minute+s.Minutes))
		if begin == end {
			end += s.Minutes
		}
		list, begun = append(list, [2]int{begin, end}), begin
	}
	return list
}

func onDate(s *maintenance.Schedule, date time.Time) bool {
	switch s.Recurrence {
	case maintenance.Weekly:
		return slices.Contains(s.Days, date.Weekday())
	case maintenance.Monthly:
		return date.Day() == s.MonthDay
	case maintenance.MonthlyByWeek:
		var such []int
		for d := time.Date(date.Year(), date.Month(), 1, 0, 0, 0, 0,
			time.UTC); d.Month() == date.Month(); d = d.AddDate(0,
			0, 1) {
			if d.Weekday() == date.Weekday() {
				such = append(such, d.Day())
			}
		}
		nth := len(such) - 1
		if s.Week < 5 {
			nth = s.Week - 1
		}
		return slices.Contains(s.Days, date.Weekday()) && such[nth] == date.Day()
	}
	return true
}

// TestSchedulesFollowLocalTime steps through the weeks around each
// clock change, minute by minute.
func TestSchedulesFollowLocalTime(t *testing.T) {
	for name, around := range map[string][]string{
		"Europe/Berlin":       {"2026-03-29", "2026-10-25"},
		"America/New_York":    {"2026-03-08", "2026-11-01"},
		"Australia/Lord_Howe": {"2026-04-05", "2026-10-04"},
		"Asia/Kathmandu":      {"2026-02-28"},
		"Pacific/Apia":        {"2011-12-30"},
		"Africa/Cairo":        {"2026-04-24", "2026-10-30"},
		"Africa/Casablanca":   {"2026-02-15", "2026-03-22"},
		"America/St_Johns":    {"2006-04-02", "2006-10-29"}, // changes at one minute past midnight
		"Antarctica/Troll":    {"2026-03-29", "2026-10-25"}, // changes by two hours
	} {
		for _, date := range around {
			t.Run(strings.ReplaceAll(name, "/", "-")+" "+date, func(t *testing.T) {
				t.Parallel()
				z, middle := zone(t, name), must(time.Parse("2006-01-02", date))(t)
				o := newOracle(middle.AddDate(0, 0, -40), middle.AddDate(0, 0, 40), z)
				dice := rand.New(rand.NewPCG(7, uint64(middle.Unix())))
				for range 40 {
					s := anySchedule(dice)
					s.Zone = z
					o.compare(t, s, dice)
				}
			})
		}
	}
}

func must(at time.Time, err error) func(*testing.T) time.Time {
	return func(t *testing.T) time.Time {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
}

// anySchedule returns a random schedule whose windows do not overlap.
func anySchedule(dice *rand.Rand) *maintenance.Schedule {
	s := &maintenance.Schedule{Recurrence: []string{maintenance.Daily, maintenance.Weekly, maintenance.Monthly,
		maintenance.MonthlyByWeek}[dice.IntN(4)]}
	s.Minute, s.MonthDay, s.Week = dice.IntN(1440), 1+dice.IntN(31), 1+dice.IntN(5)
	if dice.IntN(2) == 0 { // in a zone with clock changes
		s.Minute = dice.IntN(240)
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if dice.IntN(3) == 0 {
			s.Days = append(s.Days, day)
		}
	}
	if len(s.Days) == 0 {
		s.Days = append(s.Days, time.Weekday(dice.IntN(7)))
	}
	s.Minutes = 1 + dice.IntN(min(s.Longest(), []int{60, 300, 4000}[dice.IntN(3)]))
	if dice.IntN(8) == 0 {
		s.Minutes = s.Longest()
	}
	return s
}

// compare tests a schedule at moments in the middle of the oracle's range.
func (o *oracle) compare(t *testing.T, s *maintenance.Schedule, dice *rand.Rand) {
	t.Helper()
	list := o.windows(s)
	for i := 1; i < len(list); i++ {
		if list[i][0] < list[i-1][1] {
			t.Fatalf("%+v: windows overlap", s)
		}
	}
	from, to := 29*1440, min(len(o.minutes)-1, 60*1440)
	moments := []int{}
	for _, w := range list {
		moments = append(moments, w[0]-1, w[0], w[0]+1, w[1]-1, w[1], w[1]+1)
	}
	for range 40 {
		moments = append(moments, from+dice.IntN(to-from))
	}
	for _, i := range moments {
		if i < from || i >= to {
			continue
		}
		k := slices.IndexFunc(list, func(w [2]int) bool { return i >= w[0] && i < w[1] })
		if k >= 0 && list[k][1] >= len(o.minutes) { // ends outside the oracle's range
			continue
		}
		if got, want := text(s.At(o.minutes[i])), o.text(list, k, s.Zone); got != want {
			t.Fatalf("%+v\nat %s in %s\nis %s\nwant %s", s, o.minutes[i], s.Zone, got, want)
		}
		next := slices.IndexFunc(list, func(w [2]int) bool { return w[0] > i })
		if next < 0 || list[next][1] >= len(o.minutes) {
			continue
		}
		if got, want := text(s.Next(o.minutes[i])), o.text(list, next, s.Zone); got != want {
			t.Fatalf("%+v\nafter %s in %s\nthe next is %s\nwant %s", s, o.minutes[i], s.Zone, got, want)
		}
	}
}

func (o *oracle) text(list [][2]int, k int, z *time.Location) string {
	if k < 0 {
		return "none"
	}
	end := o.minutes[0].Add(time.Duration(list[k][1]) * time.Minute)
	return text(maintenance.Window{Begin: o.minutes[list[k][0]].In(z), End: end}, true)
}

func TestLongestWindowEndsBeforeTheNext(t *testing.T) {
	for _, tt := range []struct {
		s    maintenance.Schedule
		want int
	}{
		{maintenance.Schedule{Recurrence: maintenance.Daily}, 1440},
		{maintenance.Schedule{Recurrence: maintenance.Weekly, Days: []time.Weekday{time.Monday}}, 7 * 1440},
		{maintenance.Schedule{Recurrence: maintenance.Weekly, Days: []time.Weekday{time.Sunday, time.Saturday}}, 1440},
		{maintenance.Schedule{Recurrence: maintenance.Weekly, Days: []time.Weekday{time.Monday, time.Thursday}},
			3 * 1440},
		{maintenance.Schedule{Recurrence: maintenance.Monthly, MonthDay: 1}, 28 * 1440},
		{maintenance.Schedule{Recurrence: maintenance.MonthlyByWeek, Days: []time.Weekday{time.Monday}, Week: 1},
			28 * 1440},
		{maintenance.Schedule{Recurrence: maintenance.MonthlyByWeek, Days: []time.Weekday{time.Monday, time.Friday},
			Week: 1}, 1440},
	} {
		if got := tt.s.Longest(); got != tt.want {
			t.Errorf("%s may last %d minutes, want %d", fmt.Sprint(tt.s.Recurrence, tt.s.Days), got, tt.want)
		}
	}
}
