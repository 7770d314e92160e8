package fleet

import (
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// removeGroup also deletes the group's contents if deleteChildren is set. A
// device that is also in another group, or that an expression has selected, only
// leaves this group.
func removeGroup(w *resource.Write, g *Group) error {
	if g.ID == ground.RootGroup {
		return fault.New(fault.Conflict, "the root group cannot be deleted")
	}
	deep, err := w.Call.Flag("deleteChildren")
	if err != nil {
		return err
	}
	hard, err := w.Call.Flag("deleteHard")
	if err != nil {
		return err
	}
	groups, err := resource.Find(w.Context, w.Tx, GroupRows)
	if err != nil {
		return err
	}
	tree := newTree(groups)
	gone := tree.Inside(g.ID)
	isGone := func(id int64) bool { return slices.Contains(gone, id) }
	devices, err := resource.Find(w.Context, w.Tx, DeviceRows,
		resource.Where{Field: "hostGroupIds", Op: "has any", Value: gone})
	if err != nil {
		return err
	}
	inside := 0
	for _, d := range devices {
		if slices.ContainsFunc(tree.static(d.GroupIDs), isGone) {
			inside++
		}
	}
	if !deep && len(gone)-1+inside > 0 {
		return fault.At("deleteChildren", "%s contains %s; use deleteChildren=true to delete them too", g.Name,
			holds(len(gone)-1, inside))
	}
	m, err := membershipWithout(w, groups, isGone)
	if err != nil {
		return err
	}
	for _, d := range devices {
		static := slices.DeleteFunc(tree.static(d.GroupIDs), isGone)
		d.GroupIDs = slices.DeleteFunc(slices.Clone(d.GroupIDs), isGone)
		switch {
		case len(static) > 0:
			m.Place(&d)
		case hard:
			if err := resource.Delete(w.Context, w.Tx, DeviceRows, d.ID); err != nil {
				return err
			}
			continue
		default:
			if err := removing(w, &d); err != nil {
				return err
			}
			d.GroupIDs = resource.IDs{ground.RootGroup}
			d.DeletedOn = resource.MillisOf(w.Call.At)
		}
		if err := resource.Put(w.Context, w.Tx, DeviceRows, &d); err != nil {
			return err
		}
	}
	for _, id := range gone[1:] {
		if err := resource.Delete(w.Context, w.Tx, GroupRows, id); err != nil {
			return err
		}
	}
	return nil
}

// membershipWithout returns the Membership after those groups are deleted.
func membershipWithout(w *resource.Write, groups []Group, gone func(id int64) bool) (*Membership, error) {
	left := slices.DeleteFunc(slices.Clone(groups), func(g Group) bool { return gone(g.ID) })
	if !slices.ContainsFunc(left, func(g Group) bool { return g.AppliesTo != "" }) {
		return newMembership(left, nil), nil
	}
	functions, err := resource.Find(w.Context, w.Tx, datasource.FunctionRows)
	return newMembership(left, functions), err
}

func holds(groups, devices int) string {
	switch {
	case groups == 0:
		return counted(devices, "device")
	case devices == 0:
		return counted(groups, "group")
	}
	return counted(groups, "group") + " and " + counted(devices, "device")
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
