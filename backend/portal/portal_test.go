package portal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/forward"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/opsnote"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// declaration is the interface by which the tests below check a resource of any
// row type.
type declaration interface {
	check(t *testing.T)
}

type declared[T any] struct{ *resource.Resource[*T] }

var declarations = map[string]declaration{
	"alerts":            declared[alert.Alert]{&alert.Alerts},
	"auditLogs":         declared[audit.AuditLog]{&audit.AuditLogs},
	"clusterAlerts":     declared[alert.ClusterAlert]{&alert.ClusterAlerts},
	"collectorTokens":   declared[collector.CollectorToken]{&collector.CollectorTokens},
	"deliveries":        declared[alert.Delivery]{&alert.Deliveries},
	"groupDataSources":  declared[override.GroupDataSource]{&override.GroupDataSourceSettings},
	"overrides":         declared[override.Override]{&override.Overrides},
	"chains":            declared[alert.Chain]{&alert.Chains},
	"collectorGroups":   declared[collector.CollectorGroup]{&collector.CollectorGroups},
	"collectors":        declared[collector.Collector]{&collector.Collectors},
	"collectorVersions": declared[collector.CollectorVersion]{&collector.CollectorVersions},
	"deviceDataSources": declared[fleet.DeviceDataSource]{&fleet.DeviceDataSources},
	"dataSources":       declared[datasource.DataSource]{&datasource.DataSources},
	"devices":           declared[fleet.Device]{&fleet.Devices},
	"functions":         declared[datasource.Function]{&fleet.Functions},
	"groups":            declared[fleet.Group]{&fleet.Groups},
	"incidents":         declared[incident.Incident]{&incident.Incidents},
	"demoTimes":         declared[incident.DemoTime]{&incident.DemoTimes},
	"instanceGroups":    declared[fleet.InstanceGroup]{&fleet.InstanceGroups},
	"instances":         declared[fleet.Instance]{&fleet.Instances},
	"integrations":      declared[alert.Integration]{&alert.Integrations},
	"opsNotes":          declared[opsnote.OpsNote]{&opsnote.OpsNotes},
	"recipientGroups":   declared[alert.RecipientGroup]{&alert.RecipientGroups},
	"remoteWrites":      declared[forward.RemoteWrite]{&forward.RemoteWrites},
	"remoteWriteMarks":  declared[forward.RemoteWriteMark]{&forward.RemoteWriteMarks},
	"reportGroups":      declared[reporting.ReportGroup]{&reporting.ReportGroups},
	"reports":           declared[reporting.Report]{&reporting.Reports},
	"reportTasks":       declared[reporting.ReportTask]{&reporting.ReportTasks},
	"roles":             declared[people.Role]{&people.Roles},
	"roleGroups":        declared[people.RoleGroup]{&people.RoleGroups},
	"userGroups":        declared[people.UserGroup]{&people.UserGroups},
	"rules":             declared[alert.Rule]{&alert.Rules},
	"sdtHistories":      declared[maintenance.SDTHistory]{&maintenance.SDTHistories},
	"sdts":              declared[maintenance.SDT]{&maintenance.SDTs},
	"settings":          declared[setting.Setting]{&setting.Settings},
	"settlingRow":       declared[fleet.Settling]{&fleet.SettlingRow},
	"tokens":            declared[people.Token]{&people.Tokens},
	"unsettledRows":     declared[fleet.Unsettled]{&fleet.UnsettledRows},
	"updateReasons":     declared[datasource.UpdateReason]{&datasource.UpdateReasons},
	"users":             declared[people.User]{&people.Users},
}

func TestEveryDeclarationHolds(t *testing.T) {
	for name, d := range declarations {
		t.Run(name, d.check)
	}
}

func TestNoDeclarationIsLeftOutOfTheseTests(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found += len(declares.FindAll(source, -1))
	}
	if found != len(declarations) {
		t.Errorf("%d resources are declared and %d are tested here", found, len(declarations))
	}
}

var declares = regexp.MustCompile(`(?m)^var [A-Z]\w* = resource\.Resource\[`)

func (d declared[T]) check(t *testing.T) {
	d.names(t)
	d.examples(t)
	d.docs(t)
	d.roundTrip(t)
}

// names are unique, and those the declaration refers to exist.
func (d declared[T]) names(t *testing.T) {
	var names, stored []string
	for _, f := range d.Fields {
		stored = append(stored, f.Name)
	}
	names = slices.Clone(stored)
	for _, v := range d.Derived {
		names = append(names, v.Name)
		if v.From != "" && !slices.Contains(stored, v.From) {
			t.Errorf("%s is derived from %s, which is no field", v.Name, v.From)
		}
	}
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Errorf("a name stands twice in %v", names)
	}
	refers := slices.Concat(d.Unique...)
	refers = append(refers, d.Scope...)
	if d.SoftBy != "" {
		refers = append(refers, d.SoftBy)
	}
	for _, p := range d.Parents {
		refers = append(refers, p.Field)
	}
	if d.Props != nil {
		refers = append(refers, d.Props.Field)
		for _, other := range d.Props.Others {
			refers = append(refers, other.Field)
		}
		if d.Props.Inherited != nil {
			refers = append(refers, d.Props.From)
		}
	}
	for _, l := range d.Lists {
		if l.Of != "" && l.Where == nil {
			refers = append(refers, l.Field)
		}
	}
	for _, name := range refers {
		if !slices.Contains(stored, name) {
			t.Errorf("%s is no field", name)
		}
	}
	if d.Path != "" && !slices.Contains(ground.Categories, d.Category) {
		t.Errorf("there is no category %q", d.Category)
	}
}

// examples of fields that may be written are taken by both mounts, each by
// itself and all together.
func (d declared[T]) examples(t *testing.T) {
	whole := map[string]any{}
	for _, f := range d.Fields {
		if f.Example == nil {
			if f.Required {
				t.Errorf("%s is required and has no example", f.Name)
			}
			continue
		}
		if !f.ReadOnly {
			whole[f.Name] = f.Example
		}
		d.apply(t, map[string]any{f.Name: f.Example}, false)
	}
	d.apply(t, whole, true)
}

func (d declared[T]) apply(t *testing.T, body map[string]any, whole bool) {
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, lenient := range []bool{false, true} {
		row, err := d.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		read, err := d.Read(text, lenient)
		if err == nil {
			err = d.Apply(read, row, whole)
		}
		if err != nil {
			t.Errorf("%s (lenient %v): %v", text, lenient, err)
		}
	}
}

// docs say something, in words that no secret follows.
func (d declared[T]) docs(t *testing.T) {
	if !strings.HasSuffix(d.Doc, ".") {
		t.Errorf("the doc of %s is no sentence: %q", d.Name, d.Doc)
	}
	for _, f := range d.Fields {
		if f.Doc == "" {
			t.Errorf("%s has no doc", f.Name)
		}
		if f.Seal != nil && !f.WriteOnly {
			t.Errorf("%s is sealed, but shown", f.Name)
		}
	}
	for _, v := range d.Derived {
		if v.Doc == "" || v.Example == nil || v.Of == nil {
			t.Errorf("%s lacks a doc, an example or a way to compute it", v.Name)
		}
	}
}

// roundTrip: what is shown of a default row is valid JSON in the shape of the
// schema, and can be sent back.
func (d declared[T]) roundTrip(t *testing.T) {
	row, err := d.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.AppendJSON(nil, row)
	if err != nil {
		t.Fatal(err)
	}
	var shown map[string]any
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, key := range d.Schema().Properties {
		_, ok := shown[key.Name]
		derived := slices.ContainsFunc(d.Derived, func(v resource.Derived) bool { return v.Name == key.Name })
		optional := d.Keeps(key.Name) || slices.ContainsFunc(d.Fields,
			func(f resource.Field[*T]) bool { return f.Name == key.Name && f.If != nil })
		if ok == (key.WriteOnly || derived) && !optional {
			t.Errorf("%s: shown %v, write-only %v, derived %v", key.Name, ok, key.WriteOnly, derived)
		}
	}
	for _, f := range d.Fields { // what is required or one of a few has no default that would do
		if !f.ReadOnly && (f.Required || len(f.OneOf) > 0 && f.Default == nil) {
			delete(shown, f.Name)
		}
	}
	again, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	body, err := d.Read(again, false)
	if err == nil {
		err = d.Apply(body, row, false)
	}
	now, _ := d.AppendJSON(nil, row)
	if err != nil || string(now) != string(text) {
		t.Errorf("%s was sent back and became %s (%v)", text, now, err)
	}
}

func TestOnlyTheNearestGroupsPropertyIsInherited(t *testing.T) {
	prop := func(name, value string) resource.Property { return resource.Property{Name: name, Value: value} }
	tree := &fleet.Tree{Groups: map[int64]*fleet.Group{
		1: {ID: 1, CustomProperties: []resource.Property{prop("site", "HQ"), prop("owner", "IT"),
			prop("snmp.community", "public")}},
		2: {ID: 2, ParentID: 1, CustomProperties: []resource.Property{prop("Site", "Oslo")}},
		3: {ID: 3, ParentID: 2, CustomProperties: []resource.Property{prop("rack", "12")}},
		4: {ID: 4, ParentID: 1,
			CustomProperties: []resource.Property{prop("site", "Rome"), prop("rack", "7"), prop("floor", "2")}},
	}}
	for _, tt := range []struct {
		name   string
		groups resource.IDs
		want   []resource.Property
	}{
		{"no group", nil, nil},
		{"a group that is gone", resource.IDs{99}, nil},
		{"the root", resource.IDs{1},
			[]resource.Property{prop("owner", "IT"), prop("site", "HQ"), prop("snmp.community", "public")}},
		{"the nearest wins, whatever its letter case", resource.IDs{3},
			[]resource.Property{prop("Site", "Oslo"), prop("owner", "IT"), prop("rack", "12"),
				prop("snmp.community", "public")}},
		{"the first group wins", resource.IDs{4, 3},
			[]resource.Property{prop("floor", "2"), prop("owner", "IT"), prop("rack", "7"), prop("site", "Rome"),
				prop("snmp.community", "public")}},
		{"the first group wins, even the root", resource.IDs{1, 3},
			[]resource.Property{prop("owner", "IT"), prop("rack", "12"), prop("site", "HQ"),
				prop("snmp.community", "public")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tree.Inherited(tt.groups); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestBelowIsAGroupAndEverythingInside(t *testing.T) {
	tree := &fleet.Tree{Children: map[int64][]int64{1: {2, 4}, 2: {3}}}
	want := map[int64][]int64{1: {1, 2, 4, 3}, 2: {2, 3}, 3: {3}}
	if got := tree.Below([]int64{1, 2, 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
