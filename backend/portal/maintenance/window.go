package maintenance

import (
	"slices"
	"time"
)

// Window is a period during which maintenance is in effect: from Begin, inclusive, to
// End, exclusive.
type Window struct{ Begin, End time.Time }

// Schedule computes when a maintenance window is in effect. It uses the local
// time of its zone: a window lasts from one time of day to another, whatever the
// clock does in between. A window from 01:00 to 05:00 takes three hours in the
// night in which the clock is put forward, and five in the other.
//
// A time of day that the clock skips counts as the first moment after the gap,
// and one that occurs twice as the first of the two. A window that is in the
// gap completely keeps its length, beginning after the gap; on a day that a zone
// skips altogether there is none. Days that a month does not have are skipped.
//
// The windows of one Schedule never overlap (Longest).
type Schedule struct {
	Recurrence string // as SDT.Recurrence
	Zone       *time.Location
	Start      time.Time // nothing is in effect before it; zero: no limit
	End        time.Time // nothing is in effect from then on; zero: no limit

	Minute   int            // minute of the day at which a window begins
	Minutes  int            // its length on the clock
	Days     []time.Weekday // for weekly and monthlyByWeek
	Week     int            // for monthlyByWeek: 1 to 4, or lastWeek
	MonthDay int            // for monthly
}

// The recurrences.
const (
	OneTime       = "oneTime"
	Daily         = "daily"
	Weekly        = "weekly"
	Monthly       = "monthly"
	MonthlyByWeek = "monthlyByWeek"
)

const (
	lastWeek  = 5
	dayLong   = 24 * 60 // minutes
	farthest  = 70      // days: the longest interval between recurrences; the 31st comes again after 62
	longest   = 28      // maximum length of a window in days
	ahead     = 26      // hours: more than the offset of any zone from UTC
	daySecond = 24 * 60 * 60
)

// At returns the window that is in effect at a time.
func (s *Schedule) At(t time.Time) (Window, bool) {
	if s.outside(t) {
		return Window{}, false
	}
	if s.Recurrence == OneTime {
		return Window{s.Start, s.End}, true
	}
	for day := dateOf(t, s.Zone) + 1; day >= dateOf(t, s.Zone)-s.reach(); day-- {
		if w, ok := s.on(day); ok && !t.Before(w.Begin) && t.Before(w.End) {
			return w, true
		}
	}
	return Window{}, false
}

// Next returns the first window that begins after a time.
func (s *Schedule) Next(after time.Time) (Window, bool) {
	if s.Recurrence == OneTime {
		return Window{s.Start, s.End}, s.Start.After(after)
	}
	from := after
	if s.Start.After(from) {
		from = s.Start
	}
	first := dateOf(from, s.Zone) - s.reach()
	for day := first; day <= first+farthest+s.reach()+1; day++ {
		if w, ok := s.on(day); ok && w.Begin.After(after) {
			return w, true
		}
	}
	return Window{}, false
}

func (s *Schedule) outside(t time.Time) bool {
	return t.Before(s.Start) || !s.End.IsZero() && !t.Before(s.End)
}

// reach returns how many days before a time a window that includes it may have
// begun.
func (s *Schedule) reach() int64 { return int64(s.Minutes/dayLong) + 2 }

// on returns the window that begins on a day, within Start and End.
func (s *Schedule) on(day int64) (Window, bool) {
	if !s.matches(day) || wall(day, 0, s.Zone).Equal(wall(day+1, 0, s.Zone)) {
		return Window{}, false
	}
	w := Window{wall(day, s.Minute, s.Zone), wall(day, s.Minute+s.Minutes, s.Zone)}
	if !w.Begin.Before(w.End) {
		w.End = w.Begin.Add(time.Duration(s.Minutes) * time.Minute)
	}
	if w.Begin.Before(s.Start) {
		w.Begin = s.Start
	}
	if !s.End.IsZero() && s.End.Before(w.End) {
		w.End = s.End
	}
	return w, w.Begin.Before(w.End)
}

func (s *Schedule) matches(day int64) bool {
	date := time.Unix(day*daySecond, 0).UTC()
	switch s.Recurrence {
	case Weekly:
		return slices.Contains(s.Days, date.Weekday())
	case Monthly:
		return date.Day() == s.MonthDay
	case MonthlyByWeek:
		last := date.AddDate(0, 0, 7).Month() != date.Month()
		return slices.Contains(s.Days, date.Weekday()) && ((date.Day()-1)/7+1 == s.Week || s.Week == lastWeek && last)
	}
	return true
}

// Longest returns the maximum length of a window in minutes, so that none begins
// before the previous one has ended.
func (s *Schedule) Longest() int {
	switch {
	case s.Recurrence == Daily || s.Recurrence == MonthlyByWeek && len(s.Days) > 1:
		return dayLong
	case s.Recurrence != Weekly:
		return longest * dayLong
	}
	least := 7
	for i, day := range s.Days { // ascending
		next := s.Days[(i+1)%len(s.Days)]
		least = min(least, (int(next-day)+6)%7+1)
	}
	return least * dayLong
}

// dateOf returns the local date, in days since 1970.
func dateOf(t time.Time, zone *time.Location) int64 {
	_, offset := t.In(zone).Zone()
	local := t.Unix() + int64(offset)
	day := local / daySecond
	if local%daySecond < 0 {
		day--
	}
	return day
}

// wall returns the first time at which the clock in the zone shows that minute of
// the day or a later one.
func wall(day int64, minute int, zone *time.Location) time.Time {
	shown := day*daySecond + int64(minute)*60
	t := time.Unix(shown, 0).Add(-ahead * time.Hour).In(zone)
	for {
		_, offset := t.Zone()
		_, end := t.ZoneBounds()
		at := max(t.Unix(), shown-int64(offset))
		if end.IsZero() || at < end.Unix() {
			return time.Unix(at, 0).In(zone)
		}
		t = end
	}
}
