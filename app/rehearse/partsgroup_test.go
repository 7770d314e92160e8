package rehearse_test

import (
	"fmt"
	"strings"
	"testing"
)

// inGroup returns the path of the thresholds that a device group has for a data source.
func (p *portal) inGroup(group, source string) string {
	return fmt.Sprintf("/device/groups/%s/datasources/%s/alertsettings", id(p.named("/device/groups", "name", group)),
		id(p.named("/setting/datasources", "name", source)))
}

// points returns what a device group sets for the data points of a data source.
func (p *portal) points(group, source string) string {
	var out []string
	all, _ := p.request("GET", p.inGroup(group, source), "")["dpConfig"].([]any)
	for _, one := range all {
		o := one.(map[string]any)
		out = append(out, fmt.Sprint(o["dataPointName"], " ", o["alertExpr"], " ", o["alertExprNote"], " ",
			o["disableAlerting"], " ", o["alertForNoData"], " ", o["alertTransitionInterval"], " ",
			o["alertClearTransitionInterval"]))
	}
	return strings.Join(out, "; ")
}

func TestThresholdsOfDeviceGroupsAreRehearsed(t *testing.T) {
	real, copied := open(t, "Real"), open(t, "Rehearsal")
	real.furnish()
	real.furnishParts()
	real.request("PATCH", real.inGroup("Servers", "Own_Ports"), `{"dpConfig": [
		{"dataPointName": "in", "alertExpr": "> 40", "alertExprNote": "Old lines", "alertClearTransitionInterval": 5},
		{"dataPointName": "out", "disableAlerting": true}]}`)
	real.request("PATCH", real.inGroup("Web", "Own_Ping"),
		`{"dpConfig": [{"dataPointName": "average", "alertExpr": "> 60", "alertForNoData": 3}]}`)
	// a data source whose copy applies to no device
	real.request("PATCH", real.inGroup("Web", "Own_Secret"),
		`{"dpConfig": [{"dataPointName": "average", "alertTransitionInterval": 2}]}`)
	copied.add("/setting/functions", `{"name": "unrelated", "code": "true()"}`)
	r := rehearsal(t, real, copied)
	report, err := r.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const servers = "in > 40 Old lines false -1 -1 5; out   true -1 -1 -1"
	for _, at := range [][3]string{
		{"Servers", "Own_Ports", servers},
		{"Web", "Own_Ping", "average > 60  false 3 -1 -1"},
		{"Web", "Own_Secret", "average   false -1 2 -1"},
		{"Edge", "Own_Ports", "in   false -1 -1 -1; out   false -1 -1 -1"},
	} {
		if got := copied.points(at[0], at[1]); got != at[2] {
			t.Errorf("%s has the thresholds %q for %s, not %q", at[0], got, at[1], at[2])
		}
	}
	for _, c := range report.Counts {
		if c.Noun == "thresholds" && (c.Read != 8 || c.Copied != 8) {
			t.Errorf("the report counts %+v", c)
		}
	}
	if d := diff(t, r); len(d.Steps)+len(d.Elsewhere)+len(d.Notes) > 0 {
		t.Fatalf("without changes, the difference is %+v", d)
	}

	copied.request("PATCH", copied.inGroup("Servers", "Own_Ports"), `{"dpConfig": [{"dataPointName": "in",
		"alertExpr": "> 45", "alertExprNote": "Old lines", "alertClearTransitionInterval": 5}]}`)
	copied.request("PATCH", copied.inGroup("Edge", "Own_Ports"),
		`{"dpConfig": [{"dataPointName": "out", "alertExpr": "> 1"}]}`)
	copied.request("PATCH", copied.inGroup("Web", "Own_Ping"), `{"dpConfig": [{"dataPointName": "average"}]}`)
	fresh := copied.add("/device/groups", `{"name": "Fresh"}`)
	edge := copied.named("/device/devices", "displayName", "edge-1")
	copied.request("PATCH", "/device/devices/"+id(edge),
		fmt.Sprintf(`{"hostGroupIds": "%s,%d"}`, edge["hostGroupIds"], fresh))
	copied.request("PATCH", copied.inGroup("Fresh", "Own_Ports"),
		`{"dpConfig": [{"dataPointName": "in", "alertExpr": "> 2"}]}`)
	// somebody else changes another field of the same threshold
	real.request("PATCH", real.inGroup("Servers", "Own_Ports"), `{"dpConfig": [{"dataPointName": "in",
		"alertExpr": "> 41", "alertExprNote": "Mended lines", "alertClearTransitionInterval": 5}]}`)

	d := diff(t, r)
	var got []string
	for _, s := range d.Steps {
		got = append(got, s.Method+" "+s.Path+" "+strings.Join(s.Warnings, "; "))
	}
	steps := strings.Join(got, "\n")
	source := id(real.named("/setting/datasources", "name", "Own_Ports"))
	for _, want := range []string{
		"PATCH " + real.inGroup("Servers", "Own_Ports") + ` alertExpr was changed in the portal since the copy: ` +
			`it is "> 41" now, and was "> 40"`,
		"PATCH " + real.inGroup("Edge", "Own_Ports") + " ",
		"PATCH " + real.inGroup("Web", "Own_Ping") + " ",
		fmt.Sprintf("PATCH /device/groups/{{deviceGroup_%d}}/datasources/%s/alertsettings ", fresh, source),
	} {
		if !strings.Contains(steps+"\n", want+"\n") {
			t.Errorf("there is no step\n%s\nin\n%s", want, steps)
		}
	}
	if len(d.Notes) > 0 || len(d.Elsewhere) != 1 || d.Elsewhere[0].Name != "in of Servers" {
		t.Errorf("the difference has the notes %q, and %+v changed elsewhere", d.Notes, d.Elsewhere)
	}
	carryOut(t, real, d)
	if d = diff(t, r); len(d.Steps)+len(d.Notes) > 0 {
		t.Errorf("after all requests were sent, these are left: %+v %q", d.Steps, d.Notes)
	}
	for _, at := range [][3]string{
		{"Servers", "Own_Ports", "in > 45 Mended lines false -1 -1 5; out   true -1 -1 -1"},
		{"Edge", "Own_Ports", "in   false -1 -1 -1; out > 1  false -1 -1 -1"},
		{"Web", "Own_Ping", "average   false -1 -1 -1"},
		{"Fresh", "Own_Ports", "in > 2  false -1 -1 -1; out   false -1 -1 -1"},
	} {
		if got := real.points(at[0], at[1]); got != at[2] {
			t.Errorf("%s of the real portal has the thresholds %q for %s, not %q", at[0], got, at[1], at[2])
		}
	}
}

func TestThresholdsOfDeletedDeviceGroupsAreLeftOut(t *testing.T) {
	real, copied := open(t, "Real"), open(t, "Rehearsal")
	real.furnish()
	real.furnishParts()
	group := real.add("/device/groups", `{"name": "Lost", "appliesTo": "isEdge()"}`)
	real.add("/device/groups", `{"name": "Left", "appliesTo": "isEdge()"}`)
	for _, name := range []string{"Lost", "Left"} {
		real.request("PATCH", real.inGroup(name, "Own_Ports"),
			`{"dpConfig": [{"dataPointName": "in", "alertExpr": "> 40"}]}`)
	}
	r := rehearsal(t, real, copied)
	if _, err := r.Copy(t.Context()); err != nil {
		t.Fatal(err)
	}
	copied.request("PATCH", copied.inGroup("Lost", "Own_Ports"),
		`{"dpConfig": [{"dataPointName": "in", "alertExpr": "> 45"}]}`)
	left := id(copied.named("/device/groups", "name", "Left"))
	copied.request("DELETE", "/device/groups/"+left, "")
	real.request("DELETE", fmt.Sprint("/device/groups/", group), "")
	d := diff(t, r)
	for _, s := range d.Steps {
		if s.Method != "DELETE" {
			t.Errorf("there is a step %+v", s)
		}
	}
	want := "The threshold “in of Lost” is left out: the portal does not have its device group or data source."
	if len(d.Notes) != 1 || d.Notes[0] != want {
		t.Errorf("the notes are %q", d.Notes)
	}
}
