package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"spyglass/backend/appliesto"
	"spyglass/backend/check"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
)

// Applying decides which data sources apply to which devices. It is built from
// all data sources, groups and functions, and shared: do not change it.
type Applying struct {
	// Print is a fingerprint: an Applying with the same Print makes the same
	// decisions.
	Print string

	members *Membership
	sources []applyingSource // ascending by id
	over    []int            // indexes of the sources whose expressions exceed the limit
}

type applyingSource struct {
	*datasource.DataSource
	// expr is nil if there is none, or if it is invalid or exceeds the limit: the
	// data source then applies to nothing.
	expr *appliesto.Expr
}

// ApplyingOf returns the current Applying; it is rebuilt only when a data
// source, a group or a function has changed.
func ApplyingOf(ctx context.Context, r resource.Reader) (*Applying, error) {
	names := []string{string(datasource.DataSourceRows), string(GroupRows), string(datasource.FunctionRows)}
	value, err := r.Memo("applying", names, func() (any, error) {
		sources, err := datasource.ByID(ctx, r)
		if err != nil {
			return nil, err
		}
		groups, err := resource.Find(ctx, r, GroupRows)
		if err != nil {
			return nil, err
		}
		functions, err := resource.Find(ctx, r, datasource.FunctionRows)
		if err != nil {
			return nil, err
		}
		return newApplying(sources, groups, functions)
	})
	if err != nil {
		return nil, err
	}
	return value.(*Applying), nil
}

func newApplying(sources map[int64]*datasource.DataSource, groups []Group, functions []datasource.Function) (*Applying,
	error) {
	a := &Applying{members: newMembership(groups, functions)}
	code := datasource.CodeOf(functions)
	for _, s := range sources {
		expr, err := appliesto.Parse(s.AppliesTo, code)
		if err != nil { // it is empty, or one of its functions was deleted
			expr = nil
		}
		a.sources = append(a.sources, applyingSource{s, expr})
	}
	slices.SortFunc(a.sources, func(x, y applyingSource) int { return int(x.ID - y.ID) })
	_, a.over = fit(a.sources, func(s *applyingSource) **appliesto.Expr { return &s.expr })
	var err error
	a.Print, err = a.print(code)
	return a, err
}

// print returns a fingerprint of everything, except the device, that a decision
// depends on.
func (a *Applying) print(code map[string]string) (string, error) {
	sum := sha256.New()
	write := json.NewEncoder(sum)
	err := write.Encode(code) // with sorted keys
	for _, s := range a.sources {
		if err == nil {
			err = write.Encode([]any{s.ID, s.Name, s.DisplayName, s.AppliesTo, s.CollectMethod, s.HasMultiInstances,
				s.EnableDiscovery})
		}
	}
	ids := make([]int64, 0, len(a.members.tree.Groups))
	for id := range a.members.tree.Groups {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		g := a.members.tree.Groups[id]
		if err == nil {
			err = write.Encode(
				[]any{g.ID, g.ParentID, g.FullPath, g.AppliesTo != "", resource.Masked(g.CustomProperties)})
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

func (a *Applying) subject(d *Device) *subject {
	return &subject{device: d, static: a.members.tree.static(d.GroupIDs), of: a.members}
}

// To returns the data sources that apply to the device, by id.
func (a *Applying) To(d *Device) []*datasource.DataSource { return a.to(a.subject(d)) }

func (a *Applying) to(s *subject) []*datasource.DataSource {
	var all []*datasource.DataSource
	for i := range a.sources {
		if a.sources[i].expr.Match(s) {
			all = append(all, a.sources[i].DataSource)
		}
	}
	return all
}

// step is one pending change of a data source on a device.
type step struct {
	device *Device
	source *datasource.DataSource // nil: it no longer applies
	row    *DeviceDataSource      // nil: there is none yet
	finds  bool                   // its instances are known without discovery
}

// plan returns the steps after which the devices have exactly the data sources
// that apply; usually there are none.
func (a *Applying) plan(ctx context.Context, r resource.Reader, devices []Device) ([]step, error) {
	ids := make([]int64, len(devices))
	for i := range devices {
		ids[i] = devices[i].ID
	}
	rows, err := resource.Find(ctx, r, DeviceDataSourceRows, resource.Where{Field: "deviceId", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	have := map[int64]map[int64]*DeviceDataSource{} // by device, then data source
	for i := range rows {
		of := have[rows[i].DeviceID]
		if of == nil {
			of = map[int64]*DeviceDataSource{}
			have[rows[i].DeviceID] = of
		}
		of[rows[i].DataSourceID] = &rows[i]
	}
	var steps []step
	for i := range devices {
		d := &devices[i]
		s, of := a.subject(d), have[d.ID]
		finds := isSimulated(s)
		for _, source := range a.to(s) {
			row := of[source.ID]
			delete(of, source.ID)
			if row == nil || !row.isCurrent(source) || !row.complete(finds && source.EnableDiscovery) {
				steps = append(steps, step{d, source, row, finds})
			}
		}
		for _, row := range of {
			steps = append(steps, step{device: d, row: row})
		}
	}
	return steps, nil
}

// isCurrent reports whether the row's copies of its data source's fields are current.
func (d *DeviceDataSource) isCurrent(s *datasource.DataSource) bool {
	return d.Name == s.Name && d.DisplayName == s.DisplayName && d.Method == s.CollectMethod &&
		d.Multiple == s.HasMultiInstances
}

// complete reports whether the row has the instances that are known without
// discovery.
func (d *DeviceDataSource) complete(finds bool) bool {
	if d.Multiple {
		return !finds || d.DiscoveredOn > 0
	}
	return d.Instances > 0
}

// Unsettling returns the devices whose rows of data sources, or names in them,
// are out of date.
func Unsettling(ctx context.Context, r resource.Reader, devices []Device) ([]int64, error) {
	a, err := ApplyingOf(ctx, r)
	if err != nil {
		return nil, err
	}
	steps, err := a.plan(ctx, r, devices)
	var ids []int64
	for _, s := range steps {
		if len(ids) == 0 || ids[len(ids)-1] != s.device.ID {
			ids = append(ids, s.device.ID)
		}
	}
	return ids, err
}

// Associate updates the rows of the devices' data sources to exactly those that
// apply: it adds missing ones, with the instances that are known without
// discovery, and removes those that no longer apply, with everything that belongs
// to them. If nothing has changed, it only reads. It returns the number of
// changed rows of data sources.
func Associate(ctx context.Context, tx resource.Tx, devices []Device, now resource.Seconds) (changed int, err error) {
	a, err := ApplyingOf(ctx, tx)
	if err != nil {
		return 0, err
	}
	steps, err := a.plan(ctx, tx, devices)
	if err != nil {
		return 0, err
	}
	for _, s := range steps {
		if err := s.do(ctx, tx, now); err != nil {
			return 0, fmt.Errorf("device %d: %w", s.device.ID, err)
		}
	}
	return len(steps), nil
}

// AssociateOne adds one data source that applies to a device, with the instances
// that are known without discovery, unless the device has it already.
func AssociateOne(ctx context.Context, tx resource.Tx, d *Device, source *datasource.DataSource,
	now resource.Seconds) error {
	a, err := ApplyingOf(ctx, tx)
	if err != nil {
		return err
	}
	s := step{device: d, source: source, finds: isSimulated(a.subject(d))}
	return s.do(ctx, tx, now)
}

func (s *step) do(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	if s.source == nil {
		gone := Removed{DeviceID: s.row.DeviceID, DeviceDataSourceID: s.row.ID, At: now,
			Why: "the data source no longer applies to the device"}
		if err := OnRemoved.Fire(ctx, tx, gone); err != nil {
			return err
		}
		return resource.Delete(ctx, tx, DeviceDataSourceRows, s.row.ID)
	}
	row, renamed := s.row, false
	if row == nil {
		row = &DeviceDataSource{DeviceID: s.device.ID, DataSourceID: s.source.ID, CreatedOn: now, AssignedOn: now}
	} else {
		renamed = row.Name != s.source.Name || row.Multiple != s.source.HasMultiInstances
	}
	row.UpdatedOn = now
	row.Name, row.DisplayName, row.Method, row.Multiple = s.source.Name, s.source.DisplayName, s.source.CollectMethod,
		s.source.HasMultiInstances
	if renamed {
		if err := renameInstances(ctx, tx, row); err != nil {
			return err
		}
	}
	switch {
	case row.Multiple && s.finds && s.source.EnableDiscovery && row.DiscoveredOn == 0:
		return discovered(ctx, tx, row, s.source, check.Simulated(s.source.Name, s.device.ID), now, 0)
	case row.Multiple && s.source.EnableDiscovery && row.DiscoveredOn == 0:
		row.NextOn = now // due for the collector of the device
	case !row.Multiple && row.Instances == 0:
		return onlyInstance(ctx, tx, row, now)
	}
	return resource.Put(ctx, tx, DeviceDataSourceRows, row)
}

// onlyInstance writes the row of a data source with a single instance on a
// device.
func onlyInstance(ctx context.Context, tx resource.Tx, row *DeviceDataSource, now resource.Seconds) error {
	row.counts(1, 1)
	if err := resource.Put(ctx, tx, DeviceDataSourceRows, row); err != nil {
		return err
	}
	one := newInstance(row, now)
	one.Name, one.DisplayName, one.WildValue = row.Name, row.Name, OnlyWildValue
	return resource.Put(ctx, tx, InstanceRows, one)
}

func newInstance(on *DeviceDataSource, now resource.Seconds) *Instance {
	return &Instance{DeviceID: on.DeviceID, DeviceDataSourceID: on.ID, DataSourceID: on.DataSourceID, CreatedOn: now,
		UpdatedOn: now}
}

// renameInstances updates instance names after a data source was renamed.
func renameInstances(ctx context.Context, tx resource.Tx, row *DeviceDataSource) error {
	all, err := instancesOf(ctx, tx, row)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].WildValue == OnlyWildValue {
			all[i].DisplayName = row.Name
		}
		all[i].Name = instanceName(row, all[i].DisplayName)
		if err := resource.Put(ctx, tx, InstanceRows, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

func instancesOf(ctx context.Context, r resource.Reader, row *DeviceDataSource) ([]Instance, error) {
	if row.ID == 0 {
		return nil, nil
	}
	return resource.Find(ctx, r, InstanceRows, resource.Where{Field: "deviceDataSourceId", Op: "=", Value: row.ID})
}
