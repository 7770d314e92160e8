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
	parent   int   // index of the device that it depends on; -1: none
	children []int // indexes of those that depend on it directly
	state    byte
}

// graph has the devices, and what each depends on.
type graph struct {
	nodes []node        // by id
	at    map[int64]int // their indexes
	tree  *fleet.Tree
}

// newGraph returns the graph of devices, which are sorted by id.
func newGraph(devices []fleet.Device, tree *fleet.Tree) *graph {
	g := &graph{nodes: make([]node, len(devices)), at: make(map[int64]int, len(devices)), tree: tree}
	named := make(map[string]int, len(devices))
	for i := range devices {
		d := &devices[i]
		g.nodes[i] = node{id: d.ID, name: d.DisplayName, groups: d.GroupIDs, parent: -1, state: stateOf(d)}
		g.at[d.ID], named[strings.ToLower(d.DisplayName)] = i, i
	}
	inherited := map[string]string{} // the parent that groups pass on, by the ids of the groups
	for i := range devices {
		d := &devices[i]
		name, ok := parentIn(d.CustomProperties)
		if !ok {
			key := d.GroupIDs.String()
			if name, ok = inherited[key]; !ok {
				name, _ = parentIn(tree.Inherited(d.GroupIDs))
				inherited[key] = name
			}
		}
		if at, ok := named[strings.ToLower(name)]; ok && name != "" && at != i {
			g.nodes[i].parent = at
			g.nodes[at].children = append(g.nodes[at].children, i)
		}
	}
	return g
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

// letterOf returns the letter for an alert; in upper case if somebody deals with
// it.
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
