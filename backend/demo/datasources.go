package demo

import (
	"spyglass/backend/portal/datasource"
)

// firstDataSource is the id of the company's first own data source. The last one,
// 22, is for examples and applies to nothing.
const firstDataSource = datasource.BuiltIn + 1

func (f *filler) dataSources() error {
	for i, d := range dataSources() {
		d.ID = firstDataSource + int64(i)
		if d.CollectInterval == 0 {
			d.CollectInterval = 120
		}
		if err := datasource.AddDataSource(f.write, &d); err != nil {
			return err
		}
	}
	return nil
}

// dataSources returns the data sources of the company in addition to the built-in
// ones.
func dataSources() []datasource.DataSource {
	gauge, counter, computed, plot := datasource.Gauge, datasource.Counter, datasource.Computed, datasource.Plot
	return []datasource.DataSource{
		{
			Name: "Linux_Host", DisplayName: "Linux", Description: "Processors, memory and load of Linux servers",
			Group: "Servers", Tags: "linux,cpu,memory", AppliesTo: `hasCategory("linux")`, CollectMethod: "snmp",
			DataPoints: []datasource.DataPoint{
				gauge("cpuIdlePercent", ".1.3.6.1.4.1.2021.11.11.0", "Idle, in percent"),
				computed("cpuPercent", "100-cpuIdlePercent", "Processors in use, in percent").Alert("> 85 93 98", 5),
				gauge("load1", ".1.3.6.1.4.1.2021.10.1.3.1", "Load average of the last minute"),
				gauge("load5", ".1.3.6.1.4.1.2021.10.1.3.2", "Load average of the last five minutes"),
				gauge("memoryTotal", ".1.3.6.1.4.1.2021.4.5.0", "Memory, in KB"),
				gauge("memoryAvailable", ".1.3.6.1.4.1.2021.4.6.0", "Free memory, in KB"),
				computed("memoryPercent", "(memoryTotal-memoryAvailable)/memoryTotal*100",
					"Memory in use, in percent").Alert("> 85 93 97", 3),
				gauge("processes", ".1.3.6.1.2.1.25.1.6.0", "Running processes"),
			},
			Graphs: []datasource.Graph{plot("Processors", "%", "cpuPercent"),
				plot("Memory", "%", "memoryPercent"), plot("Load", "", "load1", "load5"),
				plot("Processes", "", "processes")},
			OverviewGraphs: []datasource.Graph{plot("Processors and memory", "%", "cpuPercent", "memoryPercent")},
		},
		disks("Linux_Disks", "Linux file systems", "Space on file systems", `hasCategory("linux")`,
			"diskPercent"),
		{
			Name: "Windows_Host", DisplayName: "Windows",
			Description: "Processors, memory and sessions of Windows servers", Group: "Servers",
			Tags: "windows,cpu,memory", AppliesTo: `hasCategory("windows")`, CollectMethod: "snmp",
			DataPoints: []datasource.DataPoint{
				gauge("cpuPercent", ".1.3.6.1.2.1.25.3.3.1.2.1", "Processors in use, in percent").Alert(
					"> 85 93 98", 5),
				gauge("memoryTotal", ".1.3.6.1.2.1.25.2.2.0", "Memory, in KB"),
				gauge("memoryUsed", ".1.3.6.1.2.1.25.2.3.1.6.1", "Memory in use, in KB"),
				computed("memoryPercent", "memoryUsed/memoryTotal*100", "Memory in use, in percent").Alert(
					"> 88 94 98", 3),
				gauge("users", ".1.3.6.1.2.1.25.1.5.0", "User sessions"),
				gauge("processes", ".1.3.6.1.2.1.25.1.6.0", "Running processes"),
			},
			Graphs: []datasource.Graph{plot("Processors", "%", "cpuPercent"),
				plot("Memory", "%", "memoryPercent"), plot("Sessions", "", "users"),
				plot("Processes", "", "processes")},
			OverviewGraphs: []datasource.Graph{plot("Processors and memory", "%", "cpuPercent", "memoryPercent")},
		},
		disks("Windows_Disks", "Windows drives", "Space on drives", `hasCategory("windows")`, "diskPercent"),
		{
			Name: "Hypervisor_Host", DisplayName: "Hypervisor",
			Description: "Processors and memory of virtual machine hosts", Group: "Virtualisation",
			Tags: "vmware,cpu,memory", AppliesTo: `hasCategory("hypervisor")`, CollectMethod: "simulate",
			DataPoints: []datasource.DataPoint{
				gauge("cpuPercent", "cpuPercent", "Processors in use, in percent").Alert("> 80 90 96", 5),
				gauge("cpuReady", "cpuReady", "Time that guests wait for a processor, in percent").Alert("> 5 10", 5),
				gauge("memoryPercent", "memoryPercent", "Memory in use, in percent").Alert("> 88 94 98", 3),
				gauge("guests", "guests", "Running guests"),
				gauge("datastoreLatency", "datastoreLatency", "Slowest datastore, in ms").Alert("> 20 50", 5),
			},
			Graphs: []datasource.Graph{plot("Processors", "%", "cpuPercent", "cpuReady"),
				plot("Memory", "%", "memoryPercent"), plot("Guests", "", "guests"),
				plot("Datastore latency", "ms", "datastoreLatency")},
			OverviewGraphs: []datasource.Graph{plot("Processors and memory", "%", "cpuPercent", "memoryPercent")},
		},
		{
			Name: "UPS_Power", DisplayName: "Uninterruptible supply",
			Description: "Battery, load and input of supplies (UPS-MIB)", Group: "Power", Tags: "ups,power,battery",
			AppliesTo: `isUPS()`, CollectMethod: "snmp",
			DataPoints: []datasource.DataPoint{
				gauge("batteryMinutes", ".1.3.6.1.2.1.33.1.2.3.0", "Remaining battery time, in minutes").Alert(
					"< 15 8 4", 1),
				gauge("batteryPercent", ".1.3.6.1.2.1.33.1.2.4.0", "Charge of the battery, in percent").Alert(
					"< 80 50 20", 2),
				gauge("onBatterySeconds", ".1.3.6.1.2.1.33.1.2.2.0", "Time on battery, in seconds; 0 on mains "+
					"power").Alert("> 0 60 300", 1),
				gauge("loadPercent", ".1.3.6.1.2.1.33.1.4.4.1.5.1", "Load, in percent").Alert("> 75 90 97", 3),
				gauge("inputVoltage", ".1.3.6.1.2.1.33.1.3.3.1.3.1", "Input, in volts"),
				gauge("temperature", ".1.3.6.1.2.1.33.1.2.7.0", "Temperature of the battery, in °C").Alert(
					"> 35 40 45", 3),
			},
			Graphs: []datasource.Graph{plot("Battery", "minutes", "batteryMinutes"),
				plot("Charge and load", "%", "batteryPercent", "loadPercent"), plot("Input", "V", "inputVoltage"),
				plot("Temperature", "°C", "temperature")},
			OverviewGraphs: []datasource.Graph{plot("Load", "%", "loadPercent")},
		},
		{
			Name: "PostgreSQL", DisplayName: "PostgreSQL", Description: "Connections, transactions and replication",
			Group: "Databases", Tags: "database,postgresql", AppliesTo: `hasCategory("postgresql")`,
			CollectMethod: "simulate", CollectInterval: 60,
			DataPoints: []datasource.DataPoint{
				gauge("connections", "connections", "Open connections"),
				gauge("maxConnections", "maxConnections", "Maximum number of connections"),
				computed("connectionPercent", "connections/maxConnections*100", "Connections in use, in percent").Alert(
					"> 75 88 95", 3),
				counter("commits", "commits", "Transactions committed per second"),
				counter("rollbacks", "rollbacks", "Transactions rolled back per second").Alert("> 20 100", 3),
				gauge("cacheHitPercent", "cacheHitPercent", "Cache hits, in percent").Alert("< 95 85", 5),
				gauge("replicationLag", "replicationLag", "Lag of the slowest replica, in seconds").Alert(
					"> 10 60 300", 2),
			},
			Graphs: []datasource.Graph{plot("Connections", "", "connections", "maxConnections"),
				plot("Transactions", "1/s", "commits", "rollbacks"), plot("Cache hits", "%", "cacheHitPercent"),
				plot("Replication lag", "s", "replicationLag")},
			OverviewGraphs: []datasource.Graph{plot("Transactions", "1/s", "commits")},
		},
		{
			Name: "SQL_Server", DisplayName: "SQL Server", Description: "Connections, requests and waits",
			Group: "Databases", Tags: "database,mssql", AppliesTo: `hasCategory("mssql")`, CollectMethod: "simulate",
			CollectInterval: 60,
			DataPoints: []datasource.DataPoint{
				gauge("connections", "connections", "Open connections").Alert("> 400 600", 3),
				counter("batchRequests", "batchRequests", "Requests per second"),
				gauge("pageLifeExpectancy", "pageLifeExpectancy", "Page life expectancy, in seconds").Alert(
					"< 300 120", 5),
				gauge("blockedSessions", "blockedSessions", "Blocked sessions").Alert("> 5 15 40", 2),
				gauge("logPercent", "logPercent", "Use of the fullest transaction log, in percent").Alert(
					"> 75 88 96", 2),
			},
			Graphs: []datasource.Graph{plot("Connections", "", "connections", "blockedSessions"),
				plot("Requests", "1/s", "batchRequests"), plot("Page life expectancy", "s", "pageLifeExpectancy"),
				plot("Transaction log", "%", "logPercent")},
			OverviewGraphs: []datasource.Graph{plot("Requests", "1/s", "batchRequests")},
		},
		{
			Name: "Redis", DisplayName: "Redis", Description: "Memory, commands and evicted keys", Group: "Databases",
			Tags: "database,redis,cache", AppliesTo: `hasCategory("redis")`, CollectMethod: "simulate",
			CollectInterval: 60,
			DataPoints: []datasource.DataPoint{
				gauge("memoryUsed", "memoryUsed", "Memory in use, in bytes"),
				gauge("memoryMax", "memoryMax", "Memory limit, in bytes"),
				computed("memoryPercent", "memoryUsed/memoryMax*100", "Memory in use, in percent").Alert(
					"> 80 90 97", 3),
				counter("commands", "commands", "Commands per second"),
				counter("evictedKeys", "evictedKeys", "Keys evicted per second").Alert("> 1 20", 3),
				gauge("clients", "clients", "Connected clients"),
			},
			Graphs: []datasource.Graph{
				plot("Memory", "bytes", "memoryUsed").Works("free", "memoryMax-memoryUsed").Stacked(),
				plot("Commands", "1/s", "commands", "evictedKeys"), plot("Clients", "", "clients")},
			OverviewGraphs: []datasource.Graph{plot("Commands", "1/s", "commands")},
		},
		{
			Name: "Firewall_Sessions", DisplayName: "Firewall sessions",
			Description: "Sessions, processors and tunnels of firewalls", Group: "Network", Tags: "firewall,security",
			AppliesTo: `isFirewall()`, CollectMethod: "snmp", CollectInterval: 60,
			DataPoints: []datasource.DataPoint{
				gauge("sessions", ".1.3.6.1.4.1.12356.101.4.1.8.0", "Sessions").Alert("> 400000 700000 900000", 3),
				gauge("cpuPercent", ".1.3.6.1.4.1.12356.101.4.1.3.0", "Processors in use, in percent").Alert(
					"> 75 88 95", 5),
				gauge("memoryPercent", ".1.3.6.1.4.1.12356.101.4.1.4.0", "Memory in use, in percent").Alert(
					"> 80 88 95", 3),
				gauge("tunnels", ".1.3.6.1.4.1.12356.101.12.1.1.0", "Active tunnels"),
			},
			Graphs: []datasource.Graph{plot("Sessions", "", "sessions"),
				plot("Processors and memory", "%", "cpuPercent", "memoryPercent"), plot("Tunnels", "", "tunnels")},
			OverviewGraphs: []datasource.Graph{plot("Sessions", "", "sessions")},
		},
		{
			Name: "AccessPoint_Clients", DisplayName: "Wireless clients",
			Description: "Clients and radio quality of access points", Group: "Network",
			Tags: "wireless,radio", AppliesTo: `isWireless()`, CollectMethod: "snmp",
			DataPoints: []datasource.DataPoint{
				gauge("clients", ".1.3.6.1.4.1.14823.2.3.3.1.2.2.1.21.0", "Connected clients").Alert("> 40 60", 5),
				gauge("channelPercent", ".1.3.6.1.4.1.14823.2.3.3.1.2.2.1.6.0",
					"Use of the busiest channel, in percent").Alert("> 60 80 95", 5),
				gauge("noiseFloor", ".1.3.6.1.4.1.14823.2.3.3.1.2.2.1.5.0", "Noise, in dBm"),
				counter("retries", ".1.3.6.1.4.1.14823.2.3.3.1.2.2.1.9.0", "Retransmitted frames per second").Alert(
					"> 200 600", 5),
			},
			Graphs: []datasource.Graph{plot("Clients", "", "clients"), plot("Channel", "%", "channelPercent"),
				plot("Noise", "dBm", "noiseFloor"), plot("Retries", "1/s", "retries")},
			OverviewGraphs: []datasource.Graph{plot("Clients", "", "clients")},
		},
		disks("Storage_Volumes", "Volumes", "Space and performance of storage volumes", `isStorage()`,
			"volumePercent",
			gauge("latency", ".1.3.6.1.4.1.789.1.5.4.1.31.##WILDVALUE##", "Latency, in ms").Alert("> 15 40", 5),
			counter("operations", ".1.3.6.1.4.1.789.1.5.4.1.32.##WILDVALUE##", "Reads and writes per second")),
		{
			Name: "Backup_Jobs", DisplayName: "Backup jobs", Description: "Results of the nightly backups",
			Group: "Servers", Tags: "backup", AppliesTo: `hasCategory("backup")`, CollectMethod: "simulate",
			CollectInterval: 600,
			DataPoints: []datasource.DataPoint{
				gauge("failedJobs", "failedJobs", "Failed jobs").Alert("> 0 2 5", 1),
				gauge("runningJobs", "runningJobs", "Running jobs"),
				gauge("hoursSinceSuccess", "hoursSinceSuccess", "Hours since the last successful job").Alert(
					"> 26 50 98", 1),
				gauge("repositoryPercent", "repositoryPercent", "Use of the repository, in percent").Alert(
					"> 80 90 96", 2),
			},
			Graphs: []datasource.Graph{plot("Jobs", "", "failedJobs", "runningJobs"),
				plot("Since the last success", "hours", "hoursSinceSuccess"),
				plot("Repository", "%", "repositoryPercent")},
			OverviewGraphs: []datasource.Graph{plot("Repository", "%", "repositoryPercent")},
		},
		{
			Name: "Printer_Supplies", DisplayName: "Printer supplies",
			Description: "Toner and pages; unused since the printers are rented", Group: "Office", Tags: "printer",
			AppliesTo: `hasCategory("printer")`, CollectMethod: "snmp", CollectInterval: 3600,
			DataPoints: []datasource.DataPoint{
				gauge("tonerPercent", ".1.3.6.1.2.1.43.11.1.1.9.1.1", "Toner, in percent").Alert("< 15 5", 2),
				counter("pages", ".1.3.6.1.2.1.43.10.2.1.4.1.1", "Pages per second"),
			},
			Graphs:         []datasource.Graph{plot("Toner", "%", "tonerPercent"), plot("Pages", "1/s", "pages")},
			OverviewGraphs: []datasource.Graph{plot("Toner", "%", "tonerPercent")},
		},
	}
}

// disks returns a data source for storage that fills up, one instance each
// (HOST-RESOURCES-MIB).
func disks(name, displayName, description, appliesTo, percent string,
	more ...datasource.DataPoint) datasource.DataSource {
	const table = ".1.3.6.1.2.1.25.2.3.1."
	d := datasource.DataSource{
		Name: name, DisplayName: displayName, Description: description, Group: "Storage", Tags: "disk,capacity",
		AppliesTo: appliesTo, CollectMethod: "snmp", CollectInterval: 300,
		EnableDiscovery: true,
		Discovery: &datasource.Discovery{ScheduleInterval: 120, DeleteInactive: true,
			Method: map[string]any{"name": "ad_snmp", "discoveryType": "wildcard", "OID": table + "3",
				"lookupOID": table + "3"}},
		DataPoints: append([]datasource.DataPoint{
			datasource.Gauge("capacity", table+"5.##WILDVALUE##", "Size, in blocks"),
			datasource.Gauge("used", table+"6.##WILDVALUE##", "Of that in use, in blocks"),
			datasource.Computed(percent, "used/capacity*100", "Of that in use, in percent").Alert("> 80 90 97", 2),
		}, more...),
		Graphs: []datasource.Graph{datasource.Plot("Use", "%", percent),
			datasource.Plot("Blocks", "", "used").Works("free", "capacity-used").Stacked()},
		OverviewGraphs: []datasource.Graph{datasource.Plot("Use", "%", percent)},
	}
	for _, p := range more {
		d.Graphs = append(d.Graphs, datasource.Plot(p.Description, "", p.Name))
	}
	return d
}
