// Package maintenance declares maintenance windows (SDTs), once or repeated, and
// the history of those that have ended.
//
// A window is in the time zone it names, else in the portal's; its times are
// epoch milliseconds. Which windows are in effect is computed from a plan that
// is kept until a window changes, and shared. Package alert reads it with
// InMaintenance.
package maintenance

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// SDTRows names the rows of SDT.
const SDTRows resource.Name[*SDT] = "sdt"

// SDT is a scheduled down time: a maintenance window during which alerts send no
// notifications. It stores its target as ids only; names are derived, so that
// they follow renames.
type SDT struct {
	ID         resource.TextID // sent as "R_12"
	Type       string          // DeviceSDT and so on
	Recurrence string          // sdtType: OneTime and so on
	Comment    string
	Admin      string // its creator
	Timezone   string // IANA; the portal's when empty
	// OneTime: the window; otherwise no window is in effect before or after; End 0: no end
	Start, End         resource.Millis
	StartLocal         string // the same, in Timezone; empty for none
	EndLocal           string
	Hour, Minute       int64 // start of each recurrence, in Timezone
	EndHour, EndMinute int64 // its end, on the next day unless after the start
	Duration           int64 // minutes on the clock
	WeekDay            string
	WeekOfMonth        string
	MonthDay           int64
	DeviceID           int64 // set for everything on a device
	GroupID            int64
	DataSourceID       int64 // for a group SDT: 0 for all data sources
	DeviceDataSourceID int64
	InstanceID         int64
	InstanceGroupID    int64
	CollectorID        int64
	ClosedTo           resource.Millis // its windows up to this time are in the history
	DueOn              resource.Millis // end of the next window; 0: none left
}

// The targets of maintenance.
const (
	DeviceSDT           = "ResourceSDT"
	GroupSDT            = "ResourceGroupSDT"
	DeviceDataSourceSDT = "DeviceDataSourceSDT"
	InstanceSDT         = "DeviceDataSourceInstanceSDT"
	InstanceGroupSDT    = "DeviceDataSourceInstanceGroupSDT"
	CollectorSDT        = "CollectorSDT"
)

const maxMillis int64 = 253_402_300_799_999 // the end of the year 9999

// SDTs declares /sdt/sdts.
var SDTs = resource.Resource[*SDT]{
	Name: SDTRows, Label: "maintenance window", Sample: 9, Path: "/sdt/sdts", Category: ground.CategoryAlerts,
	PartialPut: true,
	Object:     resource.DeviceGroup, Scope: []string{"deviceId", "deviceGroupId", "collectorId"},
	Doc: "A one-time or recurring period without notifications of alerts of a device, a device group, a part of a " +
		"device, or a collector.",
	Absent: "batchJobName checkpointId checkpointName deviceBatchJobId deviceClusterAlertDefId " +
		"deviceEventSourceId deviceLogPipeLineResourceId eventSourceName logPipeLineName " +
		"websiteGroupId websiteGroupName websiteId websiteName",
	Fields: []resource.Field[*SDT]{
		{Name: "id", At: func(s *SDT) any { return &s.ID }, Doc: "Set by the portal", ReadOnly: true, Prefix: SDTPrefix,
			Example: "R_12"},
		{Name: "type", At: func(s *SDT) any { return &s.Type }, Doc: "Type of its target; it determines which ids " +
			"are required",
			Required: true, Index: true,
			OneOf: []any{DeviceSDT, GroupSDT, DeviceDataSourceSDT, InstanceSDT, InstanceGroupSDT, CollectorSDT},
			Older: map[string]string{"DeviceSDT": DeviceSDT, "DeviceGroupSDT": GroupSDT}, Example: DeviceSDT},
		{Name: "comment", At: func(s *SDT) any { return &s.Comment }, Doc: "What the maintenance is for", MaxLen: 4000,
			Example: "Backup of the shop"},
		{Name: "sdtType", At: func(s *SDT) any { return &s.Recurrence },
			Doc: "How often it recurs", Default: OneTime, OneOf: []any{OneTime, Daily, Weekly, Monthly, MonthlyByWeek},
			Older:   map[string]string{"1": OneTime, "2": Weekly, "3": Monthly, "4": Daily, "5": MonthlyByWeek},
			Example: Weekly},
		{Name: "admin", At: func(s *SDT) any { return &s.Admin }, Doc: "Who added it", ReadOnly: true},
		{Name: "timezone", At: func(s *SDT) any { return &s.Timezone },
			Doc: "IANA name of the time zone of hour, minute and days; default: the portal's", MaxLen: 64,
			Example: "Europe/Berlin"},
		{Name: "startDateTime", At: func(s *SDT) any { return &s.Start },
			Doc: "When it begins; recurring maintenance has no window before it. Default: now",
			Min: resource.Bound(0), Max: resource.Bound(maxMillis), Index: true},
		{Name: "endDateTime", At: func(s *SDT) any { return &s.End },
			Doc: "When it ends; recurring maintenance has no window from then on, and 0 means no end. For oneTime, " +
				"set this or a duration", Min: resource.Bound(0), Max: resource.Bound(maxMillis),
			Index: true},
		{Name: "startDateTimeOnLocal", At: func(s *SDT) any { return &s.StartLocal }, Doc: "startDateTime in timezone",
			ReadOnly: true},
		{Name: "endDateTimeOnLocal", At: func(s *SDT) any { return &s.EndLocal },
			Doc: "endDateTime in timezone; empty for none", ReadOnly: true},
		{Name: "hour", If: uses("hour"), At: func(s *SDT) any { return &s.Hour },
			Doc: "Hour of the day at which each window begins; not for oneTime", Min: resource.Bound(0),
			Max: resource.Bound(23), Example: 2},
		{Name: "minute", If: uses("minute"), At: func(s *SDT) any { return &s.Minute },
			Doc: "Minute of that hour", Min: resource.Bound(0), Max: resource.Bound(59), Example: 30},
		{Name: "endHour", If: uses("endHour"), At: func(s *SDT) any { return &s.EndHour },
			Doc: "Hour of the day at which each window ends; on the next day if it is not after the begin",
			Min: resource.Bound(0), Max: resource.Bound(23)},
		{Name: "endMinute", If: uses("endMinute"), At: func(s *SDT) any { return &s.EndMinute },
			Doc: "Minute of that hour", Min: resource.Bound(0), Max: resource.Bound(59)},
		{Name: "duration", At: func(s *SDT) any { return &s.Duration },
			Doc: "Minutes from begin to end in local time; an alternative to the end", Min: resource.Bound(0),
			Max: resource.Bound(100 * 365 * dayLong), Example: 90},
		{Name: "weekDay", If: uses("weekDay"), At: func(s *SDT) any { return &s.WeekDay },
			Doc:    "For weekly and monthlyByWeek: Sunday to Saturday, comma-separated",
			MaxLen: 100, Example: "Saturday,Sunday"},
		{Name: "weekOfMonth", If: uses("weekOfMonth"), At: func(s *SDT) any { return &s.WeekOfMonth },
			Doc:    "For monthlyByWeek: First to Fourth, or Last; otherwise empty",
			MaxLen: 20},
		{Name: "monthDay", If: uses("monthDay"), At: func(s *SDT) any { return &s.MonthDay },
			Doc: "For monthly: day of the month; shorter months are skipped", Min: resource.Bound(0),
			Max: resource.Bound(31)},
		refersTo("deviceId", fleet.DeviceRows, "The device; or use deviceDisplayName",
			func(s *SDT) *int64 { return &s.DeviceID }, 150),
		refersTo("deviceGroupId", fleet.GroupRows, "The device group; or use deviceGroupFullPath",
			func(s *SDT) *int64 { return &s.GroupID }, nil),
		refersTo("dataSourceId", datasource.DataSourceRows,
			"The data source; of a device group, 0 for all; or use dataSourceName",
			func(s *SDT) *int64 { return &s.DataSourceID }, nil),
		refersTo("deviceDataSourceId", fleet.DeviceDataSourceRows,
			"The data source on the device; or use dataSourceName and the device",
			func(s *SDT) *int64 { return &s.DeviceDataSourceID }, nil),
		refersTo("dataSourceInstanceId", fleet.InstanceRows,
			"The instance; or use dataSourceInstanceName and the device",
			func(s *SDT) *int64 { return &s.InstanceID }, nil),
		refersTo("deviceDataSourceInstanceGroupId", fleet.InstanceGroupRows,
			"The instance group; or use deviceDataSourceInstanceGroupName and deviceDataSourceId",
			func(s *SDT) *int64 { return &s.InstanceGroupID }, nil),
		refersTo("collectorId", collector.CollectorRows, "The collector",
			func(s *SDT) *int64 { return &s.CollectorID }, nil),
		{Name: "closedTo", At: func(s *SDT) any { return &s.ClosedTo }, Doc: "The history is complete up to this time",
			ReadOnly:  true,
			WriteOnly: true},
		{Name: "dueOn", At: func(s *SDT) any { return &s.DueOn }, Doc: "When the next window ends", ReadOnly: true,
			WriteOnly: true, Index: true},
	},
	Derived: []resource.Derived{
		{Name: "isEffective", Doc: "It is in effect now", Schema: resource.Boolean(""), Example: false, Of: effective},
		{Name: "deviceDisplayName", Doc: "Display name of the device; an alternative to deviceId",
			Schema: resource.Text(""), Example: "web-prod-08.fra", From: "deviceId",
			Of: fleet.OfDevice(func(d *fleet.Device, _ *fleet.Tree) any { return d.DisplayName })},
		{Name: "deviceGroupFullPath", Doc: "Full path of the device group; an alternative to deviceGroupId",
			Schema: resource.Text(""), Example: "", From: "deviceGroupId", Of: groupPaths},
		{Name: "dataSourceName", Doc: "Name of the data source; an alternative to its id",
			Schema:  resource.Text(""),
			Example: "", From: "dataSourceId",
			Of: fleet.OfSource(func(s *datasource.DataSource) any { return s.Name })},
		{Name: "dataSourceInstanceName", Doc: "Name of the instance; an alternative to dataSourceInstanceId",
			Schema: resource.Text(""), Example: "", From: "dataSourceInstanceId",
			Of: namedBy(fleet.InstanceRows, func(i *fleet.Instance) (int64, string) { return i.ID, i.Name })},
		{Name: "deviceDataSourceInstanceGroupName",
			Doc:    "Name of the instance group; an alternative to its id",
			Schema: resource.Text(""), Example: "", From: "deviceDataSourceInstanceGroupId",
			Of: namedBy(fleet.InstanceGroupRows, func(g *fleet.InstanceGroup) (int64, string) { return g.ID, g.Name })},
		{Name: "collectorDescription", Doc: "Display name of the collector", Schema: resource.Text(""),
			Example: "",
			From:    "collectorId",
			Of: namedBy(collector.CollectorRows, func(c *collector.Collector) (int64, string) {
				return c.ID, c.Description
			})},
	},
	Lists: []resource.Listing{
		{Path: "/device/devices/{id}/sdts", Category: ground.CategoryDevices, Summary: "List maintenance windows of " +
			"a device",
			Doc: "Returns the maintenance windows on the device and on parts of it, and those on its groups and the " +
				"groups " +
				"above them, one page at a time.",
			Of: string(fleet.DeviceRows), Param: "id", Where: sdtsOfDevice, Sample: 1},
		{Path: "/device/groups/{id}/sdts", Category: ground.CategoryGroups, Summary: "List maintenance windows of a " +
			"group",
			Doc: "Returns the maintenance windows on the device group and on the groups above it, one page at a time.",
			Of:  string(fleet.GroupRows), Param: "id", Where: sdtsOfGroup, Sample: 8},
	},
	Check:  checkSDT,
	Settle: settleSDT,
	After: func(w *resource.Write, was, now *SDT) error {
		if was == nil {
			return nil
		}
		return closeSDT(w.Context, w.Tx, was, resource.MillisOf(w.Call.At), true)
	},
	Hooks: []resource.Hook{
		resource.Supply(fleet.MaintenanceStatus, maintenanceOf(sdtStatus)),
		resource.Supply(fleet.MaintenanceIDs, maintenanceOf(sdtsInEffect)),
	},
	Remove: func(w *resource.Write, s *SDT) error {
		return closeSDT(w.Context, w.Tx, s, resource.MillisOf(w.Call.At), true)
	},
}

// refersTo returns a field with the id of a maintenance target.
func refersTo[T any](name string, to resource.Name[*T], doc string, at func(*SDT) *int64,
	example any) resource.Field[*SDT] {
	return resource.Field[*SDT]{Name: name, At: func(s *SDT) any { return at(s) }, Doc: doc, Min: resource.Bound(0),
		Refs: string(to), Cascade: true, Index: true, Example: example}
}

// itemID returns the id of the target.
func (s *SDT) itemID() int64 {
	switch s.Type {
	case DeviceSDT:
		return s.DeviceID
	case GroupSDT:
		return s.GroupID
	case DeviceDataSourceSDT:
		return s.DeviceDataSourceID
	case InstanceSDT:
		return s.InstanceID
	case InstanceGroupSDT:
		return s.InstanceGroupID
	}
	return s.CollectorID
}

// Schedule returns the schedule of the window; home is the time zone if it has
// none of its own.
func (s *SDT) Schedule(home *time.Location) *Schedule { return s.schedule(zones{"": home}) }

func (s *SDT) schedule(in zones) *Schedule {
	out := &Schedule{
		Recurrence: s.Recurrence, Zone: in.named(s.Timezone), Start: momentOf(s.Start), End: momentOf(s.End),
		Minute: int(s.Hour*60 + s.Minute), Minutes: int(s.Duration), MonthDay: int(s.MonthDay),
		Week: slices.IndexFunc(weeksOfMonth, s.isWeek) + 1,
	}
	given := splitDays(s.WeekDay)
	for i, name := range weekDays {
		if ground.Listed(given, name) {
			out.Days = append(out.Days, time.Weekday(i))
		}
	}
	return out
}

// zones caches time zones by name; "" is the portal's.
type zones map[string]*time.Location

func (z zones) named(name string) *time.Location {
	if zone := z[name]; zone != nil {
		return zone
	}
	zone, err := time.LoadLocation(name)
	if err != nil { // the system no longer has it
		zone = z[""]
	}
	z[name] = zone
	return zone
}

// momentOf returns the zero time for 0.
func momentOf(at resource.Millis) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(at))
}

func effective(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	found, err := resource.Find(ctx, r, SDTRows, resource.Where{Field: "id", Op: "in", Value: resource.RowIDs(rows)})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if c := resource.CallOf(ctx); c != nil && !c.At.IsZero() {
		now = c.At
	}
	in, known := map[int64]bool{}, zones{"": setting.ZoneOf(ctx, r)}
	for i := range found {
		_, in[int64(found[i].ID)] = found[i].schedule(known).At(now)
	}
	return resource.EachRow(rows, func(row resource.Row) any { return in[row.ID] })
}

func groupPaths(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	return resource.EachNamed(rows, tree.Groups, func(g *fleet.Group) any { return g.FullPath })
}

// namedBy derives the name of the row that each row refers to; "" for none.
func namedBy[T any](of resource.Name[*T], name func(*T) (int64, string)) func(context.Context, resource.Reader,
	[]resource.Row) ([][]byte, error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		ids := slices.DeleteFunc(resource.NamedIDs(rows), func(id int64) bool { return id == 0 })
		all := map[int64]*T{}
		if len(ids) > 0 {
			found, err := resource.Find(ctx, r, of, resource.Where{Field: "id", Op: "in", Value: ids})
			if err != nil {
				return nil, err
			}
			for i := range found {
				id, _ := name(&found[i])
				all[id] = &found[i]
			}
		}
		return resource.EachNamed(rows, all, func(row *T) any { _, text := name(row); return text })
	}
}

// SDTPrefix is the prefix of the id of a maintenance window: R_12.
const SDTPrefix = "R_"

// JoinSDTs formats the ids of maintenance windows as a list: "R_12,R_13".
func JoinSDTs(ids []resource.TextID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = SDTPrefix + strconv.FormatInt(int64(id), 10)
	}
	return strings.Join(texts, ",")
}
