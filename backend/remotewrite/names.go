package remotewrite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// names maps series to metric names and labels. One goroutine uses it.
type names struct {
	db      resource.LiveDB
	changed <-chan struct{}
	known   map[int64]*place
	portal  string // if not empty, series have labels of ids
}

// Labels of ids, by which the portal reads its samples. They come after the others in the
// order of names.
const (
	PortalLabel = "spyglass_portal"
	SeriesLabel = "spyglass_series"
)

// SeriesName returns the value of SeriesLabel.
func SeriesName(key series.Key) string { return fmt.Sprintf("%d-%d", key.Instance, key.DataPoint) }

// place is an instance; known has nil for a deleted one.
type place struct {
	labels []prompb.Label // datasource, device, group, instance
	groups resource.IDs
	points map[int64]string // names of metrics, by data point
}

// maxKnown limits the cached instances.
const maxKnown = 200_000

func newNames(db resource.LiveDB) *names {
	// watches as long as the database is open
	changed, _ := db.Watch(string(fleet.Instances.Name), string(fleet.Devices.Name),
		string(datasource.DataSources.Name), string(fleet.Groups.Name))
	return &names{db: db, changed: changed, known: map[int64]*place{}}
}

// wanted returns the samples that have names, of devices in the group.
func (k *names) wanted(ctx context.Context, samples []series.Sample, group int64) ([]series.Sample, error) {
	if err := k.learn(ctx, samples); err != nil {
		return samples, err
	}
	tree, err := fleet.TreeOf(ctx, k.db)
	if err != nil {
		return samples, err
	}
	within := tree.Below([]int64{group})[group]
	var wanted []series.Sample
	for _, s := range samples {
		p := k.known[s.Instance]
		if p == nil || p.points[s.DataPoint] == "" {
			continue
		}
		if group != ground.RootGroup &&
			!slices.ContainsFunc(p.groups, func(id int64) bool { return slices.Contains(within, id) }) {
			continue
		}
		wanted = append(wanted, s)
	}
	return wanted, nil
}

// request returns the body for samples from wanted.
func (k *names) request(samples []series.Sample) ([]byte, error) {
	var message prompb.WriteRequest
	at := map[series.Key]int{}
	for _, s := range samples {
		p, key := k.known[s.Instance], series.Key{Instance: s.Instance, DataPoint: s.DataPoint}
		i, ok := at[key]
		if !ok {
			i = len(message.Timeseries)
			at[key] = i
			labels := append([]prompb.Label{{Name: "__name__", Value: p.points[s.DataPoint]}}, p.labels...)
			if k.portal != "" {
				labels = append(labels, prompb.Label{Name: PortalLabel, Value: k.portal},
					prompb.Label{Name: SeriesLabel, Value: SeriesName(key)})
			}
			message.Timeseries = append(message.Timeseries, prompb.TimeSeries{Labels: labels})
		}
		message.Timeseries[i].Samples = append(message.Timeseries[i].Samples,
			prompb.Sample{Value: s.Value, Timestamp: s.At * 1000})
	}
	for i := range message.Timeseries {
		slices.SortStableFunc(message.Timeseries[i].Samples,
			func(a, b prompb.Sample) int { return int(a.Timestamp - b.Timestamp) })
	}
	raw, err := message.Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode a remote write: %w", err)
	}
	return snappy.Encode(nil, raw), nil
}

// learn looks up instances that are not cached yet.
func (k *names) learn(ctx context.Context, samples []series.Sample) error {
	select {
	case <-k.changed:
		clear(k.known)
	default:
	}
	if len(k.known) > maxKnown {
		clear(k.known)
	}
	var unknown []int64
	for _, s := range samples {
		if _, ok := k.known[s.Instance]; !ok {
			k.known[s.Instance] = nil
			unknown = append(unknown, s.Instance)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	err := k.find(ctx, unknown)
	if err != nil {
		clear(k.known)
	}
	return err
}

func (k *names) find(ctx context.Context, ids []int64) error {
	instances, err := resource.Find(ctx, k.db, fleet.Instances.Name, resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return err
	}
	var devices, sources []int64
	for i := range instances {
		devices, sources = append(devices, instances[i].DeviceID), append(sources, instances[i].DataSourceID)
	}
	device, err := rowsOf(ctx, k.db, fleet.Devices.Name, devices, func(d *fleet.Device) int64 { return d.ID })
	if err != nil {
		return err
	}
	source, err := rowsOf(ctx, k.db, datasource.DataSources.Name, sources, func(d *datasource.DataSource) int64 {
		return d.ID
	})
	if err != nil {
		return err
	}
	tree, err := fleet.TreeOf(ctx, k.db)
	if err != nil {
		return err
	}
	for i := range instances {
		in := &instances[i]
		if d, s := device[in.DeviceID], source[in.DataSourceID]; d != nil && s != nil {
			k.known[in.ID] = newPlace(in, d, s, tree)
		}
	}
	return nil
}

func rowsOf[T any](ctx context.Context, r resource.Reader, name resource.Name[*T], ids []int64,
	id func(*T) int64) (map[int64]*T, error) {
	slices.Sort(ids)
	rows, err := resource.Find(ctx, r, name, resource.Where{Field: "id", Op: "in", Value: slices.Compact(ids)})
	out := make(map[int64]*T, len(rows))
	for i := range rows {
		out[id(&rows[i])] = &rows[i]
	}
	return out, err
}

func newPlace(i *fleet.Instance, d *fleet.Device, s *datasource.DataSource, tree *fleet.Tree) *place {
	group := ""
	if len(d.GroupIDs) > 0 && tree.Groups[d.GroupIDs[0]] != nil {
		group = tree.Groups[d.GroupIDs[0]].FullPath
	}
	p := &place{groups: d.GroupIDs, points: map[int64]string{}}
	for _, label := range []prompb.Label{{Name: "datasource", Value: s.Name}, {Name: "device", Value: d.DisplayName},
		{Name: "group", Value: group}, {Name: "instance", Value: i.DisplayName}} {
		if label.Value != "" { // an empty label counts as missing
			p.labels = append(p.labels, label)
		}
	}
	for j := range s.DataPoints {
		p.points[s.DataPoints[j].ID] = metricName(s.Name, s.DataPoints[j].Name)
	}
	return p
}

// metricName returns a name that every receiver accepts: letters, digits and
// underscores.
func metricName(source, point string) string {
	return "spyglass_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, source+"_"+point)
}
