package store_test

import (
	"context"
	"slices"
	"testing"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

func TestAnOlderPortalGetsTheBuiltInDataSourcesAddedSinceOnce(t *testing.T) {
	const disks, network = 101, 102
	w := watch(t)
	var setting portal.Setting
	complete := func() (names []string) {
		w.tx(func(ctx context.Context, tx resource.Tx) error {
			if err := portal.Complete(ctx, tx, &setting, resource.SecondsOf(noon)); err != nil {
				return err
			}
			found, err := resource.Find(ctx, tx, portal.DataSources.Name, resource.Where{Field: "id", Op: "in", Value: []int64{1, disks, network}})
			for _, d := range found {
				names = append(names, d.Name)
			}
			return err
		})
		return names
	}
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		fresh, err := portal.Settings.Defaults()
		if err != nil {
			return err
		}
		setting = *fresh
		setting.ID, setting.Seeded = portal.SettingID, 1
		for _, id := range []int64{1, disks, network} { // 1 was deleted by hand
			if err := resource.Delete(ctx, tx, portal.DataSources.Name, id); err != nil {
				return err
			}
		}
		own := portal.DataSource{ID: 950, Name: "Host_Network"} // and this one made
		return resource.Put(ctx, tx, portal.DataSources.Name, &own)
	})
	if got, want := complete(), []string{"Host_Disks"}; !slices.Equal(got, want) {
		t.Errorf("it has %q of them, not %q", got, want)
	}
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		return resource.Delete(ctx, tx, portal.DataSources.Name, disks)
	})
	if got := complete(); len(got) != 0 {
		t.Errorf("what was deleted is back: %q", got)
	}
}

func TestAnUpgradeLeavesTheRolesAsTheyAre(t *testing.T) {
	w := watch(t)
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		setting, err := portal.Settings.Defaults()
		if err != nil {
			return err
		}
		setting.ID, setting.Seeded = portal.SettingID, 0 // as of the oldest version
		set := []portal.Privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: "read"}}
		for _, id := range []int64{3, 4} {
			role, err := resource.Get(ctx, tx, portal.Roles.Name, id)
			if err != nil {
				return err
			}
			role.Privileges = set
			if err := resource.Put(ctx, tx, portal.Roles.Name, role); err != nil {
				return err
			}
		}
		if err := portal.Complete(ctx, tx, setting, resource.SecondsOf(noon)); err != nil {
			return err
		}
		for _, id := range []int64{3, 4} {
			role, err := resource.Get(ctx, tx, portal.Roles.Name, id)
			if err != nil {
				return err
			}
			if !slices.Equal(role.Privileges, set) {
				t.Errorf("the role %s holds %v after the upgrade, not %v", role.Name, role.Privileges, set)
			}
		}
		return nil
	})
}
