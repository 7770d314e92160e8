package portal

import (
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Seed writes the rows every portal begins with.
func Seed(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	root := Group{ID: RootGroup, Name: "All devices", GroupType: "Normal", CreatedOn: now}
	if err := resource.Put(ctx, tx, groupRows, &root); err != nil {
		return err
	}
	group := defaultCollectorGroup(now)
	if err := resource.Put(ctx, tx, collectorGroupRows, &group); err != nil {
		return err
	}
	builtIn := Collector{
		ID: BuiltInCollector, Description: "Built-in collector", Hostname: "localhost", GroupID: DefaultCollectorGroup, Status: 1, CollectorSize: "small",
		CreatedOn: now, UpdatedOn: now, EnableFailBack: true, ResendIval: 15,
	}
	if err := resource.Put(ctx, tx, collectorRows, &builtIn); err != nil {
		return err
	}
	if err := seedAccountGroups(ctx, tx, now); err != nil {
		return err
	}
	for _, role := range builtInRoles() {
		if err := resource.Put(ctx, tx, roleRows, &role); err != nil {
			return err
		}
	}
	return seedDataSources(ctx, tx, now)
}

// Complete brings a portal of an older version to the present one: what Seed
// now writes and it lacks, and settings it did not have.
func Complete(ctx context.Context, tx resource.Tx, s *Setting, now resource.Seconds) error {
	if _, err := resource.Get(ctx, tx, collectorGroupRows, DefaultCollectorGroup); fault.Is(err, fault.Unknown) {
		group := defaultCollectorGroup(now)
		err = resource.Put(ctx, tx, collectorGroupRows, &group)
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if s.RateGet > 0 && s.Seeded == seeded {
		return nil
	}
	if s.Seeded < 1 {
		if err := completeDataSources(ctx, tx, now); err != nil {
			return err
		}
	}
	if s.Seeded < 2 {
		if err := addBuiltIn(ctx, tx, now, laterBuiltIn); err != nil {
			return err
		}
	}
	if s.Seeded < 4 {
		if err := amendBuiltIn(ctx, tx, now); err != nil {
			return err
		}
	}
	if s.Seeded < 5 {
		if err := completeAccounts(ctx, tx, now); err != nil {
			return err
		}
	}
	fresh, err := Settings.Defaults()
	if err != nil {
		return err
	}
	if s.RateGet > 0 {
		later := *fresh
		if *fresh = *s; s.Seeded < 3 {
			fresh.DownAfter, fresh.HourDays = later.DownAfter, later.HourDays
		}
	}
	fresh.ID, fresh.Instance, fresh.Name, fresh.Demo, fresh.CreatedOn, fresh.Seeded = s.ID, s.Instance, s.Name, s.Demo, s.CreatedOn, seeded
	*s = *fresh
	return resource.Put(ctx, tx, settingRows, s)
}

// completeAccounts adds the default groups of users and roles, moves users and
// roles there from groups that do not exist, and brings what users show of their
// roles up to date.
func completeAccounts(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	if err := seedAccountGroups(ctx, tx, now); err != nil {
		return err
	}
	roles, err := resource.Find(ctx, tx, roleRows)
	if err != nil {
		return err
	}
	for i := range roles {
		if roles[i].GroupID == DefaultAccountGroup {
			continue
		}
		roles[i].GroupID = DefaultAccountGroup
		if err := resource.Put(ctx, tx, roleRows, &roles[i]); err != nil {
			return err
		}
	}
	users, err := resource.Find(ctx, tx, userRows)
	if err != nil {
		return err
	}
	for i := range users {
		changed := !slices.Equal(users[i].GroupIDs, []int64{DefaultAccountGroup})
		users[i].GroupIDs = []int64{DefaultAccountGroup}
		for k := range users[i].Roles {
			ref := &users[i].Roles[k]
			at := slices.IndexFunc(roles, func(r Role) bool { return r.ID == ref.ID })
			if at >= 0 && (ref.Privileges == nil || !slices.Equal(ref.Privileges, roles[at].Privileges)) {
				ref.Privileges, changed = append([]Privilege{}, roles[at].Privileges...), true
			}
		}
		if changed {
			if err := resource.Put(ctx, tx, userRows, &users[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// completeDataSources gives an older portal the built-in data sources. Roles stay
// as people know them: who may read data sources is for an administrator to say.
func completeDataSources(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	have, err := resource.Find(ctx, tx, dataSourceRows, resource.Limit(1))
	if err != nil || len(have) > 0 {
		return err
	}
	return seedDataSources(ctx, tx, now)
}
