package alert

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// JudgeClusters counts the active alerts in the groups that have cluster alerts,
// and opens, changes and clears these. points are the data points whose alerts
// may have changed; without any, it judges all cluster alerts and clears alerts
// whose declaration was deleted.
//
// An alert counts if it has at least the severity of the declaration and no
// maintenance covers it, once for each device or for each instance in the group
// and its subgroups. A percentage is relative to the devices, or instances, there
// on which the data source is polled. JudgeClusters judges only clusters in
// sizes.
func JudgeClusters(ctx context.Context, tx resource.Tx, sizes ClusterSizes, at time.Time) error {
	all, err := clustersOf(ctx, tx)
	if err != nil {
		return err
	}
	for i := range all {
		if size, known := sizes[all[i].ID]; known {
			if err := all[i].judge(ctx, tx, size, resource.SecondsOf(at)); err != nil {
				return fmt.Errorf("cluster alert %d: %w", all[i].ID, err)
			}
		}
	}
	return nil
}

// ClusterSizes maps the id of a cluster alert to the number of polled devices or
// instances in its group, with or without an alert.
type ClusterSizes map[int64]int64

// SizeClusters returns the sizes for the cluster alerts on some data points, or
// for all of them. It counts again in each minute, and when devices get or lose a
// data source; a device that moves or is deleted counts until the next minute. In a
// large fleet it reads many rows: call it outside the write transaction.
func SizeClusters(ctx context.Context, r resource.Counter, at time.Time, points ...int64) (ClusterSizes, error) {
	all, err := clustersOf(ctx, r)
	if err != nil {
		return nil, err
	}
	sizes := ClusterSizes{}
	for i := range all {
		if c := &all[i]; len(points) == 0 || slices.Contains(points, c.DataPointID) {
			// Devices are not among these tables: they change with each alert.
			size, err := r.Memo(fmt.Sprintf("size of cluster %d in minute %d", c.ID, at.Unix()/60), []string{
				string(clusterAlertRows), string(fleet.GroupRows), string(fleet.DeviceDataSourceRows)},
				func() (any, error) { return c.size(ctx, r) })
			if err != nil {
				return nil, fmt.Errorf("cluster alert %d: %w", c.ID, err)
			}
			sizes[c.ID] = size.(int64)
		}
	}
	return sizes, nil
}

func (c *ClusterAlert) size(ctx context.Context, r resource.Counter) (int64, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return 0, err
	}
	inside := resource.Where{Field: "hostGroupIds", Op: "has any", Value: tree.Inside(c.GroupID)}
	const instances = "monitoringInstanceNumber"
	polled, err := r.Tally(ctx, string(fleet.DeviceDataSourceRows), []resource.By{{Field: instances}},
		resource.Where{Field: "dataSourceId", Op: "=", Value: c.DataSourceID},
		resource.Where{Field: instances, Op: ">", Value: int64(0)}, resource.Of("deviceId", inside))
	var n int64
	for _, p := range polled {
		each := int64(1)
		if c.CountBy == "instance" {
			each = p.Of[0].(int64)
		}
		n += each * p.Count
	}
	return n, err
}

// clustersOf returns all cluster alerts, cached until one of them changes.
func clustersOf(ctx context.Context, r resource.Reader) ([]ClusterAlert, error) {
	value, err := r.Memo("cluster alerts", []string{string(clusterAlertRows)}, func() (any, error) {
		return resource.Find(ctx, r, clusterAlertRows)
	})
	if err != nil {
		return nil, err
	}
	return value.([]ClusterAlert), nil
}

// EndLostClusters ends alerts whose declaration was deleted with its data
// source.
func EndLostClusters(ctx context.Context, tx resource.Tx, at time.Time) error {
	all, err := clustersOf(ctx, tx)
	if err != nil {
		return err
	}
	open, err := resource.Find(ctx, tx, alertRows, active,
		resource.Where{Field: "clusterAlertConfId", Op: ">", Value: int64(0)})
	for i := range open {
		id := open[i].ClusterID
		if err == nil && !slices.ContainsFunc(all, func(c ClusterAlert) bool { return c.ID == id }) {
			err = endCluster(ctx, tx, id, resource.SecondsOf(at), "the cluster alert was removed")
		}
	}
	return err
}

// endCluster clears the alert of a declaration, and stops suppressing notifications.
func endCluster(ctx context.Context, tx resource.Tx, id int64, at resource.Seconds, why string) error {
	if err := ClearAlerts(ctx, tx, at, why, resource.Where{Field: "clusterAlertConfId", Op: "=",
		Value: id}); err != nil {
		return err
	}
	return suppress(ctx, tx, nil, suppressorOf(id), "", at)
}

const (
	leastGrace = 2       // polls
	mostGrace  = 15 * 60 // seconds
)

// grace returns how many seconds notifications wait after an alert is no longer
// suppressed: as many polls as it takes to clear, at least two. The devices of a
// group recover one after the other; without the wait, the last ones would be
// notified as active and, seconds later, as cleared.
func (a *Alert) grace(sources map[int64]*datasource.DataSource) resource.Seconds {
	source := sources[a.DataSourceID]
	if source == nil || a.LastNotice.Stage > 0 { // recipients already notified wait for the next notice
		return 0
	}
	polls := int64(leastGrace)
	if i := slices.IndexFunc(source.DataPoints,
		func(p datasource.DataPoint) bool { return p.ID == a.DataPointID }); i >= 0 {
		polls = max(polls, source.DataPoints[i].AlertClear)
	}
	return resource.Seconds(min(polls*source.CollectInterval, mostGrace))
}

// judge counts for one declaration, and updates its alert.
func (c *ClusterAlert) judge(ctx context.Context, tx resource.Tx, size int64, at resource.Seconds) error {
	tree, err := fleet.TreeOf(ctx, tx)
	if err != nil {
		return err
	}
	if c.Disabled || slices.ContainsFunc(tree.Above(resource.IDs{c.GroupID}),
		func(g *fleet.Group) bool { return g.DisableAlerting }) {
		return endCluster(ctx, tx, c.ID, at, "alerting is disabled")
	}
	alerts, err := c.alerts(ctx, tx, tree)
	if err != nil {
		return err
	}
	value, note := c.measure(alerts, size)
	expr, err := threshold.ParseAlertExpr(c.Expr)
	if err != nil {
		return err
	}
	f := &Finding{ClusterID: c.ID, Severity: expr.Severity(value), Value: strconv.FormatFloat(value, 'f', -1, 64),
		Threshold: c.Expr, Note: note, At: at}
	var open *Alert
	if f.Severity > 0 {
		open, _, err = Raise(ctx, tx, f)
	} else {
		_, err = Clear(ctx, tx, f)
	}
	if err != nil {
		return err
	}
	if open == nil || !c.SuppressSingle {
		alerts = nil
	}
	return suppress(ctx, tx, alerts, suppressorOf(c.ID), note+" have it", at)
}

// alerts returns the active alerts that may count. It reads only the devices with
// alerts, which are few, rather than all devices of the group.
func (c *ClusterAlert) alerts(ctx context.Context, r resource.Reader, tree *fleet.Tree) ([]Alert, error) {
	alerts, err := resource.Find(ctx, r, alertRows, active,
		resource.Where{Field: "dataPointId", Op: "=", Value: c.DataPointID})
	if err != nil {
		return nil, err
	}
	devices, err := byID(ctx, r, fleet.DeviceRows, alerts, func(a *Alert) int64 { return a.DeviceID },
		func(d *fleet.Device) int64 { return d.ID })
	below := tree.Inside(c.GroupID)
	return slices.DeleteFunc(alerts, func(a Alert) bool {
		d := devices[a.DeviceID]
		return d == nil || !slices.ContainsFunc(d.GroupIDs, func(id int64) bool { return slices.Contains(below, id) })
	}), err
}

// measure returns the value to compare with the threshold: a count or a
// percentage.
func (c *ClusterAlert) measure(alerts []Alert, size int64) (value float64, note string) {
	what := "devices"
	if c.CountBy == "instance" {
		what = "instances"
	}
	hit := map[int64]bool{}
	for i := range alerts {
		a := &alerts[i]
		if a.Severity < c.MinLevel || a.SDTed {
			continue
		}
		if c.CountBy == "instance" {
			hit[a.InstanceID] = true
		} else {
			hit[a.DeviceID] = true
		}
	}
	of := max(size, int64(len(hit))) // an alert may outlive its polling
	note = fmt.Sprintf("%d of %d %s", len(hit), of, what)
	if c.ThresholdType != "percentage" {
		return float64(len(hit)), note
	}
	return math.Round(10_000*float64(len(hit))/float64(max(1, of))) / 100, note
}

// suppressorOf returns the name by which suppressed alerts refer to the cluster
// alert that replaces their notifications.
func suppressorOf(cluster int64) string { return "cluster alert " + integer(cluster) }

// suppress suppresses the notifications of these active alerts, and ends the
// suppression of all other alerts by the same cause. These are notified after a
// grace period, see Alert.grace.
func suppress(ctx context.Context, tx resource.Tx, alerts []Alert, by, why string, at resource.Seconds) error {
	still := make(map[resource.TextID]bool, len(alerts))
	for i := range alerts {
		a := &alerts[i]
		still[a.ID] = true
		if a.Suppressor != "" {
			continue
		}
		a.Suppressor, a.SuppressNote = by, why
		a.note(ground.SystemUser, at, "suppressed by "+by+": "+why)
		if err := resource.Put(ctx, tx, alertRows, a); err != nil {
			return err
		}
	}
	marked, err := resource.Find(ctx, tx, alertRows, active, resource.Where{Field: "suppressor", Op: "=", Value: by})
	if err != nil || len(marked) == 0 {
		return err
	}
	sources, err := datasource.ByID(ctx, tx)
	for i := range marked {
		a := &marked[i]
		if err != nil || still[a.ID] {
			continue
		}
		a.Suppressor, a.SuppressNote = "", ""
		a.note(ground.SystemUser, at, "no longer suppressed by "+by)
		if wait := a.grace(sources); wait > 0 {
			a.NoticeOn = at + wait
		}
		err = resource.Put(ctx, tx, alertRows, a)
	}
	return err
}

// lookUpGroup finds the objects of a cluster alert.
func (at *foundAt) lookUpGroup(ctx context.Context, r resource.Reader, f *Finding) error {
	c, err := resource.Get(ctx, r, clusterAlertRows, f.ClusterID)
	if err != nil {
		return err
	}
	if at.group, err = resource.Get(ctx, r, fleet.GroupRows, c.GroupID); err != nil {
		return err
	}
	sources, err := datasource.ByID(ctx, r)
	if err != nil {
		return err
	}
	// a deleted data source has no name
	at.source, at.point = cmp.Or(sources[c.DataSourceID], &datasource.DataSource{}), &datasource.DataPoint{
		ID: c.DataPointID}
	if i := slices.IndexFunc(at.source.DataPoints,
		func(p datasource.DataPoint) bool { return p.ID == c.DataPointID }); i >= 0 {
		at.point = &at.source.DataPoints[i]
	}
	return nil
}
