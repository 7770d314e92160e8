package fleet

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/appliesto"
	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Membership decides which dynamic groups devices are in. It is built from all
// groups and functions, and shared: do not change it.
type Membership struct {
	tree    *Tree
	dynamic []dynamicGroup // ascending by id
	paths   map[int64][]string
	load    appliesto.Load // total work of their expressions
	over    []int64        // groups whose expressions exceed the limit
}

type dynamicGroup struct {
	id   int64
	expr *appliesto.Expr // nil if it is invalid or exceeds the limit: the group is then empty
}

// MembershipOf returns the current Membership; it is rebuilt only when a group
// or a function has changed.
func MembershipOf(ctx context.Context, r resource.Reader) (*Membership, error) {
	tree, err := TreeOf(ctx, r)
	if err != nil || !tree.hasDynamic() {
		return &Membership{tree: tree}, err
	}
	value, err := r.Memo("membership", []string{string(GroupRows), string(datasource.FunctionRows)},
		func() (any, error) {
			groups, err := resource.Find(ctx, r, GroupRows)
			if err != nil {
				return nil, err
			}
			functions, err := resource.Find(ctx, r, datasource.FunctionRows)
			return newMembership(groups, functions), err
		})
	if err != nil {
		return nil, err
	}
	return value.(*Membership), nil
}

func newMembership(groups []Group, functions []datasource.Function) *Membership {
	m := &Membership{tree: newTree(groups), paths: map[int64][]string{}}
	code := datasource.CodeOf(functions)
	for _, g := range groups {
		if g.AppliesTo != "" {
			expr, err := appliesto.Parse(g.AppliesTo, code)
			if err != nil { // one of its functions was deleted
				expr = nil
			}
			m.dynamic = append(m.dynamic, dynamicGroup{g.ID, expr})
		}
		for up := m.tree.Groups[g.ID]; up != nil && up.FullPath != ""; up = m.tree.Groups[up.ParentID] {
			m.paths[g.ID] = append(m.paths[g.ID], up.FullPath)
		}
	}
	slices.SortFunc(m.dynamic, func(a, b dynamicGroup) int { return int(a.id - b.id) })
	var over []int
	m.load, over = fit(m.dynamic, func(g *dynamicGroup) **appliesto.Expr { return &g.expr })
	for _, i := range over {
		m.over = append(m.over, m.dynamic[i].id)
	}
	return m
}

// Place sets the device's dynamic groups to those that apply to it, after the
// groups to which users added it, or after the root if there are none. It reports
// whether anything changed.
func (m *Membership) Place(d *Device) bool {
	static := m.tree.static(d.GroupIDs)
	if len(static) == 0 {
		static = resource.IDs{ground.RootGroup}
	}
	now := static
	s := &subject{device: d, static: static, of: m}
	for _, g := range m.dynamic {
		if g.expr.Match(s) {
			now = append(now, g.id)
		}
	}
	if slices.Equal(now, d.GroupIDs) {
		return false
	}
	d.GroupIDs = now
	return true
}

// placed is the number of devices read at a time.
const placed = 1000

// placeAll recomputes the dynamic groups of all devices in one pass, a thousand
// at a time to limit memory.
func (m *Membership) placeAll(ctx context.Context, tx resource.Tx) error {
	return m.pass(ctx, tx, func(*Device) bool { return true })
}

// placeBelow recomputes the dynamic groups of the devices in the group and its
// subgroups.
func (m *Membership) placeBelow(ctx context.Context, tx resource.Tx, group int64) error {
	below := m.tree.Inside(group)
	counts, err := tx.CountWithin(ctx, string(DeviceRows), "hostGroupIds", map[int64][]int64{0: below})
	if err != nil {
		return err
	}
	if counts[0] > placed { // looking up each thousand costs more than reading all devices
		return m.pass(ctx, tx, func(d *Device) bool {
			return slices.ContainsFunc(d.GroupIDs, func(id int64) bool { return slices.Contains(below, id) })
		})
	}
	devices, err := resource.Find(ctx, tx, DeviceRows, resource.Where{Field: "hostGroupIds", Op: "has any",
		Value: below})
	if err != nil {
		return err
	}
	return m.placeThose(ctx, tx, devices)
}

func (m *Membership) pass(ctx context.Context, tx resource.Tx, concerns func(*Device) bool) error {
	for last := int64(0); ; {
		devices, err := resource.Find(ctx, tx, DeviceRows, resource.Where{Field: "id", Op: ">", Value: last},
			resource.Limit(placed))
		if err != nil || len(devices) == 0 {
			return err
		}
		last = devices[len(devices)-1].ID
		devices = slices.DeleteFunc(devices, func(d Device) bool { return !concerns(&d) })
		if err := m.placeThose(ctx, tx, devices); err != nil {
			return err
		}
	}
}

func (m *Membership) placeThose(ctx context.Context, tx resource.Tx, devices []Device) error {
	for i := range devices {
		if !m.Place(&devices[i]) {
			continue
		}
		if err := resource.Put(ctx, tx, DeviceRows, &devices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) hasDynamic() bool {
	for _, g := range t.Groups {
		if g.AppliesTo != "" {
			return true
		}
	}
	return false
}

// static returns the ids that are static groups, to which users add devices
// manually.
func (t *Tree) static(ids resource.IDs) resource.IDs {
	out := make(resource.IDs, 0, len(ids)+2)
	for _, id := range ids {
		if g := t.Groups[id]; g == nil || g.AppliesTo == "" {
			out = append(out, id)
		}
	}
	return out
}

// keepDynamic refuses to add a device to a dynamic group manually, or to remove
// it from one. A client may send back the groups it has read; clients of the
// published API, which has no dynamic groups, may omit them.
func keepDynamic(w *resource.Write, was, now *Device) error {
	tree, err := TreeOf(w.Context, w.Tx)
	if err != nil || !tree.hasDynamic() {
		return err
	}
	before := resource.IDs{}
	if was != nil {
		before = slices.DeleteFunc(slices.Clone(was.GroupIDs), func(id int64) bool { return !tree.isDynamic(id) })
	}
	for _, id := range now.GroupIDs {
		if tree.isDynamic(id) && !slices.Contains(before, id) && !w.Call.Lenient && MayRead(w.Call.Access, id) {
			return byHand("put into", tree.Groups[id])
		}
	}
	for _, id := range before {
		if w.Given("hostGroupIds") && !slices.Contains(now.GroupIDs, id) && !w.Call.Lenient {
			return byHand("taken out of", tree.Groups[id])
		}
	}
	kept := slices.DeleteFunc(slices.Clone(now.GroupIDs), func(id int64) bool {
		return tree.isDynamic(id) && (slices.Contains(before, id) || MayRead(w.Call.Access, id))
	})
	if len(kept) == 0 {
		kept = resource.IDs{ground.RootGroup}
	}
	now.GroupIDs = append(kept, before...)
	return nil
}

func (t *Tree) isDynamic(id int64) bool { return t.Groups[id] != nil && t.Groups[id].AppliesTo != "" }

func byHand(what string, g *Group) error {
	return fault.At("hostGroupIds",
		"hostGroupIds: the group %d (%s) is dynamic, so its expression decides who is inside; a device cannot be %s "+
			"it by "+
			"hand", g.ID, g.FullPath, what)
}

// MayRead reports whether the caller may view a group.
func MayRead(who *resource.Access, group int64) bool {
	if who == nil {
		return true
	}
	all, ids := who.Groups(resource.Read)
	return all || slices.Contains(ids, group)
}

// mayChoose returns an error for a role that is limited to some groups, because
// an expression could move all devices of the portal into one of them.
func mayChoose(who *resource.Access) error {
	if who == nil {
		return nil
	}
	if all, _ := who.Groups(resource.Modify); !all {
		return fault.New(fault.Denied,
			"an expression chooses among all devices, so changing one takes a role that may change all device groups")
	}
	return nil
}

// subject is a device for expressions: its fields, then its properties in the
// order of precedence. Its groups are those it was added to manually and their
// parents, so that no dynamic group depends on another. Secret values are masked,
// so that membership does not reveal them.
type subject struct {
	device *Device
	static resource.IDs
	of     *Membership
	groups []string // built on first use
}

// Groups implements appliesto.Subject.
func (s *subject) Groups() []string {
	if len(s.static) == 1 {
		return s.of.paths[s.static[0]]
	}
	if s.groups == nil {
		for _, id := range s.static {
			s.groups = append(s.groups, s.of.paths[id]...)
		}
	}
	return s.groups
}

// Property implements appliesto.Subject.
func (s *subject) Property(name string) (string, bool) {
	if value, ok := s.field(name); ok {
		return value, true
	}
	if value, ok := valueOf(s.device.CustomProperties, name); ok {
		return value, true
	}
	for _, id := range s.static {
		for up := s.of.tree.Groups[id]; up != nil; up = s.of.tree.Groups[up.ParentID] {
			if value, ok := valueOf(up.CustomProperties, name); ok {
				return value, true
			}
		}
	}
	if value, ok := valueOf(s.device.AutoProperties, name); ok {
		return value, true
	}
	if strings.EqualFold(name, "system.groups") || strings.EqualFold(name, "system.staticgroups") {
		return strings.Join(s.Groups(), ","), true
	}
	return valueOf(s.device.SystemProperties, name)
}

func (s *subject) field(name string) (string, bool) {
	d := s.device
	switch {
	case strings.EqualFold(name, "displayName"):
		return d.DisplayName, true
	case strings.EqualFold(name, "name"):
		return d.Name, true
	case strings.EqualFold(name, "description"):
		return d.Description, true
	case strings.EqualFold(name, "link"):
		return d.Link, true
	case strings.EqualFold(name, "id"):
		return strconv.FormatInt(d.ID, 10), true
	}
	return "", false
}

func valueOf(props []resource.Property, name string) (string, bool) {
	for i := range props {
		if strings.EqualFold(props[i].Name, name) {
			return props[i].Shown(), true
		}
	}
	return "", false
}

// MaySee reports whether the caller may view the contents of one of those groups.
func MaySee(who *resource.Access, groups resource.IDs) bool {
	if who == nil {
		return true
	}
	all, ids := who.Groups(resource.Read)
	return all || slices.ContainsFunc(groups, func(id int64) bool { return slices.Contains(ids, id) })
}
