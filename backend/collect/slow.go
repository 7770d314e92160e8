package collect

import (
	"sync"

	"spyglass/backend/check"
)

// lags detects slow clocks of collectors that neither measure their clock nor
// correct their results by the portal's, such as earlier versions. The age of
// their results is the delay of the clock. Delayed results are old, too, but get
// younger while the collector catches up, and it reports that others are pending.
// So a clock is slow if all posts of a minute, and at least three, have results
// of about the same age while nothing is pending.
//
// All methods are safe for concurrent use.
type lags struct {
	mu sync.Mutex
	of map[int64]*lag // by collector
}

// lag tracks the age of a collector's results since they became old.
type lag struct {
	waiting        int64 // results or batches that were pending at the last heartbeat
	since          int64 // the first post, in epoch seconds
	posts          int
	least, longest int64 // age of the newest result of a post, in seconds
}

const (
	lagPosts  = 3
	lagTime   = 60 // minimum seconds from the first to the last of these posts
	lagSpread = 30 // seconds by which their ages may differ
	fewWait   = 2  // batches in transit, which do not count as pending
	jitter    = 5  // seconds by which an offset has to change to be recorded
)

// waits records how many results a collector has not sent yet.
func (l *lags) waits(collector, waiting int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.get(collector).waiting = waiting
}

func (l *lags) get(collector int64) *lag {
	if l.of == nil {
		l.of = map[int64]*lag{}
	}
	if l.of[collector] == nil {
		l.of[collector] = &lag{}
	}
	return l.of[collector]
}

// offset returns how many seconds the clock of a collector is ahead of the
// portal's, from results that arrived now; was is the offset known so far.
func (l *lags) offset(collector, was, now int64, results []check.Result) int64 {
	if len(results) == 0 {
		return was
	}
	ahead := results[0].At - now
	for i := range results {
		ahead = max(ahead, results[i].At+int64(results[i].Took/1000)-now)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	one, age := l.get(collector), -ahead
	if age < warnAhead {
		one.posts = 0
		if ahead < warnAhead {
			return 0
		}
		return ahead
	}
	if one.posts > 0 && max(one.longest, age)-min(one.least, age) > lagSpread || one.waiting > fewWait {
		one.posts = 0
	}
	if one.posts == 0 {
		one.since, one.least, one.longest = now, age, age
	}
	one.posts, one.least, one.longest = one.posts+1, min(one.least, age), max(one.longest, age)
	if one.posts < lagPosts || now-one.since < lagTime || one.least+was <= jitter && one.least+was >= -jitter {
		return was
	}
	return -one.least
}
