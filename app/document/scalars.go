package document

import (
	"context"
	"slices"

	"spyglass/app/document/query"
)

// Leaf is a scalar with its position.
type Leaf struct {
	Node int64  `json:"node"`
	Path string `json:"path"`
	Key  string `json:"key" doc:"empty in an array"`
	Text string `json:"text"`
	Kind Kind   `json:"kind"`
	Cut  bool   `json:"cut"`
}

// List describes the list that a body consists of, at its root or under items.
type List struct {
	Path  string     `json:"path"`
	Count int        `json:"count"`
	Item  int        `json:"item" doc:"whose scalars are among those given"`
	First int        `json:"first" doc:"the item of the first name"`
	Names []ListItem `json:"names" doc:"names of the items around Item"`
}

// ListItem identifies an item of a list by its displayName or name, and its id.
type ListItem struct {
	Name string `json:"name"`
	ID   string `json:"id"`
}

// Scalars holds the scalars of a body.
type Scalars struct {
	List    *List  `json:"list" doc:"null for a body that is none"`
	Scalars []Leaf `json:"scalars"`
	More    bool   `json:"more" doc:"there are more than 5,000"`
}

const (
	maxScalars = 5000
	itemNames  = 200
)

// Scalars lists the scalars at all depths. In a list it lists only those of one
// item, counted from 0.
func (d *Document) Scalars(ctx context.Context, item int) (*Scalars, error) {
	out := &Scalars{Scalars: []Leaf{}}
	if ok, _ := d.JSON(); !ok {
		return out, nil
	}
	err := d.use(func(s *scanner) error {
		r := &scalarReader{walker: walkerOf(ctx, s, d.root.start), out: out, list: -1}
		if path, at, ok := r.findList(); ok {
			r.list = at
			out.List = r.describe(path, at, item)
		}
		r.read("$", "", d.root.start)
		return r.stop
	})
	return out, err
}

type scalarReader struct {
	*walker
	out  *Scalars
	list int64 // offset of the list; -1 for none
}

// findList finds the array of the body if it has at least one item.
func (r *scalarReader) findList() (path string, at int64, ok bool) {
	if r.byteAt(r.root) == '[' {
		return "$", r.root, r.count(r.root) > 0
	}
	if r.byteAt(r.root) != '{' {
		return "", 0, false
	}
	items := r.only(
		&query.Path{Segments: []query.Segment{{Selectors: []query.Selector{{Kind: query.ByName, Name: "items"}}}}},
		r.root)
	return "$.items", items.at, items.kind == Array && r.count(items.at) > 0
}

func (r *scalarReader) describe(path string, at int64, item int) *List {
	l := &List{Path: path, Count: int(r.count(at)), Names: []ListItem{}}
	l.Item = max(0, min(item, l.Count-1))
	l.First = max(0, min(l.Item-itemNames/2, l.Count-itemNames))
	r.each(at, r.beginning(at, int64(l.First)), func(c child) int64 {
		if c.index >= int64(l.First+itemNames) {
			return noMore
		}
		if c.index < int64(l.First) {
			return unknownEnd
		}
		l.Names = append(l.Names, r.inWords(c.at))
		return unknownEnd
	})
	return l
}

func (r *scalarReader) inWords(at int64) (item ListItem) {
	if v := r.value(at); v.kind == Object {
		item.Name = r.hint(v)
	} else if !v.container() {
		text, cut := r.literal(v, previewText)
		item.Name = ellipsis(text, cut)
	}
	if r.byteAt(at) == '{' {
		id := r.only(
			&query.Path{Segments: []query.Segment{{Selectors: []query.Selector{{Kind: query.ByName, Name: "id"}}}}}, at)
		if id.kind == String || id.kind == Number {
			item.ID = string(id.text[:min(len(id.text), previewText)])
		}
	}
	return item
}

func (r *scalarReader) read(path, key string, at int64) {
	if r.out.More || r.halted() {
		return
	}
	if r.isContainer(at) {
		r.inside(path, at)
		return
	}
	if len(r.out.Scalars) == maxScalars {
		r.out.More = true
		return
	}
	v := r.value(at)
	text, cut := r.literal(v, maxText)
	r.out.Scalars = append(r.out.Scalars, Leaf{at, path, key, text, v.kind, cut})
}

func (r *scalarReader) inside(path string, at int64) {
	from := mark{at: at + 1}
	only := int64(-1)
	if at == r.list {
		only = int64(r.out.List.Item)
		from = r.beginning(at, only)
	}
	r.each(at, from, func(c child) int64 {
		switch {
		case r.out.More || only >= 0 && c.index > only:
			return noMore
		case only >= 0 && c.index < only:
			return unknownEnd
		case c.key < 0:
			r.read(path+"["+itoa(c.index)+"]", "", c.at)
		default:
			key := string(r.datum(c.key).text)
			r.read(path+keyStep(key), key, c.at)
		}
		return unknownEnd
	})
}

const (
	keysLook = 1 << 20 // leading bytes that Keys reads
	maxKeys  = 500
)

// Keys returns the distinct keys in the first MiB of the body, in order of
// first appearance; at most 500.
func (d *Document) Keys() (keys []string, err error) {
	keys = []string{}
	if ok, _ := d.JSON(); !ok {
		return keys, nil
	}
	seen := map[string]bool{}
	err = d.use(func(s *scanner) error {
		for pos := d.root.start; pos < min(d.root.end, keysLook) && len(keys) < maxKeys; {
			if s.byteAt(pos) != '"' {
				pos++
				continue
			}
			end := s.textEnd(pos)
			if s.byteAt(s.skipSpace(end)) == ':' {
				key, cut := s.text(pos, end, previewSize)
				if !cut && !seen[key] {
					seen[key] = true
					keys = append(keys, key)
				}
			}
			pos = end
		}
		return nil
	})
	return slices.Clip(keys), err
}
