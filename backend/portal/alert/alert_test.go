package alert

import (
	"testing"
	"time"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
)

func TestStatusIsTheHighestSeverity(t *testing.T) {
	const warn, failed, critical = threshold.SeverityWarn, threshold.SeverityError, threshold.SeverityCritical
	for _, tt := range []struct {
		name   string
		alerts []Alert
		want   string
	}{
		{"none", nil, "none"},
		{"only a cleared one", []Alert{{Severity: critical, Cleared: true}}, "none"},
		{"one", []Alert{{Severity: warn}}, "unconfirmed-warn-none"},
		{"one acknowledged", []Alert{{Severity: failed, Acked: true}}, "confirmed-error-none"},
		{"one covered", []Alert{{Severity: critical, SDTed: true}}, "unconfirmed-critical-sdt"},
		{"the worst counts", []Alert{{Severity: warn}, {Severity: failed, Acked: true, SDTed: true}, {Severity: warn}},
			"confirmed-error-sdt"},
		{"all of the worst have to be acknowledged", []Alert{{Severity: failed, Acked: true}, {Severity: failed}},
			"unconfirmed-error-none"},
		{"all of the worst have to be covered",
			[]Alert{{Severity: failed, SDTed: true}, {Severity: failed, Acked: true}},
			"unconfirmed-error-none"},
		{"a cleared one that was worse", []Alert{{Severity: critical, Cleared: true}, {Severity: warn, Acked: true}},
			"confirmed-warn-none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := AlertStatus(tt.alerts); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAlertMessage(t *testing.T) {
	zone := time.FixedZone("CEST", 2*60*60)
	for _, tt := range []struct {
		value, threshold string
		severity         int64
		cleared          bool
		want             string
	}{
		{"83.48259", "> 60 80 90", threshold.SeverityError, false,
			"loss of Ping on fjord is 83.48 %; it should be at most 60 % (error above 80 %). Error since 2026-05-04 " +
				"14:00:00 " +
				"CEST."},
		{"61", "> 60 80 90", threshold.SeverityWarn, false,
			"loss of Ping on fjord is 61 %; it should be at most 60 %. Warning since 2026-05-04 14:00:00 CEST."},
		{"3", "<= 5 3", threshold.SeverityError, true,
			"loss of Ping on fjord was 3 %; it should be above 5 % (error down from 3 %). Error from 2026-05-04 " +
				"14:00:00 " +
				"CEST to 2026-05-04 14:05:00 CEST."},
		{"123456.7", ">= 0 0 1000", threshold.SeverityCritical, false,
			"loss of Ping on fjord is 123457 %; it should be below 0 % (critical from 1000 %). Critical since " +
				"2026-05-04 " +
				"14:00:00 CEST."},
		{"-7", "!= 1", threshold.SeverityWarn, false,
			"loss of Ping on fjord is down (-7); it should be up (1). Warning since 2026-05-04 14:00:00 CEST."},
		{"1", "= 1 2", threshold.SeverityError, false,
			"loss of Ping on fjord is up (1); it should be other than up (1). Error since 2026-05-04 14:00:00 CEST."},
		{NoData, "> 60", threshold.SeverityCritical, false,
			"loss of Ping on fjord gave no data from 2026-05-04 14:00:00 CEST on (critical)."},
	} {
		a := &Alert{
			Severity: tt.severity, DeviceName: "fjord", InstanceName: "Ping", DataPointID: 11, DataPointName: "loss",
			Value: tt.value, Threshold: tt.threshold,
			StartOn: 1777896000, EndOn: 1777896300, Cleared: tt.cleared,
		}
		source := &datasource.DataSource{Graphs: []datasource.Graph{datasource.Plot("Loss", "%", "loss")},
			DataPoints: []datasource.DataPoint{{ID: 11, Name: "loss",
				StatusDisplayNames: []datasource.StatusDisplayName{{Operator: "LT", Value: "0", Word: "down"},
					{Operator: "EQ", Value: "1", Word: "up"}}}}}
		s := &alertSubject{alert: a, device: &fleet.Device{}, instance: &fleet.Instance{}, source: source,
			tree: &fleet.Tree{}, zone: time.UTC}
		if got := (Wording{s}).In(zone).Message().Body; got != tt.want {
			t.Errorf("%s against %s:\n got %s\nwant %s", tt.value, tt.threshold, got, tt.want)
		}
	}
}

func TestAlertSummary(t *testing.T) {
	for _, tt := range []struct{ value, threshold, want string }{
		{"97.123456", "> 60 80 90", "97.12, above 90"},
		{"4", "<= 5", "4, down from 5"},
		{"2", "!= 1", "2"},
		{NoData, "> 60", NoData},
		{"1", "", "1"},
	} {
		if got := AlertInShort(tt.value, tt.threshold, threshold.SeverityCritical); got != tt.want {
			t.Errorf("%s against %q is %q, want %q", tt.value, tt.threshold, got, tt.want)
		}
	}
}

func TestRuleMatchesByItsPatterns(t *testing.T) {
	alert := Alert{Severity: threshold.SeverityError, DeviceName: "web-01.osl", DataSourceName: "SNMP_Interfaces",
		InstanceName: "SNMP_Interfaces-eth0", DataPointName: "Status"}
	groups := []string{"", "Servers/Linux", "Services/Web shop"}
	any := []string{"*"}
	for _, tt := range []struct {
		name string
		rule Rule
		want bool
	}{
		{"everything",
			Rule{Level: "All", Devices: any, DeviceGroups: any, DataSource: "*", Instance: "*", DataPoint: "*"}, true},
		{"its level", Rule{Level: "Error", Devices: any, DeviceGroups: any, DataSource: "*", Instance: "*",
			DataPoint: "*"}, true},
		{"another level",
			Rule{Level: "Critical", Devices: any, DeviceGroups: any, DataSource: "*", Instance: "*",
				DataPoint: "*"}, false},
		{"one of the devices",
			Rule{Level: "All", Devices: []string{"db-*", "WEB-*.osl"}, DeviceGroups: any, DataSource: "*",
				Instance:  "*",
				DataPoint: "*"}, true},
		{"other devices",
			Rule{Level: "All", Devices: []string{"web"}, DeviceGroups: any, DataSource: "*", Instance: "*",
				DataPoint: "*"},
			false},
		{"one of its groups",
			Rule{Level: "All", Devices: any, DeviceGroups: []string{"services/web*"}, DataSource: "*", Instance: "*",
				DataPoint: "*"}, true},
		{"a group above, without the stars",
			Rule{Level: "All", Devices: any, DeviceGroups: []string{"Services"}, DataSource: "*", Instance: "*",
				DataPoint: "*"},
			false},
		{"its data source",
			Rule{Level: "All", Devices: any, DeviceGroups: any, DataSource: "snmp_*", Instance: "*-eth?",
				DataPoint: "status"}, true},
		{"another instance",
			Rule{Level: "All", Devices: any, DeviceGroups: any, DataSource: "*", Instance: "*-eth1",
				DataPoint: "*"}, false},
		{"another data point",
			Rule{Level: "All", Devices: any, DeviceGroups: any, DataSource: "*", Instance: "*", DataPoint: "InErrors"},
			false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.rule.fits(&alert, groups); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFirstDestinationInItsPeriodIsUsed(t *testing.T) {
	stages := func(addr string) [][]Recipient { return [][]Recipient{{{Addr: addr}}} }
	days := func(timezone string, start, end int64, on ...int64) *Period {
		return &Period{WeekDays: on, Timezone: timezone, StartMinutes: start, EndMinutes: end}
	}
	chain := Chain{Destinations: []Destination{
		{Type: "timebased", Period: days("Europe/Berlin", 7*60, 19*60, 2, 3, 4, 5, 6), Stages: stages("desk")},
		{Type: "timebased", Period: days("UTC", 22*60, 6*60, 7), Stages: stages("weekend night")},
		{Type: "timebased", Period: days("UTC", 0, 24*60, 1), Stages: stages("sunday")},
	}}
	for text, want := range map[string]string{
		"2026-05-04T05:00:00Z": "desk", // Monday, 07:00 in Berlin
		"2026-05-04T04:59:00Z": "",
		"2026-05-04T17:00:00Z": "",
		"2026-05-09T12:00:00Z": "",              // Saturday
		"2026-05-09T23:00:00Z": "weekend night", // continues on Sunday
		"2026-05-10T05:59:00Z": "weekend night", // after midnight
		"2026-05-10T06:00:00Z": "sunday",
		"2026-05-09T05:00:00Z": "", // Friday night is not part of the period
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		got, destination := chain.StagesAt(at)
		if want == "" && (got != nil || destination != 0) || want != "" &&
			(len(got) != 1 || got[0][0].Addr != want || chain.Destinations[destination-1].Stages[0][0].Addr != want) {
			t.Errorf("%s: %v of destination %d, want %s", text, got, destination, want)
		}
	}
	everyHour := Chain{Destinations: []Destination{{Type: "single", Stages: stages("all")}}}
	if got, destination := everyHour.StagesAt(time.Time{}); len(got) != 1 || destination != 1 {
		t.Errorf("a single destination counts at any time, got %v of %d", got, destination)
	}
}

func TestNotesAndMessagesAreLimited(t *testing.T) {
	a := Alert{}
	for i := range maxNotes + 5 {
		a.note("x", 0, integer(int64(i)))
	}
	if len(a.Notes) != maxNotes || a.Notes[0].Text != "5" {
		t.Errorf("%d notes from %s on", len(a.Notes), a.Notes[0].Text)
	}
	s := &alertSubject{alert: &Alert{}, device: &fleet.Device{}, instance: &fleet.Instance{}, tree: &fleet.Tree{},
		source: &datasource.DataSource{}}
	s.alert.Value = string(make([]byte, maxMessage))
	if got := s.render("##VALUE####VALUE####VALUE##"); len(got) != maxMessage {
		t.Errorf("a message of %d bytes", len(got))
	}
	if got := s.render("##LEVEL## ##a b## #### ##x"); got != " ##a b## #### ##x" {
		t.Errorf("got %q", got)
	}
}
