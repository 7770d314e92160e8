package content

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
)

func usersKind() kind {
	return kind{table: users, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportUser, Title: "Users", Icon: "user",
		About: "Users, their roles and their last sign-in",
		Right: seesUsers, Fields: []string{},
		Columns: []string{"Username", "First name", "Last name", "Email", "Roles", "Status", "API only",
			"Last sign-in", "Created by"},
	}}
}

// users lists the users.
func users(ctx context.Context, r *Run) (*layout.Table, error) {
	type user = people.User
	f := r.Report.UserFilter
	name, first, last, mail := newGlobs(f.Username), newGlobs(f.FirstName), newGlobs(f.LastName), newGlobs(f.Email)
	role, status, apiOnly := newGlobs(f.Role), newGlobs(f.Status), newGlobs(f.APIOnly)
	s := &source[user]{
		name: people.Users.Name, id: func(u *user) int64 { return u.ID },
		keep: func(u *user) bool {
			return name.match(u.Username) && first.match(u.FirstName) && last.match(u.LastName) &&
				mail.match(u.Email) && status.match(u.Status) &&
				apiOnly.match(strconv.FormatBool(u.APIOnly)) &&
				slices.ContainsFunc(u.Roles, func(held people.RoleRef) bool { return role.match(held.Name) })
		},
		counts: []layout.Count{{Label: "Suspended", Tone: layout.Warn}, {Label: "Active", Tone: layout.OK}},
		tone:   func(u *user) layout.Tone { return []layout.Tone{layout.Warn, layout.OK}[active(u)] }, counted: active,
		columns: plain(reporting.ReportUser,
			func(u *user) string { return u.Username },
			func(u *user) string { return u.FirstName },
			func(u *user) string { return u.LastName },
			func(u *user) string { return u.Email },
			func(u *user) string {
				var names []string
				for _, held := range u.Roles {
					names = append(names, held.Name)
				}
				return strings.Join(names, ", ")
			},
			func(u *user) string { return u.Status },
			func(u *user) string { return yesNo(u.APIOnly) },
			func(u *user) string { return r.moment(u.LastLoginOn) },
			func(u *user) string { return u.CreatedBy },
		),
	}
	s.columns[7].key = func(u *user) string { return number(int64(u.LastLoginOn)) }
	return s.table(ctx, r)
}

// active returns 1 for an active user, and 0 for any other.
func active(u *people.User) int {
	if u.Status == "active" {
		return 1
	}
	return 0
}
