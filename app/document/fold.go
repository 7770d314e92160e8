package document

import (
	"slices"
	"sort"
)

// fold records whether one container is open or closed.
//
// Folds form a sparse tree below the root's: a container without a fold uses the
// inner of its nearest ancestor. So expanding a million rows changes one bit, and
// only containers that the user toggled need a fold.
type fold struct {
	member
	open   bool
	inner  bool // whether inner containers without a fold are open
	folds  []*fold
	rows   int // rows it shows, including its own
	before int // rows that the folds before it in its container show beyond their plain rows
}

// plain returns the number of rows of m without a fold.
func (m *member) plain(open bool) int {
	if open {
		return m.lines
	}
	return 1
}

// plainRow returns the row of m among its siblings' rows, when none of them has a fold.
func plainRow(index, line int, open bool) int {
	if open {
		return line - 1
	}
	return index
}

// tally counts rows from the folds directly inside.
func (f *fold) tally() {
	f.rows = 1
	if !f.open || f.count == 0 {
		return
	}
	f.rows += plainRow(f.count, f.lines-1, f.inner) + 1
	extra := 0
	for _, c := range f.folds {
		c.before = extra
		extra += c.rows - c.plain(f.inner)
	}
	f.rows += extra
}

// extra returns the number of rows that the folds before the offset at add to
// the plain ones.
func (f *fold) extra(at int64) int {
	i := sort.Search(len(f.folds), func(i int) bool { return f.folds[i].start >= at })
	if i == 0 {
		return 0
	}
	c := f.folds[i-1]
	return c.before + c.rows - c.plain(f.inner)
}

// find returns f's own fold of the child that begins at at, or nil.
func (f *fold) find(at int64) *fold {
	i := sort.Search(len(f.folds), func(i int) bool { return f.folds[i].start >= at })
	if i < len(f.folds) && f.folds[i].start == at {
		return f.folds[i]
	}
	return nil
}

// reach returns the folds of a chain of containers, creating the missing ones.
// The first is f itself.
func (f *fold) reach(chain []member) []*fold {
	path := []*fold{f}
	for _, m := range chain[1:] {
		c := f.find(m.start)
		if c == nil {
			c = &fold{member: m, open: f.inner, inner: f.inner}
			i := sort.Search(len(f.folds), func(i int) bool { return f.folds[i].start > m.start })
			f.folds = slices.Insert(f.folds, i, c)
		}
		path = append(path, c)
		f = c
	}
	return path
}

// settle recounts the rows after the last fold of path has changed, and drops
// redundant folds on the path.
func settle(path []*fold) {
	for i := len(path) - 1; i >= 0; i-- {
		f := path[i]
		f.tally()
		if i == 0 {
			break
		}
		up := path[i-1]
		if len(f.folds) == 0 && f.open == up.inner && (f.inner == up.inner) {
			up.folds = slices.DeleteFunc(up.folds, func(c *fold) bool { return c == f })
		}
	}
}

const (
	fewLines    = 200 // a document this short is opened further
	fewLevels   = 4   // down to this level
	fewChildren = 3   // of the first element, containers with no more children are open
	firstLook   = 64  // containers and children that the initial state reads
)

// openFirst sets the initial state of a document: the root and its direct
// children are open, except that in an array only the first element is.
func (d *Document) openFirst(s *scanner) {
	d.fold = &fold{member: d.root, open: true}
	if d.root.container() {
		if d.root.lines <= fewLines {
			d.openLevels(s, d.fold, fewLevels-1)
		} else {
			d.openHead(s, d.fold)
		}
	}
	d.fold.tally()
}

// add opens a child of f.
func (f *fold) add(m member) *fold {
	c := &fold{member: m, open: true}
	f.folds = append(f.folds, c)
	return c
}

func (d *Document) openLevels(s *scanner, f *fold, levels int) {
	if levels == 0 {
		return
	}
	walk := s.from(f.value, f.first())
	for m, ok := walk.next(); ok; m, ok = walk.next() {
		if m.container() && m.count > 0 {
			c := f.add(m)
			d.openLevels(s, c, levels-1)
			c.tally()
		}
	}
}

func (d *Document) openHead(s *scanner, root *fold) {
	if root.kind == Array {
		d.openElement(s, root)
		return
	}
	walk := s.from(root.value, root.first())
	for m, ok := walk.next(); ok && m.index < firstLook; m, ok = walk.next() {
		if m.container() && m.count > 0 {
			c := root.add(m)
			if m.kind == Array {
				d.openElement(s, c)
			}
			c.tally()
		}
	}
}

// openElement opens the first element of an array, and the short containers in
// it.
func (d *Document) openElement(s *scanner, array *fold) {
	walk := s.from(array.value, array.first())
	first, ok := walk.next()
	if !ok || !first.container() || first.count == 0 {
		return
	}
	c := array.add(first)
	inside := s.from(first.value, first.first())
	for m, ok := inside.next(); ok && m.index < firstLook; m, ok = inside.next() {
		if m.container() && m.count > 0 && m.count <= fewChildren {
			c.add(m).tally()
		}
	}
	c.tally()
}

// Toggle opens or closes one container, with deep everything inside it too, and
// returns the new number of rows. Closing without deep keeps the state of the
// containers inside for the next time.
//
// It returns fault.Unknown for a node that is not a container of this document.
func (d *Document) Toggle(node int64, open, deep bool) (total int, err error) {
	err = d.use(func(s *scanner) error {
		chain, err := d.find(s, node)
		if err != nil {
			return err
		}
		if last := chain[len(chain)-1]; !last.container() {
			return errNoNode(node)
		}
		d.folds.Lock()
		defer d.folds.Unlock()
		path := d.fold.reach(chain)
		f := path[len(path)-1]
		f.open = open
		if deep {
			f.inner, f.folds = open, nil
		}
		settle(path)
		total = d.fold.rows
		return nil
	})
	return total, err
}

// OpenAll opens every container and returns the new number of rows.
func (d *Document) OpenAll() int { return d.setAll(true) }

// CloseAll closes every container except the root, and returns the new number of
// rows.
func (d *Document) CloseAll() int { return d.setAll(false) }

func (d *Document) setAll(inner bool) int {
	d.folds.Lock()
	defer d.folds.Unlock()
	if d.fold == nil {
		return 0
	}
	d.fold.open, d.fold.inner, d.fold.folds = true, inner, nil
	d.fold.tally()
	return d.fold.rows
}

// Reveal opens the containers around a node and returns its row and the new
// number of rows. It returns fault.Unknown for a node that is not in this
// document.
func (d *Document) Reveal(node int64) (row, total int, err error) {
	err = d.use(func(s *scanner) error {
		chain, err := d.find(s, node)
		if err == nil {
			row, total = d.reveal(chain)
		}
		return err
	})
	return row, total, err
}

func (d *Document) reveal(chain []member) (row, total int) {
	d.folds.Lock()
	defer d.folds.Unlock()
	n := len(chain) - 1
	if n > 0 {
		path := d.fold.reach(chain[:n])
		for _, f := range path {
			f.open = true
		}
		settle(path)
	}
	f, inner := d.fold, d.fold.inner
	for _, m := range chain[1:] {
		row += 1 + plainRow(m.index, m.line, inner)
		if f == nil {
			continue
		}
		row += f.extra(m.start)
		if f = f.find(m.start); f != nil {
			inner = f.inner
		}
	}
	return row, d.fold.rows
}
