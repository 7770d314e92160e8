package people

import (
	"context"
	"errors"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

const (
	userGroupRows resource.Name[*UserGroup] = "userGroup"
	roleGroupRows resource.Name[*RoleGroup] = "roleGroup"
)

// AccountGroup holds the fields that user groups and role groups share. Groups only
// organize users and roles; they grant no permissions.
type AccountGroup struct {
	ID          int64
	Name        string
	Description string
	ParentID    int64
	CreatedOn   resource.Seconds
	UpdatedOn   resource.Seconds
}

// UserGroup sorts users. Group 1 is in every portal.
type UserGroup struct{ AccountGroup }

// RoleGroup sorts roles. Group 1 is in every portal.
type RoleGroup struct{ AccountGroup }

func (g *AccountGroup) group() *AccountGroup { return g }

// UserGroups declares /setting/admin/groups.
var UserGroups = resource.Resource[*UserGroup]{
	Name: userGroupRows, Label: "user group", Sample: 3, Path: "/setting/admin/groups",
	Category: ground.CategorySettings,
	Object:   resource.Setting, Area: ground.AreaUserAccess,
	Doc:    "A group of users. A user names the groups in adminGroupIds.",
	Absent: "userPermission",
	Fields: accountGroupFields[*UserGroup](string(userGroupRows), "Night shift"),
	Unique: [][]string{{"name"}},
	Check: func(w *resource.Write, was, now *UserGroup) error {
		return checkAccountGroup(w, userGroupRows, was, now)
	},
	Remove: func(w *resource.Write, g *UserGroup) error {
		if err := removeAccountGroup(w, userGroupRows, g); err != nil {
			return err
		}
		users, err := resource.Find(w.Context, w.Tx, UserRows)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(users, func(u User) bool { return slices.Contains(u.GroupIDs, g.ID) }); i >= 0 {
			return fault.New(fault.Conflict, "%s is in the user group %s; move the user to another group first",
				users[i].Username, g.Name)
		}
		return nil
	},
}

// RoleGroups declares /setting/role/groups.
var RoleGroups = resource.Resource[*RoleGroup]{
	Name: roleGroupRows, Label: "role group", Sample: 3, Path: "/setting/role/groups",
	Category: ground.CategorySettings,
	Object:   resource.Setting, Area: ground.AreaUserAccess,
	Doc:    "A group of roles. A role names its group in roleGroupId.",
	Absent: "userPermission",
	Fields: accountGroupFields[*RoleGroup](string(roleGroupRows), "Regions"),
	Unique: [][]string{{"name"}},
	Check: func(w *resource.Write, was, now *RoleGroup) error {
		return checkAccountGroup(w, roleGroupRows, was, now)
	},
	Remove: func(w *resource.Write, g *RoleGroup) error {
		if err := removeAccountGroup(w, roleGroupRows, g); err != nil {
			return err
		}
		inside, err := resource.Find(w.Context, w.Tx, RoleRows,
			resource.Where{Field: "roleGroupId", Op: "=", Value: g.ID})
		if err != nil {
			return err
		}
		if len(inside) > 0 {
			return fault.New(fault.Conflict, "%s is in the role group %s; move the role to another group first",
				inside[0].Name,
				g.Name)
		}
		return nil
	},
}

func accountGroupFields[T interface{ group() *AccountGroup }](rows, name string) []resource.Field[T] {
	return []resource.Field[T]{
		{Name: "id", At: func(g T) any { return &g.group().ID }, Doc: "Set by the portal; 1 is the default group",
			ReadOnly: true, Example: 1},
		{Name: "name", At: func(g T) any { return &g.group().Name }, Doc: "Unique name", Required: true, MaxLen: 255,
			Index: true, Example: name},
		{Name: "description", At: func(g T) any { return &g.group().Description },
			Doc:    "What its members have in common",
			MaxLen: 4000},
		{Name: "parentId", At: func(g T) any { return &g.group().ParentID },
			Doc:     "The group above; 0 for the default group, which has none",
			Default: ground.DefaultAccountGroup, Min: resource.Bound(0), Refs: rows},
		{Name: "createdOn", At: func(g T) any { return &g.group().CreatedOn }, Doc: "When it was added",
			ReadOnly: true},
		{Name: "updatedOn", At: func(g T) any { return &g.group().UpdatedOn }, Doc: "When it was last changed",
			ReadOnly: true},
	}
}

// checkAccountGroup keeps the default group at the top, and every other group
// below it.
func checkAccountGroup[T any, P interface {
	*T
	group() *AccountGroup
}](w *resource.Write, rows resource.Name[*T], was, now P) error {
	g := now.group()
	g.Name = strings.TrimSpace(g.Name)
	g.UpdatedOn = resource.SecondsOf(w.Call.At)
	switch {
	case was == nil:
		g.CreatedOn = g.UpdatedOn
	case g.ID == ground.DefaultAccountGroup && was.group().Name != g.Name:
		return fault.New(fault.Conflict, "the group %s cannot be renamed", was.group().Name)
	}
	if g.ID == ground.DefaultAccountGroup && g.ParentID <= ground.DefaultAccountGroup {
		g.ParentID = 0
		return nil
	}
	if g.ParentID == 0 {
		g.ParentID = ground.DefaultAccountGroup
	}
	for above := g.ParentID; above != 0; {
		if above == g.ID {
			return fault.At("parentId", "parentId: a group cannot be below itself")
		}
		row, err := resource.Lookup(w.Context, w.Tx, rows, above)
		if err != nil || row == nil {
			return err
		}
		above = P(row).group().ParentID
	}
	return nil
}

func removeAccountGroup[T any, P interface {
	*T
	group() *AccountGroup
}](w *resource.Write, rows resource.Name[*T], was P) error {
	g := was.group()
	if g.ID == ground.DefaultAccountGroup {
		return fault.New(fault.Conflict, "the group %s cannot be deleted", g.Name)
	}
	below, err := resource.Find(w.Context, w.Tx, rows, resource.Where{Field: "parentId", Op: "=", Value: g.ID})
	if err == nil && len(below) > 0 {
		err = fault.New(fault.Conflict, "%s is below the group %s; delete or move it first", P(&below[0]).group().Name,
			g.Name)
	}
	return err
}

// defaultAccountGroup returns the group that is in every portal.
func defaultAccountGroup(of string, now resource.Seconds) AccountGroup {
	return AccountGroup{
		ID: ground.DefaultAccountGroup, Name: "Ungrouped", Description: of + " that are in no other group",
		CreatedOn: now,
		UpdatedOn: now,
	}
}

// SeedAccountGroups writes the default user group and the default role group.
func SeedAccountGroups(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	users, roles := UserGroup{defaultAccountGroup("Users", now)}, RoleGroup{defaultAccountGroup("Roles", now)}
	return errors.Join(resource.Put(ctx, tx, userGroupRows, &users), resource.Put(ctx, tx, roleGroupRows, &roles))
}
