package portal

import (
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// Seed writes the initial rows of a new portal.
func Seed(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	root := fleet.Group{ID: ground.RootGroup, Name: "All devices", GroupType: "Normal", CreatedOn: now}
	if err := resource.Put(ctx, tx, fleet.GroupRows, &root); err != nil {
		return err
	}
	group := collector.DefaultGroup(now)
	if err := resource.Put(ctx, tx, collector.CollectorGroupRows, &group); err != nil {
		return err
	}
	builtIn := collector.Collector{
		ID: ground.BuiltInCollector, Description: "Built-in collector", Hostname: "localhost",
		GroupID: ground.DefaultCollectorGroup, Status: 1, CollectorSize: "small",
		CreatedOn: now, UpdatedOn: now, EnableFailBack: true, ResendIval: 15,
	}
	if err := resource.Put(ctx, tx, collector.CollectorRows, &builtIn); err != nil {
		return err
	}
	if err := people.SeedAccountGroups(ctx, tx, now); err != nil {
		return err
	}
	for _, role := range people.BuiltInRoles() {
		if err := resource.Put(ctx, tx, people.RoleRows, &role); err != nil {
			return err
		}
	}
	return datasource.Seed(ctx, tx, now)
}

// Complete migrates a portal of an older version: it adds rows that Seed now writes
// and settings that did not exist.
func Complete(ctx context.Context, tx resource.Tx, s *setting.Setting, now resource.Seconds) error {
	if _, err := resource.Get(ctx, tx, collector.CollectorGroupRows, ground.DefaultCollectorGroup); fault.Is(err,
		fault.Unknown) {
		group := collector.DefaultGroup(now)
		err = resource.Put(ctx, tx, collector.CollectorGroupRows, &group)
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if s.RateGet > 0 && s.Seeded == setting.SeedVersion {
		return nil
	}
	if s.Seeded < 1 {
		if err := completeDataSources(ctx, tx, now); err != nil {
			return err
		}
	}
	if s.Seeded < 2 {
		if err := datasource.AddBuiltIn(ctx, tx, now, datasource.LaterBuiltIn); err != nil {
			return err
		}
	}
	if s.Seeded < 4 {
		if err := datasource.AmendBuiltIn(ctx, tx, now); err != nil {
			return err
		}
	}
	if s.Seeded < 5 {
		if err := completeAccounts(ctx, tx, now); err != nil {
			return err
		}
	}
	fresh, err := setting.Settings.Defaults()
	if err != nil {
		return err
	}
	if s.RateGet > 0 {
		later := *fresh
		if *fresh = *s; s.Seeded < 3 {
			fresh.DownAfter, fresh.HourDays = later.DownAfter, later.HourDays
		}
		if s.Seeded < 6 {
			fresh.CopyDays = later.CopyDays
		}
	}
	fresh.ID, fresh.Instance, fresh.Name, fresh.Demo, fresh.CreatedOn, fresh.Seeded = s.ID, s.Instance, s.Name, s.Demo,
		s.CreatedOn, setting.SeedVersion
	*s = *fresh
	return resource.Put(ctx, tx, setting.SettingRows, s)
}

// completeAccounts adds the default groups of users and roles, moves users and
// roles there from groups that do not exist, and updates the roles in the JSON of
// users.
func completeAccounts(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	if err := people.SeedAccountGroups(ctx, tx, now); err != nil {
		return err
	}
	roles, err := resource.Find(ctx, tx, people.RoleRows)
	if err != nil {
		return err
	}
	for i := range roles {
		if roles[i].GroupID == ground.DefaultAccountGroup {
			continue
		}
		roles[i].GroupID = ground.DefaultAccountGroup
		if err := resource.Put(ctx, tx, people.RoleRows, &roles[i]); err != nil {
			return err
		}
	}
	users, err := resource.Find(ctx, tx, people.UserRows)
	if err != nil {
		return err
	}
	for i := range users {
		changed := !slices.Equal(users[i].GroupIDs, []int64{ground.DefaultAccountGroup})
		users[i].GroupIDs = []int64{ground.DefaultAccountGroup}
		for k := range users[i].Roles {
			ref := &users[i].Roles[k]
			at := slices.IndexFunc(roles, func(r people.Role) bool { return r.ID == ref.ID })
			if at >= 0 && (ref.Privileges == nil || !slices.Equal(ref.Privileges, roles[at].Privileges)) {
				ref.Privileges, changed = append([]people.Privilege{}, roles[at].Privileges...), true
			}
		}
		if changed {
			if err := resource.Put(ctx, tx, people.UserRows, &users[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// completeDataSources adds the built-in data sources to an older portal. It does not
// change roles: administrators decide who may view data sources.
func completeDataSources(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	have, err := resource.Find(ctx, tx, datasource.DataSourceRows, resource.Limit(1))
	if err != nil || len(have) > 0 {
		return err
	}
	return datasource.Seed(ctx, tx, now)
}
