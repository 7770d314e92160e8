package reporting

import (
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
)

// DefaultRange is the range of a report without its own.
const DefaultRange = "Last 24 hours"

const dateRangeDoc = "Time range: Last 24 hours (minutes, hours, days, weeks or months), Today, Yesterday, Last " +
	"calendar day (week, month), Month to date, Any time, or 2026-01-01 00:00 TO 2026-01-31 23:59"

// ParseRange parses a time range relative to now, in its time zone. The end is
// excluded. The zero time means no limit. An empty text is DefaultRange.
func ParseRange(text string, now time.Time) (from, to time.Time, err error) {
	words := strings.Fields(strings.ToLower(text))
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	month := day.AddDate(0, 0, 1-day.Day())
	switch short := strings.Join(words, " "); short {
	case "":
		return now.Add(-24 * time.Hour), now, nil
	case "any time", "all time":
		return from, to, nil
	case "today":
		return day, now, nil
	case "yesterday", "last calendar day":
		return day.AddDate(0, 0, -1), day, nil
	case "last calendar week":
		monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		return monday.AddDate(0, 0, -7), monday, nil
	case "last calendar month":
		return month.AddDate(0, -1, 0), month, nil
	case "month to date":
		return month, now, nil
	default:
		if first, last, both := strings.Cut(short, " to "); both {
			return rangeBetween(first, last, now.Location())
		}
	}
	if len(words) == 2 && words[0] == "last" {
		words = []string{"last", "1", words[1]}
	}
	if len(words) == 3 && words[0] == "last" {
		if n, bad := strconv.Atoi(words[1]); bad == nil && n > 0 && n <= maxRange {
			if from, ok := rangeBefore(now, n, strings.TrimSuffix(words[2], "s")); ok {
				return from, now, nil
			}
		}
	}
	return from, to, wrongRange()
}

const maxRange = 100_000 // of any unit

func rangeBefore(now time.Time, n int, unit string) (time.Time, bool) {
	switch unit {
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "day":
		return now.AddDate(0, 0, -n), true
	case "week":
		return now.AddDate(0, 0, -7*n), true
	case "month":
		return now.AddDate(0, -n, 0), true
	}
	return now, false
}

// rangeBetween returns the range from the first time to the end of the last: for a day
// without a time, the following midnight; for a minute, the next one.
func rangeBetween(first, last string, zone *time.Location) (from, to time.Time, err error) {
	from, _, okay := rangeMoment(first, zone)
	to, wholeDay, good := rangeMoment(last, zone)
	if !okay || !good {
		return from, to, wrongRange()
	}
	if wholeDay {
		to = to.AddDate(0, 0, 1) // this day may have 23 or 25 hours
	} else {
		to = to.Add(time.Minute)
	}
	if !from.Before(to) {
		return from, to, fault.At("dateRange", "the end of dateRange is before its start")
	}
	return from, to, nil
}

// rangeMoment parses a day or a minute, and returns which of the two it is.
func rangeMoment(text string, zone *time.Location) (at time.Time, wholeDay, ok bool) {
	if at, err := time.ParseInLocation("2006-01-02 15:04", text, zone); err == nil {
		return at, false, true
	}
	at, err := time.ParseInLocation("2006-01-02", text, zone)
	return at, true, err == nil
}

func wrongRange() error {
	return fault.At("dateRange",
		"dateRange must be a range such as Last 7 days, Last calendar month or 2026-01-01 TO 2026-01-31")
}
