package document

import (
	"math"
	"slices"
	"sort"
)

// series returns a measurement for a chart: within the bounds of q, with gaps
// where values are missing, and with at most the requested number of points.
func (m *measurement) series(q SeriesQuery) (set SeriesSet, thin bool) {
	m.cut(q.From, q.To)
	m.breakOff()
	set = SeriesSet{Name: m.name, Time: m.times, Lines: make([]SeriesLine, len(m.names))}
	for i, name := range m.names {
		set.Lines[i] = lineOf(name, m.values[i])
	}
	if thin = q.Points > 0 && len(m.times) > q.Points; thin {
		m.thin(&set, max(q.Points/2, 1))
	}
	if set.Time == nil {
		set.Time = []int64{}
	}
	return set, thin
}

// cut keeps the points between two times and, so that the line reaches the edges,
// the point before and the one after.
func (m *measurement) cut(from, to int64) {
	first, last := 0, len(m.times)
	if from > 0 {
		first = max(0, sort.Search(last, func(i int) bool { return m.times[i] >= from })-1)
	}
	if to > 0 {
		last = min(last, sort.Search(last, func(i int) bool { return m.times[i] > to })+1)
	}
	last = max(first, last)
	m.times = m.times[first:last]
	for n := range m.values {
		m.values[n] = m.values[n][first:last]
	}
}

// breakOff inserts a time without values into each gap longer than pause.
func (m *measurement) breakOff() {
	if len(m.times) < pause {
		return
	}
	steps := make([]int64, len(m.times)-1)
	for i := range steps {
		steps[i] = m.times[i+1] - m.times[i]
	}
	slices.Sort(steps)
	usual := steps[len(steps)/2]
	if usual <= 0 || steps[len(steps)-1] <= pause*usual {
		return
	}
	times, values := []int64{}, make([][]float64, len(m.values))
	for i, at := range m.times {
		if i > 0 && at-m.times[i-1] > pause*usual {
			times = append(times, m.times[i-1]+usual)
			for n := range values {
				values[n] = append(values[n], math.NaN())
			}
		}
		times = append(times, at)
		for n := range values {
			values[n] = append(values[n], m.values[n][i])
		}
	}
	m.times, m.values = times, values
}

func lineOf(name string, values []float64) SeriesLine {
	l := SeriesLine{Name: name, Values: Values(values)}
	if values == nil {
		l.Values = Values{}
	}
	gap := false
	var least, greatest, last float64
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			gap = l.Count > 0
			continue
		}
		if gap {
			l.Gaps++
			gap = false
		}
		if l.Count == 0 {
			least, greatest = v, v
		}
		least, greatest, last = min(least, v), max(greatest, v), v
		l.Count++
	}
	if l.Count > 0 {
		l.Min, l.Max, l.Last = &least, &greatest, &last
	}
	return l
}

// thin divides the time into steps and keeps two points of each: the minimum and
// maximum of every line, in order of appearance.
func (m *measurement) thin(set *SeriesSet, steps int) {
	begin, span := m.times[0], m.times[len(m.times)-1]-m.times[0]+1
	set.Time = []int64{}
	values := make([]Values, len(m.values))
	for i := 0; i < len(m.times); {
		step := (m.times[i] - begin) * int64(steps) / span
		end := i +
			sort.Search(len(m.times)-i, func(k int) bool { return (m.times[i+k]-begin)*int64(steps)/span > step })
		last := end - 1
		set.Time = append(set.Time, m.times[i])
		if last > i {
			set.Time = append(set.Time, m.times[last])
		}
		for n := range values {
			first, second := extremes(m.values[n][i:end])
			values[n] = append(values[n], first)
			if last > i {
				values[n] = append(values[n], second)
			}
		}
		i = end
	}
	for n := range values {
		set.Lines[n].Values = values[n]
	}
}

// extremes returns the minimum and the maximum, in order of appearance.
func extremes(values []float64) (first, second float64) {
	least, greatest := -1, -1
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if least < 0 || v < values[least] {
			least = i
		}
		if greatest < 0 || v > values[greatest] {
			greatest = i
		}
	}
	if least < 0 {
		return math.NaN(), math.NaN()
	}
	return values[min(least, greatest)], values[max(least, greatest)]
}
