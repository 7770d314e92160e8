package document

import (
	"math"
	"slices"
)

// pointSet locates the values measured at some times: those of one instance, or
// all values of a graph.
type pointSet struct {
	label   value // its name if there are several sets; without a kind otherwise
	names   []string
	times   value
	rows    value   // rows: for each time an array with a value for each name
	columns []value // columns: for each name an array with a value for each time
	count   int     // number of times
}

const maxSets = 200

// pointSets finds measured data in the formats of portal responses:
//
//	{"dataPoints": ["a"], "values": [[1]], "time": [1790000000000]}
//	{"dataPoints": ["a"], "instances": {"eth0": {"values": [[1]], "time": [1790000000000]}}}
//	{"timestamps": [1790000000000], "lines": [{"label": "a", "data": [1]}]}
func (s *scanner) pointSets(object value) []pointSet {
	names := []string{}
	if list, ok := s.child(object, "dataPoints"); ok {
		names = s.texts(list)
	}
	if set, ok := s.pointSet(object, names); ok {
		return []pointSet{set}
	}
	if set, ok := s.plot(object); ok {
		return []pointSet{set}
	}
	var sets []pointSet
	instances, ok := s.child(object, "instances")
	if !ok || instances.kind != Object || len(names) == 0 {
		return nil
	}
	walk := s.from(instances, instances.first())
	for m, ok := walk.next(); ok && len(sets) < maxSets; m, ok = walk.next() {
		if m.kind != Object {
			return nil
		}
		if set, ok := s.pointSet(m.value, names); ok {
			set.label = value{start: m.key, end: m.keyEnd, kind: String}
			sets = append(sets, set)
		}
	}
	return sets
}

// listedSets finds the measurements of several instances in a list, each with an
// instanceId and its own data points.
func (s *scanner) listedSets(list value) []pointSet {
	var sets []pointSet
	walk := s.from(list, list.first())
	for m, ok := walk.next(); ok && len(sets) < maxSets; m, ok = walk.next() {
		if m.kind != Object || m.index > 2 && len(sets) == 0 {
			return nil
		}
		names, ok := s.child(m.value, "dataPoints")
		if !ok {
			continue
		}
		if set, ok := s.pointSet(m.value, s.texts(names)); ok {
			set.label, _ = s.child(m.value, "instanceId")
			sets = append(sets, set)
		}
	}
	return sets
}

func (s *scanner) pointSet(object value, names []string) (pointSet, bool) {
	times, ok := s.child(object, "time")
	rows, has := s.child(object, "values")
	if !ok || !has || len(names) == 0 || times.kind != Array || rows.kind != Array {
		return pointSet{}, false
	}
	walk := s.from(rows, rows.first())
	if first, ok := walk.next(); ok && first.kind != Array {
		return pointSet{}, false
	}
	return pointSet{names: names, times: times, rows: rows, count: min(times.count, rows.count)}, true
}

func (s *scanner) plot(object value) (pointSet, bool) {
	times, ok := s.child(object, "timestamps")
	lines, has := s.child(object, "lines")
	if !ok || !has || times.kind != Array || lines.kind != Array {
		return pointSet{}, false
	}
	set := pointSet{times: times, count: times.count}
	walk := s.from(lines, lines.first())
	for m, ok := walk.next(); ok && len(set.columns) < maxColumns; m, ok = walk.next() {
		if m.kind != Object {
			return pointSet{}, false
		}
		data, ok := s.child(m.value, "data")
		if !ok || data.kind != Array {
			return pointSet{}, false
		}
		set.columns = append(set.columns, data)
		set.names = append(set.names, s.textOf(m.value, "label", "legend"))
	}
	return set, true
}

// textOf returns the first text among the keys, truncated for display.
func (s *scanner) textOf(object value, keys ...string) string {
	for _, key := range keys {
		if v, ok := s.child(object, key); ok && v.kind == String && v.end-v.start > 2 {
			text, _ := s.literal(v, maxCell)
			return text
		}
	}
	return ""
}

func (s *scanner) texts(list value) []string {
	texts := []string{}
	if list.kind != Array {
		return texts
	}
	walk := s.from(list, list.first())
	for m, ok := walk.next(); ok && len(texts) < maxColumns; m, ok = walk.next() {
		text, _ := s.literal(m.value, maxCell)
		texts = append(texts, text)
	}
	return texts
}

func pointTable(sets []pointSet) *table {
	t := &table{shape: Points, sets: sets}
	for _, set := range sets {
		t.total += set.count
	}
	return t
}

// pointHeads returns the IDs of the columns: instance if there are several sets,
// time, and each data point once.
func pointHeads(sets []pointSet) []string {
	ids := []string{timeColumn}
	if sets[0].label.kind != "" {
		ids = []string{instance, timeColumn}
	}
	for _, set := range sets {
		for i := range set.names {
			if id := set.head(i); !slices.Contains(ids, id) && len(ids) < maxColumns {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// head returns the ID of the set's i-th data point: its name, with a number if
// another column has the same name.
func (p *pointSet) head(i int) string {
	name, n := columnEscapes.Replace(p.names[i]), 1
	if name == "" {
		name = "line"
	}
	if name == timeColumn || name == instance {
		n++
	}
	for _, before := range p.names[:i] {
		if before == p.names[i] {
			n++
		}
	}
	if n > 1 {
		name += " (" + itoa(n) + ")"
	}
	return name
}

func pointColumns(s *scanner, t *table) []Column {
	columns := []Column{}
	for _, id := range pointHeads(t.sets) {
		c := Column{ID: id, Kind: Number, Count: t.total}
		if id == instance {
			c.Kind = t.sets[0].label.kind
		}
		columns = append(columns, c)
	}
	return columns
}

// pointReader reads the times of point sets in sequence.
type pointReader struct {
	want  [][]int // for each set, for each requested column: a name's index, or one of the two below
	set   int
	times members
	rows  members
	lines []members
	err   error // the first failed read of a walk
}

func (r *pointReader) failed(walk members) {
	if r.err == nil {
		r.err = walk.err
	}
}

const (
	noPoint    = -1
	theTime    = -2
	theSetName = -3
)

func (r *pointReader) choose(s *scanner, sets []pointSet, ids []string) error {
	heads := pointHeads(sets)
	for _, id := range ids {
		if !slices.Contains(heads, id) {
			return errNoColumn(id)
		}
	}
	for _, set := range sets {
		known := map[string]int{timeColumn: theTime, instance: theSetName}
		for i := range set.names {
			known[set.head(i)] = i
		}
		want := make([]int, len(ids))
		for i, id := range ids {
			at, ok := known[id]
			if want[i] = at; !ok {
				want[i] = noPoint
			}
		}
		r.want = append(r.want, want)
	}
	return s.err
}

// apart returns another scanner of the same body with its own window, for
// parallel walks.
func (s *scanner) apart() *scanner {
	return &scanner{cursor: newCursor(s.body, smallWindow), spans: s.spans}
}

// at walks the children of a list, beginning with the given index.
func (s *scanner) at(list value, index int) members {
	walk := s.from(list, list.lastMark(func(k mark) bool { return k.index <= index }))
	for walk.index < index {
		if _, ok := walk.next(); !ok {
			break
		}
	}
	return walk
}

// seek moves to a time, counted over all sets.
func (r *pointReader) seek(s *scanner, sets []pointSet, index int) {
	for r.set = 0; r.set < len(sets) && index >= sets[r.set].count; r.set++ {
		index -= sets[r.set].count
	}
	r.open(s, sets, index)
}

func (r *pointReader) open(s *scanner, sets []pointSet, index int) {
	if r.set == len(sets) {
		return
	}
	set := &sets[r.set]
	r.times, r.lines = s.apart().at(set.times, index), nil
	if set.rows.kind != "" {
		r.rows = s.at(set.rows, index)
		return
	}
	for _, want := range r.want[r.set] {
		if want >= 0 {
			r.lines = append(r.lines, s.apart().at(set.columns[want], index))
		}
	}
}

func (r *pointReader) next(s *scanner, sets []pointSet, row *record) bool {
	for r.set < len(sets) && r.times.index >= sets[r.set].count {
		r.set++
		r.open(s, sets, 0)
	}
	if r.set == len(sets) {
		return false
	}
	set, want := &sets[r.set], r.want[r.set]
	at, ok := r.times.next()
	if r.failed(r.times); !ok || r.err != nil {
		return false
	}
	row.node = at.start
	for i, w := range want {
		switch w {
		case theTime:
			row.cells[i] = at.value
		case theSetName:
			row.cells[i] = set.label
		}
	}
	if set.rows.kind == "" {
		r.line(want, row)
	} else if m, ok := r.rows.next(); ok && m.kind == Array {
		row.node = m.start
		s.moment(m.value, want, row)
	}
	return true
}

// line reads one time of a set whose values are grouped by name.
func (r *pointReader) line(want []int, row *record) {
	n := 0
	for i, w := range want {
		if w < 0 {
			continue
		}
		if m, ok := r.lines[n].next(); ok {
			row.cells[i] = m.value
		}
		r.failed(r.lines[n])
		n++
	}
}

// moment reads one time of a set whose values are grouped by time.
func (s *scanner) moment(values value, want []int, row *record) {
	highest := slices.Max(append([]int{noPoint}, want...))
	walk := s.from(values, values.first())
	for m, ok := walk.next(); ok && m.index <= highest; m, ok = walk.next() {
		for i, w := range want {
			if w == m.index {
				row.cells[i] = m.value
			}
		}
	}
}

// number returns a value as a number; NaN if it is not one, such as "No Data".
func (s *scanner) number(v value) float64 {
	if v.kind != Number {
		return math.NaN()
	}
	text, _ := s.literal(v, 400)
	return parseNumber(text)
}
