package story_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
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
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/opsnote"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
	"spyglass/backend/story"
)

// opened is the time when the alert of the cause opened, a full hour.
const opened = 1_790_002_800 / 3600 * 3600

// site is a portal with a core switch, on which three devices depend: web and db
// in the group of the switch, and lab in another group.
type site struct {
	*testing.T
	db     *store.DB
	series *series.DB
	access *resource.Access
	now    int64
}

const (
	core = 1 + iota
	web
	db
	lab
)

func open(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, now: opened + 1800, access: &resource.Access{UserID: 1, User: "admin", Admin: true}}
	s.db = storetest.Open(t, store.Options{})
	add(s, &fleet.Groups, fleet.Group{ID: 1, Name: "Root"}, fleet.Group{ID: 2, Name: "Oslo", ParentID: 1},
		fleet.Group{ID: 3, Name: "Lab", ParentID: 1})
	add(s, &fleet.Functions)
	device := func(id, group int64, name string) fleet.Device {
		return fleet.Device{ID: id, Name: name, DisplayName: name, GroupIDs: resource.IDs{group}, CurrentCollector: 1,
			HostStatus: "normal"}
	}
	add(s, &fleet.Devices, device(core, 2, "core"), device(web, 2, "web"), device(db, 2, "db"), device(lab, 3, "lab"))
	add(s, &collector.Collectors)
	add(s, &collector.CollectorGroups)
	add(s, &alert.Alerts)
	add(s, &alert.Deliveries)
	add(s, &maintenance.SDTs)
	add(s, &maintenance.SDTHistories)
	add(s, &opsnote.OpsNotes)
	add(s, &audit.AuditLogs)
	add(s, &setting.Settings)
	ping := datasource.DataSource{ID: 5, Name: datasource.Availability, CollectInterval: 60,
		DataPoints: []datasource.DataPoint{datasource.Gauge("average", "average", "Round trip"),
			datasource.Gauge("PingLossPercent", "lossPercent", "Packets lost")},
		Graphs: []datasource.Graph{datasource.Plot("Packet loss", "%", "PingLossPercent")}}
	ping.DataPoints[0].ID, ping.DataPoints[1].ID = 5001, 5002
	add(s, &datasource.DataSources, ping)
	add(s, &datasource.UpdateReasons)
	add(s, &fleet.DeviceDataSources)
	add(s, &fleet.Instances)
	for id := range int64(4) {
		put(s, &fleet.DeviceDataSources, fleet.DeviceDataSource{ID: id + 1, DeviceID: id + 1, DataSourceID: 5,
			Name: "Ping"})
		put(s, &fleet.Instances, fleet.Instance{ID: id + 1, DeviceID: id + 1, DeviceDataSourceID: id + 1,
			DataSourceID: 5, Name: "Ping", DisplayName: "Ping"})
	}
	add(s, &fleet.InstanceGroups)
	add(s, &fleet.UnsettledRows)
	add(s, &fleet.SettlingRow)
	var err error
	if s.series, err = series.Open(t.Context(), series.Options{Path: filepath.Join(t.TempDir(), "series.db"),
		Clock: func() time.Time { return time.Unix(s.now, 0) }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.series.Close() })
	return s
}

func add[T any](s *site, r *resource.Resource[*T], rows ...T) {
	s.Helper()
	storetest.Add(s, s.db, r)
	put(s, r, rows...)
}

func put[T any](s *site, r *resource.Resource[*T], rows ...T) {
	s.Helper()
	storetest.Put(s, s.db, r.Name, rows...)
}

// measure appends a round trip for each minute between from and to, which are relative to the
// alert of the cause.
func (s *site) measure(device int64, from, to int) {
	s.Helper()
	var samples []series.Sample
	for m := from; m <= to; m++ {
		at := opened + int64(m)*60
		samples = append(samples, series.Sample{Instance: device, DataPoint: 5001, At: at, Value: float64(m)},
			series.Sample{Instance: device, DataPoint: 5002, At: at, Value: 0})
	}
	if err := s.series.Append(s.Context(), samples); err != nil {
		s.Fatal(err)
	}
}

// raised returns an alert that opened minutes after that of the cause.
func raised(id, device int64, name string, severity int64, minutes int) alert.Alert {
	at := resource.Seconds(opened + minutes*60)
	return alert.Alert{ID: resource.TextID(id), Type: alert.DataSourceAlert, ObjectType: "device", Severity: severity,
		StartOn: at, DeviceID: device, DeviceName: name, DataSourceID: 5, DataSourceName: "Ping",
		DeviceDataSourceID: device, InstanceID: device, InstanceName: "Ping", DataPointID: 5002,
		DataPointName: "PingLossPercent", Value: alert.NoData, Threshold: "> 10 40 90", CollectorID: 0,
		Notes: []alert.AlertNote{{By: ground.SystemUser, On: at, Text: "opened"}}}
}

// outage is the usual case: the switch stops responding, then web and db, and web
// opens an alert of its own.
func (s *site) outage() {
	s.Helper()
	s.measure(core, -120, -3)
	s.measure(web, -120, -2)
	s.measure(db, -120, -2)
	s.measure(lab, -120, 30)
	cause := raised(1, core, "core", 4, 0)
	cause.Acked, cause.AckedBy, cause.AckedOn, cause.AckComment = true, "ola", opened+240, "On site"
	cause.Received = "ola by email"
	cause.Notes = append(cause.Notes, alert.AlertNote{By: "ola", On: opened + 240, Text: "acknowledged: On site"},
		alert.AlertNote{By: "kari", On: opened + 300, Text: "Power supply is dark"})
	put(s, &alert.Alerts, cause, raised(2, web, "web", 3, 4), raised(3, db, "db", 2, -600),
		raised(4, lab, "lab", 2, 900))
	put(s, &alert.Deliveries,
		alert.Delivery{AlertID: 1, Chain: "Net", Stage: 1, Tells: alert.EventActive, Recipient: "ola by email",
			State: alert.DeliverySent, CreatedOn: opened + 5},
		alert.Delivery{AlertID: 1, Chain: "Net", Stage: 1, Tells: alert.EventActive, Recipient: "kari by email",
			State: alert.DeliveryFailed, CreatedOn: opened + 5, Error: "the mail server refused it"})
	put(s, &audit.AuditLogs,
		audit.AuditLog{Username: "ola", HappenedOn: opened - 600, Action: "change", Object: "device", ObjectID: core,
			Description: `Changed the device 1, "core": description`},
		audit.AuditLog{Username: "ola", HappenedOn: opened - 500, Action: "create", Object: "role", ObjectID: 9,
			Description: `Added the role 9, "guest"`},
		audit.AuditLog{Username: "ola", HappenedOn: opened + 240, Action: "ack", Object: "alert", ObjectID: 1,
			Description: "Acknowledged the alert 1"},
		audit.AuditLog{Username: "ola", HappenedOn: opened - 9000, Action: "change", Object: "device", ObjectID: core,
			Description: "long before"})
	put(s, &opsnote.OpsNotes, opsnote.OpsNote{Note: "Firmware 4.2", HappenedOn: opened - 900, CreatedBy: "kari",
		Scopes: []opsnote.NoteScope{{Type: "device", DeviceID: core}}},
		opsnote.OpsNote{Note: "Lab moves", HappenedOn: opened - 900, CreatedBy: "kari",
			Scopes: []opsnote.NoteScope{{Type: "deviceGroup", GroupID: 3}}})
	put(s, &maintenance.SDTHistories, maintenance.SDTHistory{DeviceID: web, Type: maintenance.DeviceSDT, Admin: "kari",
		Comment: "Disks", Start: opened - 3600, End: opened - 1800})
}

func (s *site) send(id int64, format string) (any, error) {
	s.Helper()
	above := map[int64][]int64{web: {core}, db: {core}, lab: {core}}
	below := map[int64][]int64{core: {web, db, lab}}
	e := story.New(story.Options{DB: s.db, Series: s.series, Dependencies: func(d int64) ([]int64, []int64) {
		return above[d], below[d]
	}}).Endpoints()[0]
	c := &resource.Call{Access: s.access, At: time.Unix(s.now, 0), Vars: map[string]string{"id": fmt.Sprint(id)},
		Query: url.Values{"format": {format}}}
	return e.Handle(s.Context(), c)
}

func (s *site) tell(id int64) *story.Story {
	s.Helper()
	got, err := s.send(id, "")
	if err != nil {
		s.Fatal(err)
	}
	return got.(*story.Story)
}

// lines returns the timeline as minutes after the alert, kind, sentence and user.
func lines(t *story.Story) string {
	var b strings.Builder
	for _, e := range t.Events {
		fmt.Fprintf(&b, "%+d %s: %s", (e.At-opened)/60, e.Kind, e.Text)
		if e.By != "" {
			b.WriteString(" | " + e.By)
		}
		if e.Near {
			b.WriteString(" | near")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func relations(t *story.Story) string {
	var all []string
	for _, a := range t.Alerts {
		all = append(all, fmt.Sprintf("%d %s", a.ID, a.Relation))
	}
	return strings.Join(all, ", ")
}

func TestStoryOfADependentLeadsToTheRootCause(t *testing.T) {
	s := open(t)
	s.outage()
	got := s.tell(2)
	if got.ID != 2 || got.Cause.ID != 1 || got.Title != "core: Ping PingLossPercent" || got.End != 0 ||
		got.Start != opened-120 {
		t.Errorf("story of %d, cause %d, %q, from %d to %d", got.ID, got.Cause.ID, got.Title, got.Start-opened, got.End)
	}
	if text := relations(got); text != "1 cause, 2 dependent" {
		t.Errorf("the alerts are %s", text)
	}
	total := story.IncidentTotals{Alerts: 2, Dependents: 3, Silent: 2, Suppressed: 1, Notified: 1, Unnotified: 1,
		Changes: 2}
	if got.Total != total {
		t.Errorf("totals are %+v, want %+v", got.Total, total)
	}
	want := `-60 maintenance: Maintenance of web began: Disks | kari
-30 maintenance: Maintenance of web ended: Disks | kari
-15 opsNote: Firmware 4.2 | kari
-10 change: Changed the device 1, "core": description | ola | near
-8 change: Added the role 9, "guest" | ola
-2 silent: core stopped responding
-1 silent: 2 dependents stopped responding: db, web
+0 opened: core: Ping PingLossPercent is critical, value no data
+0 notified: Notified ola by email, Net stage 1: active
+0 failed: Could not notify kari by email, Net stage 1: active. The mail server refused it
+4 acked: core: Ping PingLossPercent: acknowledged: On site | ola
+4 opened: web: Ping PingLossPercent is error, value no data
+5 note: core: Ping PingLossPercent: Power supply is dark | kari
`
	lines := lines(got)
	// events of the same second have no fixed order
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		if !strings.Contains(lines, line+"\n") {
			t.Errorf("the timeline lacks %q:\n%s", line, lines)
		}
	}
	if n := strings.Count(lines, "\n"); n != strings.Count(want, "\n") {
		t.Errorf("the timeline has %d lines:\n%s", n, lines)
	}
	summary := strings.Join(got.Summary, "\n")
	if want := `core stopped responding first, 2 min before its alert. ` +
		`core: Ping PingLossPercent is critical, value no data.
2 of 3 dependents stopped responding, too. 1 dependent opened alerts of their own; those of the others are suppressed.
1 other alert opened with it.
Notified: ola by email. 1 notification failed.
ola acknowledged it after 4 min: “On site”.
1 change was made to these objects shortly before or meanwhile.
It has lasted for 32 min and is ongoing.`; summary != want {
		t.Errorf("the summary is\n%s\nwant\n%s", summary, want)
	}
}

func TestChartsOfAStoryShareOneTimeRange(t *testing.T) {
	s := open(t)
	s.outage()
	c := s.tell(2).Charts
	if len(c.Lines) != 2 || c.Lines[0].Device != "core" || c.Lines[1].Device != "web" || c.Lines[0].Unit != "%" {
		t.Fatalf("the charts are %+v, want core first, then web", c.Lines)
	}
	if c.Start != opened-120-1800 || c.End != s.now || c.Step != 60 {
		t.Errorf("the time is from %d to %d in steps of %d", c.Start-opened, c.End-opened, c.Step)
	}
	n := int((c.End-c.Start)/c.Step) + 1
	for _, l := range c.Lines {
		if len(l.Values) != n {
			t.Errorf("%s has %d values, want %d", l.Device, len(l.Values), n)
		}
	}
	if v := c.Lines[0].Values; v[0] == nil || v[n-1] != nil {
		t.Errorf("core has no gap after it fell silent: %v … %v", v[0], v[n-1])
	}
}

func TestStoryEndsWithItsLastAlert(t *testing.T) {
	s := open(t)
	s.measure(core, -120, -3)
	s.measure(core, 10, 30)
	s.measure(web, -120, 30)
	for id, end := range map[int64]int{1: 10, 2: 12} {
		a := raised(id, id, []string{"", "core", "web"}[id], 4, int(id)-1)
		a.Cleared, a.EndOn = true, resource.Seconds(opened+end*60)
		a.Notes = append(a.Notes, alert.AlertNote{By: ground.SystemUser, On: a.EndOn, Text: "cleared"})
		put(s, &alert.Alerts, a)
	}
	got := s.tell(1)
	if got.End != opened+12*60 || !slices.Contains(got.Summary, "It lasted 14 min.") ||
		!slices.Contains(got.Summary, "No one acknowledged it.") ||
		!slices.Contains(got.Summary, "No one was notified.") ||
		!slices.Contains(got.Summary, "3 devices depend on it, and kept responding.") {
		t.Errorf("it ends at %d: %q", got.End-opened, got.Summary)
	}
	if d := got.Devices[0]; d.ID != core || d.Role != "cause" || d.SilentOn != opened-120 || d.BackOn != opened+600 {
		t.Errorf("the first device is %+v", d)
	}
	for _, want := range []string{"+10 back: core responds again\n", "+10 cleared: core: Ping PingLossPercent " +
		"cleared after 10 min\n"} {
		if !strings.Contains(lines(got), want) {
			t.Errorf("the timeline lacks %q:\n%s", want, lines(got))
		}
	}
}

func TestFirstAlertOfADeviceWithoutAParentIsTheCause(t *testing.T) {
	s := open(t)
	first, cleared, late := raised(1, lab, "lab", 2, -20), raised(2, lab, "lab", 4, -25), raised(3, lab, "lab", 4, 0)
	cleared.Cleared, cleared.EndOn = true, opened-1200
	warning := raised(4, core, "core", 2, -5) // not severe enough to explain the others
	put(s, &alert.Alerts, first, cleared, late, warning)
	got := s.tell(3)
	if got.Cause.ID != 1 || relations(got) != "2 same, 1 cause, 3 same" {
		t.Errorf("the cause is %d: %s", got.Cause.ID, relations(got))
	}
}

func TestMostSevereAlertOfAnOutageIsTheCause(t *testing.T) {
	s := open(t)
	soon := raised(2, core, "core", 4, 0)
	soon.StartOn += 30
	put(s, &alert.Alerts, raised(1, core, "core", 3, 0), soon, raised(3, core, "core", 4, 5),
		raised(4, web, "web", 3, 4))
	if got := s.tell(4); got.Cause.ID != 2 {
		t.Errorf("the cause is %d: %s", got.Cause.ID, relations(got))
	}
}

func TestAlertsOfGroupsAndCollectorsHaveStories(t *testing.T) {
	s := open(t)
	group := raised(1, 0, "Oslo", 4, 5)
	group.Type, group.GroupID, group.InstanceID = alert.GroupAlert, 2, 0
	silent := raised(2, 0, "collector 1", 4, 0)
	silent.Type, silent.ObjectType, silent.CollectorID, silent.InstanceID, silent.DataPointID, silent.DataPointName,
		silent.DataSourceName, silent.DataSourceID = alert.AgentDownAlert, "collector", 1, 0, 0, "", "", 0
	put(s, &alert.Alerts, group, silent, raised(3, web, "web", 3, 1), raised(4, db, "db", 3, 2),
		raised(5, lab, "lab", 3, 1))
	got := s.tell(1)
	if got.Cause.ID != 3 || relations(got) != "3 cause, 4 related, 1 related" {
		t.Errorf("of the group: cause %d, %s", got.Cause.ID, relations(got))
	}
	got = s.tell(2)
	if got.Cause.ID != 2 || relations(got) != "2 cause, 3 related, 5 related, 4 related" || len(got.Devices) != 4 {
		t.Errorf("of the collector: cause %d, %s, %d devices", got.Cause.ID, relations(got), len(got.Devices))
	}
}

func TestStoryHasOnlyWhatTheCallerMayView(t *testing.T) {
	s := open(t)
	s.outage()
	s.access = &resource.Access{UserID: 9, User: "clerk",
		Grants: []resource.Grant{{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{2: true}}}}
	got := s.tell(1)
	var parts []string
	for _, w := range got.Withheld {
		parts = append(parts, w.Part+": "+w.Text)
	}
	want := []string{"notifications: You need View access to Alerting to see when each recipient was notified.",
		"changes: You need View access to Audit log to see configuration changes.",
		"opsNotes: You need View access to Ops notes to see ops notes."}
	if !slices.Equal(parts, want) {
		t.Errorf("withheld is %q, want %q", parts, want)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{`"lab"`, "Firmware", "guest", "kari by email"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the story has %s: %s", secret, text)
		}
	}
	if got.Total.Dependents != 2 || got.Total.Changes != 0 {
		t.Errorf("totals are %+v", got.Total)
	}
	if !slices.Contains(got.Summary, "Notified: ola by email.") {
		t.Errorf("the alert itself says who was notified: %q", got.Summary)
	}
	for _, id := range []int64{4, 99} {
		if _, err := s.send(id, ""); fault.Of(err).Kind != fault.Unknown {
			t.Errorf("the story of %d: %v, want fault.Unknown", id, err)
		}
	}
}

func TestStoryIsSavedAsMarkdownAndPDF(t *testing.T) {
	s := open(t)
	s.outage()
	file := func(format string) (resource.Response, string) {
		got, err := s.send(2, format)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := got.(resource.Response).Stream(&text); err != nil {
			t.Fatal(err)
		}
		return got.(resource.Response), text.String()
	}
	r, text := file("markdown")
	if r.Filename != "story-core-2026-09-21.md" || r.Type != "text/markdown; charset=utf-8" {
		t.Errorf("the file is %s, %s", r.Filename, r.Type)
	}
	for _, want := range []string{"# Incident: core: Ping PingLossPercent\n\n- Began 2026-09-21 ",
		"- 2 of 3 dependents stopped responding, too.", "- Critical: 1, Error: 1\n\n## Timeline\n\n" +
			"| Time | Event | What | By |\n| --- | --- | --- | --- |\n",
		" | Not responding | core stopped responding |  |\n",
		" | Acknowledged | core: Ping PingLossPercent: acknowledged: On site | ola |\n", " for admin.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, text)
		}
	}
	if r, text = file("pdf"); r.Filename != "story-core-2026-09-21.pdf" || r.Type != "application/pdf" ||
		!strings.HasPrefix(text, "%PDF-") {
		t.Errorf("the file is %s, %s: %.20q", r.Filename, r.Type, text)
	}
	if _, err := s.send(2, "docx"); fault.Of(err).Field != "format" {
		t.Errorf("an unknown format: %v", err)
	}
}
