package main

import (
	"fmt"
	"sync"
	"time"
)

// result collects the findings of a trial. Its methods are safe for concurrent
// use.
type result struct {
	timed    bool // a slow response is wrong, too
	mu       sync.Mutex
	tries    int
	lost     int
	wrong    int
	peak     int64 // resident memory of the program
	slowest  time.Duration
	findings []string // the first findings, in words
}

// shown limits the findings that a trial describes; the rest is counted.
const shown = 20

func (r *result) tried(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries++
	r.slowest = max(r.slowest, took)
}

func (r *result) isLost(format string, args ...any) { r.find(&r.lost, "lost: "+format, args) }

func (r *result) isWrong(format string, args ...any) { r.find(&r.wrong, "wrong: "+format, args) }

// isSlow notes a wrong response when took is more than most, unless times do not
// count in this run.
func (r *result) isSlow(took, most time.Duration, what string) {
	if r.timed && took > most {
		r.isWrong("%s takes %v, more than %v", what, took, most)
	}
}

// saw notes something worth knowing that is not wrong.
func (r *result) saw(format string, args ...any) { r.find(new(int), format, args) }

func (r *result) find(count *int, format string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*count++
	if len(r.findings) < shown {
		r.findings = append(r.findings, fmt.Sprintf(format, args...))
	}
}

func (r *result) used(peak int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peak = max(r.peak, peak)
}
