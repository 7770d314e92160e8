package content

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

// dayCount counts the alerts of one data source that opened on one day in one group.
type dayCount struct {
	day    string
	group  string
	source string
	counts [3]int64 // critical, error, warn
}

func (d *dayCount) sum() int64 { return d.counts[0] + d.counts[1] + d.counts[2] }

// mostDays limits the days of an alert trend.
const mostDays = 1100

func alertTrendsKind() kind {
	return kind{table: alertTrends, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportAlertTrends, Title: "Alert trends", Icon: "pulse",
		About: "Number of alerts per day, by group and data source",
		Right: seesDevices, Fields: []string{"dateRange"},
		Columns: []string{"Day", "Group", "DataSource", "Critical", "Error", "Warning", "Alerts"},
	}}
}

// alertTrends counts the alerts that opened, by day, device group and data source.
func alertTrends(ctx context.Context, r *Run) (*layout.Table, error) {
	from, to, about, err := r.bounded(ctx)
	if err != nil {
		return nil, err
	}
	if to.Sub(from) > mostDays*24*time.Hour {
		return nil, fault.New(fault.Invalid, "the range has more than %d days; choose a shorter one", mostDays)
	}
	c := &counting{Run: r, days: daysBetween(from, to), rows: map[[3]string]*dayCount{}, groups: map[string]float64{},
		sources: map[string]float64{}}
	c.daily = make([][3]int64, len(c.days))
	if err := c.read(ctx, from, to); err != nil {
		return nil, err
	}
	l := &list[dayCount]{columns: trendColumns()}
	for _, row := range c.rows {
		l.rows = append(l.rows, *row)
	}
	slices.SortFunc(l.rows, func(a, b dayCount) int {
		return cmp.Or(strings.Compare(a.day, b.day), strings.Compare(a.group, b.group),
			strings.Compare(a.source, b.source))
	})
	l.tone = func(d *dayCount) layout.Tone {
		switch {
		case d.counts[0] > 0:
			return layout.Critical
		case d.counts[1] > 0:
			return layout.Error
		}
		return layout.Warn
	}
	t, err := l.table(ctx, r, about, "Alerts by the day they opened. A device counts in one group only.")
	if err != nil {
		return nil, err
	}
	t.Counts = []layout.Count{{Label: "Critical", Tone: layout.Critical, N: c.all[0]},
		{Label: "Error", Tone: layout.Error, N: c.all[1]}, {Label: "Warning", Tone: layout.Warn, N: c.all[2]}}
	if t.Total > 0 {
		t.Charts = c.charts()
	}
	return t, nil
}

// counting is an alert trend in progress.
type counting struct {
	*Run
	days    []string
	daily   [][3]int64
	all     [3]int64
	rows    map[[3]string]*dayCount
	groups  map[string]float64
	sources map[string]float64
}

func (c *counting) read(ctx context.Context, from, to time.Time) error {
	wanted, err := c.itemFilter(ctx)
	if err != nil {
		return err
	}
	groupOf, err := c.groupNames(ctx, wanted)
	if err != nil {
		return err
	}
	type raised = alert.Alert
	s := &source[raised]{
		name: alert.Alerts.Name, id: func(a *raised) int64 { return int64(a.ID) },
		where: []resource.Where{{Field: "startEpoch", Op: ">=", Value: from.Unix()},
			{Field: "startEpoch", Op: "<", Value: to.Unix()}},
	}
	over := false
	err = s.scan(ctx, c.Run, func(a *raised) {
		group, in := groupOf(a.DeviceID)
		if !wanted.all && !in && !wanted.device(a.DeviceName) {
			return
		}
		level := int(threshold.SeverityCritical - a.Severity)
		if level < 0 || level > 2 {
			return
		}
		day := time.Unix(int64(a.StartOn), 0).In(c.Zone).Format(time.DateOnly)
		key := [3]string{day, group, a.DataSourceName}
		row := c.rows[key]
		if row == nil {
			if over = over || len(c.rows) >= mostRows; over {
				return
			}
			row = &dayCount{day: day, group: group, source: a.DataSourceName}
			c.rows[key] = row
		}
		row.counts[level]++
		c.all[level]++
		if i, ok := slices.BinarySearch(c.days, day); ok {
			c.daily[i][level]++
		}
		c.groups[cmp.Or(group, "No group")]++
		c.sources[cmp.Or(a.DataSourceName, "Collectors")]++
	})
	if over {
		return tooMany("rows")
	}
	return err
}

// groupNames returns a function that returns the full path of a group of a device, and whether
// the device is in a wanted group. The group is the first one that the user can view and that is
// wanted, if there is one. It caches an id for each device.
func (c *counting) groupNames(ctx context.Context, wanted *items) (func(device int64) (string, bool), error) {
	tree, err := fleet.TreeOf(ctx, c.From)
	if err != nil {
		return nil, err
	}
	sees := c.seesGroup()
	first, in := map[int64]int64{}, map[int64]bool{}
	s := &source[fleet.Device]{name: fleet.Devices.Name, id: func(d *fleet.Device) int64 { return d.ID }}
	err = s.scan(ctx, c.Run, func(d *fleet.Device) {
		for _, id := range d.GroupIDs {
			in[d.ID] = in[d.ID] || wanted.groups[id]
			if sees(id) && (first[d.ID] == 0 || wanted.groups[id] && !wanted.groups[first[d.ID]]) {
				first[d.ID] = id
			}
		}
	})
	return func(device int64) (string, bool) {
		if g := tree.Groups[first[device]]; g != nil {
			return cmp.Or(g.FullPath, g.Name), in[device]
		}
		return "", in[device]
	}, err
}

// seesGroup returns a function that reports whether the user may view a device
// group.
func (r *Run) seesGroup() func(id int64) bool {
	all, mine := true, []int64(nil)
	if r.Access != nil {
		all, mine = r.Access.Groups(resource.Read)
	}
	return func(id int64) bool { return all || slices.Contains(mine, id) }
}

// items are the groups and devices whose alerts a trend counts.
type items struct {
	all     bool
	groups  map[int64]bool // with the groups inside them
	devices []globs
}

// device reports whether a device is wanted by its name.
func (w *items) device(name string) bool {
	return slices.ContainsFunc(w.devices, func(g globs) bool { return g.match(name) })
}

// itemFilter returns what the report is limited to.
func (c *counting) itemFilter(ctx context.Context) (*items, error) {
	out := &items{all: len(c.Report.Metrics) == 0, groups: map[int64]bool{}}
	for _, m := range c.Report.Metrics {
		if !strings.EqualFold(m.ItemType, reporting.ItemGroup) {
			out.devices = append(out.devices, newGlobs(m.ItemVal))
			continue
		}
		ids, all, err := c.Run.groups(ctx, m.ItemVal)
		if err != nil {
			return nil, err
		}
		out.all = out.all || all
		for _, id := range ids {
			out.groups[id] = true
		}
	}
	return out, nil
}

func trendColumns() []column[dayCount] {
	count := func(i int) func(*dayCount) string {
		return func(d *dayCount) string { return strconv.FormatInt(d.counts[i], 10) }
	}
	columns := plain(reporting.ReportAlertTrends,
		func(d *dayCount) string { return d.day },
		func(d *dayCount) string { return d.group },
		func(d *dayCount) string { return d.source },
		count(0), count(1), count(2),
		func(d *dayCount) string { return strconv.FormatInt(d.sum(), 10) },
	)
	for i := range 3 {
		columns[3+i].num, columns[3+i].key = true, func(d *dayCount) string { return number(d.counts[i]) }
	}
	columns[6].num, columns[6].key = true, func(d *dayCount) string { return number(d.sum()) }
	return columns
}

func (c *counting) charts() []layout.Chart {
	byDay := layout.Chart{Title: "Alerts a day", Stacks: []layout.Band{{Name: "Critical", Ink: layout.Critical},
		{Name: "Error", Ink: layout.Error}, {Name: "Warning", Ink: layout.Warn}}}
	for i, day := range c.days {
		byDay.Labels = append(byDay.Labels, dayLabel(day))
		for k := range byDay.Stacks {
			byDay.Stacks[k].Values = append(byDay.Stacks[k].Values, float64(c.daily[i][k]))
		}
	}
	return []layout.Chart{byDay, layout.Ranked("Device groups with the most alerts", c.groups, 8),
		layout.Ranked("Data sources with the most alerts", c.sources, 8)}
}

// daysBetween returns the days of a range, in order.
func daysBetween(from, to time.Time) (days []string) {
	for at := time.Date(from.Year(), from.Month(), from.Day(), 12, 0, 0, 0,
		from.Location()); ; at = at.AddDate(0, 0, 1) {
		if begin := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location()); !begin.Before(to) {
			return days
		}
		days = append(days, at.Format(time.DateOnly))
	}
}

func dayLabel(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.Format("2 Jan")
}

// bounded returns the report's time range with both ends: without a start it
// begins with the oldest alert, and it ends at the latest now.
func (r *Run) bounded(ctx context.Context) (from, to time.Time, about string, err error) {
	if from, to, about, err = r.span(); err != nil {
		return from, to, about, err
	}
	if to.IsZero() || to.After(r.At) {
		to = r.At
	}
	if from.IsZero() {
		from = to.AddDate(0, 0, -30)
		oldest, err := resource.Find(ctx, r.From, alert.Alerts.Name, resource.SeenBy(r.Access, resource.Read),
			resource.Limit(1))
		if err != nil {
			return from, to, about, err
		}
		if len(oldest) > 0 {
			from = time.Unix(int64(oldest[0].StartOn), 0)
		}
	}
	if from.After(to) {
		from = to
	}
	return from.In(r.Zone), to.In(r.Zone), about, nil
}
