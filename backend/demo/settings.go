package demo

import (
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/opsnote"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
)

// austinCollector is simulated, like its devices: it is up unless an incident stops it.
const austinCollector int64 = 3

// The ids that other rows refer to.
const (
	osloCollectors int64 = 2
	networkChain   int64 = 1
	platformChain  int64 = 2
	shopChain      int64 = 3
)

func (f *filler) collectorGroups() error {
	for i, g := range []collector.CollectorGroup{
		{ID: osloCollectors, Name: "Oslo", Description: "Collectors of the northern hub",
			Properties: props("site", "Oslo", "snmp.community", "kestrel-osl")},
		{ID: 3, Name: "Austin", Description: "Waiting for the collector of the American hub",
			Properties: props("site", "Austin")},
	} {
		g.Strategy, g.MaxInstances = "none", 10_000
		err := add(f, &collector.CollectorGroups, &g, func(g *collector.CollectorGroup) {
			g.CreatedOn = f.ago(415 - 300*int64(i))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) integrations() error {
	for _, i := range []alert.Integration{
		{ID: 1, Name: "mail", Description: "The company's mail server", Type: alert.IntegrationSMTP,
			Host: "smtp.kestrel-freight.example", Port: 587, Security: "starttls",
			Username: "spyglass@kestrel-freight.example", Password: "Tern-Gangway-36",
			From: "Spyglass <spyglass@kestrel-freight.example>", Method: "POST", SecretHeader: "Authorization"},
		{ID: 2, Name: "duty-phone", Description: "Calls the person on call", Type: alert.IntegrationHTTP,
			URL: "https://duty.kestrel-freight.example/hooks/spyglass", Method: "POST",
			Headers: props("X-Source", "Spyglass"), SecretHeader: "Authorization", Secret: "Bearer curlew-mooring-58",
			Port: 587, Security: "starttls"},
		{ID: 3, Name: "austin-chat", Description: "The Austin room, before it moved", Type: alert.IntegrationHTTP,
			URL: "https://chat.kestrel-freight.example/hooks/austin", Method: "POST",
			SecretHeader: "X-Hook-Token", Secret: "plover-jetty-14", Port: 587, Security: "starttls"},
	} {
		if i.Headers == nil {
			i.Headers = props()
		}
		i.GroupAbove, i.GroupWait = 10, 30
		if err := add(f, &alert.Integrations, &i, nil); err != nil {
			return err
		}
	}
	return nil
}

// Recipients in the form that this company uses.
func user(name string) alert.Recipient {
	return alert.Recipient{Type: "ADMIN", Method: "email", Addr: name}
}

func phone(name string) alert.Recipient {
	return alert.Recipient{Type: "ADMIN", Method: "duty-phone", Addr: name}
}

func address(mail string) alert.Recipient {
	return alert.Recipient{Type: "ARBITRARY", Method: "email", Addr: mail + "@kestrel-freight.example"}
}

func everyoneIn(group string) alert.Recipient {
	return alert.Recipient{Type: "GROUP", Addr: group}
}

func (f *filler) recipientGroups() error {
	for _, g := range []alert.RecipientGroup{
		{ID: 1, Name: "Network team", Description: "Switches, firewalls and radio",
			Recipients: []alert.Recipient{user("operator"), address("network")}},
		{ID: 2, Name: "Platform team", Description: "Servers, hypervisors and storage",
			Recipients: []alert.Recipient{address("platform"), address("data")}},
		{ID: 3, Name: "Austin move", Description: "Team of the rack move in Austin last autumn",
			Recipients: []alert.Recipient{user("admin"), address("facilities")}},
	} {
		if err := add(f, &alert.RecipientGroups, &g, nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) chains() error {
	office := &alert.Period{WeekDays: []int64{2, 3, 4, 5, 6}, Timezone: "Europe/Berlin", StartMinutes: 7 * 60,
		EndMinutes: 19 * 60}
	always := func(stages ...[]alert.Recipient) []alert.Destination {
		return []alert.Destination{{Type: "single", Stages: stages}}
	}
	for _, c := range []alert.Chain{
		{ID: networkChain, Name: "Network operations", Description: "The network team, then the operator's phone",
			Destinations: always([]alert.Recipient{everyoneIn("Network team")}, []alert.Recipient{phone("operator")},
				[]alert.Recipient{user("admin"), phone("admin")}),
			CC: []alert.Recipient{address("noc")}, EnableThrottling: true, ThrottlingPeriod: 30,
			ThrottlingAlerts: 40},
		{ID: platformChain, Name: "Platform", Description: "The platform team, then the administrator",
			Destinations: always([]alert.Recipient{everyoneIn("Platform team")}, []alert.Recipient{user("admin")})},
		{ID: shopChain, Name: "Shop and booking", Description: "The service desk by day, the person on call at any " +
			"other time",
			Destinations: []alert.Destination{
				{Type: "timebased", Period: office, Stages: [][]alert.Recipient{{address("servicedesk")},
					{everyoneIn("Platform team")}}},
				{Type: "single", Stages: [][]alert.Recipient{{phone("operator")}, {phone("admin")}}},
			}},
		{ID: 4, Name: "Austin pilot", Description: "From the first weeks in Austin; not used by any rule",
			Destinations: always([]alert.Recipient{address("austin")})},
	} {
		if c.CC == nil {
			c.CC = []alert.Recipient{}
		}
		if err := add(f, &alert.Chains, &c, nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) rules() error {
	for _, r := range []alert.Rule{
		{ID: 1, Name: "Shop and booking down", Priority: 10, Level: "Critical",
			DeviceGroups: []string{"Services/Web shop*", "Services/Booking*"}, ChainID: shopChain, Interval: 10},
		{ID: 2, Name: "Core network", Priority: 20, Level: "Error",
			DeviceGroups: []string{"Network/Core*", "Network/Firewalls*"}, ChainID: networkChain, Interval: 15},
		{ID: 3, Name: "Servers and databases", Priority: 50, Level: "Error",
			DeviceGroups: []string{"Servers*", "Databases*", "Storage*"}, ChainID: platformChain, Interval: 30},
		{ID: 4, Name: "Austin warnings", Priority: 80, Level: "Warn", Devices: []string{"*.aus"}, ChainID: networkChain,
			Interval: 60, SuppressClear: true},
		{ID: 5, Name: "Everything else", Priority: 1000, Level: "All", ChainID: networkChain, Interval: 0,
			SuppressAck: true},
	} {
		if r.Devices == nil {
			r.Devices = []string{"*"}
		}
		if r.DeviceGroups == nil {
			r.DeviceGroups = []string{"*"}
		}
		r.DataSource, r.Instance, r.DataPoint = "*", "*", "*"
		if err := add(f, &alert.Rules, &r, nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) opsNotes() error {
	tagged := func(names ...string) (list []opsnote.NoteTag) {
		for _, name := range names {
			list = append(list, opsnote.NoteTag{Name: name})
		}
		return list
	}
	for _, n := range []struct {
		note   opsnote.OpsNote
		by     string
		before resource.Seconds // how long ago it happened
	}{
		{opsnote.OpsNote{ID: 1, Note: "Shop 5.2 went live on all front ends", Tags: tagged("deploy", "shop"),
			Scopes: []opsnote.NoteScope{{Type: "deviceGroup", GroupID: WebShop}}}, "operator", 26 * 3600},
		{opsnote.OpsNote{ID: 2, Note: "Firmware 17.9.4 on the core switches, one side at a time",
			Tags: tagged("change"), Scopes: []opsnote.NoteScope{{Type: "deviceGroup", GroupID: core}}}, "operator",
			3*day + 5*3600},
		{opsnote.OpsNote{ID: 3, Note: "Quarter end: no changes until the books are closed", Tags: tagged("freeze"),
			Scopes: []opsnote.NoteScope{{Type: "groupAll"}}}, "admin", 9 * day},
		{opsnote.OpsNote{ID: 4, Note: "The second power feed in Austin was tested", Tags: tagged("power", "austin"),
			Scopes: []opsnote.NoteScope{{Type: "deviceGroup", GroupID: siteAustin}}}, "admin", 40 * day},
	} {
		n.note.HappenedOn = f.now - n.before
		if err := add(f, &opsnote.OpsNotes, &n.note,
			func(note *opsnote.OpsNote) { note.CreatedBy = n.by }); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) reportGroups() error {
	for _, g := range []reporting.ReportGroup{
		{ID: 1, Name: "Availability", Description: "For the customers of shop, booking and tracking"},
		{ID: 2, Name: "Capacity", Description: "Use and growth of resources"},
		{ID: 3, Name: "Operations", Description: "Alerts and who acknowledged them, for the weekly meeting"},
		{ID: 4, Name: "Insurance audit", Description: "For last year's audit"},
	} {
		if err := add(f, &reporting.ReportGroups, &g, nil); err != nil {
			return err
		}
	}
	return nil
}
