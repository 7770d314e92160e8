// Package ground holds what all subjects of the portal share: the categories of the
// catalog, the areas of the settings, ids that are the same in every portal, ids in
// examples, and rules for text fields.
//
// It does not depend on resources. Everything in it is constant or a pure function,
// and safe for concurrent use.
package ground

// The categories of the catalog, in the order they are shown.
const (
	CategoryDevices     = "Devices"
	CategoryGroups      = "Device Groups"
	CategoryDataSources = "DataSources"
	CategoryAlerts      = "Alerts"
	CategorySettings    = "Settings"
	CategoryReports     = "Reports"
)

// Categories lists them in that order.
var Categories = []string{CategoryDevices, CategoryGroups, CategoryDataSources, CategoryAlerts, CategorySettings,
	CategoryReports}

// The areas of the settings, with their contents.
const (
	AreaUserAccess  = "useraccess"  // users, their API tokens, roles
	AreaCollectors  = "collectors"  // collectors, their groups and versions
	AreaAlerting    = "alerting"    // alert rules, escalation chains, recipient groups, integrations
	AreaDataSources = "datasources" // datasources, functions of expressions
	AreaOpsNotes    = "opsnotes"    // ops notes
	AreaPortal      = "portal"      // name, time zone, limits, retention
	AreaAudit       = "audit"       // the access log
)

// SettingAreas lists the areas of the settings that a privilege can name.
var SettingAreas = []string{AreaUserAccess, AreaCollectors, AreaAlerting, AreaDataSources, AreaOpsNotes, AreaPortal,
	AreaAudit}

// Ids that are the same in every portal.
const (
	RootGroup             int64 = 1
	BuiltInCollector      int64 = 1
	DefaultCollectorGroup int64 = 1
	DefaultAccountGroup   int64 = 1 // the user group, and the role group
	Administrator         int64 = 1 // the role
)

// SystemUser is the user name for changes that the portal makes itself.
const SystemUser = "system"
