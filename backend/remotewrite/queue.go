package remotewrite

import "spyglass/backend/series"

// maxQueue is how many samples wait at most, some 8 MB: with 10,000 samples a
// second, 25 s; with what an ordinary portal measures, hours.
const maxQueue = 250_000

// queue is a ring of samples, the oldest first.
type queue struct {
	ring  []series.Sample
	first int
	n     int
}

// put adds samples, and answers how many of the oldest made room.
func (q *queue) put(samples []series.Sample) (dropped int) {
	if over := len(samples) - maxQueue; over > 0 {
		samples, dropped = samples[over:], over
	}
	if over := q.n + len(samples) - maxQueue; over > 0 {
		q.first, q.n = (q.first+over)%len(q.ring), q.n-over
		dropped += over
	}
	if need := q.n + len(samples); need > len(q.ring) {
		ring := make([]series.Sample, min(max(need, 2*len(q.ring), 1024), maxQueue))
		q.copy(ring)
		q.ring, q.first = ring, 0
	}
	for _, s := range samples {
		q.ring[(q.first+q.n)%len(q.ring)] = s
		q.n++
	}
	return dropped
}

// copy fills to with the oldest samples.
func (q *queue) copy(to []series.Sample) {
	for i := range min(q.n, len(to)) {
		to[i] = q.ring[(q.first+i)%len(q.ring)]
	}
}

// take takes up to n of the oldest off.
func (q *queue) take(n int) []series.Sample {
	out := make([]series.Sample, min(n, q.n))
	q.copy(out)
	q.n -= len(out)
	if q.n == 0 {
		*q = queue{} // what a long silence of the receiver took is given back
	} else {
		q.first = (q.first + len(out)) % len(q.ring)
	}
	return out
}
