package demo

import (
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// site is a place where the company has machines.
type site struct {
	code     string // suffix of its display names
	group    int64
	location string // location of a device in a rack
	office   string // location of any other device
	racks    int
	subnet   int // second number of the standard addresses, 10.x
	further  int // second number of the first additional round
}

var sites = []site{
	{code: "fra", group: siteFrankfurt, location: "Frankfurt FR5", office: "Frankfurt head office", racks: 14,
		subnet: 10, further: 64},
	{code: "osl", group: siteOslo, location: "Oslo OS2", office: "Oslo terminal", racks: 8, subnet: 20, further: 128},
	{code: "aus", group: siteAustin, location: "Austin AU1", office: "Austin terminal", racks: 8, subnet: 30,
		further: 192},
}

// The ids of the groups.
const (
	network int64 = iota + 2
	core
	access
	wireless
	firewalls
	servers
	linux
	windows
	virtualisation
	databases
	storage
	power
	siteRoot
	siteFrankfurt
	siteOslo
	siteAustin
	services
	WebShop // where incidents happen unless another site is named
	booking
	tracking
	identity
	preProduction
	backups
	decommissioned
)

func props(pairs ...string) []resource.Property {
	list := make([]resource.Property, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, resource.Property{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// groups lists all groups except the root, parents first. Three are dynamic; the
// kinds of machines list these, too, and Fill omits them.
var groups = []fleet.Group{
	{ID: network, ParentID: ground.RootGroup, Name: "Network", Description: "Switches, firewalls and access points",
		CustomProperties: props("owner", "Network team", "contact", "network@kestrel-freight.example", "snmp.version",
			"v3", "snmp.port", "161", "snmp.security", "spyglass", "snmp.authtoken", "hazel-otter-41")},
	{ID: core, ParentID: network, Name: "Core", Description: "Core and distribution switches",
		CustomProperties: props("priority", "critical", "uplink.speed", "100G")},
	{ID: access, ParentID: network, Name: "Access", Description: "Switches in offices and warehouses",
		CustomProperties: props("priority", "normal", "snmp.version", "v2c", "snmp.community", "kestrel-read")},
	{ID: wireless, ParentID: network, Name: "Wireless", Description: "Access points", AppliesTo: `isWireless()`,
		CustomProperties: props("priority", "normal", "wifi.country", "by site")},
	{ID: firewalls, ParentID: network, Name: "Firewalls", Description: "Active/standby pairs",
		CustomProperties: props("priority", "critical", "owner", "Security team", "contact",
			"security@kestrel-freight.example")},
	{ID: servers, ParentID: ground.RootGroup, Name: "Servers", Description: "Linux and Windows servers, and " +
		"hypervisors",
		CustomProperties: props("owner", "Platform team", "contact", "platform@kestrel-freight.example", "patch.window",
			"Sunday 02:00-05:00")},
	{ID: linux, ParentID: servers, Name: "Linux", Description: "Debian and Rocky Linux",
		CustomProperties: props("ssh.user", "spyglass", "ssh.port", "22")},
	{ID: windows, ParentID: servers, Name: "Windows", Description: "Windows Server",
		CustomProperties: props("wmi.user", `KESTREL\svc-spyglass`, "wmi.pass", "Plover-Estuary-77")},
	{ID: virtualisation, ParentID: servers, Name: "Virtualisation", Description: "Hypervisors",
		AppliesTo: `hasCategory("hypervisor")`, CustomProperties: props("esx.user", "svc-spyglass", "esx.pass",
			"Grebe-Harbour-19", "priority", "critical")},
	{ID: databases, ParentID: ground.RootGroup, Name: "Databases", Description: "PostgreSQL, SQL Server and Redis",
		CustomProperties: props("owner", "Data team", "contact", "data@kestrel-freight.example", "jdbc.user",
			"spyglass", "jdbc.pass", "Heron-Quay-52", "priority", "critical")},
	{ID: storage, ParentID: ground.RootGroup, Name: "Storage", Description: "Arrays behind the hypervisors",
		CustomProperties: props("owner", "Platform team", "contact", "platform@kestrel-freight.example")},
	{ID: power, ParentID: ground.RootGroup, Name: "Power", Description: "Uninterruptible supplies",
		CustomProperties: props("owner", "Facilities", "contact", "facilities@kestrel-freight.example", "snmp.version",
			"v2c", "snmp.community", "kestrel-power")},
	{ID: siteRoot, ParentID: ground.RootGroup, Name: "Sites", Description: "The same devices by site"},
	{ID: siteFrankfurt, ParentID: siteRoot, Name: "Frankfurt", Description: "Head office and main data centre",
		CustomProperties: props("location", "Frankfurt am Main, Germany", "timezone", "Europe/Berlin", "site.code",
			"fra", "parent.device", "core-sw-01.fra", "contact.phone", "+49 69 5550 0100")},
	{ID: siteOslo, ParentID: siteRoot, Name: "Oslo", Description: "Northern hub",
		CustomProperties: props("location", "Oslo, Norway", "timezone", "Europe/Oslo", "site.code", "osl",
			"parent.device", "core-sw-01.osl", "contact.phone", "+47 21 55 01 00")},
	{ID: siteAustin, ParentID: siteRoot, Name: "Austin", Description: "American hub",
		CustomProperties: props("location", "Austin, Texas, USA", "timezone", "America/Chicago", "site.code", "aus",
			"parent.device", "core-sw-01.aus", "contact.phone", "+1 512 555 0100")},
	{ID: services, ParentID: ground.RootGroup, Name: "Services", Description: "Services for customers and staff, " +
		"with their servers", CustomProperties: props("owner", "Service desk", "contact",
		"servicedesk@kestrel-freight.example")},
	{ID: WebShop, ParentID: services, Name: "Web shop", Description: "shop.kestrel-freight.example",
		CustomProperties: props("service.url", "https://shop.kestrel-freight.example/", "service.tier", "gold",
			"tls.host", "shop.kestrel-freight.example")},
	{ID: booking, ParentID: services, Name: "Booking", Description: "Freight booking for agents",
		CustomProperties: props("service.url", "https://booking.kestrel-freight.example/", "service.tier", "gold")},
	{ID: tracking, ParentID: services, Name: "Tracking", Description: "Parcel tracking for customers",
		CustomProperties: props("service.url", "https://track.kestrel-freight.example/", "service.tier", "silver")},
	{ID: identity, ParentID: services, Name: "Mail and identity", Description: "Directory, mail and file shares",
		CustomProperties: props("service.tier", "gold")},
	{ID: preProduction, ParentID: ground.RootGroup, Name: "Pre-production", Description: "Servers of the next release",
		AppliesTo: `isStaging() && isServer()`, CustomProperties: props("environment", "pre-production", "owner",
			"Platform team")},
	{ID: backups, ParentID: servers, Name: "Backup", Description: "Backup servers and their libraries",
		CustomProperties: props("backup.window", "22:00-05:00", "backup.token", "wren-lantern-08")},
	{ID: decommissioned, ParentID: ground.RootGroup, Name: "Decommissioned", DisableAlerting: true,
		Description: "Switched off, waiting to be collected", CustomProperties: props("environment", "retired")},
}

// functions adds the functions for expressions. No expression calls the first
// one.
func (f *filler) functions() error {
	for _, fn := range []datasource.Function{
		{ID: 1, Name: "isShop", Code: `isLinux() && displayName =~ "web-*"`, Description: "Front ends of the shop, " +
			"including staging"},
		{ID: 2, Name: "isStaging", Code: `displayName =~ "*-stg-*"`, Description: "By our naming scheme"},
	} {
		if err := add(f, &fleet.Functions, &fn, nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) groups() error {
	ctx, tx := f.write.Context, f.write.Tx
	root, err := resource.Get(ctx, tx, fleet.Groups.Name, ground.RootGroup)
	if err != nil {
		return err
	}
	root.Description = "Kestrel Freight"
	root.CustomProperties = props("company", "Kestrel Freight", "environment", "production", "contact",
		"noc@kestrel-freight.example", "snmp.version", "v2c", "snmp.community", "kestrel-public")
	root.CreatedOn = f.ago(731)
	if err := resource.Put(ctx, tx, fleet.Groups.Name, root); err != nil {
		return err
	}
	for i, g := range groups {
		err := add(f, &fleet.Groups, &g, func(g *fleet.Group) { g.CreatedOn = f.ago(730 - int64(i)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// collectors adds the remote collector. It runs nowhere, so it is down, as the
// portal would find.
func (f *filler) collectors() error {
	c := collector.Collector{
		ID: 2, Description: "Collector in Oslo", Hostname: "collector-01.osl.kestrel-freight.example",
		GroupID: osloCollectors, BackupID: ground.BuiltInCollector,
		Status: 1, IsDown: true, Platform: "linux", Arch: "amd64", Build: setting.APIVersion, EnableFailBack: true,
		ResendIval: 15, NeedDevice: true,
		Properties: props("site", "Oslo", "rack", "Oslo OS2, rack 3"),
	}
	err := add(f, &collector.Collectors, &c, func(c *collector.Collector) {
		c.CreatedOn, c.UpdatedOn, c.LastHeartbeatOn = f.ago(412), f.ago(9), f.now-resource.Seconds(3*60*60+17)
	})
	if err != nil {
		return err
	}
	c = collector.Collector{
		ID: austinCollector, Description: "Collector in Austin", Hostname: "collector-01.aus.kestrel-freight.example",
		GroupID: ground.DefaultCollectorGroup, BackupID: ground.BuiltInCollector,
		Status: 1, Platform: "linux", Arch: "amd64", Build: setting.APIVersion, EnableFailBack: true, ResendIval: 15,
		NeedDevice: true,
		Properties: props("site", "Austin", "rack", "Austin AU1, rack 5", "system.categories", simulated),
	}
	return add(f, &collector.Collectors, &c, func(c *collector.Collector) {
		c.CreatedOn, c.UpdatedOn, c.LastHeartbeatOn = f.ago(96), f.ago(9), f.now-12
	})
}
