// Package reporting declares reports, their groups, their types, and the tasks
// that run them.
//
// Package report runs and renders them. A schedule is a cron expression in the
// report's time zone. A report shows what its user may see, and recipients follow
// users and integrations through hooks.
package reporting

import (
	"cmp"
	"context"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// ReportRows names the rows of Report.
const ReportRows resource.Name[*Report] = "report"

// Report configures the content of a report and its schedule. Each type of report
// uses only some of the fields; the others are stored unchanged.
type Report struct {
	ID          int64
	Name        string
	Description string
	Type        string
	GroupID     int64 // 0: not in a report group
	Format      string
	Delivery    string
	Recipients  []alert.Recipient
	Schedule    string // cron; empty: no schedule
	Timezone    string // of the schedule and of displayed times; empty: the portal's
	// next scheduled run; 0: not scheduled, or not computed yet
	NextOn     resource.Seconds
	LinkExpire string
	ModifiedID int64
	ModifiedBy string
	RunAsID    int64 // the user whose permissions a scheduled run has; 0 in rows of older versions: ModifiedID
	RunAs      string

	DateRange     string
	Columns       []ReportColumn
	SortedBy      string
	SortDirection string

	GroupPath    string // patterns, separated by commas
	DeviceName   string
	DataSource   string
	Instance     string
	DataPoint    string
	Rule         string
	Chain        string
	Level        string
	AckFilter    string
	SDTFilter    string
	ClearFilter  string
	ActiveOnly   bool
	SummaryOnly  bool
	Preexist     bool
	Timing       string
	HostsVal     string
	HostsValType string
	Properties   []string
	Metrics      []ReportMetric
	UserFilter   ReportUserFilter
	Display      string
	Filter       string
	Username     string

	AlertLevel    string
	AlertRule     string
	ExcludeSDT    bool
	Unmonitored   int64 // one of UnmonitoredLeftOut …
	ExcludeGlobal bool
	Top10         bool
	Base1024      bool
	RowFormat     int64
	Kept          resource.Foreign
}

// How an availability report counts time without data.
const (
	UnmonitoredDown    int64 = 0
	UnmonitoredLeftOut int64 = 1
	UnmonitoredUp      int64 = 2
)

// What an alert trend is limited to (ReportMetric.ItemType).
const (
	ItemGroup = "group"
	ItemHost  = "host"
)

// ReportColumn is one column of a report.
type ReportColumn struct {
	Name   string `json:"name" doc:"name of the column, case-insensitive"`
	Hidden bool   `json:"isHidden,omitempty" doc:"hide the column"`
}

// ReportMetric is a data source whose instances an inventory lists or whose data
// points a metric trend shows, or the devices of an alert trend.
type ReportMetric struct {
	DataSourceID  int64  `json:"dataSourceId,omitempty" doc:"id of the datasource" refs:"dataSource"`
	DataPointID   int64  `json:"dataPointId,omitempty" doc:"Host metric trends: the datapoint; default: all of the datasource; or use dataPointName"`
	DataPointName string `json:"dataPointName,omitempty" doc:"Host metric trends: name of the datapoint, an alternative to dataPointId"`
	Instances     string `json:"instances,omitempty" doc:"names of instances, * for any characters; default: all"`
	FullName      string `json:"dataSourceFullName,omitempty" doc:"kept for clients of the published API"`
	ItemType      string `json:"itemType,omitempty" doc:"Alert trends: what itemVal names, group or host"`
	ItemVal       string `json:"itemVal,omitempty" doc:"Alert trends: paths of groups, with those inside, or names of devices; * for any text"`
}

// ReportUserFilter selects the users in a report; patterns, * for any characters.
type ReportUserFilter struct {
	Username  string `json:"username,omitempty" doc:"name of the user"`
	FirstName string `json:"firstName,omitempty" doc:"given name"`
	LastName  string `json:"lastName,omitempty" doc:"family name"`
	Email     string `json:"email,omitempty" doc:"mail address"`
	Status    string `json:"status,omitempty" doc:"active or suspended"`
	Role      string `json:"roleAssignment,omitempty" doc:"name of a role"`
	APIOnly   string `json:"apiOnlyUser,omitempty" doc:"true or false"`
}

// Delivery of a report.
const (
	deliverNone  = "none"
	deliverEmail = "email"
)

// ReportsOf returns Reports for a portal with these types of reports, each with
// its columns.
func ReportsOf(types []ReportTypeInfo) *resource.Resource[*Report] {
	own := Reports
	own.Fields = slices.Clone(Reports.Fields)
	kind := &own.Fields[slices.IndexFunc(own.Fields, func(f resource.Field[*Report]) bool { return f.Name == "type" })]
	for _, t := range types {
		kind.OneOf = append(kind.OneOf, t.Name)
	}
	own.Check = func(w *resource.Write, was, now *Report) error {
		if err := checkReport(w, was, now); err != nil {
			return err
		}
		return now.checkContent(w, types)
	}
	return &own
}

// Reports declares /report/reports, of any type; package report defines the
// types.
var Reports = resource.Resource[*Report]{
	Name: ReportRows, Label: "report", Sample: 6, Path: "/report/reports", Category: ground.CategoryReports,
	Object: resource.Reports, Scope: []string{"groupId"},
	Doc: "A report: its content, format and schedule. A run shows only what its user can view and nothing else.",
	Absent: "active customReportTypeId customReportTypeName dashboardGroupFullPath dashboardName " +
		"displayType enableViewAsOtherUser exclude100Availability historical host hostGroup " +
		"instance items itemsType query sdtSettings severity user",
	Fields: []resource.Field[*Report]{
		{Name: "id", At: func(r *Report) any { return &r.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 1},
		{Name: "name", At: func(r *Report) any { return &r.Name }, Doc: "Unique name; the title of the report",
			Required: true, MaxLen: 255, Index: true, Example: "Alerts of the month"},
		{Name: "description", At: func(r *Report) any { return &r.Description }, Doc: "Its purpose", MaxLen: 4000,
			Example: "For the monthly review"},
		{Name: "type", At: func(r *Report) any { return &r.Type }, Doc: "The report type", Required: true,
			Index: true, Example: ReportAlert},
		{Name: "groupId", At: func(r *Report) any { return &r.GroupID },
			Doc: "Its report group; 0: none, only roles that can view all reports can view it", Min: resource.Bound(0),
			Refs: string(reportGroupRows), Index: true, Example: 3},
		{Name: "format", At: func(r *Report) any { return &r.Format }, Doc: "Of the file", Default: FormatHTML,
			OneOf: []any{FormatHTML, FormatPDF, FormatXLSX, FormatCSV}, Example: FormatHTML},
		{Name: "delivery", At: func(r *Report) any { return &r.Delivery }, Doc: "none, or email to the recipients",
			Default: deliverNone, OneOf: []any{deliverNone, deliverEmail}, Example: deliverNone},
		{Name: "recipients", At: func(r *Report) any { return &r.Recipients }, Doc: "Who receives it by email",
			Default: []alert.Recipient{},
			Example: []alert.Recipient{{Type: "ARBITRARY", Method: alert.ByEmail, Addr: "board@example.net"}}},
		{Name: "schedule", At: func(r *Report) any { return &r.Schedule },
			Doc: "When it runs, as a cron expression: minute, hour, day of the month, month, day of the week. It " +
				"sees " +
				"what " +
				"runAsUserName can view. Empty: no schedule", MaxLen: 255, Example: "0 7 1 * *"},
		{Name: "scheduleTimezone", At: func(r *Report) any { return &r.Timezone },
			Doc: "IANA name of the time zone for the schedule and the times in the report; empty: the " +
				"portal's", MaxLen: 255,
			Example: "Europe/Berlin"},
		{Name: "nextGenerateOn", At: func(r *Report) any { return &r.NextOn },
			Doc: "Time of the next scheduled run, in epoch seconds; 0 without a schedule", ReadOnly: true,
			Index:   true,
			Example: 1790000000},
		{Name: "reportLinkExpire", At: func(r *Report) any { return &r.LinkExpire },
			Doc: "How long the file of a run can be downloaded: 12 hours, 7 days, 4 weeks; any other value: as " +
				"long as " +
				"the run is " +
				"kept", MaxLen: 255, Example: "30 days"},
		{Name: "lastmodifyUserId", At: func(r *Report) any { return &r.ModifiedID },
			Doc: "Id of the user who last changed it", ReadOnly: true},
		{Name: "lastmodifyUserName", At: func(r *Report) any { return &r.ModifiedBy }, Doc: "Who last changed it",
			ReadOnly: true, Index: true},
		{Name: "runAsUserId", At: func(r *Report) any { return &r.RunAsID },
			Doc: "Id of the user whose permissions scheduled runs have", ReadOnly: true, Example: 1},
		{Name: "runAsUserName", At: func(r *Report) any { return &r.RunAs },
			Doc: "The user whose permissions scheduled runs have: who last changed the report; or, if a user who " +
				"can view all devices changed neither delivery nor recipients, the previous user", ReadOnly: true},

		{Name: "dateRange", At: func(r *Report) any { return &r.DateRange }, Doc: dateRangeDoc, Default: DefaultRange,
			MaxLen: 255, Example: "Last 30 days"},
		{Name: "columns", At: func(r *Report) any { return &r.Columns },
			Doc:     "Columns in this order; empty: all columns of the type, in a PDF those that fit on its page",
			Default: []ReportColumn{},
			Example: []ReportColumn{{Name: "Severity"}, {Name: "Began"}, {Name: "Device"}, {Name: "DataPoint"}}},
		{Name: "sortedBy", At: func(r *Report) any { return &r.SortedBy },
			Doc: "A column of the type; empty: the order of the API", MaxLen: 255, Example: "Began"},
		{Name: "sortedDirection", At: func(r *Report) any { return &r.SortDirection }, Doc: "asc or desc",
			Default: "asc",
			OneOf:   []any{"asc", "desc"}, Example: "desc"},

		{Name: "groupFullPath", At: func(r *Report) any { return &r.GroupPath },
			Doc: "Alert, Alert threshold: full paths of device groups, * for any characters, comma-separated. A " +
				"group counts with the groups inside it", Default: "*",
			MaxLen:  4000,
			Example: "Services/*"},
		{Name: "deviceDisplayName", At: func(r *Report) any { return &r.DeviceName },
			Doc: "Alert: display names of devices, * for any characters, comma-separated", Default: "*", MaxLen: 4000,
			Example: "*"},
		{Name: "dataSource", At: func(r *Report) any { return &r.DataSource },
			Doc: "Alert: names of datasources, * for any characters", Default: "*"},
		{Name: "dataSourceInstanceName", At: func(r *Report) any { return &r.Instance },
			Doc: "Alert: names of instances, * for any characters", Default: "*"},
		{Name: "dataPoint", At: func(r *Report) any { return &r.DataPoint },
			Doc: "Alert: names of datapoints, * for any characters", Default: "*"},
		{Name: "rule", At: func(r *Report) any { return &r.Rule }, Doc: "Alert: names of alert rules, * for any " +
			"characters",
			Default: "*"},
		{Name: "chain", At: func(r *Report) any { return &r.Chain },
			Doc: "Alert: names of escalation chains, * for any characters", Default: "*"},
		{Name: "level", At: func(r *Report) any { return &r.Level },
			Doc: "Alert: all, or some of warn, error and critical, comma-separated", Default: "all", MaxLen: 255,
			Example: "error,critical"},
		{Name: "ackFilter", At: func(r *Report) any { return &r.AckFilter }, Doc: "Alert: all, acked or nonacked",
			Default: "all", OneOf: []any{"all", "acked", "nonacked"}, Example: "all"},
		{Name: "sdtFilter", At: func(r *Report) any { return &r.SDTFilter },
			Doc: "Alert: all, sdt (in maintenance) or nonsdt", Default: "all", OneOf: []any{"all", "sdt", "nonsdt"}},
		{Name: "clearFilter", At: func(r *Report) any { return &r.ClearFilter }, Doc: "Alert: all, clear or nonclear",
			Default: "all", OneOf: []any{"all", "clear", "nonclear"}},
		{Name: "activeOnly", At: func(r *Report) any { return &r.ActiveOnly },
			Doc: "Alert: only alerts that are active when the report runs"},
		{Name: "summaryOnly", At: func(r *Report) any { return &r.SummaryOnly },
			Doc: "Alert: only the counts per severity"},
		{Name: "includePreexist", At: func(r *Report) any { return &r.Preexist },
			Doc: "Alert: include alerts that began before the range and were active in it"},
		{Name: "timing", At: func(r *Report) any { return &r.Timing }, Doc: "Kept for clients of the published API",
			Default: "start", MaxLen: 255},

		{Name: "hostsValType", At: func(r *Report) any { return &r.HostsValType },
			Doc: "Host inventory, Alert SLA, Host metric trends: what hostsVal names, devices (host) or device " +
				"groups (group)",
			Default: "host", OneOf: []any{"host", "group"}, Example: "group"},
		{Name: "hostsVal", At: func(r *Report) any { return &r.HostsVal },
			Doc: "Host inventory, Alert SLA, Host metric trends: display names of devices or full paths of groups, * " +
				"for any characters, joined by commas. A group counts with the groups inside it",
			Default: "*", MaxLen: 4000, Example: "Servers*"},
		{Name: "properties", At: func(r *Report) any { return &r.Properties },
			Doc: "Host inventory: names of properties, a column each. The device's own come before those of its " +
				"groups",
			Default: []string{}, Example: []string{"location"}},
		{Name: "metrics", At: func(r *Report) any { return &r.Metrics },
			Doc: "Host inventory: datasources, a column each that names the device's instances. Host metric trends: " +
				"datasources and their datapoints. Alert trends: which groups or devices, all when empty",
			Default: []ReportMetric{}},

		{Name: "userFilter", At: func(r *Report) any { return &r.UserFilter }, Doc: "User: which users",
			Example: ReportUserFilter{Status: "active"}},
		{Name: "displayFormat", At: func(r *Report) any { return &r.Display }, Doc: "Kept for clients of the " +
			"published API",
			MaxLen: 255},
		{Name: "filter", At: func(r *Report) any { return &r.Filter }, Doc: "Audit Log: words that the description " +
			"contains",
			MaxLen: 255},
		{Name: "username", At: func(r *Report) any { return &r.Username },
			Doc: "Audit Log: user names, * for any characters, comma-separated", Default: "*"},

		{Name: "alertLevel", At: func(r *Report) any { return &r.AlertLevel },
			Doc: "Alert SLA: minimum severity of an alert that makes a device unavailable", Default: "critical",
			OneOf: []any{"warn", "error", "critical"}, Example: "critical"},
		{Name: "alertRule", At: func(r *Report) any { return &r.AlertRule },
			Doc: "Alert SLA: count only alerts of these alert rules, * for any characters", Default: "*",
			MaxLen: 4000},
		{Name: "excludeSDT", At: func(r *Report) any { return &r.ExcludeSDT },
			Doc: "Alert SLA: exclude maintenance", Default: true},
		{Name: "unmonitoredTime", At: func(r *Report) any { return &r.Unmonitored },
			Doc: "Alert SLA: time without data counts as down (0), is excluded (1) or counts as " +
				"available (2)",
			Default: int(UnmonitoredUp), OneOf: []any{0, 1, 2}, Example: 1},
		{Name: "excludeGlobal", At: func(r *Report) any { return &r.ExcludeGlobal },
			Doc: "Alert threshold: only thresholds that differ from those of the datasource", Default: true},
		{Name: "top10Only", At: func(r *Report) any { return &r.Top10 },
			Doc: "Host metric trends: only the ten instances with the highest average of each datapoint"},
		{Name: "isBase1024", At: func(r *Report) any { return &r.Base1024 }, Doc: "Kept for clients of the " +
			"published API"},
		{Name: "rowFormat", At: func(r *Report) any { return &r.RowFormat }, Doc: "Kept for clients of the " +
			"published API"},
		resource.KeptField(func(row *Report) *resource.Foreign { return &row.Kept },
			resource.Keeping("string", "algorithm anomaly dataFormat dayInOneWeek dependencyRole "+
				"dependencyRoutingState displayName hostGroups isHistoricalSDT periodInOneDay timezone"),
			resource.Keeping("integer", "calculationMethod confidenceLevel dashboardId percentile"),
			resource.Keeping("boolean", "displayGraphs displayLink displaySummary displayWithAvailability "+
				"includeSubGroups"),
			resource.Keeping("[]any", "macros")),
	},
	Derived: []resource.Derived{
		{Name: "lastGenerateOn", Doc: "When the newest run that you can view ended, in epoch seconds; 0: none",
			Schema: resource.Integer(""), Example: 1790000000,
			Of: lastRun(func(t *ReportTask) int64 { return int64(t.EndedOn) })},
		{Name: "lastGenerateSize", Doc: "File size of that run in bytes", Schema: resource.Integer(""), Example: 5120,
			Of: lastRun(func(t *ReportTask) int64 { return t.Size })},
		{Name: "lastGeneratePages", Doc: "Number of pages of that run: pages of a PDF, otherwise 1; 0 before the " +
			"first run",
			Schema: resource.Integer(""), Example: 1,
			Of: lastRun(func(t *ReportTask) int64 { return max(t.Pages, 1) })},
		{Name: "reportLinkNum", Doc: "Number of stored results that you can view", Schema: resource.Integer(""),
			Example: 1,
			Of:      keptRuns},
		{Name: "userPermission", Doc: "Your permission: read or write", Schema: resource.Text(""),
			Example: "write",
			From:    "groupId", Of: reportPermission},
	},
	Unique: [][]string{{"name"}},
	Check:  checkReport,
	Hooks:  reportHooks,
}

// setRunAs sets the user whose permissions scheduled runs have: the user who changes
// the report, unless that user can view all devices and changes neither delivery nor
// recipients. A user with fewer permissions may have chosen the recipients; they must
// not receive more because another user corrects the report.
func (r *Report) setRunAs(who *resource.Access, was *Report) {
	r.RunAsID, r.RunAs = r.ModifiedID, r.ModifiedBy
	if was == nil || who == nil || was.Delivery != r.Delivery || !slices.Equal(was.Recipients, r.Recipients) {
		return
	}
	if all, _ := who.In(resource.DeviceGroup, resource.Read); all {
		r.RunAsID, r.RunAs = cmp.Or(was.RunAsID, was.ModifiedID), cmp.Or(was.RunAs, was.ModifiedBy)
	}
}

func checkReport(w *resource.Write, was, now *Report) error {
	now.ModifiedID, now.ModifiedBy = 0, "system"
	if who := w.Call.Access; who != nil {
		now.ModifiedID, now.ModifiedBy = who.UserID, who.User
	}
	now.setRunAs(w.Call.Access, was)
	if now.Name = strings.TrimSpace(now.Name); now.Name == "" {
		return fault.At("name", "name is required")
	}
	if now.GroupID == 0 && w.Call.Access != nil {
		if all, _ := w.Call.Access.In(resource.Reports, resource.Modify); !all {
			return fault.At("groupId", "groupId is required, because your role can edit reports in some groups only")
		}
	}
	if !ground.IsZone(now.Timezone) {
		return fault.At("scheduleTimezone", "scheduleTimezone must be an IANA time zone name such as Europe/Berlin")
	}
	if now.Schedule = strings.TrimSpace(now.Schedule); now.Schedule != "" {
		if _, err := ParseSchedule(now.Schedule); err != nil {
			return err
		}
	}
	if was == nil || was.Schedule != now.Schedule || was.Timezone != now.Timezone || was.NextOn == 0 {
		now.NextOn = now.NextAfter(w.Call.At, setting.ZoneOf(w.Context, w.Tx))
	}
	if _, _, err := ParseRange(now.DateRange, w.Call.At); err != nil {
		return err
	}
	return now.checkRecipients(w)
}

// NextAfter returns the time of the next scheduled run; 0 for never. home is the
// portal's time zone.
func (r *Report) NextAfter(at time.Time, home *time.Location) resource.Seconds {
	schedule, err := ParseSchedule(r.Schedule)
	if err != nil { // none, or an invalid one of an older version
		return 0
	}
	return resource.SecondsOf(schedule.Next(at.In(r.Zone(home))))
}

// MailsIt reports whether scheduled runs are mailed to the recipients.
func (r *Report) MailsIt() bool { return r.Delivery == deliverEmail }

// linkUnits maps the words of LinkExpire to durations.
var linkUnits = map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour,
	"week": 7 * 24 * time.Hour}

// LinkLasts returns how long the file of a run can be downloaded, "7 days"; 0 for
// as long as the run exists.
func (r *Report) LinkLasts() time.Duration {
	number, unit, _ := strings.Cut(strings.TrimSpace(strings.ToLower(r.LinkExpire)), " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 10_000 {
		return 0
	}
	return time.Duration(n) * linkUnits[strings.TrimSuffix(strings.TrimSpace(unit), "s")]
}

// Zone returns the time zone of the schedule and of displayed times.
func (r *Report) Zone(home *time.Location) *time.Location {
	if zone, err := time.LoadLocation(r.Timezone); err == nil && r.Timezone != "" {
		return zone
	}
	return home
}

// ParseSchedule parses a cron expression with five fields. The schedule uses the
// location of the time that is passed to Next.
func ParseSchedule(text string) (cron.Schedule, error) {
	wrong := func(detail string) error {
		return fault.At("schedule",
			"schedule must be a cron expression with five fields, such as 0 7 * * 1 for Mondays at 7:00%s", detail)
	}
	if strings.ContainsAny(text, "=@") || len(strings.Fields(text)) != 5 { // no time zone inside, no @daily
		return nil, wrong("")
	}
	schedule, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(text)
	if err != nil {
		return nil, wrong(": " + err.Error())
	}
	if schedule.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, wrong("; this one never comes")
	}
	return schedule, nil
}

func (r *Report) checkRecipients(w *resource.Write) error {
	if r.Delivery == deliverEmail && len(r.Recipients) == 0 {
		return fault.At("recipients", "recipients needs at least one recipient while delivery is email")
	}
	if len(r.Recipients) > alert.MaxRecipients {
		return fault.At("recipients", "a report has at most %d recipients", alert.MaxRecipients)
	}
	if len(r.Recipients) == 0 {
		return nil
	}
	book, err := alert.Addresses(w)
	for i := range r.Recipients {
		to, field := &r.Recipients[i], fmt.Sprintf("recipients[%d]", i)
		if to.Method == "" && !to.Is("GROUP") {
			to.Method = alert.ByEmail
		}
		if err == nil {
			err = book.Check(field, to)
		}
		if err == nil && !to.Is("GROUP") && !strings.EqualFold(to.Method, alert.ByEmail) {
			err = fault.At(field+".method", "%s.method must be email: reports are sent by email only", field)
		}
	}
	return err
}

// ParseMails parses comma-separated email addresses.
func ParseMails(field, text string) ([]string, error) {
	var out []string
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		to, err := mail.ParseAddress(one)
		if err != nil {
			return nil, fault.At(field, "%s: %q is not a valid email address", field, ground.OneLine(one))
		}
		out = append(out, to.Address)
	}
	if len(out) > alert.MaxRecipients {
		return nil, fault.At(field, "%s has at most %d addresses", field, alert.MaxRecipients)
	}
	return out, nil
}

// reportPermission derives the caller's permission for reports in these groups.
func reportPermission(ctx context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
	all, groups := true, []int64(nil)
	if c := resource.CallOf(ctx); c != nil && c.Access != nil {
		all, groups = c.Access.In(resource.Reports, resource.Modify)
	}
	out := make([][]byte, len(rows))
	for i, row := range rows {
		word := resource.Read
		ids, err := resource.ParseIDs(strings.TrimPrefix(row.From, "0")) // 0 is not a group
		if err != nil {
			return nil, err
		}
		if all || slices.ContainsFunc(ids, func(id int64) bool { return slices.Contains(groups, id) }) {
			word = resource.Modify
		}
		if out[i], err = resource.Encode(word.String()); err != nil {
			return nil, err
		}
	}
	return out, nil
}
