package content

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

// uptime is the availability of one device in the range.
type uptime struct {
	down, longest, maintenance, noData, counted int64 // seconds
	outages                                     int64
}

// share returns the availability in percent; NaN if no time counts. It follows
// the definition of ITIL (Service Design, availability management): agreed
// service time minus downtime, divided by agreed service time. The agreed time is
// the range since the device was added, without maintenance if that is excluded.
// A device is down while it has an alert of the selected severity and, depending
// on unmonitoredTime, while it has no data at all: dead, or not polled.
func (u *uptime) share() float64 {
	if u == nil || u.counted <= 0 {
		return math.NaN()
	}
	return 100 * (1 - float64(u.down)/float64(u.counted))
}

// shareColumn sorts the worst devices to the top.
const shareColumn = "Availability %"

func availabilityKind() kind {
	return kind{table: availability, sorted: shareColumn, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportAvailability, Title: "Availability", Icon: "check",
		About: "Uptime of each device, its outages and the longest one",
		Right: seesDevices, Fields: []string{"dateRange", "hostsValType", "hostsVal", "alertLevel", "excludeSDT",
			"unmonitoredTime"},
		Columns: []string{"Device", "Groups", shareColumn, "Down", "Outages", "Longest outage", "Maintenance",
			"No data", "Counted"},
	}}
}

// availability lists the share of the range in which devices had no alert of the
// selected severity or above.
func availability(ctx context.Context, r *Run) (*layout.Table, error) {
	from, to, about, err := r.bounded(ctx)
	if err != nil {
		return nil, err
	}
	a := &availabilities{Run: r, from: from.Unix(), to: to.Unix(), of: map[int64]*uptime{}, names: map[int64]string{}}
	if err := a.begin(ctx, from, to); err != nil {
		return nil, err
	}
	tree, err := fleet.TreeOf(ctx, r.From)
	if err != nil {
		return nil, err
	}
	s := &source[fleet.Device]{name: fleet.Devices.Name, id: func(d *fleet.Device) int64 { return d.ID }, tone: a.tone,
		columns: a.columns(tree)}
	if err := r.chooseDevices(ctx, s); err != nil {
		return nil, err
	}
	if err := s.scanPages(ctx, r, func(page []*fleet.Device) error { return a.measure(ctx, page) }); err != nil {
		return nil, err
	}
	t, err := s.table(ctx, r, about, a.terms(), a.total())
	if err == nil {
		t.Charts = a.charts()
	}
	return t, err
}

// availabilities is an availability report in progress. It holds a few numbers
// for each device.
type availabilities struct {
	*Run
	from, to    int64
	level       int64
	maintenance *maintenance.PastMaintenance
	of          map[int64]*uptime
	names       map[int64]string // of devices that were down
	days        []day
	sources     map[int64]*datasource.DataSource // nil if time without data does not matter
}

// day is the total of all devices on one day.
type day struct {
	span
	label         string
	down, counted int64
}

func (a *availabilities) begin(ctx context.Context, from, to time.Time) (err error) {
	levels := map[string]int64{"warn": threshold.SeverityWarn, "error": threshold.SeverityError,
		"critical": threshold.SeverityCritical}
	if a.level = levels[a.Report.AlertLevel]; a.level == 0 {
		a.level = threshold.SeverityCritical
	}
	if a.maintenance, err = maintenance.MaintenanceBetween(ctx, a.From, from, to); err != nil {
		return err
	}
	if to.Sub(from) <= 400*24*time.Hour {
		for _, label := range daysBetween(from, to) {
			at, err := time.ParseInLocation(time.DateOnly, label, a.Zone)
			if err != nil {
				return err
			}
			a.days = append(a.days, day{span: span{max(at.Unix(), a.from), min(at.AddDate(0, 0, 1).Unix(), a.to)},
				label: dayLabel(label)})
		}
	}
	if a.Report.Unmonitored == reporting.UnmonitoredUp || a.Series == nil {
		return nil
	}
	found, err := resource.Find(ctx, a.From, datasource.DataSources.Name)
	a.sources = map[int64]*datasource.DataSource{}
	for i := range found {
		a.sources[found[i].ID] = &found[i]
	}
	return err
}

// outage is the part of an alert that counts as downtime.
type outage struct {
	span
	watched maintenance.Watched
}

// measure computes the availability of some devices.
func (a *availabilities) measure(ctx context.Context, devices []*fleet.Device) error {
	outages, err := a.outages(ctx, devices)
	if err != nil {
		return err
	}
	for _, d := range devices {
		silent, err := a.silent(ctx, d)
		if err != nil {
			return err
		}
		a.settle(d, outages[d.ID], silent)
	}
	return nil
}

func (a *availabilities) settle(d *fleet.Device, outages []outage, silent spans) {
	known := spans{{max(a.from, int64(d.CreatedOn)), a.to}}
	if known[0].from >= known[0].to {
		known = nil
	}
	var off spans
	var down []span
	if a.Report.ExcludeSDT {
		off = union(windows(a.maintenance.Of(maintenance.Watched{DeviceID: d.ID, GroupIDs: d.GroupIDs}))).within(known)
	}
	for _, o := range outages {
		if !a.Report.ExcludeSDT {
			down = append(down, o.span)
			continue
		}
		o.watched.GroupIDs = d.GroupIDs
		down = append(down, union([]span{o.span}).without(union(windows(a.maintenance.Of(o.watched))))...)
	}
	silent = silent.within(known).without(off)
	counted := known.without(off)
	switch a.Report.Unmonitored {
	case reporting.UnmonitoredDown:
		down = append(down, silent...)
	case reporting.UnmonitoredLeftOut:
		counted = counted.without(silent)
	}
	bad := union(down).within(counted)
	a.of[d.ID] = &uptime{
		down: bad.seconds(), longest: bad.longest(), outages: int64(len(bad)),
		maintenance: off.seconds(), noData: silent.seconds(), counted: counted.seconds(),
	}
	if len(bad) > 0 {
		a.names[d.ID] = d.DisplayName
	}
	for i := range a.days {
		one := spans{a.days[i].span}
		a.days[i].counted += counted.within(one).seconds()
		a.days[i].down += bad.within(one).seconds()
	}
}

// outages returns the alerts that count as downtime, by device.
func (a *availabilities) outages(ctx context.Context, devices []*fleet.Device) (map[int64][]outage, error) {
	ids := make([]int64, len(devices))
	for i, d := range devices {
		ids[i] = d.ID
	}
	dataSource, point, rule := newGlobs(a.Report.DataSource), newGlobs(a.Report.DataPoint), newGlobs(a.Report.AlertRule)
	out, groups := map[int64][]outage{}, map[int64]int64{}
	take := func(one *alert.Alert) {
		end := a.to
		if one.Cleared {
			end = min(end, int64(one.EndOn))
		}
		groups[one.InstanceID] = 0
		out[one.DeviceID] = append(out[one.DeviceID], outage{span{max(a.from, int64(one.StartOn)), end},
			maintenance.Watched{
				DeviceID: one.DeviceID, DataSourceID: one.DataSourceID, DeviceDataSourceID: one.DeviceDataSourceID,
				InstanceID: one.InstanceID,
			}})
	}
	for _, over := range [][]resource.Where{
		{{Field: "cleared", Op: "=", Value: false}},
		{{Field: "cleared", Op: "=", Value: true}, {Field: "endEpoch", Op: ">", Value: a.from}},
	} {
		s := &source[alert.Alert]{
			name: alert.Alerts.Name, id: func(a *alert.Alert) int64 { return int64(a.ID) },
			where: append(over, resource.Where{Field: "monitorObjectId", Op: "in", Value: ids},
				resource.Where{Field: "severity", Op: ">=", Value: a.level},
				resource.Where{Field: "startEpoch", Op: "<", Value: a.to}),
			keep: func(a *alert.Alert) bool {
				return dataSource.match(a.DataSourceName) && point.match(a.DataPointName) && rule.match(a.Rule)
			},
		}
		if err := s.scan(ctx, a.Run, take); err != nil {
			return nil, err
		}
	}
	return out, a.instanceGroups(ctx, out, groups)
}

// instanceGroups sets the instance groups in outages, so that maintenance of
// these groups applies.
func (a *availabilities) instanceGroups(ctx context.Context, outages map[int64][]outage, groups map[int64]int64) error {
	ids := make([]int64, 0, len(groups))
	for id := range groups {
		ids = append(ids, id)
	}
	for some := range slices.Chunk(ids, pageRows) {
		found, err := resource.Find(ctx, a.From, fleet.Instances.Name,
			resource.Where{Field: "id", Op: "in", Value: some})
		if err != nil {
			return err
		}
		for i := range found {
			groups[found[i].ID] = found[i].GroupID
		}
	}
	for _, list := range outages {
		for i := range list {
			list[i].watched.InstanceGroupID = groups[list[i].watched.InstanceID]
		}
	}
	return nil
}

func (a *availabilities) columns(tree *fleet.Tree) []column[fleet.Device] {
	of := func(show func(*uptime) string) func(*fleet.Device) string {
		return func(d *fleet.Device) string {
			if u := a.of[d.ID]; u != nil {
				return show(u)
			}
			return ""
		}
	}
	columns := plain(reporting.ReportAvailability,
		func(d *fleet.Device) string { return d.DisplayName },
		a.groupPaths(tree),
		of(func(u *uptime) string { return percent(u.share()) }),
		of(func(u *uptime) string { return lasting(u.down) }),
		of(func(u *uptime) string { return strconv.FormatInt(u.outages, 10) }),
		of(func(u *uptime) string { return lasting(u.longest) }),
		of(func(u *uptime) string { return lasting(u.maintenance) }),
		of(func(u *uptime) string { return lasting(u.noData) }),
		of(func(u *uptime) string { return lasting(u.counted) }),
	)
	columns[2].num, columns[4].num = true, true
	for _, i := range []int{3, 5, 6, 7, 8} {
		columns[i].time = true
	}
	for i, value := range []func(*uptime) int64{
		2: func(u *uptime) int64 {
			if u.counted <= 0 {
				return math.MaxInt64 // without a share: below all that have one
			}
			return int64(1e6 * max(u.share(), 0))
		},
		3: func(u *uptime) int64 { return u.down }, 4: func(u *uptime) int64 { return u.outages },
		5: func(u *uptime) int64 { return u.longest },
		6: func(u *uptime) int64 { return u.maintenance }, 7: func(u *uptime) int64 { return u.noData },
		8: func(u *uptime) int64 { return u.counted },
	} {
		if value != nil {
			columns[i].key = of(func(u *uptime) string { return number(max(value(u), 0)) })
		}
	}
	return columns
}

// percent formats a share; it shows 100 only for exactly 100.
func percent(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v >= 100:
		return "100"
	case v > 99.999:
		return "99.999"
	}
	return strconv.FormatFloat(math.Floor(v*1000)/1000, 'f', 3, 64)
}

func (a *availabilities) tone(d *fleet.Device) layout.Tone {
	switch share := a.of[d.ID].share(); {
	case math.IsNaN(share):
		return layout.Plain
	case share < 95:
		return layout.Critical
	case share < 99:
		return layout.Error
	case share < 99.9:
		return layout.Warn
	}
	return layout.OK
}

// terms returns the text that explains the calculation.
func (a *availabilities) terms() string {
	text := "Unavailable while an alert of severity " + threshold.SeverityWord(a.level)
	if a.level < threshold.SeverityCritical {
		text += " or worse"
	}
	text += " was open"
	for _, part := range []struct{ name, value string }{{"data sources", a.Report.DataSource},
		{"datapoints", a.Report.DataPoint}, {"alert rules", a.Report.AlertRule}} {
		if !newGlobs(part.value).all() {
			text += fmt.Sprintf(", %s %s", part.name, part.value)
		}
	}
	parts := []string{text, "maintenance counts"}
	if a.Report.ExcludeSDT {
		parts[1] = "maintenance is excluded"
	}
	switch {
	case a.sources == nil:
	case a.Report.Unmonitored == reporting.UnmonitoredDown:
		parts = append(parts, "time without data counts as down")
	default:
		parts = append(parts, "time without data is excluded")
	}
	return strings.Join(parts, "; ") + "."
}

// total returns the total of all devices.
func (a *availabilities) total() string {
	var sum uptime
	whole := 0
	for _, u := range a.of {
		sum.down, sum.counted = sum.down+u.down, sum.counted+u.counted
		if u.down == 0 && u.counted > 0 {
			whole++
		}
	}
	if sum.counted == 0 {
		return "The range has no time to evaluate."
	}
	return fmt.Sprintf("All devices: %s %%. %d of %d were available all the time.", percent(sum.share()),
		whole, len(a.of))
}

func (a *availabilities) charts() []layout.Chart {
	if len(a.of) == 0 {
		return nil
	}
	byDay := layout.Chart{Title: "Availability by day, all devices", Unit: " %",
		Stacks: []layout.Band{{Name: "Available", Ink: layout.Bar}}, Top: 100}
	low := 100.0
	for _, d := range a.days {
		share := (&uptime{down: d.down, counted: d.counted}).share()
		if math.IsNaN(share) {
			share = 0
		} else {
			low = min(low, share)
		}
		byDay.Labels = append(byDay.Labels, d.label)
		byDay.Stacks[0].Values = append(byDay.Stacks[0].Values, share)
	}
	for _, bottom := range []float64{99.5, 98, 95, 90, 80, 50} {
		if low >= bottom+(100-bottom)/5 {
			byDay.Bottom = bottom
			break
		}
	}
	var charts []layout.Chart
	if len(a.days) > 0 {
		charts = append(charts, byDay)
	}
	if len(a.names) > 0 {
		down := map[string]float64{}
		for id, name := range a.names {
			down[name] += float64(a.of[id].down)
		}
		worst := layout.Ranked("Devices with the longest downtime", down, 10)
		for i := range worst.Ranks {
			worst.Ranks[i].Ink, worst.Ranks[i].Text = layout.Critical, lasting(int64(worst.Ranks[i].Value))
		}
		charts = append(charts, worst)
	}
	return charts
}
