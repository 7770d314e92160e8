package content

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

func rolesKind() kind {
	return kind{table: roles, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportRole, Title: "Roles", Icon: "lock",
		About: "The permissions of each role",
		Right: seesUsers, Fields: []string{},
		Columns: []string{"Role", "Description", "Users", "Privileges"},
	}}
}

// roles lists the roles, with their permissions and users.
func roles(ctx context.Context, r *Run) (*layout.Table, error) {
	type role = people.Role
	users, err := resource.Find(ctx, r.From, people.Users.Name, resource.SeenBy(r.Access, resource.Read))
	if err != nil {
		return nil, err
	}
	holders := map[int64][]string{}
	for i := range users {
		for _, held := range users[i].Roles {
			holders[held.ID] = append(holders[held.ID], users[i].Username)
		}
	}
	tree, err := fleet.TreeOf(ctx, r.From)
	if err != nil {
		return nil, err
	}
	sees := r.seesGroup()
	object := func(p people.Privilege) string {
		if id, err := strconv.ParseInt(p.ObjectID, 10, 64); err == nil && p.Object() == resource.DeviceGroup {
			if g := tree.Groups[id]; g != nil && sees(id) {
				return cmp.Or(g.FullPath, g.Name)
			}
		}
		return p.ObjectID
	}
	s := &source[role]{
		name: people.Roles.Name, id: func(r *role) int64 { return r.ID },
		columns: plain(reporting.ReportRole,
			func(r *role) string { return r.Name },
			func(r *role) string { return r.Description },
			func(r *role) string { return strings.Join(holders[r.ID], ", ") },
			func(r *role) string {
				var list []string
				for _, p := range r.Privileges {
					list = append(list, p.Operation+" on "+p.ObjectType+" "+object(p))
				}
				return strings.Join(list, "\n")
			},
		),
	}
	return s.table(ctx, r)
}
