package data

import (
	"context"
	"fmt"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// place is the device, data source and association that a request names.
type place struct {
	device *fleet.Device
	on     *fleet.DeviceDataSource
	source *datasource.DataSource
}

// one returns the row with an id, if the caller may view it.
func one[T any](ctx context.Context, r resource.Reader, c *resource.Call, of *resource.Resource[*T], id int64,
	more ...resource.Where) (*T, error) {
	where := append([]resource.Where{{Field: "id", Op: "=", Value: id}, resource.SeenBy(c.Access, resource.Read)},
		more...)
	found, err := resource.Find(ctx, r, of.Name, where...)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.New(fault.Unknown, "there is no %s %d", of.Label, id)
	}
	return &found[0], nil
}

func is(field string, id int64) resource.Where {
	return resource.Where{Field: field, Op: "=", Value: id}
}

// below finds the device and its data source in the path.
func (s *Service) below(ctx context.Context, c *resource.Call, onParam string) (*place, error) {
	deviceID, err := c.ID("deviceId")
	if err != nil {
		return nil, err
	}
	p := &place{}
	if p.device, err = one(ctx, s.db, c, &fleet.Devices, deviceID); err != nil {
		return nil, err
	}
	id, err := c.ID(onParam)
	if err != nil {
		return nil, err
	}
	if p.on, err = one(ctx, s.db, c, &fleet.DeviceDataSources, id, is("deviceId", deviceID)); err != nil {
		return nil, err
	}
	p.source, err = s.source(ctx, p.on.DataSourceID)
	return p, err
}

func (s *Service) source(ctx context.Context, id int64) (*datasource.DataSource, error) {
	return resource.Get(ctx, s.db, datasource.DataSources.Name, id)
}

// instanceBelow returns the instance at the end of the path.
func (s *Service) instanceBelow(ctx context.Context, c *resource.Call) (*place, *fleet.Instance, error) {
	p, err := s.below(ctx, c, "hdsId")
	if err != nil {
		return nil, nil, err
	}
	id, err := c.ID("id")
	if err != nil {
		return nil, nil, err
	}
	i, err := one(ctx, s.db, c, &fleet.Instances, id, is("deviceDataSourceId", p.on.ID))
	return p, i, err
}

// instance returns the instance with an id, on a device that is not deleted.
func (s *Service) instance(ctx context.Context, c *resource.Call, id int64) (*place, *fleet.Instance, error) {
	i, err := one(ctx, s.db, c, &fleet.Instances, id)
	if err != nil {
		return nil, nil, err
	}
	p := &place{}
	if p.device, err = one(ctx, s.db, c, &fleet.Devices, i.DeviceID); fault.Is(err, fault.Unknown) {
		// its device is in the recycle bin
		err = fault.New(fault.Unknown, "there is no %s %d", fleet.Instances.Label, id)
	}
	if err != nil {
		return nil, nil, err
	}
	p.source, err = s.source(ctx, i.DataSourceID)
	return p, i, err
}

// file returns the file name of a download, without unsafe characters.
func (p *place) file(more string) string {
	name := []rune(fmt.Sprintf("%s-%s%s", p.device.DisplayName, p.source.Name, more))
	for i, r := range name {
		if !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '.' || r == '-' || r == '_') {
			name[i] = '-'
		}
	}
	return string(name[:min(len(name), 120)]) + ".csv"
}
