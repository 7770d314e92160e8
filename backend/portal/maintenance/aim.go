package maintenance

import (
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// aiming resolves the target of a maintenance window. A target that the caller
// may not view gives the same error as a missing one; the store checks the
// permission to change it by the resolved ids.
type aiming struct {
	w     *resource.Write
	names map[string]string // names in place of ids
	s     *SDT
	kept  []string // the ids that its type uses
}

func (a *aiming) keep(fields ...string) { a.kept = append(a.kept, fields...) }

// given reports whether the body contains an id itself, so that names are
// ignored.
func (a *aiming) given(field string, id int64) bool { return a.w.Given(field) && id > 0 }

func (a *aiming) required(field string, id int64) error {
	if id == 0 {
		return fault.At(field, "%s is required while type is %s", field, a.s.Type)
	}
	return nil
}

// seen returns the only row that the caller may view and that meets the
// conditions.
func seen[T any](w *resource.Write, of resource.Name[*T], where ...resource.Where) (*T, error) {
	found, err := resource.Find(w.Context, w.Tx, of,
		append(where, resource.SeenBy(w.Call.Access, resource.Read), resource.Limit(2))...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func is(field string, value any) resource.Where {
	return resource.Where{Field: field, Op: "=", Value: value}
}

// device finds the device, by name if its id is not given.
func (a *aiming) device() error {
	a.keep("deviceId")
	if name := a.names["deviceDisplayName"]; name != "" && !a.given("deviceId", a.s.DeviceID) {
		d, err := seen(a.w, fleet.DeviceRows, is("displayName", name))
		if err != nil {
			return err
		}
		if d == nil {
			return missing("deviceDisplayName", "device", fault.Quote(name))
		}
		a.s.DeviceID = d.ID
	}
	return a.required("deviceId", a.s.DeviceID)
}

func (a *aiming) group() error {
	a.keep("deviceGroupId", "dataSourceId")
	if path := a.names["deviceGroupFullPath"]; path != "" && !a.given("deviceGroupId", a.s.GroupID) {
		g, err := seen(a.w, fleet.GroupRows, is("fullPath", path))
		if err != nil {
			return err
		}
		if g == nil {
			return missing("deviceGroupFullPath", "device group", fault.Quote(path))
		}
		a.s.GroupID = g.ID
	}
	if err := a.required("deviceGroupId", a.s.GroupID); err != nil {
		return err
	}
	return a.dataSource()
}

// dataSource finds the data source by name, if its id is not given.
func (a *aiming) dataSource() error {
	name := a.names["dataSourceName"]
	if name == "" || a.given("dataSourceId", a.s.DataSourceID) {
		return nil
	}
	d, err := seen(a.w, datasource.DataSourceRows, is("name", name))
	if err != nil {
		return err
	}
	if d == nil {
		return missing("dataSourceName", "data source", fault.Quote(name))
	}
	a.s.DataSourceID = d.ID
	return nil
}

func (a *aiming) deviceDataSource() error {
	a.keep("deviceId", "dataSourceId", "deviceDataSourceId")
	if name := a.names["dataSourceName"]; name != "" && !a.given("deviceDataSourceId", a.s.DeviceDataSourceID) {
		if err := a.device(); err != nil {
			return err
		}
		d, err := seen(a.w, fleet.DeviceDataSourceRows, is("deviceId", a.s.DeviceID), is("dataSourceName", name))
		if err != nil {
			return err
		}
		if d == nil {
			return missing("dataSourceName", "data source of the device", fault.Quote(name))
		}
		a.s.DeviceDataSourceID = d.ID
	}
	if err := a.required("deviceDataSourceId", a.s.DeviceDataSourceID); err != nil {
		return err
	}
	d, err := seen(a.w, fleet.DeviceDataSourceRows, is("id", a.s.DeviceDataSourceID))
	if err != nil {
		return err
	}
	if d == nil {
		return missing("deviceDataSourceId", "device datasource", a.s.DeviceDataSourceID)
	}
	return a.on("device datasource", d.ID, d.DeviceID, d.DataSourceID, d.ID)
}

func (a *aiming) instance() error {
	a.keep("deviceId", "dataSourceId", "deviceDataSourceId", "dataSourceInstanceId")
	if name := a.names["dataSourceInstanceName"]; name != "" && !a.given("dataSourceInstanceId", a.s.InstanceID) {
		if err := a.device(); err != nil {
			return err
		}
		i, err := seen(a.w, fleet.InstanceRows, is("deviceId", a.s.DeviceID), is("name", name))
		if err != nil {
			return err
		}
		if i == nil {
			return missing("dataSourceInstanceName", "instance of the device", fault.Quote(name))
		}
		a.s.InstanceID = i.ID
	}
	if err := a.required("dataSourceInstanceId", a.s.InstanceID); err != nil {
		return err
	}
	i, err := seen(a.w, fleet.InstanceRows, is("id", a.s.InstanceID))
	if err != nil {
		return err
	}
	if i == nil {
		return missing("dataSourceInstanceId", "instance", a.s.InstanceID)
	}
	return a.on("instance", i.ID, i.DeviceID, i.DataSourceID, i.DeviceDataSourceID)
}

func (a *aiming) instanceGroup() error {
	a.keep("deviceId", "dataSourceId", "deviceDataSourceId", "deviceDataSourceInstanceGroupId")
	if name := a.names["deviceDataSourceInstanceGroupName"]; name != "" && !a.given("deviceDataSourceInstanceGroupId",
		a.s.InstanceGroupID) {
		if err := a.required("deviceDataSourceId", a.s.DeviceDataSourceID); err != nil {
			return err
		}
		g, err := seen(a.w, fleet.InstanceGroupRows, is("deviceDataSourceId", a.s.DeviceDataSourceID), is("name", name))
		if err != nil {
			return err
		}
		if g == nil {
			return missing("deviceDataSourceInstanceGroupName", "instance group", fault.Quote(name))
		}
		a.s.InstanceGroupID = g.ID
	}
	if err := a.required("deviceDataSourceInstanceGroupId", a.s.InstanceGroupID); err != nil {
		return err
	}
	g, err := seen(a.w, fleet.InstanceGroupRows, is("id", a.s.InstanceGroupID))
	if err != nil {
		return err
	}
	if g == nil {
		return missing("deviceDataSourceInstanceGroupId", "instance group", a.s.InstanceGroupID)
	}
	d, err := seen(a.w, fleet.DeviceDataSourceRows, is("id", g.DeviceDataSourceID))
	if err != nil {
		return err
	}
	if d == nil {
		return missing("deviceDataSourceInstanceGroupId", "instance group", a.s.InstanceGroupID)
	}
	return a.on("instance group", g.ID, g.DeviceID, d.DataSourceID, d.ID)
}

// on sets the ids of the target's device and data source. It refuses other ids
// in the request.
func (a *aiming) on(what string, id, device, source, deviceSource int64) error {
	for _, place := range []struct {
		field string
		at    *int64
		is    int64
	}{
		{"deviceId", &a.s.DeviceID, device},
		{"dataSourceId", &a.s.DataSourceID, source},
		{"deviceDataSourceId", &a.s.DeviceDataSourceID, deviceSource},
	} {
		if a.given(place.field, *place.at) && *place.at != place.is {
			return fault.At(place.field, "%s of the %s %d is %d, not %d", place.field, what, id, place.is, *place.at)
		}
		*place.at = place.is
	}
	return nil
}

// aims are the fields that hold the target of a maintenance window.
var aims = []struct {
	field string
	at    func(*SDT) *int64
}{
	{"deviceId", func(s *SDT) *int64 { return &s.DeviceID }},
	{"deviceGroupId", func(s *SDT) *int64 { return &s.GroupID }},
	{"dataSourceId", func(s *SDT) *int64 { return &s.DataSourceID }},
	{"deviceDataSourceId", func(s *SDT) *int64 { return &s.DeviceDataSourceID }},
	{"dataSourceInstanceId", func(s *SDT) *int64 { return &s.InstanceID }},
	{"deviceDataSourceInstanceGroupId", func(s *SDT) *int64 { return &s.InstanceGroupID }},
	{"collectorId", func(s *SDT) *int64 { return &s.CollectorID }},
}

// forget clears the ids that the request does not give, if the type of the window
// changes.
func (s *SDT) forget(w *resource.Write) {
	for _, f := range aims {
		if !w.Given(f.field) {
			*f.at(s) = 0
		}
	}
}

// dropOthers clears the ids that the type does not use, and refuses them if the
// request gives them.
func (a *aiming) dropOthers() error {
	for _, f := range aims {
		at := f.at(a.s)
		if slices.Contains(a.kept, f.field) {
			continue
		}
		if a.given(f.field, *at) {
			return fault.At(f.field, "%s cannot be used with the type %s", f.field, a.s.Type)
		}
		*at = 0
	}
	return nil
}
