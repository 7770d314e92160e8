package document

import (
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
// are not a container of this document. If Left cannot have written the text, it
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
