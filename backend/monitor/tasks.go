package monitor

import (
	"context"
	"fmt"
	"slices"

	"spyglass/backend/check"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/override"
	"spyglass/backend/resource"
)

// Tasks returns the instances that a remote collector has to poll now: those of
// its devices with monitoring enabled. The engine itself polls simulated ones.
// Secret properties are in clear text.
func Tasks(ctx context.Context, r resource.Reader, collector int64) ([]check.Task, error) {
	devices, err := resource.Find(ctx, r, fleet.Devices.Name, resource.Where{Field: "currentCollectorId", Op: "=",
		Value: collector})
	if err != nil || len(devices) == 0 {
		return nil, err
	}
	b, err := newTasks(ctx, r)
	if err != nil {
		return nil, err
	}
	var tasks []check.Task
	for part := range slices.Chunk(devices, devicesAtOnce) {
		more, err := b.of(ctx, r, part)
		if err != nil {
			return nil, err
		}
		for _, a := range more {
			if a.task.Method != methodSimulate {
				tasks = append(tasks, *a.task)
			}
		}
	}
	return tasks, nil
}

// devicesAtOnce is the number of devices whose instances are read at a time.
const devicesAtOnce = 500

// taskMaker creates the tasks of devices, from data that all of them share.
type taskMaker struct {
	tree       *fleet.Tree
	thresholds *override.Thresholds
	sources    map[int64]*datasource.DataSource
	attributes map[int64]map[string]string // by data source, shared by its tasks
	fields     map[int64][]string
}

// assigned is a task, with the rows it was created from.
type assigned struct {
	task     *check.Task
	instance *fleet.Instance
	device   *fleet.Device
}

func newTasks(ctx context.Context, r resource.Reader) (*taskMaker, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	thresholds, err := override.ThresholdsOf(ctx, r)
	if err != nil {
		return nil, err
	}
	sources, err := resource.Find(ctx, r, datasource.DataSources.Name)
	b := &taskMaker{tree: tree, thresholds: thresholds, sources: map[int64]*datasource.DataSource{},
		attributes: map[int64]map[string]string{}, fields: map[int64][]string{}}
	for i := range sources {
		b.add(&sources[i])
	}
	return b, err
}

func (b *taskMaker) add(source *datasource.DataSource) {
	attributes, fields := map[string]string{}, []string{}
	for name, value := range source.CollectorAttribute {
		attributes[name] = fmt.Sprint(value)
	}
	for i := range source.DataPoints {
		if p := &source.DataPoints[i]; p.RawDataFieldName != "" && !slices.Contains(fields, p.RawDataFieldName) {
			fields = append(fields, p.RawDataFieldName)
		}
	}
	b.sources[source.ID], b.attributes[source.ID], b.fields[source.ID] = source, attributes, fields
}

func (b *taskMaker) of(ctx context.Context, r resource.Reader, devices []fleet.Device) ([]assigned, error) {
	byID, ids := map[int64]*fleet.Device{}, []int64{}
	for i := range devices {
		byID[devices[i].ID] = &devices[i]
		ids = append(ids, devices[i].ID)
	}
	instances, err := resource.Find(ctx, r, fleet.Instances.Name,
		resource.Where{Field: "deviceId", Op: "in", Value: ids},
		resource.Where{Field: "stopMonitoring", Op: "=", Value: false})
	if err != nil {
		return nil, err
	}
	properties := map[int64]map[string]string{} // shared by the instances of a device
	var tasks []assigned
	for i := range instances {
		one := &instances[i]
		device, source := byID[one.DeviceID], b.sources[one.DataSourceID]
		if device == nil || source == nil || b.thresholds.Stopped(device.GroupIDs, source.ID) {
			continue
		}
		if properties[device.ID] == nil {
			properties[device.ID] = b.tree.Properties(device)
		}
		tasks = append(tasks, assigned{b.task(one, device, source, properties[device.ID]), one, device})
	}
	return tasks, nil
}

func (b *taskMaker) task(one *fleet.Instance, device *fleet.Device, source *datasource.DataSource,
	properties map[string]string) *check.Task {
	t := &check.Task{
		InstanceID: one.ID, DeviceID: device.ID, DataSourceID: source.ID, Host: device.Name, DataSource: source.Name,
		Method:     source.CollectMethod,
		Attributes: b.attributes[source.ID], Properties: properties, Wild: one.WildValue, Wild2: one.WildValue2,
		Interval: source.CollectInterval, Fields: b.fields[source.ID],
	}
	if fleet.IsSimulated(properties[categories]) {
		t.Method = methodSimulate
	}
	return t
}

// methodSimulate is the collect method of simulated devices.
const methodSimulate = "simulate"

// categories is the property with a device's categories.
const categories = "system.categories"
