// Package demo fills an empty portal with a company, the same one every time.
//
// Kestrel Freight ships parcels from three sites: Frankfurt, Oslo and Austin.
// Its 25 groups, its people and its first 152 devices are in company.go, people.go
// and fleet.go. A larger fleet repeats these devices with higher numbers: in the
// second round, web-prod-15.fra follows web-prod-07.fra.
//
// # Reproducibility
//
// Ids, names, addresses and properties depend only on a device's index in the
// fleet, so device 7 is the same one in a company of 10 and of 100,000. Times are
// relative to Options.Now. Secrets (hashes, the encrypted key of the token) are
// random, because they are never shown.
//
// # Objects for examples
//
// Examples can change and delete these objects, because nothing depends on them:
// device 150, group 25, collector 2, role 5, user 3, the token 1 of user 2,
// function 1, alert 1 (the oldest, which stays active), notice 1 (which failed),
// data source 22, alert rule, escalation chain, ops note and report group 4,
// report 6, maintenance window 9, recipient group, integration and collector
// group 3, and incident 1, which has ended. A company of fewer than 150 devices
// has no device 150. The recycle bin has two more devices, after all others: 153
// and 154 in the standard company. A resource that none of the steps
// below fills gets one row, made from its examples (see SampleOf), in the standard
// company and in larger ones.
//
// # Errors
//
// Fill writes everything in one transaction: if the portal crashes meanwhile, it
// stays empty. Fill returns fault.Conflict for a portal that is not empty, and
// fault.Invalid for an invalid number of devices.
package demo

import (
	"cmp"
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/report"
	"spyglass/backend/resource"
)

// Options configure the demo company.
type Options struct {
	Devices   int                          // exact number; StandardDevices when 0
	Now       time.Time                    // all times are before it; time.Now when zero
	Passwords map[string]string            // of admin, operator and viewer; a missing one gets a random password
	Hash      func(string) (string, error) // people.HashPassword when nil
	Progress  func(devices int)            // called occasionally with the number of written devices; may be nil
	// Reports returns the files of finished reports, for a transaction; nil: no report is run
	Reports func(tx resource.Tx) report.Files
	Samples []Sample // of the portal's resources
}

// ViewerPassword is the password of the user viewer, who has only View access. It
// is public, so that anyone can sign in to the demo.
const ViewerPassword = "viewer-demo"

// MaxDevices is the maximum of Options.Devices, so that each device has a unique address.
const MaxDevices = 5_000_000

// between is the number of devices written between two checks of the context.
const between = 1000

// Empty reports whether the portal has only the rows of portal.Seed and one user,
// so that Fill may fill it.
func Empty(ctx context.Context, from resource.Reader) (bool, error) {
	groups, err := resource.Find(ctx, from, fleet.Groups.Name,
		resource.Where{Field: "id", Op: "!=", Value: ground.RootGroup})
	if err != nil || len(groups) > 0 {
		return false, err
	}
	users, err := resource.Find(ctx, from, people.Users.Name)
	if err != nil || len(users) > 1 {
		return false, err
	}
	devices, err := from.CountBy(ctx, string(fleet.Devices.Name), "preferredCollectorId")
	return len(devices) == 0, err
}

// Fill writes the company into a portal that portal.Seed has begun. An existing
// user named admin keeps its password.
func Fill(ctx context.Context, db resource.SecretDB, o Options) error {
	if o.Devices < 0 || o.Devices > MaxDevices {
		return fault.At("devices", "devices must be 1 to %d, or 0 for the default", MaxDevices)
	}
	o.Devices = cmp.Or(o.Devices, StandardDevices)
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Hash == nil {
		o.Hash = people.HashPassword
	}
	users, err := staff(o)
	if err != nil {
		return err
	}
	return db.Write(ctx, func(tx resource.Tx) error {
		empty, err := Empty(ctx, tx)
		if err == nil && !empty {
			err = fault.New(fault.Conflict, "the portal is not empty; the demo needs an empty --data folder")
		}
		if err != nil {
			return err
		}
		f := &filler{
			db: db, now: resource.SecondsOf(o.Now), count: o.Devices,
			write: &resource.Write{Context: ctx, Tx: tx, Call: &resource.Call{At: o.Now},
				Given: func(string) bool { return true }},
		}
		for _, step := range []func() error{
			f.functions, f.dataSources, f.groups, f.collectorGroups, f.collectors, f.accountGroups, f.roles,
			func() error { return f.users(users) },
			f.tokens,
			f.integrations, f.recipientGroups, f.chains, f.rules,
			f.opsNotes, f.reportGroups,
			func() error { return f.devices(o.Devices, o.Progress) },
			f.instances,
			f.sdts,
			f.thresholds,
			f.alerts,
			f.notices,
			f.reports,
			func() error { return f.runs(o.Reports) },
			f.pastIncident,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if o.Devices < StandardDevices {
			return nil // what examples name is not there
		}
		for _, sample := range o.Samples {
			if err := sample(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// filler is one Fill in progress.
type filler struct {
	db    resource.SecretDB
	now   resource.Seconds
	count int // devices
	write *resource.Write
}

// ago returns a time some days before now.
func (f *filler) ago(days int64) resource.Seconds { return f.now - resource.Seconds(days*day) }

const day = 24 * 60 * 60 // seconds

// add writes a new row: see complete.
func add[T any](f *filler, r *resource.Resource[*T], row *T, then func(*T)) error {
	if err := complete(f, r, row, then); err != nil {
		return err
	}
	return resource.Put(f.write.Context, f.write.Tx, r.Name, row)
}

// complete completes a new row by its resource's own rules. In between, then changes fields
// that only the portal sets.
func complete[T any](f *filler, r *resource.Resource[*T], row *T, then func(*T)) error {
	if r.Check != nil {
		if err := r.Check(f.write, nil, row); err != nil {
			return err
		}
	}
	if then != nil {
		then(row)
	}
	if r.Settle != nil {
		if err := r.Settle(f.write, nil, row); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) devices(count int, progress func(int)) error {
	maker := newDeviceMaker(f.now)
	err := f.write.Tx.Bulk(f.write.Context, string(fleet.Devices.Name), func(yield func(any, error) bool) {
		for i := range count {
			d, status := maker.device(i, count)
			err := complete(f, &fleet.Devices, &d, status.set)
			if !yield(&d, cmp.Or(err, f.write.Context.Err())) {
				return
			}
			if (i+1)%between == 0 && progress != nil {
				progress(i + 1)
			}
		}
	})
	if err != nil {
		return err
	}
	return f.retired(maker, count)
}

// retired adds two devices in the recycle bin, after all others.
func (f *filler) retired(maker *deviceMaker, count int) error {
	for i := count; i < count+2; i++ {
		d, status := maker.device(i, count+2)
		err := add(f, &fleet.Devices, &d, func(d *fleet.Device) {
			status.set(d)
			d.DeletedOn = resource.Millis(f.ago(3) * 1000)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
