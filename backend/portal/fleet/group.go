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

// GroupRows names the rows of Group.
const GroupRows resource.Name[*Group] = "deviceGroup"

// Group is a node of the device tree. The root, id 1, has parent 0 and the full
// path "".
//
// A group with an expression (AppliesTo) is dynamic: it contains exactly the
// devices to which the expression applies. Static and dynamic membership are both
// stored in the device's hostGroupIds, so that filters, counts, inheritance and
// the scope of roles need not distinguish them; the group shows which of these
// ids are dynamic. The rules of devices, groups and functions update the
// membership in the transaction that changes its inputs (dynamic.go). A group
// whose expression is removed keeps its devices, as if users had added them.
type Group struct {
	ID               int64
	Name             string
	FullPath         string
	ParentID         int64
	Description      string
	GroupType        string
	AppliesTo        string
	DisableAlerting  bool
	CollectorID      int64
	EnableNetflow    bool
	CustomProperties []resource.Property
	CreatedOn        resource.Seconds
	Kept             resource.Foreign
}

// Groups declares /device/groups.
var Groups = resource.Resource[*Group]{
	Name: GroupRows, Label: "device group", Sample: 25, Path: "/device/groups", Category: ground.CategoryGroups,
	Object: resource.DeviceGroup, Scope: []string{"id"},
	Doc:     "A node of the device tree. Devices and groups inside inherit its properties.",
	OpTypes: true,
	Flags: []resource.Flag{
		{Name: "deleteChildren", Doc: "Delete the groups inside too; devices that are in no other group then are " +
			"deleted"},
		{Name: "deleteHard", Doc: "Delete the devices permanently, instead of moving them to the recycle bin"},
	},
	Absent: "awsRegionsInfo awsTestResultCode azureRegionsInfo azureTestResultCode " +
		"defaultCollectorDescription defaultCollectorGroupDescription defaultCollectorGroupId " +
		"gcpRegionsInfo gcpTestResultCode groupStatus hasNetflowEnabledDevices numOfAWSDevices " +
		"numOfAzureDevices numOfGcpDevices numOfKubernetesDevices numOfOciDevices ociRegionsInfo " +
		"ociTestResultCode propertyChangeWarningMessage saasTestResultCode userPermission",
	Fields: []resource.Field[*Group]{
		{Name: "id", At: func(g *Group) any { return &g.ID }, Doc: "Set by the portal; the root group is 1",
			ReadOnly: true,
			Example:  12},
		{Name: "name", At: func(g *Group) any { return &g.Name }, Doc: "Unique among its siblings; no slashes",
			Required: true, MaxLen: 255, Index: true, Example: "Staging"},
		{Name: "fullPath", At: func(g *Group) any { return &g.FullPath }, Doc: "Names from the root down, joined by " +
			"slashes",
			ReadOnly: true, Index: true, Example: "Servers/Staging"},
		{Name: "parentId", At: func(g *Group) any { return &g.ParentID }, Doc: "The group it is in", Default: 1,
			Min: resource.Bound(0), Refs: string(GroupRows), Index: true, Example: 1},
		{Name: "description", At: func(g *Group) any { return &g.Description }, Doc: "What the group " +
			"contains", MaxLen: 4000,
			Example: "Everything before production"},
		{Name: "groupType", At: func(g *Group) any { return &g.GroupType },
			Doc: "Normal, or Dynamic if appliesTo selects its devices", ReadOnly: true, Example: "Normal"},
		{Name: "appliesTo", At: func(g *Group) any { return &g.AppliesTo },
			Doc:    "Expression that selects the devices of a dynamic group; empty for a static group",
			MaxLen: appliesto.MaxBytes},
		{Name: "disableAlerting", At: func(g *Group) any { return &g.DisableAlerting },
			Doc: "Raise no alerts for devices in the group and below"},
		{Name: "defaultCollectorId", At: func(g *Group) any { return &g.CollectorID },
			Doc: "The collector of new devices; 0: no preference", Min: resource.Bound(0), Refs: "collector"},
		{Name: "enableNetflow", At: func(g *Group) any { return &g.EnableNetflow },
			Doc: "Kept for clients of the published API"},
		{Name: "customProperties", At: func(g *Group) any { return &g.CustomProperties },
			Doc:     "Custom properties that devices and groups inside inherit; secret-looking ones are write-only",
			Example: []resource.Property{{Name: "environment", Value: "staging"}}},
		{Name: "createdOn", At: func(g *Group) any { return &g.CreatedOn }, Doc: "When it was added", ReadOnly: true},
		resource.KeptField(func(row *Group) *resource.Foreign { return &row.Kept },
			resource.Keeping("integer", "defaultAutoBalancedCollectorGroupId"),
			resource.Keeping("any", "awsTestResult azureTestResult extra gcpTestResult ociTestResult saasTestResult")),
	},
	Derived: []resource.Derived{
		{Name: "numOfHosts", Doc: "Devices in it and in all groups below", Schema: resource.Integer(""), Example: 40,
			Counts: resource.Noun{One: "device in it and in all groups below",
				Many: "devices in it and in all groups below"},
			Of: func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
				tree, err := TreeOf(ctx, r)
				if err != nil {
					return nil, err
				}
				counts, err := r.CountWithin(ctx, string(DeviceRows), "hostGroupIds", tree.Below(resource.RowIDs(rows)))
				return resource.Integers(rows, counts), err
			}},
		{Name: "numOfDirectDevices", Doc: "Devices in it", Schema: resource.Integer(""), Example: 12,
			Counts: resource.Noun{One: "device in it", Many: "devices in it"},
			Of: func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
				counts, err := r.CountBy(ctx, string(DeviceRows), "hostGroupIds")
				return resource.Integers(rows, counts), err
			}},
		{Name: "numOfDirectSubGroups", Doc: "Groups in it", Schema: resource.Integer(""), Example: 2,
			Counts: resource.Noun{One: "group in it", Many: "groups in it"},
			Of: func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
				counts, err := r.CountBy(ctx, string(GroupRows), "parentId")
				return resource.Integers(rows, counts), err
			}},
		{Name: "effectiveAlertEnabled",
			Doc:    "Alerting is enabled: neither the group nor a group above it has disableAlerting",
			Schema: resource.Boolean(""), Example: true, Of: alertsEnabled},
		{Name: "activeAlerts", Doc: "Active alerts of it, of all groups below and of the devices in them",
			Schema: resource.SchemaOf(Tally{}), Example: Tally{Warn: 3, Error: 1}, Of: ActiveAlerts.Or(Tally{})},
		{Name: "subGroups", Doc: "Groups in it", Schema: resource.List(resource.SchemaOf(groupRef{}), ""),
			Example: []groupRef{}, Of: subGroups},
	},
	Unique: [][]string{{"parentId", "name"}},
	Lists: []resource.Listing{{
		Path: "/device/groups/{id}/groups", Noun: resource.Regular("group"), Summary: "List subgroups of a group",
		Doc: "Returns the groups that are directly in a group, one page at a time.",
		Of:  string(GroupRows), Param: "id", Field: "parentId", Sample: 1,
	}},
	Props: &resource.Props{Param: "gid", Field: "customProperties", Sample: "environment", From: "parentId",
		Inherited: inheritedPairs},
	Check: func(w *resource.Write, was, now *Group) error {
		now.Name = strings.TrimSpace(now.Name)
		if strings.ContainsAny(now.Name, "/\\") {
			return fault.At("name", "name must not contain slashes, because they separate the groups of a path")
		}
		if err := checkExpression(w, was, now); err != nil {
			return err
		}
		if was == nil {
			now.CreatedOn = resource.SecondsOf(w.Call.At)
		}
		return place(w, was, now)
	},
	After: func(w *resource.Write, was, now *Group) error {
		if was != nil && was.FullPath != now.FullPath {
			if err := movePaths(w, was, now); err != nil {
				return err
			}
		}
		return placeInside(w, was, now)
	},
	Remove: removeGroup,
}

// checkExpression parses a changed appliesTo, and sets the type of the group.
func checkExpression(w *resource.Write, was, now *Group) error {
	now.AppliesTo, now.GroupType = strings.TrimSpace(now.AppliesTo), "Normal"
	if now.AppliesTo != "" {
		now.GroupType = "Dynamic"
	}
	before := ""
	if was != nil {
		before = was.AppliesTo
	}
	switch {
	case now.AppliesTo == before:
		return nil
	case was != nil && was.ID == ground.RootGroup:
		return fault.At("appliesTo",
			"appliesTo: the root group is where devices are that are in no other, so no expression chooses them")
	}
	members, err := MembershipOf(w.Context, w.Tx)
	if err != nil {
		return err
	}
	err = datasource.CheckAppliesTo(w.Context, w.Tx, "dynamic groups", members.load, before, now.AppliesTo)
	if err != nil {
		return err
	}
	return mayChoose(w.Call.Access)
}

// placeInside updates dynamic groups after a group has changed: for all devices
// if its expression has changed, otherwise for the devices that inherit from it.
func placeInside(w *resource.Write, was, now *Group) error {
	m, err := MembershipOf(w.Context, w.Tx)
	if err != nil {
		return err
	}
	if was == nil && now.AppliesTo != "" || was != nil && was.AppliesTo != now.AppliesTo {
		return m.placeAll(w.Context, w.Tx)
	}
	if was == nil || len(m.dynamic) == 0 || was.FullPath == now.FullPath && slices.Equal(was.CustomProperties,
		now.CustomProperties) {
		return nil
	}
	return m.placeBelow(w.Context, w.Tx, now.ID)
}

// place checks the parent of the group, and sets its full path.
func place(w *resource.Write, was, now *Group) error {
	if was != nil && was.ID == ground.RootGroup {
		if now.ParentID > 0 && w.Given("parentId") && now.ParentID != was.ParentID {
			return fault.At("parentId", "the root group cannot be in another group")
		}
		now.ParentID, now.FullPath = 0, ""
		return nil
	}
	parent, err := resource.Lookup(w.Context, w.Tx, GroupRows, now.ParentID)
	if err != nil {
		return err
	}
	stays := was != nil && was.ParentID == now.ParentID
	if parent == nil || !stays && !mayWriteIn(w.Call.Access, now.ParentID) {
		return fault.At("parentId", "there is no group %d", now.ParentID)
	}
	if now.FullPath = now.Name; parent.FullPath != "" {
		now.FullPath = parent.FullPath + "/" + now.Name
	}
	if len(now.FullPath) > 2048 {
		return fault.At("name", "the full path would be longer than 2,048 bytes")
	}
	for up, steps := parent, 0; was != nil && up.ParentID != 0; steps++ {
		if up.ID == was.ID || steps > 1000 {
			return fault.At("parentId", "a group cannot be inside itself")
		}
		if up, err = resource.Get(w.Context, w.Tx, GroupRows, up.ParentID); err != nil {
			return err
		}
	}
	return nil
}

func mayWriteIn(who *resource.Access, group int64) bool {
	if who == nil {
		return true
	}
	all, ids := who.Groups(resource.Modify)
	return all || slices.Contains(ids, group)
}

// movePaths updates the full paths below a renamed or moved group.
func movePaths(w *resource.Write, was, now *Group) error {
	groups, err := resource.Find(w.Context, w.Tx, GroupRows)
	if err != nil {
		return err
	}
	tree := newTree(groups)
	for _, id := range tree.Inside(now.ID)[1:] {
		g := *tree.Groups[id]
		g.FullPath = now.FullPath + strings.TrimPrefix(g.FullPath, was.FullPath)
		if err := resource.Put(w.Context, w.Tx, GroupRows, &g); err != nil {
			return err
		}
	}
	return nil
}

// groupRef is a group in the JSON of its parent.
type groupRef struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	FullPath string `json:"fullPath"`
	ParentID int64  `json:"parentId"`
}

// alertsEnabled reports whether alerting is enabled for a group and all its
// parents.
func alertsEnabled(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	tree, err := TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(rows))
	for i, row := range rows {
		enabled := true
		for up := tree.Groups[row.ID]; up != nil; up = tree.Groups[up.ParentID] {
			enabled = enabled && !up.DisableAlerting
		}
		out[i] = strconv.AppendBool(nil, enabled)
	}
	return out, nil
}

func subGroups(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	tree, err := TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(rows))
	for i, row := range rows {
		refs := []groupRef{}
		for _, id := range tree.Children[row.ID] {
			g := tree.Groups[id]
			refs = append(refs, groupRef{g.ID, g.Name, g.FullPath, g.ParentID})
		}
		if out[i], err = resource.Encode(refs); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Tree holds all groups, by id and by parent. It is shared: do not change it.
type Tree struct {
	Groups   map[int64]*Group
	Children map[int64][]int64 // sorted by name
}

// TreeOf returns the current tree, cached until a group changes.
func TreeOf(ctx context.Context, r resource.Reader) (*Tree, error) {
	value, err := r.Memo("tree", []string{string(GroupRows)}, func() (any, error) {
		groups, err := resource.Find(ctx, r, GroupRows)
		return newTree(groups), err
	})
	if err != nil {
		return nil, err
	}
	return value.(*Tree), nil
}

func newTree(groups []Group) *Tree {
	t := &Tree{Groups: map[int64]*Group{}, Children: map[int64][]int64{}}
	slices.SortFunc(groups,
		func(a, b Group) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	for i := range groups {
		t.Groups[groups[i].ID] = &groups[i]
		t.Children[groups[i].ParentID] = append(t.Children[groups[i].ParentID], groups[i].ID)
	}
	return t
}

// Inside returns the group and all its subgroups, parents first.
func (t *Tree) Inside(id int64) []int64 {
	ids := []int64{id}
	for i := 0; i < len(ids); i++ {
		ids = append(ids, t.Children[ids[i]]...)
	}
	return ids
}

// Below maps each of those groups to itself and all its subgroups.
func (t *Tree) Below(groups []int64) map[int64][]int64 {
	out := make(map[int64][]int64, len(groups))
	for _, id := range groups {
		out[id] = t.Inside(id)
	}
	return out
}

// Above returns those groups and all their parents, without duplicates, the
// nearest first. The longest path counts, so that the root comes last even if it
// is the direct parent of some of the groups.
func (t *Tree) Above(groups resource.IDs) []*Group {
	steps := map[int64]int{}
	var all []*Group
	for _, id := range groups {
		n := 0
		for g := t.Groups[id]; g != nil; g = t.Groups[g.ParentID] {
			if _, ok := steps[g.ID]; !ok {
				all = append(all, g)
			}
			steps[g.ID] = max(steps[g.ID], n)
			n++
		}
	}
	slices.SortStableFunc(all, func(a, b *Group) int { return steps[a.ID] - steps[b.ID] })
	return all
}

// Path returns the group's full path, or the name of the root, whose path is
// empty.
func (g *Group) Path() string {
	if g.FullPath == "" {
		return g.Name
	}
	return g.FullPath
}
