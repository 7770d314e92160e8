// Package portal declares the nouns of the API, one file a resource.
//
// A declaration here is all there is to a resource without verbs of its own:
// backend/store turns it into a table and its endpoints. Shapes, names and
// units follow the published API (wire.md); what only this portal does is said
// at the field.
//
// Every row that exists in each new portal is made by Seed: the root group (id
// 1), the built-in collector (id 1) with its group (id 1), the default user
// group and role group (id 1 each), the built-in roles and the built-in data sources (ids 1 to 8).
package portal

import (
	"context"
	"errors"

	"spyglass/backend/resource"
)

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
var Categories = []string{CategoryDevices, CategoryGroups, CategoryDataSources, CategoryAlerts, CategorySettings, CategoryReports}

// What each resource is called, apart from its declaration, because the rules of
// one ask for the rows of another.
const (
	deviceRows    resource.Name[*Device]    = "device"
	groupRows     resource.Name[*Group]     = "deviceGroup"
	functionRows  resource.Name[*Function]  = "appliesToFunction"
	collectorRows resource.Name[*Collector] = "collector"
	userRows      resource.Name[*User]      = "admin"
	tokenRows     resource.Name[*Token]     = "apiToken"
	roleRows      resource.Name[*Role]      = "role"
	auditLogRows  resource.Name[*AuditLog]  = "auditLog"

	ruleRows             resource.Name[*Rule]             = "alertRule"
	chainRows            resource.Name[*Chain]            = "escalatingChain"
	recipientGroupRows   resource.Name[*RecipientGroup]   = "recipientGroup"
	integrationRows      resource.Name[*Integration]      = "integration"
	opsNoteRows          resource.Name[*OpsNote]          = "opsNote"
	reportGroupRows      resource.Name[*ReportGroup]      = "reportGroup"
	collectorGroupRows   resource.Name[*CollectorGroup]   = "collectorGroup"
	userGroupRows        resource.Name[*UserGroup]        = "userGroup"
	roleGroupRows        resource.Name[*RoleGroup]        = "roleGroup"
	collectorVersionRows resource.Name[*CollectorVersion] = "collectorVersion"
	settingRows          resource.Name[*Setting]          = "portalSetting"
)

// Ids that are the same in every portal.
const (
	RootGroup             int64 = 1
	BuiltInCollector      int64 = 1
	DefaultCollectorGroup int64 = 1
	DefaultAccountGroup   int64 = 1 // the user group, and the role group
	Administrator         int64 = 1 // the role
)

// Seed writes the rows every portal begins with.
func Seed(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	root := Group{ID: RootGroup, Name: "All devices", GroupType: "Normal", CreatedOn: now}
	if err := resource.Put(ctx, tx, groupRows, &root); err != nil {
		return err
	}
	group := defaultCollectorGroup(now)
	if err := resource.Put(ctx, tx, collectorGroupRows, &group); err != nil {
		return err
	}
	builtIn := Collector{
		ID: BuiltInCollector, Description: "Built-in collector", Hostname: "localhost", GroupID: DefaultCollectorGroup, Status: 1, CollectorSize: "small",
		CreatedOn: now, UpdatedOn: now, EnableFailBack: true, ResendIval: 15,
	}
	if err := resource.Put(ctx, tx, collectorRows, &builtIn); err != nil {
		return err
	}
	if err := seedAccountGroups(ctx, tx, now); err != nil {
		return err
	}
	for _, role := range builtInRoles() {
		if err := resource.Put(ctx, tx, roleRows, &role); err != nil {
			return err
		}
	}
	return seedDataSources(ctx, tx, now)
}

// seedAccountGroups writes the default user group and the default role group.
func seedAccountGroups(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	users, roles := UserGroup{defaultAccountGroup("Users", now)}, RoleGroup{defaultAccountGroup("Roles", now)}
	return errors.Join(resource.Put(ctx, tx, userGroupRows, &users), resource.Put(ctx, tx, roleGroupRows, &roles))
}

func number(n int64) *int64 { return &n }
