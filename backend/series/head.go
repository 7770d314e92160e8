package series

import (
	"cmp"
	"slices"

	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// series is one series in memory: its identity, and the samples not yet written
// as chunks. DB.mu guards its fields.
type series struct {
	key    Key
	number int64    // number in the file; never reused
	blocks []*block // by half day
	last   point    // the newest sample, if known
	known  bool
	fresh  bool // no samples were appended yet
	adds   int  // number of appends, so that a search for the newest sample notices a change
	none   int  // with DB.older: adds+1 when such a search found none
}

// block holds the pending samples of one half day.
type block struct {
	when  int64
	chunk *chunkenc.XORChunk
	app   chunkenc.Appender
	until int64   // time of the last sample in chunk
	late  []point // samples older than one in chunk, in order of arrival
}

// add adds a sample; high is the last half day that may have a chunk on disk.
func (s *series) add(p point, high int64) error {
	if s.known && p.at >= s.last.at || !s.known && (s.fresh || s.above(p, high)) {
		s.last, s.known = p, true
	}
	s.fresh = false
	s.adds++
	b, err := s.block(halfDayOf(p.at))
	if err != nil {
		return err
	}
	if p.at <= b.until && b.chunk.NumSamples() > 0 {
		b.late = append(b.late, p)
		return nil
	}
	b.app.Append(p.at, p.value)
	b.until = p.at
	return nil
}

// above reports whether no sample in memory or on disk can be newer than p.
func (s *series) above(p point, high int64) bool {
	when := halfDayOf(p.at)
	if n := len(s.blocks); n > 0 {
		if b := s.blocks[n-1]; b.when > when || b.when == when && b.until > p.at {
			return false
		}
	}
	return when > high
}

func (s *series) block(when int64) (*block, error) {
	if n := len(s.blocks); n > 0 && s.blocks[n-1].when == when {
		return s.blocks[n-1], nil
	}
	i, found := slices.BinarySearchFunc(s.blocks, when, func(b *block, when int64) int {
		return cmp.Compare(b.when, when)
	})
	if found {
		return s.blocks[i], nil
	}
	b := &block{when: when, chunk: chunkenc.NewXORChunk()}
	var err error
	if b.app, err = b.chunk.Appender(); err != nil {
		return nil, err
	}
	s.blocks = slices.Insert(s.blocks, i, b)
	return b, nil
}

// drop removes b, and returns the number of its samples.
func (s *series) drop(b *block) int {
	i := slices.Index(s.blocks, b)
	if i < 0 {
		return 0
	}
	if s.blocks = slices.Delete(s.blocks, i, i+1); len(s.blocks) == 0 {
		s.blocks = nil
	}
	return b.count()
}

func (b *block) count() int { return b.chunk.NumSamples() + len(b.late) }

// points appends the samples of b to list, sorted by time.
func (b *block) points(list []point) ([]point, error) {
	from := len(list)
	list, err := decode(b.chunk.Bytes(), list)
	if err != nil || len(b.late) == 0 {
		return list, err
	}
	return append(list[:from], merge(slices.Clone(list[from:]), byTime(b.late))...), nil
}

// byTime sorts points and keeps the last arrival for each time.
func byTime(late []point) []point {
	sorted := slices.Clone(late)
	slices.SortStableFunc(sorted, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	kept := sorted[:0]
	for i, p := range sorted {
		if i+1 == len(sorted) || sorted[i+1].at != p.at {
			kept = append(kept, p)
		}
	}
	return kept
}

// merge merges both lists by time; if both have a time, the point of newer wins.
func merge(older, newer []point) []point {
	if len(older) == 0 {
		return newer
	}
	if len(newer) == 0 {
		return older
	}
	if older[len(older)-1].at < newer[0].at {
		return append(older, newer...)
	}
	both := make([]point, 0, len(older)+len(newer))
	for len(older) > 0 && len(newer) > 0 {
		switch {
		case older[0].at < newer[0].at:
			both, older = append(both, older[0]), older[1:]
		case older[0].at > newer[0].at:
			both, newer = append(both, newer[0]), newer[1:]
		default:
			older = older[1:]
		}
	}
	return append(append(both, older...), newer...)
}
