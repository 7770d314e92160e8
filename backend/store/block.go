package store

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
)

// block holds rows in the order of their ids, with some of their columns.
type block struct {
	ids    []int64
	arenas map[source]*arena
	orders map[string][]uint32 // rows sorted by a text column, and by id where texts are equal
}

// newBlock returns a block of a few rows, with the same columns and orders as like.
func newBlock(rows map[int64]freshRow, like *block) *block {
	b := &block{ids: slices.Sorted(maps.Keys(rows)), arenas: map[source]*arena{}, orders: map[string][]uint32{}}
	for s := range like.arenas {
		b.arenas[s] = newArena(len(rows))
		for _, id := range b.ids {
			b.arenas[s].add(rows[id][s])
		}
	}
	for column := range like.orders {
		b.sortBy(column)
	}
	return b
}

// all returns the set of all rows.
func (b *block) all() bitmap {
	m := newBitmap(len(b.ids))
	for i := range m {
		m[i] = ^uint64(0)
	}
	if left := len(b.ids) % 64; left > 0 {
		m[len(m)-1] = 1<<left - 1
	}
	return m
}

// place returns the row with that id.
func (b *block) place(id int64) (int, bool) { return slices.BinarySearch(b.ids, id) }

// sortBy sorts the rows by a column with a loaded arena.
func (b *block) sortBy(column string) {
	order := make([]uint32, len(b.ids))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		return cmp.Or(bytes.Compare(b.text(column, x), b.text(column, y)), cmp.Compare(x, y))
	})
	b.orders[column] = order
}

func (b *block) text(column string, row uint32) []byte {
	return b.arenas[source{column: column}].row(int(row))
}

// before reports whether row x of b comes before row y of o when sorted by a
// column, or by id if column is "".
func (b *block) before(column string, x uint32, o *block, y uint32) bool {
	if column != "" {
		if n := bytes.Compare(b.text(column, x), o.text(column, y)); n != 0 {
			return n < 0
		}
	}
	return b.ids[x] < o.ids[y]
}

// merge returns a block of all rows of fresh and the rows of b that are not
// stale.
func (b *block) merge(stale bitmap, fresh *block) *block {
	rows := len(b.ids) - stale.count() + len(fresh.ids)
	m := &block{ids: make([]int64, 0, rows), arenas: map[source]*arena{}, orders: map[string][]uint32{}}
	moved, movedFresh := make([]uint32, len(b.ids)), make([]uint32, len(fresh.ids))
	var from []bool // whether row i of m comes from fresh
	interleave(b, fresh, "", stale, func(row uint32, new bool) {
		at, ids := moved, b.ids
		if new {
			at, ids = movedFresh, fresh.ids
		}
		at[row] = uint32(len(m.ids))
		m.ids, from = append(m.ids, ids[row]), append(from, new)
	})
	for s, old := range b.arenas {
		a, i, k := newArena(rows), 0, 0
		a.data = slices.Grow(a.data, len(old.data)+len(fresh.arenas[s].data))
		for _, new := range from {
			if new {
				a.add(fresh.arenas[s].row(k))
				k++
				continue
			}
			for stale.has(i) {
				i++
			}
			a.add(old.row(i))
			i++
		}
		m.arenas[s] = a
	}
	for column := range b.orders {
		order := make([]uint32, 0, rows)
		interleave(b, fresh, column, stale, func(row uint32, new bool) {
			if new {
				order = append(order, movedFresh[row])
			} else {
				order = append(order, moved[row])
			}
		})
		m.orders[column] = order
	}
	return m
}

// interleave visits the rows of both blocks except stale ones, sorted by a
// column, or by id if column is "".
func interleave(b, fresh *block, column string, stale bitmap, visit func(row uint32, new bool)) {
	k := 0
	at := func(blk *block, i int) uint32 {
		if column == "" {
			return uint32(i)
		}
		return blk.orders[column][i]
	}
	for i := range b.ids {
		row := at(b, i)
		if stale.has(int(row)) {
			continue
		}
		for k < len(fresh.ids) && fresh.before(column, at(fresh, k), b, row) {
			visit(at(fresh, k), true)
			k++
		}
		visit(row, false)
	}
	for ; k < len(fresh.ids); k++ {
		visit(at(fresh, k), true)
	}
}
