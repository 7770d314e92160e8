package demo

// kind is a type of machine: the common fields of its devices.
type kind struct {
	group      int64
	categories string // system.categories
	owner      string
	models     []string
	systems    []string // operating systems or firmwares
	serial     string   // prefix of its serial numbers
	upright    bool     // is on the floor or a ceiling, not in a rack
	facts      []fact   // properties that checks find
	secrets    []fact   // secrets; every third device overrides the group's
}

// fact is a property and the values it takes.
type fact struct {
	name   string
	values []string
}

var computer = []fact{
	{"auto.cpu.cores", []string{"2", "4", "8", "16"}},
	{"auto.memory.gib", []string{"8", "16", "32", "64"}},
}

var (
	coreSwitch = kind{group: core, categories: "snmp,switch,arista", owner: "Network team", serial: "JPE",
		models:  []string{"Arista DCS-7280SR3-48YC8", "Arista DCS-7050SX3-48YC12"},
		systems: []string{"EOS 4.31.2F", "EOS 4.30.5M"},
		facts:   []fact{{"auto.ports", []string{"56", "60"}}, {"auto.ports.up", []string{"41", "44", "47", "52"}}}}
	accessSwitch = kind{group: access, categories: "snmp,switch,cisco", owner: "Network team", serial: "FOC",
		upright: true,
		models:  []string{"Cisco C9300-48P", "Cisco C9200L-24P-4G"},
		systems: []string{"IOS XE 17.9.4a", "IOS XE 17.12.1"},
		facts:   []fact{{"auto.ports", []string{"24", "48"}}, {"auto.ports.up", []string{"11", "17", "22"}}},
		secrets: []fact{{"snmp.community", []string{"floor-read", "hall-read"}}}}
	accessPoint = kind{group: wireless, categories: "snmp,wireless,aruba", owner: "Network team", serial: "CNK",
		upright: true,
		models:  []string{"Aruba AP-515", "Aruba AP-635"}, systems: []string{"ArubaOS 8.11.2.1", "ArubaOS 8.10.0.9"},
		facts: []fact{{"auto.radios", []string{"2", "3"}}, {"auto.channel", []string{"36", "52", "100", "149"}}}}
	firewall = kind{group: firewalls, categories: "snmp,firewall,fortinet", owner: "Security team", serial: "FG2",
		models: []string{"FortiGate 200F", "FortiGate 400F"}, systems: []string{"FortiOS 7.2.8", "FortiOS 7.4.3"},
		facts: []fact{{"auto.ha.role", []string{"active", "standby"}},
			{"auto.vpn.tunnels", []string{"3", "6", "12"}}},
		secrets: []fact{{"snmp.privtoken", []string{"sable-pier-63", "teal-anchor-30"}}}}
	hypervisor = kind{group: virtualisation, categories: "vmware,hypervisor", owner: "Platform team", serial: "CZJ",
		models:  []string{"HPE ProLiant DL380 Gen10 Plus", "HPE ProLiant DL365 Gen11"},
		systems: []string{"VMware ESXi 8.0 U2", "VMware ESXi 7.0 U3"},
		facts: []fact{{"auto.cpu.cores", []string{"32", "48", "64"}},
			{"auto.memory.gib", []string{"512", "768", "1024"}}, {"auto.guests", []string{"14", "19", "23", "31"}}},
		secrets: []fact{{"esx.pass", []string{"Avocet-Slip-24", "Dunlin-Crane-68"}}}}
	linuxServer = kind{group: linux, categories: "linux,server", owner: "Platform team", serial: "VM-",
		models: []string{"VMware Virtual Platform"}, systems: []string{"Debian 12.6", "Debian 11.10",
			"Rocky Linux 9.4"}, facts: computer,
		secrets: []fact{{"ssh.pass", []string{"Bittern-Rope-35", "Curlew-Keel-90"}}}}
	windowsServer = kind{group: windows, categories: "windows,server", owner: "Platform team", serial: "VM-",
		models: []string{"VMware Virtual Platform"}, systems: []string{"Windows Server 2022", "Windows Server 2019"},
		facts: computer}
	postgres = kind{group: databases, categories: "linux,database,postgresql", owner: "Data team", serial: "CZJ",
		models: []string{"HPE ProLiant DL380 Gen10 Plus"}, systems: []string{"Debian 12.6", "Rocky Linux 9.4"},
		facts: []fact{{"auto.database.version", []string{"PostgreSQL 16.3", "PostgreSQL 15.7"}},
			{"auto.database.role", []string{"primary", "replica"}}},
		secrets: []fact{{"jdbc.pass", []string{"Fulmar-Dock-14", "Gannet-Buoy-57"}}}}
	sqlServer = kind{group: databases, categories: "windows,database,mssql", owner: "Data team", serial: "CZJ",
		models: []string{"HPE ProLiant DL380 Gen10 Plus"}, systems: []string{"Windows Server 2022"},
		facts: []fact{{"auto.database.version", []string{"SQL Server 2022 CU13", "SQL Server 2019 CU26"}},
			{"auto.database.role", []string{"primary", "secondary"}}},
		secrets: []fact{{"jdbc.pass", []string{"Kittiwake-Hull-82", "Petrel-Mast-46"}}}}
	redis = kind{group: databases, categories: "linux,database,redis", owner: "Data team", serial: "VM-",
		models: []string{"VMware Virtual Platform"}, systems: []string{"Debian 12.6"},
		facts: []fact{{"auto.database.version", []string{"Redis 7.2.5", "Redis 7.0.15"}},
			{"auto.database.role", []string{"master", "replica"}}},
		secrets: []fact{{"redis.pass", []string{"Skua-Tide-71", "Tern-Reef-09"}}}}
	storageArray = kind{group: storage, categories: "snmp,storage,netapp", owner: "Platform team", serial: "2129",
		models: []string{"NetApp AFF A250", "NetApp FAS2750"}, systems: []string{"ONTAP 9.14.1P4", "ONTAP 9.13.1P8"},
		facts: []fact{{"auto.capacity.tib", []string{"46", "92", "138"}}, {"auto.disks", []string{"24", "48"}}}}
	backupServer = kind{group: backups, categories: "linux,server,backup", owner: "Platform team", serial: "CZJ",
		models: []string{"HPE Apollo 4200 Gen10"}, systems: []string{"Debian 12.6"}, facts: computer}
	ups = kind{group: power, categories: "snmp,ups,apc", owner: "Facilities", serial: "AS2",
		models:  []string{"APC Smart-UPS SRT 5000", "APC Smart-UPS SRT 10000"},
		systems: []string{"UPS 15.5", "UPS 16.0"},
		facts: []fact{{"auto.battery.minutes", []string{"14", "22", "37"}},
			{"auto.load.percent", []string{"28", "41", "56", "63"}}}}
)
