package document

import (
	"bytes"
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"spyglass/app/document/query"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Change is one difference between two bodies.
type Change struct {
	Kind   string  `json:"kind" enum:"added|removed|changed"`
	Path   string  `json:"path" doc:"JSONPath; an object in a list by its key: $.items[?@.id == 7].name"`
	Before *string `json:"before,omitempty" null:"no" doc:"as it was sent, cut at 300 characters"`
	After  *string `json:"after,omitempty" null:"no"`
	Node   int64   `json:"-"` // the value in the second body; -1 if it was removed
}

// Comparison is the result of Diff.
type Comparison struct {
	Changes []Change `json:"changes" doc:"the first 5,000"`
	Added   int      `json:"added"`
	Removed int      `json:"removed"`
	Changed int      `json:"changed"`
	By      []string `json:"by" doc:"the keys by which objects in lists were matched: $.items by id"`
}

const (
	maxChanges  = 5000
	changeText  = 300
	maxDiffSize = 128 << 20 // bytes of both bodies
	maxAligned  = 1 << 20   // pairs compared to align lists without keys
)

// keyFields lists the fields that can identify objects in lists, best first.
var keyFields = []string{"id", "uuid", "key", "name", "displayName"}

// Diff compares two bodies by meaning: objects by key, in any order, objects in
// lists by the first of id, uuid, key, name and displayName that is unique
// among them, other lists in their order, numbers by value. Keys in ignore are
// left out at any depth. Memory grows with the longest list, not with the
// bodies. fault.Invalid: one is not JSON, or they are together more than 128
// MiB.
func Diff(ctx context.Context, left, right *Document, ignore []string) (*Comparison, error) {
	out := &Comparison{Changes: []Change{}, By: []string{}}
	if left == right {
		return out, nil
	}
	for _, d := range []*Document{left, right} {
		if ok, problem := d.JSON(); !ok {
			return nil, fault.At("document", "only JSON can be compared: %s", problem)
		}
	}
	if size := left.size + right.size; size > maxDiffSize {
		return nil, fault.At("document",
			"the two responses have %d MiB in total; at most %d MiB can be compared", size>>20,
			maxDiffSize>>20)
	}
	err := left.read(largeWindow, func(a *scanner) error {
		return right.read(largeWindow, func(b *scanner) error {
			d := &differ{left: walkerOf(ctx, a, left.root.start), right: walkerOf(ctx, b, right.root.start),
				ignore: ignore, seed: maphash.MakeSeed(), out: out}
			d.values("$", left.root.start, right.root.start)
			for _, w := range []*walker{d.left, d.right} {
				if w.stop != nil {
					return w.stop
				}
				if w.err != nil {
					return w.err
				}
			}
			return nil
		})
	})
	return out, err
}

func walkerOf(ctx context.Context, s *scanner, root int64) *walker {
	w := &walker{scanner: s, ctx: ctx, root: root, known: map[query.Operand]datum{}}
	w.done.at = -1
	return w
}

type differ struct {
	left, right *walker
	ignore      []string
	seed        maphash.Seed
	out         *Comparison
}

func (d *differ) add(kind, path string, before, after *string, node int64) {
	switch kind {
	case "added":
		d.out.Added++
	case "removed":
		d.out.Removed++
	default:
		d.out.Changed++
	}
	if len(d.out.Changes) < maxChanges {
		d.out.Changes = append(d.out.Changes, Change{kind, path, before, after, node})
	}
}

// shown returns the text of a value in a Change.
func (w *walker) shown(at int64) *string {
	end := w.skip(at)
	raw := string(bytes.ToValidUTF8(w.bytes(at, min(end, at+4*changeText)), []byte("\uFFFD")))
	text := []rune(raw)
	if len(text) > changeText {
		raw = string(text[:changeText]) + "…"
	} else if end > at+4*changeText {
		raw += "…"
	}
	return &raw
}

func (d *differ) added(path string, at int64) { d.add("added", path, nil, d.right.shown(at), at) }

func (d *differ) removed(path string, at int64) {
	d.add("removed", path, d.left.shown(at), nil, -1)
}

func (d *differ) values(path string, a, b int64) {
	if d.left.halted() || d.right.halted() || d.same(a, b) {
		return
	}
	left, right := d.left.byteAt(a), d.right.byteAt(b)
	switch {
	case left == '{' && right == '{':
		d.objects(path, a, b)
	case left == '[' && right == '[':
		d.arrays(path, a, b)
	case !d.equalScalars(a, b):
		d.add("changed", path, d.left.shown(a), d.right.shown(b), b)
	}
}

// same reports cheaply whether two values have the same bytes; if false, they
// may still be equal.
func (d *differ) same(a, b int64) bool {
	return d.sameBytes(a, d.left.skip(a), b, d.right.skip(b))
}

func (d *differ) sameBytes(a, endA, b, endB int64) bool {
	return endA-a == endB-b && endA-a <= smallWindow && bytes.Equal(d.left.bytes(a, endA), d.right.bytes(b, endB))
}

func (d *differ) equalScalars(a, b int64) bool {
	if d.left.isContainer(a) || d.right.isContainer(b) {
		return false
	}
	left, right := d.left.datum(a), d.right.datum(b)
	if left.kind == Number && right.kind == Number {
		return compareNumbers(left.text, right.text) == 0
	}
	return left.kind == right.kind && bytes.Equal(left.text, right.text)
}

// entry is a child of a container, with the name it is compared by.
type entry struct {
	name string
	path string
	at   int64
}

// entries returns the children of an object; the second of two duplicate keys
// gets a different name.
func (d *differ) entries(w *walker, at int64) (all []entry) {
	times := map[string]int{}
	w.each(at, mark{at: at + 1}, func(c child) int64 {
		key := string(w.datum(c.key).text)
		if slices.Contains(d.ignore, key) {
			return unknownEnd
		}
		times[key]++
		all = append(all, entry{name: key + strings.Repeat("\x00", times[key]), path: keyStep(key), at: c.at})
		return unknownEnd
	})
	return all
}

// keyStep returns a key as a step of a JSONPath.
func keyStep(key string) string {
	if shortName(key) {
		return "." + key
	}
	return "['" + quotedName(key) + "']"
}

func (d *differ) objects(path string, a, b int64) {
	d.paired(path, d.entries(d.left, a), d.entries(d.right, b))
}

// paired compares members with the same name, in any order.
func (d *differ) paired(path string, left, right []entry) {
	at := make(map[string]int64, len(right))
	for _, e := range right {
		at[e.name] = e.at
	}
	for _, e := range left {
		if d.left.halted() {
			return
		}
		if b, ok := at[e.name]; ok {
			d.values(path+e.path, e.at, b)
			delete(at, e.name)
		} else {
			d.removed(path+e.path, e.at)
		}
	}
	for _, e := range right {
		if _, ok := at[e.name]; ok {
			d.added(path+e.path, e.at)
		}
	}
}

func (w *walker) items(at int64) (all []int64) {
	w.each(at, mark{at: at + 1}, func(c child) int64 { all = append(all, c.at); return unknownEnd })
	return all
}

func (d *differ) arrays(path string, a, b int64) {
	for _, field := range keyFields {
		if slices.Contains(d.ignore, field) {
			continue
		}
		if before, after, ok := d.keyed(a, b, field); ok && len(before)+len(after) > 0 {
			if len(d.out.By) < 20 {
				d.out.By = append(d.out.By, path+" by "+field)
			}
			d.matched(func(w *walker, i item) string { return path + w.step(field, i.at) }, before, after)
			return
		}
	}
	d.sequence(path, d.left.items(a), d.right.items(b))
}

// item is an object in a list.
type item struct {
	at, end int64
	key     uint64 // hash of the value that identifies it
}

// keyed returns the items of two lists with their keys by a field; ok is false unless each
// is an object with a key of its own. It reads long lists at the same time.
func (d *differ) keyed(a, b int64, field string) (left, right []item, ok bool) {
	if d.left.skip(a)-a <= largeWindow {
		if left, ok = d.left.keyed(a, field, d.seed); ok {
			right, ok = d.right.keyed(b, field, d.seed)
		}
		return left, right, ok
	}
	var both service.Parts
	var leftOK bool
	both.Go(func() { left, leftOK = d.left.keyed(a, field, d.seed) })
	right, ok = d.right.keyed(b, field, d.seed)
	both.Wait()
	return left, right, ok && leftOK
}

// keyed returns the items of a list with their keys by a field; ok is false unless each is an object
// with a key of its own.
func (w *walker) keyed(list int64, field string, seed maphash.Seed) (all []item, ok bool) {
	path, seen := memberPath(field), map[uint64]bool{}
	ok = true
	w.each(list, mark{at: list + 1}, func(c child) int64 {
		var key datum
		if w.byteAt(c.at) == '{' {
			key = w.only(path, c.at)
		}
		one := item{at: c.at, end: w.skip(c.at), key: maphash.Bytes(seed, key.text)}
		if key.kind == Number {
			one.key = ^one.key // 7 is not "7"
		}
		if ok = (key.kind == String || key.kind == Number) && !seen[one.key]; !ok {
			return noMore
		}
		if len(all) == 0 { // the others are probably about as long
			n := min(int((w.skip(list)-list)/max(one.end-one.at, 1)), 1<<18)
			all, seen = make([]item, 0, n+n/8), make(map[uint64]bool, n+n/8)
		}
		seen[one.key] = true
		all = append(all, one)
		return one.end
	})
	return all, ok && w.stop == nil
}

func memberPath(field string) *query.Path {
	return &query.Path{Segments: []query.Segment{{Selectors: []query.Selector{{Kind: query.ByName, Name: field}}}}}
}

// step returns an item with a key as a step of a JSONPath.
func (w *walker) step(field string, at int64) string {
	key := w.only(memberPath(field), at)
	literal := string(key.text)
	if key.kind == String {
		literal = string(resource.AppendString(nil, literal))
	}
	return "[?@." + field + " == " + literal + "]"
}

// matched compares items with the same key, in any order. pathOf is called only for
// those that differ.
func (d *differ) matched(pathOf func(*walker, item) string, left, right []item) {
	compare := func(a, b item) {
		if !d.sameBytes(a.at, a.end, b.at, b.end) {
			d.values(pathOf(d.left, a), a.at, b.at)
		}
	}
	for len(left) > 0 && len(right) > 0 && left[0].key == right[0].key && !d.left.halted() {
		compare(left[0], right[0])
		left, right = left[1:], right[1:]
	}
	at := make(map[uint64]item, len(right))
	for _, b := range right {
		at[b.key] = b
	}
	for _, a := range left {
		if d.left.halted() {
			return
		}
		if b, ok := at[a.key]; ok {
			compare(a, b)
			delete(at, a.key)
		} else {
			d.removed(pathOf(d.left, a), a.at)
		}
	}
	for _, b := range right {
		if _, ok := at[b.key]; ok {
			d.added(pathOf(d.right, b), b.at)
		}
	}
}

// sequence compares two lists in their order: it aligns equal items, and
// compares the items between them one by one.
func (d *differ) sequence(path string, left, right []int64) {
	a, b := d.hashes(d.left, left), d.hashes(d.right, right)
	i, j := 0, 0
	gap := func(toI, toJ int) {
		for i < toI && j < toJ {
			d.values(path+"["+itoa(j)+"]", left[i], right[j])
			i, j = i+1, j+1
		}
		for ; i < toI; i++ {
			d.removed(path+"["+itoa(i)+"]", left[i])
		}
		for ; j < toJ; j++ {
			d.added(path+"["+itoa(j)+"]", right[j])
		}
	}
	for _, pair := range align(a, b) {
		gap(pair[0], pair[1])
		i, j = pair[0]+1, pair[1]+1
	}
	gap(len(left), len(right))
}

// align returns the index pairs of a longest common subsequence. For long lists
// it only finds the common prefix and suffix.
func align(a, b []uint64) (pairs [][2]int) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		pairs = append(pairs, [2]int{head, head})
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x) > 0 && len(y) > 0 && len(x) <= maxAligned/len(y) {
		pairs = append(pairs, common(x, y, head)...)
	}
	for ; tail > 0; tail-- {
		pairs = append(pairs, [2]int{len(a) - tail, len(b) - tail})
	}
	return pairs
}

// common returns the longest common subsequence by dynamic programming.
func common(x, y []uint64, shift int) (pairs [][2]int) {
	width := len(y) + 1
	length := make([]int32, (len(x)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			pairs = append(pairs, [2]int{i + shift, j + shift})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// hashes returns hashes that are equal for values with the same meaning.
func (d *differ) hashes(w *walker, items []int64) []uint64 {
	out := make([]uint64, len(items))
	for i, at := range items {
		out[i] = d.hash(w, at)
	}
	return out
}

func (d *differ) hash(w *walker, at int64) uint64 {
	kind := w.byteAt(at)
	if kind != '{' && kind != '[' {
		v := w.datum(at)
		text := v.text
		if v.kind == Number {
			n := decimalOf(v.text)
			text = append([]byte{byte(n.sign), byte(n.point), byte(n.point >> 8), byte(n.point >> 16)}, n.digits...)
		}
		return maphash.Bytes(d.seed, text)*31 + uint64(len(v.kind))
	}
	sum := uint64(kind)
	w.each(at, mark{at: at + 1}, func(c child) int64 {
		if kind == '[' {
			sum = (sum ^ d.hash(w, c.at)) * 0x9E3779B97F4A7C15
			return unknownEnd
		}
		if key := w.datum(c.key).text; !slices.Contains(d.ignore, string(key)) {
			sum += (maphash.Bytes(d.seed, key) ^ d.hash(w, c.at)) * 0x9E3779B97F4A7C15
		}
		return unknownEnd
	})
	return sum
}
