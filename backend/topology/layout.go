package topology

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

const (
	shape   = 1.6 // width to height of a box
	padding = 1   // around the contents of a box, and between boxes
	title   = 2   // height of the name of a box
	widest  = 12  // that a box gets for its name
	view    = 1.9 // width to height of the map in a window

	mostTried = 200 // boxes in the map whose arrangements are compared

	locationProperty = "location" // of the groups that are sites
)

// box is a group on the map.
type box struct {
	group   *fleet.Group // nil for the whole map
	parent  *box
	inside  []*box
	devices []int // indexes in the graph, of the devices directly in it

	index         int // among all boxes, parents first
	first, count  int // its devices and those of the boxes inside, in the order of the map
	x, y          int // first inside the parent, then on the map
	width, height int
	left, top     int // of its devices, inside the box
	columns       int // of its devices
}

// plan is the part of a map that stays the same while only states change.
type plan struct {
	*links
	boxes  []*box
	order  []int // indexes in the graph, in the order of the map
	place  []int // the opposite of order; -1 for a device that is not on the map
	in     []*box
	layout string
	full   []byte // the JSON up to the states
	short  []byte // the same without the layout
}

// drawing is a map, encoded for the callers who share it.
type drawing struct {
	*plan
	graph *graph
	rest  []byte // the JSON after full or short
}

// draw arranges the devices in groups that the caller may view.
func draw(g *graph, sees func(group int64) bool) (*drawing, error) {
	d := &plan{links: g.links, place: make([]int, len(g.nodes)), in: make([]*box, len(g.nodes))}
	whole := d.fill(sees)
	for len(whole.inside) == 1 && len(whole.inside[0].devices) == 0 && len(whole.devices) == 0 {
		whole.inside = whole.inside[0].inside
	}
	for _, b := range whole.inside {
		b.parent = nil
	}
	whole.size()
	whole.settle(d, 0, 0)
	if err := d.encode(whole); err != nil {
		return nil, err
	}
	return d.with(g)
}

// fill puts the devices into boxes.
func (d *plan) fill(sees func(group int64) bool) *box {
	whole := &box{}
	known := map[string][]int64{} // the groups around a device, by the ids of its own groups
	boxes := map[string]*box{}    // by the ids of the groups around
	for i := range d.nodes {
		groups := d.nodes[i].groups
		key := groups.String()
		path, ok := known[key]
		if !ok {
			path = d.pathOf(groups, sees)
			known[key] = path
		}
		d.place[i] = -1
		if path == nil {
			continue
		}
		at := whole
		for k := range path {
			key := resource.IDs(path[:k+1]).String()
			b := boxes[key]
			if b == nil {
				b = &box{group: d.tree.Groups[path[k]], parent: at}
				boxes[key], at.inside = b, append(at.inside, b)
			}
			at = b
		}
		at.devices = append(at.devices, i)
	}
	return whole
}

// pathOf returns the groups around the devices of some groups, the outermost
// first; nil if the caller may view none of them.
func (g *links) pathOf(groups resource.IDs, sees func(group int64) bool) (path []int64) {
	var seen []int64
	for _, id := range groups {
		if g.tree.Groups[id] != nil && sees(id) {
			seen = append(seen, id)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	home := slices.IndexFunc(seen, func(id int64) bool { return g.hasLocation(id, sees) })
	if home < 0 {
		other := slices.IndexFunc(seen, func(id int64) bool { return id != ground.RootGroup })
		return g.chain(seen[max(other, 0)], sees)
	}
	path = g.chain(seen[home], sees)
	for _, id := range seen {
		if id != ground.RootGroup && !slices.Contains(path, id) {
			return append(path, id)
		}
	}
	return path
}

// hasLocation reports whether a group or one above it is a site. A location of
// the root group is that of the whole portal.
func (g *links) hasLocation(id int64, sees func(group int64) bool) bool {
	above := func(up *fleet.Group) *fleet.Group { return g.tree.Groups[up.ParentID] }
	for up := g.tree.Groups[id]; up != nil && up.ID != ground.RootGroup && sees(up.ID); up = above(up) {
		for _, p := range up.CustomProperties {
			if strings.EqualFold(p.Name, locationProperty) && p.Value != "" {
				return true
			}
		}
	}
	return false
}

// chain returns a group and those above it that the caller may view, the
// outermost first, without the root unless it is the group itself.
func (g *links) chain(id int64, sees func(group int64) bool) (path []int64) {
	for up := g.tree.Groups[id]; up != nil && sees(up.ID); up = g.tree.Groups[up.ParentID] {
		if up.ID != ground.RootGroup || id == ground.RootGroup {
			path = append(path, up.ID)
		}
	}
	slices.Reverse(path)
	return path
}

// size sets the sizes of a box and the boxes inside, and the places of these
// inside of it: in rows, in the order of their names.
func (b *box) size() {
	slices.SortFunc(b.inside, func(a, b *box) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.group.Name), strings.ToLower(b.group.Name)),
			cmp.Compare(a.group.ID, b.group.ID))
	})
	own := &box{}
	rows := b.inside
	if n := len(b.devices); n > 0 {
		b.columns = int(math.Ceil(math.Sqrt(float64(n) * shape)))
		own.width, own.height = min(n, b.columns), (n+b.columns-1)/b.columns
		rows = append([]*box{own}, rows...)
	}
	area, widestInside := 0, 0
	for _, one := range b.inside {
		one.size()
	}
	for _, one := range rows {
		area += (one.width + padding) * (one.height + padding)
		widestInside = max(widestInside, one.width)
	}
	limit := max(widestInside, int(math.Ceil(math.Sqrt(float64(area)*shape))))
	if b.group == nil && len(rows) <= mostTried {
		limit = widestView(rows, widestInside)
	}
	b.width, b.height = inRows(rows, limit)
	b.left, b.top = own.x, own.y
	if b.group != nil {
		b.width = max(b.width, min(widest, 2*padding+2+(utf8.RuneCountInString(b.group.Name)+1)/2))
	}
}

// inRows places boxes in rows of at most limit, and returns the size of the box around them.
func inRows(rows []*box, limit int) (width, height int) {
	x, y, tallest := 0, 0, 0
	for _, one := range rows {
		if x > 0 && x+one.width > limit {
			x, y, tallest = 0, y+tallest+padding, 0
		}
		one.x, one.y = padding+x, title+y
		x += one.width + padding
		tallest = max(tallest, one.height)
		width = max(width, one.x+one.width+padding)
	}
	return width, title + y + tallest + padding
}

// widestView returns the limit of rows with which boxes look largest in a window.
func widestView(rows []*box, least int) (best int) {
	most, limit := 0.0, 0
	for _, one := range rows {
		limit += one.width + padding
		if at := max(limit, least); at > best {
			width, height := inRows(rows, at)
			if scale := min(view/float64(width), 1/float64(height)); scale > most {
				most, best = scale, at
			}
		}
	}
	return best
}

// settle numbers the devices and boxes in a box, and moves it to its place on the
// map.
func (b *box) settle(d *plan, x, y int) {
	b.x, b.y = b.x+x, b.y+y
	b.index, b.first = len(d.boxes)-1, len(d.order)
	for _, i := range b.devices {
		d.place[i], d.in[i] = len(d.order), b
		d.order = append(d.order, i)
	}
	for _, one := range b.inside {
		d.boxes = append(d.boxes, one)
		one.settle(d, b.x, b.y)
	}
	b.count = len(d.order) - b.first
}

// stateless is the end of the JSON of a map without states.
const stateless = `"states":"","counts":[]}`

// encode encodes all but the states.
func (d *plan) encode(whole *box) error {
	t := Topology{Width: int64(whole.width), Height: int64(whole.height), Groups: make([]TopologyGroup, len(d.boxes)),
		Counts: []int64{}}
	for k, b := range d.boxes {
		parent := -1
		if b.parent != nil {
			parent = b.parent.index
		}
		t.Groups[k] = TopologyGroup{ID: b.group.ID, Name: b.group.Name, Parent: int64(parent), X: int64(b.x),
			Y: int64(b.y), Width: int64(b.width), Height: int64(b.height), First: int64(b.first), Count: int64(b.count)}
	}
	n := len(d.order)
	t.Devices = TopologyDevices{IDs: make([]int64, n), Names: make([]string, n), X: make([]int64, n),
		Y: make([]int64, n), Groups: make([]int64, n), Parents: make([]int64, n)}
	for at, i := range d.order {
		one, b := &d.nodes[i], d.in[i]
		nth := at - b.first
		t.Devices.IDs[at], t.Devices.Names[at], t.Devices.Groups[at] = one.id, one.name, int64(b.index)
		t.Devices.X[at] = int64(b.x + b.left + nth%b.columns)
		t.Devices.Y[at] = int64(b.y + b.top + nth/b.columns)
		t.Devices.Parents[at] = -1
		if one.parent >= 0 {
			t.Devices.Parents[at] = int64(d.place[one.parent])
		}
	}
	body, err := json.Marshal(t)
	if err != nil {
		return err
	}
	d.layout = strings.Trim(resource.ETag(body), `"`)
	const unnamed = `{"layout":"`
	d.full = slices.Concat([]byte(unnamed+d.layout), body[len(unnamed):len(body)-len(stateless)])
	t.Layout, t.Groups, t.Devices = d.layout, []TopologyGroup{}, TopologyDevices{IDs: []int64{}, Names: []string{},
		X: []int64{}, Y: []int64{}, Groups: []int64{}, Parents: []int64{}}
	body, err = json.Marshal(t)
	d.short = bytes.TrimSuffix(body, []byte(stateless))
	return err
}

// with returns the map of a graph that has the links of the plan.
func (d *plan) with(g *graph) (*drawing, error) {
	states := make([]byte, len(d.order))
	for at, i := range d.order {
		states[at] = g.states[i]
	}
	counts := make([]int64, len(letters)*len(d.boxes))
	for k, b := range d.boxes {
		for _, state := range states[b.first : b.first+b.count] {
			counts[k*len(letters)+strings.IndexByte(letters, lower(state))]++
		}
	}
	rest, err := json.Marshal(struct {
		States string  `json:"states"`
		Counts []int64 `json:"counts"`
	}{string(states), counts})
	if err != nil {
		return nil, err
	}
	return &drawing{d, g, rest[len("{"):]}, nil
}

// body returns the JSON for a caller who has a layout already, and its tag.
func (d *drawing) body(layout string) (body []byte, tag string) {
	begin := d.full
	if layout == d.layout {
		begin = d.short
	}
	return slices.Concat(begin, d.rest), resource.ETag(append([]byte(d.layout), d.rest...))
}
