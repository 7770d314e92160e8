package store_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"spyglass/backend/portal"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

func TestUpgradeAddsNewBuiltInDataSourcesOnce(t *testing.T) {
	const disks, network = 101, 102
	w := watch(t)
	var settings setting.Setting
	complete := func() (names []string) {
		var completed setting.Setting
		w.tx(func(ctx context.Context, tx resource.Tx) error {
			completed, names = settings, nil
			if err := portal.Complete(ctx, tx, &completed, resource.SecondsOf(noon)); err != nil {
				return err
			}
			found, err := resource.Find(ctx, tx, datasource.DataSources.Name,
				resource.Where{Field: "id", Op: "in", Value: []int64{1, disks, network}})
			for _, d := range found {
				names = append(names, d.Name)
			}
			return err
		})
		settings = completed
		return names
	}
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		fresh, err := setting.Settings.Defaults()
		if err != nil {
			return err
		}
		settings = *fresh
		settings.ID, settings.Seeded = setting.SettingID, 1
		for _, id := range []int64{1, disks, network} { // a user deleted 1
			if err := resource.Delete(ctx, tx, datasource.DataSources.Name, id); err != nil {
				return err
			}
		}
		own := datasource.DataSource{ID: 950, Name: "Host_Network"} // a user created this one
		return resource.Put(ctx, tx, datasource.DataSources.Name, &own)
	})
	if got, want := complete(), []string{"Host_Disks"}; !slices.Equal(got, want) {
		t.Errorf("it has %q of them, not %q", got, want)
	}
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		return resource.Delete(ctx, tx, datasource.DataSources.Name, disks)
	})
	if got := complete(); len(got) != 0 {
		t.Errorf("what was deleted is back: %q", got)
	}
}

func TestUpgradeKeepsModifiedBuiltInDataSources(t *testing.T) {
	const oldUse = "if(speed > 0, max(inBits, outBits)/speed/10000, 0)"
	for _, tt := range []struct {
		name        string
		threshold   string
		use         string
		method      map[string]any // in addition to OID
		wantNoData  int64
		wantUse     string
		wantSkipped any
	}{
		{"as it was", "< 1 1", oldUse, nil, threshold.SeverityError, "max(inBits, outBits)/speed/10000", "24"},
		{"changed by hand", "< 1", "inBits", map[string]any{"typeOID": ".1.3.6.1.2.1.2.2.1.3", "skipTypes": "53"}, 1,
			"inBits", "53"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watch(t)
			source := func(ctx context.Context, tx resource.Tx, name string) *datasource.DataSource {
				found, err := resource.Find(ctx, tx, datasource.DataSources.Name,
					resource.Where{Field: "name", Op: "=", Value: name})
				if err != nil || len(found) != 1 {
					t.Fatalf("%s: %d, %v", name, len(found), err)
				}
				return &found[0]
			}
			point := func(d *datasource.DataSource, name string) *datasource.DataPoint {
				return &d.DataPoints[slices.IndexFunc(d.DataPoints, func(p datasource.DataPoint) bool {
					return p.Name == name
				})]
			}
			w.tx(func(ctx context.Context, tx resource.Tx) error {
				cert, ports := source(ctx, tx, "TLS_Certificate"), source(ctx, tx, "SNMP_Interfaces")
				point(cert, "valid").AlertForNoData, point(cert, "valid").AlertExpr = 1, tt.threshold
				point(ports, "usePercent").PostProcessorParam = tt.use
				delete(ports.Discovery.Method, "typeOID")
				delete(ports.Discovery.Method, "skipTypes")
				maps.Copy(ports.Discovery.Method, tt.method)
				if err := resource.Put(ctx, tx, datasource.DataSources.Name, cert); err != nil {
					return err
				}
				return resource.Put(ctx, tx, datasource.DataSources.Name, ports)
			})
			for range 2 {
				w.tx(func(ctx context.Context, tx resource.Tx) error {
					settings, err := setting.Settings.Defaults()
					if err != nil {
						return err
					}
					settings.ID, settings.Seeded = setting.SettingID, 3
					if err := portal.Complete(ctx, tx, settings, resource.SecondsOf(noon)); err != nil {
						return err
					}
					cert, ports := source(ctx, tx, "TLS_Certificate"), source(ctx, tx, "SNMP_Interfaces")
					if got := point(cert, "valid").AlertForNoData; got != tt.wantNoData {
						t.Errorf("no data of the certificate is an alert of severity %d, want %d", got, tt.wantNoData)
					}
					if got := point(ports, "usePercent").PostProcessorParam; got != tt.wantUse {
						t.Errorf("the use is %q, want %q", got, tt.wantUse)
					}
					if got := ports.Discovery.Method["skipTypes"]; got != tt.wantSkipped {
						t.Errorf("skipped are %v, want %v", got, tt.wantSkipped)
					}
					return nil
				})
			}
		})
	}
}

func TestUpgradeKeepsRoles(t *testing.T) {
	w := watch(t)
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		settings, err := setting.Settings.Defaults()
		if err != nil {
			return err
		}
		settings.ID, settings.Seeded = setting.SettingID, 0 // as in the oldest version
		set := []people.Privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: "read"}}
		for _, id := range []int64{3, 4} {
			role, err := resource.Get(ctx, tx, people.Roles.Name, id)
			if err != nil {
				return err
			}
			role.Privileges = set
			if err := resource.Put(ctx, tx, people.Roles.Name, role); err != nil {
				return err
			}
		}
		if err := portal.Complete(ctx, tx, settings, resource.SecondsOf(noon)); err != nil {
			return err
		}
		for _, id := range []int64{3, 4} {
			role, err := resource.Get(ctx, tx, people.Roles.Name, id)
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
