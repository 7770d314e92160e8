package document

import (
	"context"
	"hash/maphash"
	"math"
)

// NumberAt is a number in a body with its path.
type NumberAt struct {
	Path  string // JSONPath; an object in a list by its key, as in a Change
	Value float64
}

// Numbers returns the numbers of a body at all depths in their order, the first most of them,
// and whether there are more. It leaves out the keys by which paths name objects in lists.
// A body that is not JSON has none.
func (d *Document) Numbers(ctx context.Context, most int) (all []NumberAt, more bool, err error) {
	if ok, _ := d.JSON(); !ok {
		return nil, false, nil
	}
	err = d.read(largeWindow, func(s *scanner) error {
		r := &numberReader{walker: walkerOf(ctx, s, d.root.start), most: most}
		r.read("$", "", d.root.start)
		all, more = r.found, r.more
		return r.stop
	})
	return all, more, err
}

type numberReader struct {
	*walker
	most  int
	found []NumberAt
	more  bool
}

// read reads the value at at; key is the field that its path names it by.
func (r *numberReader) read(path, key string, at int64) {
	if r.more || r.halted() {
		return
	}
	switch r.byteAt(at) {
	case '{':
		r.each(at, mark{at: at + 1}, func(c child) int64 {
			if r.more {
				return noMore
			}
			if name := string(r.datum(c.key).text); name != key {
				r.read(path+keyStep(name), "", c.at)
			}
			return unknownEnd
		})
	case '[':
		r.list(path, at)
	default:
		r.number(path, at)
	}
}

func (r *numberReader) number(path string, at int64) {
	v := r.datum(at)
	if v.kind != Number {
		return
	}
	n := parseNumber(string(v.text))
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return
	}
	if len(r.found) == r.most {
		r.more = true
		return
	}
	r.found = append(r.found, NumberAt{path, n})
}

// list reads the items of a list, by the same keys as Diff.
func (r *numberReader) list(path string, at int64) {
	seed := maphash.MakeSeed()
	for _, field := range keyFields {
		named, ok := r.keyed(at, field, seed)
		if !ok || len(named) == 0 {
			continue
		}
		for _, one := range named {
			r.read(path+r.step(field, one.at), field, one.at)
		}
		return
	}
	for i, item := range r.items(at) {
		r.read(path+"["+itoa(int64(i))+"]", "", item)
	}
}
