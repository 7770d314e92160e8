package document

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
)

// maxLeft limits the containers that Left lists.
const maxLeft = 500

// foldMarks mark a closed and an open container, then the same with all
// containers inside open unless they are listed.
const foldMarks = "-+/*"

func (f *fold) mark() byte {
	i := 0
	if f.open {
		i++
	}
	if f.inner {
		i += 2
	}
	return foldMarks[i]
}

func (f *fold) set(mark byte) {
	i := strings.IndexByte(foldMarks, mark)
	f.open, f.inner = i&1 != 0, i&2 != 0
}

// Left lists the open containers, such as "0+ 9+ c-", beginning at the front, at
// most 500. Unfold accepts the list for any document with the same bytes.
func (d *Document) Left() string {
	d.folds.RLock()
	defer d.folds.RUnlock()
	if d.fold == nil {
		return ""
	}
	var out []byte
	listed := 0
	var list func(*fold)
	list = func(f *fold) {
		if listed++; listed > maxLeft {
			return
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(strconv.AppendInt(out, f.start, 36), f.mark())
		for _, c := range f.folds {
			list(c)
		}
	}
	list(d.fold)
	return string(out)
}

// Unfold opens and closes containers as listed by Left. It ignores offsets that
// are not a container of this document. For a text that is not in Left's format, it
// returns fault.Invalid and changes nothing.
func (d *Document) Unfold(left string) error {
	words := strings.Fields(left)
	if len(words) > maxLeft {
		return fault.At("left", "at most %d values are allowed", maxLeft)
	}
	nodes := make([]int64, len(words))
	for i, word := range words {
		node, err := strconv.ParseInt(word[:len(word)-1], 36, 64)
		if err != nil || strings.IndexByte(foldMarks, word[len(word)-1]) < 0 {
			return fault.At("left", "%q does not say what is open", word)
		}
		nodes[i] = node
	}
	return d.use(func(s *scanner) error {
		d.folds.Lock()
		defer d.folds.Unlock()
		if d.fold == nil || len(words) == 0 {
			return nil
		}
		d.fold = &fold{member: d.root, open: true}
		d.fold.tally()
		for i, node := range nodes {
			chain := d.chain(s, node)
			if chain == nil || !chain[len(chain)-1].container() {
				continue
			}
			path := d.fold.reach(chain)
			path[len(path)-1].set(words[i][len(words[i])-1])
			settle(path)
		}
		return s.err
	})
}

// FoldLike opens and closes containers as another document has those of the same keys
// and indexes, at most as many as Left lists. A container of another kind stays as its
// neighbors are.
func (d *Document) FoldLike(other *Document) error {
	if d == other {
		return nil
	}
	return other.use(func(from *scanner) error {
		return d.use(func(to *scanner) error {
			other.folds.RLock()
			defer other.folds.RUnlock()
			d.folds.Lock()
			defer d.folds.Unlock()
			if d.fold != nil && other.fold != nil && d.root.kind == other.root.kind {
				left := maxLeft
				d.fold = foldLike(from, to, other.fold, d.root, &left)
			}
			return to.err
		})
	})
}

// foldLike returns the fold of m that is like f, and those inside it.
func foldLike(from, to *scanner, f *fold, m member, left *int) *fold {
	out := &fold{member: m, open: f.open, inner: f.inner}
	for _, c := range f.folds {
		if *left--; *left < 0 {
			break
		}
		if twin, ok := to.twin(from, m, c.member); ok {
			out.folds = append(out.folds, foldLike(from, to, c, twin, left))
		}
	}
	slices.SortFunc(out.folds, func(a, b *fold) int { return cmp.Compare(a.start, b.start) })
	out.folds = slices.CompactFunc(out.folds, func(a, b *fold) bool { return a.start == b.start })
	out.tally()
	return out
}

// twin returns the container in m that has the key or the index of one in another
// document.
func (s *scanner) twin(from *scanner, m, other member) (member, bool) {
	key := ""
	if other.key >= 0 {
		key, _ = from.text(other.key, other.keyEnd, maxText)
	}
	walk := s.from(m.value, m.lastMark(func(k mark) bool { return other.key < 0 && k.index <= other.index }))
	for c, ok := walk.next(); ok; c, ok = walk.next() {
		if other.key < 0 && c.index == other.index || other.key >= 0 && s.keyIs(c, key) {
			return c, c.kind == other.kind
		}
	}
	return member{}, false
}
