package datasource

import (
	"context"
	"slices"
	"time"

	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// BuiltIn is the last id of the first built-in data sources. The ids of demo data
// sources follow. Later built-in data sources begin at LaterBuiltIn, so that ids
// in existing portals do not change.
const (
	BuiltIn      = 8
	LaterBuiltIn = 101
)

// Seed writes the data sources of a new portal. Users can change and delete them
// like all others.
func Seed(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	return AddBuiltIn(ctx, tx, now, 1)
}

// AddBuiltIn writes the built-in data sources from an id on. It skips those whose
// id or name already exists in the portal.
func AddBuiltIn(ctx context.Context, tx resource.Tx, now resource.Seconds, from int64) error {
	w := builtInWrite(ctx, tx, now, "Built in")
	for i, d := range builtInDataSources() {
		if d.ID = int64(i) + 1; d.ID > BuiltIn {
			d.ID += LaterBuiltIn - BuiltIn - 1
		}
		if d.ID < from {
			continue
		}
		there, err := resource.Find(ctx, tx, DataSourceRows,
			resource.Either(resource.Where{Field: "id", Op: "=", Value: d.ID},
				resource.Where{Field: "name", Op: "=", Value: d.Name}))
		if err != nil {
			return err
		}
		if len(there) > 0 {
			continue
		}
		d.Group = "Built in"
		if err := AddDataSource(w, &d); err != nil {
			return err
		}
	}
	return nil
}

func builtInWrite(ctx context.Context, tx resource.Tx, now resource.Seconds, reason string) *resource.Write {
	w := &resource.Write{Context: ctx, Tx: tx, Call: &resource.Call{At: time.Unix(int64(now), 0)},
		Given: func(string) bool { return true }}
	w.Call.Query = map[string][]string{"reason": {reason}}
	return w
}

// AddDataSource writes a data source declared in code, completed by its rules.
// With an id of 0 it gets the next id.
func AddDataSource(w *resource.Write, d *DataSource) error { return changeDataSource(w, nil, d) }

// AmendBuiltIn updates built-in data sources of an older portal, except for
// fields that users have changed.
func AmendBuiltIn(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	w := builtInWrite(ctx, tx, now, "Updated to the built-in definition of a newer version")
	for _, fresh := range builtInDataSources() {
		there, err := resource.Find(ctx, tx, DataSourceRows, resource.Where{Field: "name", Op: "=", Value: fresh.Name})
		if err != nil {
			return err
		}
		for i := range there {
			was := there[i]
			d := was
			if d.part(); !d.amend(&fresh) {
				continue
			}
			if err := changeDataSource(w, &was, &d); err != nil {
				return err
			}
		}
	}
	return nil
}

// amend applies the changes of a built-in data source since the first version,
// and reports whether anything has changed.
func (d *DataSource) amend(fresh *DataSource) (amended bool) {
	for i := range d.DataPoints {
		p := &d.DataPoints[i]
		k := slices.IndexFunc(fresh.DataPoints, func(f DataPoint) bool { return f.Name == p.Name })
		if k < 0 {
			continue
		}
		f := &fresh.DataPoints[k]
		switch {
		case d.Name == "TLS_Certificate" && p.Name == "valid" && p.AlertForNoData == noDataIsNoAlert &&
			p.AlertExpr == f.AlertExpr:
			p.AlertForNoData, amended = f.AlertForNoData, true
		case p.PostProcessorParam == "if(speed > 0, max(inBits, outBits)/speed/10000, 0)":
			p.PostProcessorParam, p.Description, amended = f.PostProcessorParam, f.Description, true
		}
	}
	if d.Discovery == nil || fresh.Discovery == nil || fresh.Discovery.Method["typeOID"] == nil ||
		d.Discovery.Method["OID"] != fresh.Discovery.Method["OID"] {
		return amended
	}
	if _, given := d.Discovery.Method["typeOID"]; !given {
		d.Discovery.Method["typeOID"], d.Discovery.Method["skipTypes"] = fresh.Discovery.Method["typeOID"],
			fresh.Discovery.Method["skipTypes"]
		amended = true
	}
	return amended
}

// noDataIsNoAlert is the alertForNoData of data points that may lack data.
const noDataIsNoAlert = 1

// changeDataSource writes a data source that code has changed; was is nil for a
// new one.
func changeDataSource(w *resource.Write, was, d *DataSource) error {
	if err := checkDataSource(w, was, d); err != nil {
		return err
	}
	if err := settleDataSource(w, was, d); err != nil {
		return err
	}
	if err := resource.Put(w.Context, w.Tx, DataSourceRows, d); err != nil {
		return err
	}
	return noteReason(w, d, w.Call.Query.Get("reason"))
}

// Availability is the name of the data source that checks whether a device
// responds; it applies to all devices.
const Availability = "Ping"

// builtInDataSources returns the data sources of a new portal, in the order of
// their ids. Package check documents the raw fields and the collectorAttribute of
// each check.
func builtInDataSources() []DataSource {
	return []DataSource{
		{
			Name: Availability, DisplayName: "Ping", Description: "Availability, round-trip time and packet loss",
			Tags:      "availability,latency",
			AppliesTo: `isDevice()`, CollectMethod: "ping", CollectInterval: 60,
			CollectorAttribute: CollectorAttribute{"sendPkts": 5, "timeout": 2000},
			DataPoints: []DataPoint{
				Gauge("average", "average", "Average round trip, in ms").Alert("> 100 300 1000", 3),
				Gauge("min", "min", "Fastest round trip, in ms"),
				Gauge("max", "max", "Slowest round trip, in ms"),
				Gauge("sentpkts", "sentpkts", "Packets sent"),
				Gauge("recvpkts", "recvpkts", "Packets received"),
				Gauge("PingLossPercent", "lossPercent", "Packets lost, in percent").Alert("> 10 40 90",
					2).NoData(threshold.SeverityError),
			},
			Graphs: []Graph{Plot("Round trip", "ms", "min", "average", "max"),
				Plot("Packet loss", "%", "PingLossPercent")},
			OverviewGraphs: []Graph{Plot("Round trip", "ms", "average"), Plot("Packet loss", "%", "PingLossPercent")},
		},
		{
			Name: "TCP_Port", DisplayName: "TCP port",
			Description: "Availability of the port in the property tcp.port", Tags: "availability,port",
			AppliesTo: `hasProperty("tcp.port")`, CollectMethod: "tcp", CollectInterval: 60,
			CollectorAttribute: CollectorAttribute{"port": "##tcp.port##", "timeout": 5000},
			DataPoints: []DataPoint{
				Gauge("status", "status", "1 while the port is open").Says("closed", "open").Alert("< 1 1 1", 2),
				Gauge("responseTime", "responseTime", "Time to connect, in ms").Alert("> 500 2000", 3),
			},
			Graphs:         []Graph{Plot("Time to connect", "ms", "responseTime"), Plot("Open", "", "status")},
			OverviewGraphs: []Graph{Plot("Time to connect", "ms", "responseTime")},
		},
		{
			Name: "HTTP_Page", DisplayName: "Web page",
			Description: "Availability and speed of the URL in the property http.url", Tags: "availability,web",
			AppliesTo: `hasProperty("http.url")`, CollectMethod: "http", CollectInterval: 120,
			CollectorAttribute: CollectorAttribute{"url": "##http.url##", "method": "GET", "followRedirect": true,
				"timeout": 10000},
			DataPoints: []DataPoint{
				Gauge("status", "status", "Status code of the response").Alert(">= 400 400 500",
					2).NoData(threshold.SeverityCritical),
				Gauge("responseTime", "responseTime", "Time until the response is complete, in ms").Alert(
					"> 2000 5000", 3),
				Gauge("size", "size", "Size of the response, in bytes"),
				Computed("throughput", "if(responseTime > 0, size / responseTime, 0)", "Transfer rate, in KB/s"),
			},
			Graphs: []Graph{Plot("Response time", "ms", "responseTime"), Plot("Size", "bytes", "size"),
				Plot("Throughput", "KB/s", "throughput")},
			OverviewGraphs: []Graph{Plot("Response time", "ms", "responseTime")},
		},
		{
			Name: "TLS_Certificate", DisplayName: "TLS certificate",
			Description: "Certificate of the host in the property tls.host", Tags: "security,certificate",
			AppliesTo: `hasProperty("tls.host")`, CollectMethod: "tls", CollectInterval: 3600,
			CollectorAttribute: CollectorAttribute{"host": "##tls.host##", "port": "##tls.port##", "timeout": 10000},
			DataPoints: []DataPoint{
				Gauge("daysLeft", "daysLeft", "Days until it expires").Alert("< 30 14 3", 1),
				Gauge("valid", "valid", "1 while it is trusted and valid for the host").Says("not valid",
					"valid").Alert("< 1 1", 2).NoData(threshold.SeverityError),
				Gauge("handshakeTime", "handshakeTime", "Time of the TLS handshake, in ms"),
			},
			Graphs:         []Graph{Plot("Days left", "days", "daysLeft"), Plot("Handshake", "ms", "handshakeTime")},
			OverviewGraphs: []Graph{Plot("Days left", "days", "daysLeft")},
		},
		{
			Name: "DNS_Answer", DisplayName: "DNS answer",
			Description: "Response of the device to a DNS query for the name in the property dns.name",
			Tags:        "availability,dns",
			AppliesTo:   `hasProperty("dns.name")`, CollectMethod: "dns", CollectInterval: 120,
			CollectorAttribute: CollectorAttribute{"host": "##dns.name##", "type": "A", "timeout": 5000},
			DataPoints: []DataPoint{
				Gauge("responseTime", "responseTime", "Response time, in ms").Alert("> 200 1000",
					3).NoData(threshold.SeverityError),
				Gauge("answers", "answers", "Records in the response").Alert("< 1 1", 2),
			},
			Graphs:         []Graph{Plot("Response time", "ms", "responseTime"), Plot("Records", "", "answers")},
			OverviewGraphs: []Graph{Plot("Response time", "ms", "responseTime")},
		},
		{
			Name: "SNMP_System", DisplayName: "SNMP system",
			Description: "Uptime and SNMP traffic of the device", Tags: "snmp,uptime",
			AppliesTo: `isSNMP()`, CollectMethod: "snmp", CollectInterval: 120,
			DataPoints: []DataPoint{
				Gauge("sysUpTime", ".1.3.6.1.2.1.1.3.0",
					"Uptime of the agent, in hundredths of a second").NoData(threshold.SeverityError),
				Computed("upTimeDays", "round(sysUpTime/8640000, 2)", "Uptime of the agent, in days"),
				Computed("restarted", "if(sysUpTime < 60000, 1, 0)", "1 for ten minutes after a start").Alert("> 0", 1),
				Counter("snmpInPkts", ".1.3.6.1.2.1.11.1.0", "Packets received by the agent per second"),
				Counter("snmpOutPkts", ".1.3.6.1.2.1.11.2.0", "Packets sent by the agent per second"),
			},
			Graphs: []Graph{Plot("Up time", "days", "upTimeDays"),
				Plot("SNMP packets", "packets/s", "snmpInPkts", "snmpOutPkts")},
			OverviewGraphs: []Graph{Plot("Up time", "days", "upTimeDays")},
		},
		snmpInterfaces(),
		{
			Name: "Host_Local", DisplayName: "This machine",
			Description: "The machine that the portal runs on: the device localhost, or one with the property " +
				"host.local",
			Tags:      "host",
			AppliesTo: onThisMachine, CollectMethod: "host", CollectInterval: 60,
			DataPoints: []DataPoint{
				Gauge("cpuPercent", "cpuPercent", "Processors in use, in percent").Alert("> 90 95", 5),
				Gauge("load1", "load1", "Load average of the last minute"),
				Gauge("memoryTotal", "memoryTotal", "Memory, in bytes"),
				Gauge("memoryUsed", "memoryUsed", "Memory in use, in bytes"),
				Computed("memoryPercent", "memoryUsed/memoryTotal*100", "Memory in use, in percent").Alert(
					"> 90 95 98", 3),
				Gauge("diskTotal", "diskTotal", "Size of the disk with the portal's data, in bytes"),
				Gauge("diskUsed", "diskUsed", "Disk in use, in bytes"),
				Computed("diskPercent", "diskUsed/diskTotal*100", "Disk in use, in percent").Alert("> 85 92 97", 3),
				Gauge("upTime", "upTime", "Uptime, in seconds"),
			},
			Graphs: []Graph{
				Plot("Processors", "%", "cpuPercent"), Plot("Load", "", "load1"),
				Plot("Memory", "bytes", "memoryUsed").Works("free", "memoryTotal-memoryUsed").Stacked(),
				Plot("Disk", "%", "diskPercent"),
			},
			OverviewGraphs: []Graph{Plot("Processors and memory", "%", "cpuPercent", "memoryPercent")},
		},
		{
			Name: "Host_Disks", DisplayName: "Disks of this machine",
			Description: "Each disk of the machine that the portal runs on", Tags: "host,disk",
			AppliesTo: onThisMachine, CollectMethod: "disk", CollectInterval: 120,
			EnableDiscovery: true, Discovery: &Discovery{ScheduleInterval: 60, GroupMethod: "none",
				Filters: []DiscoveryFilter{},
				Method:  withCounters(map[string]any{"name": "ad_dummy"})},
			DataPoints: []DataPoint{
				Gauge("diskTotal", "diskTotal", "Size, in bytes"),
				Gauge("diskUsed", "diskUsed", "Space in use, in bytes"),
				Gauge("diskFree", "diskFree", "Space available to programs, in bytes"),
				Computed("diskPercent", "diskUsed/(diskUsed+diskFree)*100",
					"Space in use, in percent").Alert("> 85 92 97", 3),
			},
			Graphs: []Graph{Plot("In use", "%", "diskPercent"),
				Plot("Space", "bytes", "diskUsed", "diskFree").Stacked()},
			OverviewGraphs: []Graph{Plot("In use", "%", "diskPercent")},
		},
		{
			Name: "Host_Network", DisplayName: "Network of this machine",
			Description: "Traffic and errors of each network interface of the machine that the portal runs on",
			Tags:        "host,network,interface",
			AppliesTo:   onThisMachine, CollectMethod: "network", CollectInterval: 60,
			EnableDiscovery: true, Discovery: &Discovery{ScheduleInterval: 60, GroupMethod: "none",
				Filters: []DiscoveryFilter{},
				Method:  withCounters(map[string]any{"name": "ad_dummy"})},
			DataPoints: []DataPoint{
				Counter("inOctets", "inOctets", "Bytes received per second"),
				Counter("outOctets", "outOctets", "Bytes sent per second"),
				Computed("inBits", "inOctets*8", "Bits received per second"),
				Computed("outBits", "outOctets*8", "Bits sent per second"),
				Counter("inErrors", "inErrors", "Receive errors per second").Alert("> 5 20", 3),
				Counter("outErrors", "outErrors", "Transmit errors per second").Alert("> 5 20", 3),
				Counter("inDiscards", "inDiscards", "Received packets dropped per second"),
				Counter("outDiscards", "outDiscards", "Outgoing packets dropped per second"),
			},
			Graphs: []Graph{
				Plot("Traffic", "bit/s", "inBits", "outBits"),
				Plot("Errors and discards", "1/s", "inErrors", "outErrors", "inDiscards", "outDiscards"),
			},
			OverviewGraphs: []Graph{Plot("Traffic", "bit/s", "inBits", "outBits")},
		},
	}
}

// onThisMachine matches the device that represents the portal's machine.
const onThisMachine = `system.hostname == "localhost" || hasProperty("host.local")`

// softwareLoopback is the ifType of interfaces like lo, which have no meaningful
// speed.
const softwareLoopback = "24"

func snmpInterfaces() DataSource {
	const counters = ".1.3.6.1.2.1.31.1.1.1." // ifXTable, 64 bit
	const columns = ".1.3.6.1.2.1.2.2.1."     // ifTable
	oid := func(column string) string { return column + ".##WILDVALUE##" }
	total := Plot("Traffic", "bit/s", "inBits", "outBits")
	total.Aggregated = true
	return DataSource{
		Name: "SNMP_Interfaces", DisplayName: "Interfaces",
		Description: "Traffic, errors and state of each network interface", Tags: "snmp,network,interface",
		AppliesTo: `isSNMP()`, CollectMethod: "snmp", CollectInterval: 120,
		EnableDiscovery: true,
		Discovery: &Discovery{
			ScheduleInterval: 60, GroupMethod: "none", Filters: []DiscoveryFilter{},
			Method: map[string]any{"name": "ad_snmp", "discoveryType": "wildcard", "OID": columns + "2",
				"lookupOID": counters + "1", "descriptionOID": counters + "18", "typeOID": columns + "3",
				"skipTypes": softwareLoopback},
		},
		DataPoints: []DataPoint{
			Counter("inOctets", oid(counters+"6"), "Bytes received per second"),
			Counter("outOctets", oid(counters+"10"), "Bytes sent per second"),
			Computed("inBits", "inOctets*8", "Bits received per second"),
			Computed("outBits", "outOctets*8", "Bits sent per second"),
			Gauge("speed", oid(counters+"15"), "Speed, in Mbit/s"),
			Computed("usePercent", "max(inBits, outBits)/speed/10000",
				"Use of the busier direction, in percent; no data if the speed is unknown").Alert("> 80 90 98", 5),
			Counter("inErrors", oid(columns+"14"), "Receive errors per second").Alert("> 5 20", 3),
			Counter("outErrors", oid(columns+"20"), "Transmit errors per second").Alert("> 5 20", 3),
			Counter("inDiscards", oid(columns+"13"), "Received packets dropped per second"),
			Counter("outDiscards", oid(columns+"19"), "Outgoing packets dropped per second"),
			Gauge("operStatus", oid(columns+"8"), "1 up, 2 down, 3 testing"),
			Gauge("adminStatus", oid(columns+"7"), "Configured state: 1 up, 2 down"),
			Computed("down", "if(adminStatus == 1 && operStatus == 2, 1, 0)",
				"1 while it is down and should be up").Alert("> 0 0", 2),
		},
		Graphs: []Graph{
			Plot("Throughput", "bit/s", "inBits", "outBits"), Plot("Use", "%", "usePercent"),
			Plot("Errors and discards", "packets/s", "inErrors", "outErrors", "inDiscards", "outDiscards"),
			Plot("State", "", "operStatus"),
		},
		OverviewGraphs: []Graph{Plot("Received", "bit/s", "inBits"), Plot("Sent", "bit/s", "outBits"), total},
	}
}
