package topology

import (
	"slices"
	"strings"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// Letters of states, the worst first.
const (
	critical   = 'c'
	failing    = 'e'
	warning    = 'w'
	silent     = 's'
	withoutAny = 'u'
	normal     = 'n'

	letters = "cewsun" // in the order of Topology.Counts
)

// node is a device.
type node struct {
	id       int64
	name     string
	groups   resource.IDs
	wants    string // the name of its parent, by its own property
	own      bool   // it has that property; otherwise the groups pass one on
	parent   int    // index of the device that it depends on; -1: none
	children []int  // indexes of those that depend on it directly
}

// nodeOf returns the node of a device, which is not linked.
func nodeOf(d *fleet.Device) node {
	one := node{id: d.ID, name: d.DisplayName, groups: d.GroupIDs, parent: -1}
	one.wants, one.own = parentIn(d.CustomProperties)
	return one
}

// links are the devices, and what each depends on: what stays while only states change.
type links struct {
	nodes []node        // by id
	at    map[int64]int // their indexes
	tree  *fleet.Tree
}

// graph has the devices, what each depends on, and their states. Neither changes.
type graph struct {
	*links
	states []byte // of nodes
}

// newGraph returns the graph of devices, which are sorted by id.
func newGraph(devices []fleet.Device, tree *fleet.Tree) *graph {
	nodes, states := make([]node, len(devices)), make([]byte, len(devices))
	for i := range devices {
		nodes[i], states[i] = nodeOf(&devices[i]), stateOf(&devices[i])
	}
	return &graph{link(nodes, tree), states}
}

// link connects nodes, which are sorted by id and not linked. It becomes their owner.
func link(nodes []node, tree *fleet.Tree) *links {
	l := &links{nodes: nodes, at: make(map[int64]int, len(nodes)), tree: tree}
	named := make(map[string]int, len(nodes))
	for i := range nodes {
		l.at[nodes[i].id], named[strings.ToLower(nodes[i].name)] = i, i
	}
	inherited := map[string]string{} // the parent that groups pass on, by the ids of the groups
	for i := range nodes {
		one := &nodes[i]
		name := one.wants
		if !one.own {
			key, ok := one.groups.String(), false
			if name, ok = inherited[key]; !ok {
				name, _ = parentIn(tree.Inherited(one.groups))
				inherited[key] = name
			}
		}
		if name == "" {
			continue
		}
		if at, ok := named[strings.ToLower(name)]; ok && at != i {
			one.parent = at
			nodes[at].children = append(nodes[at].children, i)
		}
	}
	return l
}

// with returns the graph after a change: ids are of the devices that were written or
// deleted, and devices are those of them that exist, sorted by id. It keeps the links
// while only states change.
func (g *graph) with(ids []int64, devices []fleet.Device, tree *fleet.Tree) *graph {
	moved := tree != g.tree
	changed := make(map[int64]*fleet.Device, len(ids)) // nil: deleted
	for _, id := range ids {
		changed[id] = nil
	}
	for i := range devices {
		changed[devices[i].ID] = &devices[i]
	}
	states := slices.Clone(g.states)
	for id, d := range changed {
		i, known := g.at[id]
		switch {
		case d != nil && known:
			states[i] = stateOf(d)
			moved = moved || !g.nodes[i].like(nodeOf(d))
		case d != nil || known:
			moved = true
		}
	}
	if !moved {
		return &graph{g.links, states}
	}
	nodes := make([]node, 0, len(g.nodes)+len(devices))
	var news []byte
	add := func(one node, state byte) { nodes, news = append(nodes, one), append(news, state) }
	for i := range g.nodes {
		one := g.nodes[i]
		for ; len(devices) > 0 && devices[0].ID < one.id; devices = devices[1:] {
			add(nodeOf(&devices[0]), stateOf(&devices[0]))
		}
		d, is := changed[one.id]
		switch {
		case !is:
			one.parent, one.children = -1, nil
			add(one, states[i])
		case d != nil:
			add(nodeOf(d), states[i])
			devices = devices[1:]
		}
	}
	for i := range devices {
		add(nodeOf(&devices[i]), stateOf(&devices[i]))
	}
	return &graph{link(nodes, tree), news}
}

// like reports whether two nodes have the same place and the same parent.
func (n *node) like(other node) bool {
	return n.name == other.name && n.wants == other.wants && n.own == other.own && slices.Equal(n.groups, other.groups)
}

// parentIn returns the value of the property that names the parent.
func parentIn(properties []resource.Property) (name string, ok bool) {
	i := slices.IndexFunc(properties, func(p resource.Property) bool {
		return strings.EqualFold(p.Name, fleet.ParentProperty)
	})
	if i < 0 {
		return "", false
	}
	return properties[i].Value, true
}

// stateOf returns the letter for the more severe of alert status and host status.
func stateOf(d *fleet.Device) byte {
	parts := strings.Split(d.AlertStatus, "-")
	if len(parts) > 2 {
		for severity, word := range threshold.LevelWords {
			if word == parts[1] {
				return letterOf(severity, parts[0] == "confirmed" || parts[2] == "sdt")
			}
		}
	}
	switch {
	case d.HostStatus != "" && d.HostStatus != "normal":
		return silent
	case d.LastDataTime == 0:
		return withoutAny
	}
	return normal
}

// letterOf returns the letter for an alert, in upper case if the alert is handled.
func letterOf(severity int64, handled bool) byte {
	letter := map[int64]byte{threshold.SeverityWarn: warning, threshold.SeverityError: failing,
		threshold.SeverityCritical: critical}[severity]
	if handled && letter > 0 {
		letter -= 'a' - 'A'
	}
	return letter
}

// above returns what a device depends on, the nearest first, without the device.
func (g *graph) above(i int) (all []int) {
	seen := map[int]bool{i: true}
	for up := g.nodes[i].parent; up >= 0 && !seen[up]; up = g.nodes[up].parent {
		seen[up] = true
		all = append(all, up)
	}
	return all
}

// below returns what depends on a device, the nearest first, without the device.
func (g *graph) below(i int) (all []int) {
	seen := map[int]bool{i: true}
	for next := 0; ; next++ {
		for _, child := range g.nodes[i].children {
			if !seen[child] {
				seen[child] = true
				all = append(all, child)
			}
		}
		if next == len(all) {
			return all
		}
		i = all[next]
	}
}

// between returns the devices from one to another along dependencies, both
// included; nil if there is no such path.
func (g *graph) between(from, to int) []int {
	up, down := append([]int{from}, g.above(from)...), append([]int{to}, g.above(to)...)
	place := make(map[int]int, len(down))
	for k, i := range down {
		place[i] = k
	}
	for k, i := range up {
		if meets, ok := place[i]; ok {
			rest := slices.Clone(down[:meets])
			slices.Reverse(rest)
			return append(up[:k+1], rest...)
		}
	}
	return nil
}
