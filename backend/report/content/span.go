package content

import (
	"cmp"
	"fmt"
	"slices"

	"spyglass/backend/portal/maintenance"
)

// spans is a sorted list of separate periods in epoch seconds; the ends are not
// included.
type spans []span

type span struct{ from, to int64 }

// union sorts periods and joins those that overlap or touch.
func union(list []span) spans {
	list = slices.DeleteFunc(slices.Clone(list), func(s span) bool { return s.to <= s.from })
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out spans
	for _, s := range list {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// without returns the periods minus others.
func (s spans) without(others spans) (out spans) {
	i := 0
	for _, one := range s {
		for i < len(others) && others[i].to <= one.from {
			i++
		}
		from := one.from
		for k := i; k < len(others) && others[k].from < one.to; k++ {
			if others[k].from > from {
				out = append(out, span{from, others[k].from})
			}
			from = max(from, others[k].to)
		}
		if from < one.to {
			out = append(out, span{from, one.to})
		}
	}
	return out
}

// within returns the intersection of the periods and others.
func (s spans) within(others spans) spans { return s.without(s.without(others)) }

// seconds returns the total length.
func (s spans) seconds() (sum int64) {
	for _, one := range s {
		sum += one.to - one.from
	}
	return sum
}

func (s spans) longest() (most int64) {
	for _, one := range s {
		most = max(most, one.to-one.from)
	}
	return most
}

// windows converts maintenance windows to spans.
func windows(list []maintenance.Window) []span {
	out := make([]span, len(list))
	for i, w := range list {
		out[i] = span{w.Begin.Unix(), w.End.Unix()}
	}
	return out
}

// lasting formats a duration as "2d 03:04:05"; empty for none.
func lasting(seconds int64) string {
	if seconds <= 0 {
		return ""
	}
	clock := fmt.Sprintf("%02d:%02d:%02d", seconds/3600%24, seconds/60%60, seconds%60)
	if days := seconds / (24 * 3600); days > 0 {
		return fmt.Sprintf("%dd %s", days, clock)
	}
	return clock
}
