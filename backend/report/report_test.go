package report_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/setting"
	"spyglass/backend/report"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

var errStop = errors.New("stop")

func seconds(t time.Time) resource.Seconds { return resource.SecondsOf(t) }

// fixture is a portal with only a database.
type fixture struct {
	*testing.T
	db     *store.DB
	folder string
	place  report.Files // in place of folder, if set
	series *series.DB
	access map[int64]*resource.Access
}

func (h *fixture) files() report.Files {
	if h.place != nil {
		return h.place
	}
	return folder(h.T, h.folder)
}

func folder(t *testing.T, path string) report.Files {
	t.Helper()
	files, err := report.InFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	admin = &resource.Access{UserID: 1, User: "admin", Admin: true}
	// clerk may view the devices of group 2 and all reports.
	clerk = &resource.Access{UserID: 2, User: "clerk", Grants: []resource.Grant{
		{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{2: true}},
		{Object: resource.Reports, Op: resource.Modify, All: true},
	}}
	// neighbour may view group 3 instead.
	neighbour = &resource.Access{UserID: 3, User: "neighbour", Grants: []resource.Grant{
		{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{3: true}},
		{Object: resource.Reports, Op: resource.Read, All: true},
	}}
)

func open(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	db := storetest.Open(t, store.Options{Path: filepath.Join(dir, "portal.db"),
		Clock: func() time.Time { return noon }, Zone: time.UTC})
	h := &fixture{T: t, db: db, folder: filepath.Join(dir, report.Folder), access: map[int64]*resource.Access{
		1: admin, 2: clerk, 3: neighbour}}
	storetest.Add(h, h.db, &fleet.Groups)
	storetest.Add(h, h.db, &fleet.Devices)
	storetest.Add(h, h.db, &collector.Collectors)
	storetest.Add(h, h.db, &people.Roles)
	storetest.Add(h, h.db, &people.UserGroups)
	storetest.Add(h, h.db, &people.RoleGroups)
	storetest.Add(h, h.db, &people.Users)
	storetest.Add(h, h.db, &audit.AuditLogs)
	storetest.Add(h, h.db, &alert.Alerts)
	storetest.Add(h, h.db, &reporting.ReportGroups)
	storetest.Add(h, h.db, reporting.ReportsOf(content.Types()))
	storetest.Add(h, h.db, &reporting.ReportTasks)
	storetest.Add(h, h.db, &setting.Settings)
	storetest.Add(h, h.db, &maintenance.SDTs)
	storetest.Add(h, h.db, &maintenance.SDTHistories)
	storetest.Add(h, h.db, &datasource.DataSources)
	storetest.Add(h, h.db, &fleet.DeviceDataSources)
	storetest.Add(h, h.db, &fleet.Instances)
	storetest.Add(h, h.db, &fleet.InstanceGroups)
	storetest.Add(h, h.db, &override.Overrides)
	storetest.Add(h, h.db, &override.GroupDataSourceSettings)
	storetest.Add(h, h.db, &alert.RecipientGroups)
	storetest.Add(h, h.db, &alert.Integrations)
	storetest.Add(h, h.db, &alert.Deliveries)
	storetest.Add(h, h.db, &alert.Rules)
	storetest.Add(h, h.db, &alert.Chains)
	put(h, fleet.Groups.Name, fleet.Group{ID: 1, Name: "All devices"},
		fleet.Group{ID: 2, Name: "Oslo", FullPath: "Oslo", ParentID: 1, CustomProperties: []resource.Property{
			{Name: "site", Value: "Fjord"}}},
		fleet.Group{ID: 3, Name: "Austin", FullPath: "Austin", ParentID: 1})
	return h
}

func put[T any](h *fixture, name resource.Name[*T], rows ...T) {
	h.Helper()
	storetest.Put(h, h.db, name, rows...)
}

// addDevices adds a device to each group and a device to both, with alerts for all three.
func (h *fixture) addDevices() {
	h.Helper()
	put(h, fleet.Devices.Name,
		fleet.Device{ID: 1, Name: "10.0.0.1", DisplayName: "fjord", HostStatus: "normal", GroupIDs: resource.IDs{2},
			CustomProperties: []resource.Property{{Name: "snmp.community", Value: "hush"}}},
		fleet.Device{ID: 2, Name: "10.0.0.2", DisplayName: "ranch", HostStatus: "dead", GroupIDs: resource.IDs{3},
			Description: "=HYPERLINK(\"x\")"},
		fleet.Device{ID: 3, Name: "10.0.0.3", DisplayName: "bridge", HostStatus: "normal",
			GroupIDs: resource.IDs{2, 3}})
	at := seconds(noon)
	put(h, alert.Alerts.Name,
		alert.Alert{ID: 1, Severity: 2, StartOn: at - 3600, DeviceID: 1, DeviceName: "fjord", DataSourceName: "Ping",
			InstanceName: "Ping", DataPointName: "loss", Value: "70", Threshold: "> 60 80 90"},
		alert.Alert{ID: 2, Severity: 4, StartOn: at - 7200, EndOn: at - 1800, Cleared: true, DeviceID: 2,
			DeviceName: "ranch", DataSourceName: "Ping", InstanceName: "Ping", DataPointName: "loss", Value: "99"},
		alert.Alert{ID: 3, Severity: 3, StartOn: at - 90_000, DeviceID: 3, DeviceName: "bridge", DataSourceName: "Disk",
			InstanceName: "Disk-/", DataPointName: "used", Value: "85", Acked: true, AckedBy: "clerk",
			AckedOn: at - 60})
}

func columns(names ...string) (out []reporting.ReportColumn) {
	for _, name := range names {
		out = append(out, reporting.ReportColumn{Name: name})
	}
	return out
}

// lines returns the rows of a CSV report, with cells joined by |.
func (h *fixture) lines(r *reporting.Report, who *resource.Access) []string {
	h.Helper()
	r.Format = reporting.FormatCSV
	run := content.Run{Report: r, Access: who, From: h.db, Series: h.series, Zone: time.UTC, At: noon}
	var out bytes.Buffer
	if _, _, err := run.Write(h.Context(), &out); err != nil {
		h.Fatal(err)
	}
	text, marked := strings.CutPrefix(out.String(), "\ufeff")
	if !marked {
		h.Error("the file has no byte order mark")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		h.Fatal(err)
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "|"))
	}
	return lines
}

func TestEachTypeShowsItsRows(t *testing.T) {
	h := open(t)
	h.addDevices()
	put(h, people.Users.Name,
		people.User{ID: 1, Username: "admin", FirstName: "Dana", Email: "d@example.net", Status: "active",
			Roles: []people.RoleRef{{ID: 1, Name: "administrator"}}, CreatedBy: "system", LastLoginOn: seconds(noon)},
		people.User{ID: 2, Username: "clerk", Status: "suspended", APIOnly: true,
			Roles: []people.RoleRef{{ID: 2, Name: "night"}}})
	put(h, people.Roles.Name,
		people.Role{ID: 1, Name: "administrator",
			Privileges: []people.Privilege{{ObjectType: "setting", ObjectID: "*", Operation: "write"}}},
		people.Role{ID: 2, Name: "night", Privileges: []people.Privilege{
			{ObjectType: "deviceGroup", ObjectID: "2", Operation: "ack"},
			{ObjectType: "deviceGroup", ObjectID: "99", Operation: "read"}}})
	put(h, audit.AuditLogs.Name,
		audit.AuditLog{ID: 1, Username: "admin", HappenedOn: seconds(noon) - 60, IP: "127.0.0.1", Action: "create",
			Description: "Added the device 1"},
		audit.AuditLog{ID: 2, Username: "clerk", HappenedOn: seconds(noon) - 30, Action: "delete",
			Description: "Deleted the device 2"},
		audit.AuditLog{ID: 3, Username: "admin", HappenedOn: seconds(noon) - 200_000, Action: "create",
			Description: "Added long ago"})
	few := columns("Severity", "began", "Device", "Data_Source", "Acked by")
	const head = "Severity|Began|Device|DataSource|Acked by"
	fjord, ranch, bridge := "warning|2026-05-04 11:00:00 UTC|fjord|Ping|",
		"critical|2026-05-04 10:00:00 UTC|ranch|Ping|", "error|2026-05-03 11:00:00 UTC|bridge|Disk|clerk"
	for _, tt := range []struct {
		name string
		r    reporting.Report
		who  *resource.Access
		want []string
	}{
		{"alerts of a day", reporting.Report{Type: reporting.ReportAlert, Columns: few}, admin,
			[]string{head, fjord, ranch}},
		{"worst first", reporting.Report{Type: reporting.ReportAlert, Columns: few, DateRange: "Last 2 days",
			SortedBy: "severity", SortDirection: "desc"}, admin, []string{head, ranch, bridge, fjord}},
		{"those that began before and are still active", reporting.Report{Type: reporting.ReportAlert, Columns: few,
			Preexist: true}, admin, []string{head, fjord, ranch, bridge}},
		{"active ones of some levels", reporting.Report{Type: reporting.ReportAlert, Columns: few,
			DateRange: "any time", ActiveOnly: true, Level: "error,critical"}, admin, []string{head, bridge}},
		{"acknowledged ones", reporting.Report{Type: reporting.ReportAlert, Columns: few, DateRange: "any time",
			AckFilter: "acked"}, admin, []string{head, bridge}},
		{"of a group", reporting.Report{Type: reporting.ReportAlert, Columns: few, GroupPath: "AUS*"}, admin,
			[]string{head, ranch}},
		{"of devices and datasources", reporting.Report{Type: reporting.ReportAlert, Columns: few,
			DateRange: "any time", DeviceName: "x,?r*", DataSource: "Disk"}, admin, []string{head, bridge}},
		{"in a zone of its own", reporting.Report{Type: reporting.ReportAlert, Columns: columns("Ended"),
			Timezone: "Asia/Tokyo", Level: "critical"}, admin, []string{"Ended", "2026-05-04 20:30:00 JST"}},
		{"counts only", reporting.Report{Type: reporting.ReportAlert, SummaryOnly: true, DateRange: "any time"}, admin,
			[]string{"Severity|Alerts", "Critical|1", "Error|1", "Warning|1"}},
		{"counts of a bound role", reporting.Report{Type: reporting.ReportAlert, SummaryOnly: true,
			DateRange: "any time"}, clerk, []string{"Severity|Alerts", "Critical|0", "Error|1", "Warning|1"}},
		{"alerts of a bound role", reporting.Report{Type: reporting.ReportAlert, Columns: few, DateRange: "any time"},
			clerk, []string{head, fjord, bridge}},

		{"devices", reporting.Report{Type: reporting.ReportInventory, Properties: []string{"snmp.community", "site"}},
			admin,
			[]string{"Device|Host name|Groups|Status|Description|snmp.community|site",
				"fjord|10.0.0.1|Oslo|Normal||********|Fjord", `ranch|10.0.0.2|Austin|Not responding|'=HYPERLINK("x")||`,
				"bridge|10.0.0.3|Oslo, Austin|Normal|||Fjord"}},
		{"devices of a bound role, and none of the groups it does not see",
			reporting.Report{Type: reporting.ReportInventory, Columns: columns("Device", "Groups")}, clerk,
			[]string{"Device|Groups", "fjord|Oslo", "bridge|Oslo"}},
		{"devices of a group", reporting.Report{Type: reporting.ReportInventory, Columns: columns("Device"),
			HostsValType: "group", HostsVal: "Austin"}, admin, []string{"Device", "ranch", "bridge"}},
		{"devices by name", reporting.Report{Type: reporting.ReportInventory, Columns: columns("Device"),
			HostsVal: "f*,RANCH", SortedBy: "Device", SortDirection: "desc"}, admin,
			[]string{"Device", "ranch", "fjord"}},

		{"users", reporting.Report{Type: reporting.ReportUser}, admin, []string{"Username|First name|Last " +
			"name|Email|Roles|Status|API only|Last sign-in|Created by",
			"admin|Dana||d@example.net|administrator|active|no|2026-05-04 12:00:00 UTC|system",
			"clerk||||night|suspended|yes||"}},
		{"users of a role", reporting.Report{Type: reporting.ReportUser, Columns: columns("Username"),
			UserFilter: reporting.ReportUserFilter{Role: "ni*"}}, admin, []string{"Username", "clerk"}},
		{"roles", reporting.Report{Type: reporting.ReportRole}, admin,
			[]string{"Role|Description|Users|Privileges", "administrator||admin|write on setting *",
				"night||clerk|ack on deviceGroup Oslo\nread on deviceGroup 99"}},
		{"what was done", reporting.Report{Type: reporting.ReportAuditLog}, admin,
			[]string{"Time|User|IP|Action|Description",
				"2026-05-04 11:59:00 UTC|admin|127.0.0.1|create|Added the device 1", "2026-05-04 11:59:30 " +
					"UTC|clerk||delete|Deleted the device 2"}},
		{"what one did", reporting.Report{Type: reporting.ReportAuditLog, Columns: columns("Description"),
			DateRange: "any time", Username: "admin", Filter: "ADDED"}, admin,
			[]string{"Description", "Added the device 1", "Added long ago"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := *h
			h.T = t
			if got := h.lines(&tt.r, tt.who); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestGroupIncludesItsSubgroups(t *testing.T) {
	h := open(t)
	h.addDevices()
	put(h, fleet.Groups.Name, fleet.Group{ID: 4, Name: "Docks", FullPath: "Oslo/Docks", ParentID: 2})
	put(h, fleet.Devices.Name, fleet.Device{ID: 4, Name: "10.0.0.4", DisplayName: "crane", HostStatus: "normal",
		GroupIDs: resource.IDs{4}})
	put(h, alert.Alerts.Name, alert.Alert{ID: 4, Severity: 4, StartOn: seconds(noon) - 60, DeviceID: 4,
		DeviceName: "crane", DataSourceName: "Ping", InstanceName: "Ping", DataPointName: "loss", Value: "80"})
	for _, tt := range []struct {
		r    reporting.Report
		want string
	}{
		{reporting.Report{Type: reporting.ReportInventory, HostsValType: "group", HostsVal: "Oslo"},
			"Device fjord bridge crane"},
		{reporting.Report{Type: reporting.ReportInventory, HostsValType: "group", HostsVal: "Oslo/Docks"},
			"Device crane"},
		{reporting.Report{Type: reporting.ReportAlert, DateRange: "Last 24 hours", GroupPath: "Oslo"},
			"Device fjord crane"},
	} {
		tt.r.Columns = columns("Device")
		if got := strings.Join(h.lines(&tt.r, admin), " "); got != tt.want {
			t.Errorf("%s of %s%s: got %s, want %s", tt.r.Type, tt.r.HostsVal, tt.r.GroupPath, got, tt.want)
		}
	}
}

func TestEveryTypeListsItsFieldsAndColumns(t *testing.T) {
	for _, kind := range content.Types() {
		if kind.Title == "" || kind.About == "" || kind.Icon == "" || len(kind.Columns) == 0 || kind.Fields == nil {
			t.Errorf("%s is incomplete: %+v", kind.Name, kind)
		}
		for _, name := range kind.Fields {
			if !slices.ContainsFunc(reporting.Reports.Fields, func(f resource.Field[*reporting.Report]) bool {
				return f.Name == name
			}) {
				t.Errorf("%s: reports have no field %s", kind.Name, name)
			}
		}
	}
}

func TestColumnIsFoundByItsOldName(t *testing.T) {
	for _, tt := range []struct{ kind, name, found string }{
		{reporting.ReportAlertTrends, "warning", "Warning"},
		{reporting.ReportAlertTrends, "Warn", "Warning"},
		{reporting.ReportAlert, "In SDT", "In maintenance"},
		{reporting.ReportAlert, "alert_id", "Alert ID"},
	} {
		for _, kind := range content.Types() {
			if kind.Name != tt.kind {
				continue
			}
			if at := kind.Column(tt.name); at < 0 || kind.Columns[at] != tt.found {
				t.Errorf("%s: %q is the column %d, want %s", tt.kind, tt.name, at, tt.found)
			}
		}
	}
}

func TestEveryTypeCanBeRun(t *testing.T) {
	h := open(t)
	for _, kind := range content.Types() {
		if got, want := h.lines(&reporting.Report{Type: kind.Name}, admin),
			[]string{strings.Join(kind.Columns, "|")}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", kind.Name, got, want)
		}
	}
}

func TestRunNeedsThePermissionOfItsType(t *testing.T) {
	h := open(t)
	run := content.Run{Report: &reporting.Report{Type: reporting.ReportUser}, Access: clerk, From: h.db,
		Zone: time.UTC, At: noon}
	var out bytes.Buffer
	_, _, err := run.Write(t.Context(), &out)
	const want = "a report of the type User requires the permission read on settings: useraccess, " +
		"which clerk does not have"
	if f := fault.Of(err); f.Kind != fault.Denied || f.Message != want || out.Len() > 0 {
		t.Errorf("got %v and %q, want %s", err, out.String(), want)
	}
}

func TestCellsThatLookLikeFormulasAreText(t *testing.T) {
	h := open(t)
	for i, name := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "a=1",
		` "quoted, and more"`} {
		put(h, fleet.Devices.Name, fleet.Device{ID: int64(i + 1), Name: "x", DisplayName: name, HostStatus: "normal"})
	}
	r := reporting.Report{Type: reporting.ReportInventory, Columns: columns("Device"), Format: reporting.FormatCSV}
	run := content.Run{Report: &r, Access: admin, From: h.db, Zone: time.UTC, At: noon}
	var out bytes.Buffer
	if _, _, err := run.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	// The writer drops a lone carriage return between quotes, as encoding/csv does.
	const want = "\ufeffDevice\r\n'=1+1\r\n'+1\r\n'-1\r\n'@SUM(A1)\r\n'\t=1\r\n\"'=1\"\r\n\"'\r\n=1\"\r\na=1\r\n" +
		"\" \"\"quoted, and more\"\"\"\r\n"
	if out.String() != want {
		t.Errorf("got %q\nwant %q", out.String(), want)
	}
}

func TestPageEscapesHostileNames(t *testing.T) {
	h := open(t)
	const evil = `<script>alert(1)</script>"' onload=x`
	put(h, fleet.Devices.Name, fleet.Device{ID: 1, Name: "x", DisplayName: evil, HostStatus: "dead"},
		fleet.Device{ID: 2, Name: "y", DisplayName: "calm", HostStatus: "normal"})
	r := reporting.Report{Name: evil, Description: evil, Type: reporting.ReportInventory, Columns: columns("Device"),
		Properties: []string{evil}, Format: reporting.FormatHTML}
	run := content.Run{Report: &r, Access: &resource.Access{User: evil, Admin: true}, From: h.db,
		Zone: time.UTC, At: noon}
	var out bytes.Buffer
	rows, _, err := run.Write(t.Context(), &out)
	if err != nil || rows != 2 {
		t.Fatal(rows, err)
	}
	_, body, _ := strings.Cut(out.String(), "<body>")
	const safe = `&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39; onload=x`
	want := `
<main>
<header>
<p class="kind">Inventory</p>
<h1>` + safe + `</h1>
<p>` + safe + `</p>
<p class="made">Generated 2026-05-04 12:00:00 UTC for ` + safe + `. 2 rows.</p>
</header>
<ul class="counts">
<li><b>1</b><span class="critical">Not responding</span></li>
<li><b>1</b><span class="ok">Normal</span></li>
</ul>
<svg class="bar" viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label="1 Not responding, 1 Normal">
<rect class="critical" x="0" y="0" width="500" height="12"/>
<rect class="ok" x="500" y="0" width="500" height="12"/>
</svg>
<div class="rows">
<table>
<thead><tr><th scope="col">Device</th><th scope="col">` + safe + `</th></tr></thead>
<tbody>
<tr class="critical"><td class="w">` + safe + `</td><td></td></tr>
<tr class="ok"><td>calm</td><td></td></tr>
</tbody>
</table>
</div>
</main>
</body>
</html>
`
	if body != want {
		t.Errorf("got %s\nwant %s", body, want)
	}
	for _, never := range []string{"<script", "http:", "https:", "url(", "@import", "src="} {
		if strings.Contains(out.String(), never) {
			t.Errorf("the page holds %s", never)
		}
	}
}
