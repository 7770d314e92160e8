package remotewrite

import (
	"math"

	"spyglass/backend/series"
)

// maxQueue limits the samples in memory, some 8 MB: with 10,000 samples a
// second, 25 s; with the load of an ordinary portal, hours.
const maxQueue = 250_000

// never is later than any time.
const never = math.MaxInt64

// queue is a ring buffer of samples in order of arrival.
type queue struct {
	ring  []series.Sample
	first int
	n     int
}

// put adds samples. It returns false, and adds none, if there is no room for all
// of them.
func (q *queue) put(samples []series.Sample) bool {
	need := q.n + len(samples)
	if need > maxQueue {
		return false
	}
	if need > len(q.ring) {
		ring := make([]series.Sample, min(max(need, 2*len(q.ring), 1024), maxQueue))
		q.copy(ring)
		q.ring, q.first = ring, 0
	}
	for _, s := range samples {
		q.ring[(q.first+q.n)%len(q.ring)] = s
		q.n++
	}
	return true
}

// copy fills to with the oldest samples.
func (q *queue) copy(to []series.Sample) {
	for i := range min(q.n, len(to)) {
		to[i] = q.ring[(q.first+i)%len(q.ring)]
	}
}

// take removes and returns up to n samples, the oldest first.
func (q *queue) take(n int) []series.Sample {
	out := make([]series.Sample, min(n, q.n))
	q.copy(out)
	q.n -= len(out)
	if q.n == 0 {
		*q = queue{} // free memory after a long outage of the receiver
	} else {
		q.first = (q.first + len(out)) % len(q.ring)
	}
	return out
}

// earliest returns the time of the oldest sample in the queue; never if it is
// empty.
func (q *queue) earliest() int64 {
	at := int64(never)
	for i := range q.n {
		at = min(at, q.ring[(q.first+i)%len(q.ring)].At)
	}
	return at
}

// earliest returns the time of the oldest of some samples; never for none.
func earliest(samples []series.Sample) int64 {
	at := int64(never)
	for i := range samples {
		at = min(at, samples[i].At)
	}
	return at
}

// drop removes samples that were sent already.
func (q *queue) drop(sent map[point]bool) {
	if len(sent) == 0 {
		return
	}
	all := q.take(q.n)
	kept := all[:0]
	for _, one := range all {
		if !sent[pointOf(one)] {
			kept = append(kept, one)
		}
	}
	*q = queue{}
	q.put(kept)
}
