// Package collector declares collectors, their groups, credentials and versions.
//
// Collector 1 is built into the portal and stays, as does group 1. Intervals
// are in the unit that a field's doc names. A collector with devices, or a
// group with collectors, cannot be deleted: the fault is of kind Conflict.
package collector

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// CollectorRows names the rows of Collector.
const CollectorRows resource.Name[*Collector] = "collector"

// Collector runs checks: the one inside this portal, or a remote one.
type Collector struct {
	ID              int64
	Description     string
	Hostname        string
	GroupID         int64
	BackupID        int64
	Status          int64
	IsDown          bool
	Acked           bool
	AckedBy         string
	AckedOn         resource.Seconds
	AckComment      string
	CollectorSize   string
	Platform        string
	Arch            string
	Build           string
	EnableFailBack  bool
	ResendIval      int64
	SuppressClear   bool
	NeedDevice      bool
	DeviceID        int64
	Properties      []resource.Property
	CreatedOn       resource.Seconds
	UpdatedOn       resource.Seconds
	LastHeartbeatOn resource.Seconds
	ClockOffset     int64 // seconds that its clock is ahead of the portal's
	Refused         int64 // results
	ReplacedOn      resource.Seconds
	Kept            resource.Foreign
}

// Simulated reports whether the collector is a simulated one of the demo.
func (c *Collector) Simulated() bool {
	return slices.ContainsFunc(c.Properties, func(p resource.Property) bool {
		return strings.EqualFold(p.Name, "system.categories") && fleet.IsSimulated(p.Value)
	})
}

// Collectors declares /setting/collectors.
var Collectors = resource.Resource[*Collector]{
	Name: CollectorRows, Label: "collector", Sample: 2, Path: "/setting/collectors", Category: ground.CategorySettings,
	Published: "/setting/collector/collectors",
	Object:    resource.Setting, Area: "collectors",
	Doc:     "A collector runs the checks of devices. Collector 1 is built into the portal.",
	OpTypes: true,
	Absent: "ackedOnLocal bearerToken canDowngrade canDowngradeReason clearSent collectorConf " +
		"collectorGroupName collectorType confVersion config copyUrl createdOnLocal downloadUrl ea " +
		"enableLMLogs encodedConfigData format hasFailOverDevice inSDT isAdminAccount isEncoded " +
		"isLmlogsSyslogEnabled lastSentNotificationOn lastSentNotificationOnLocal netscanVersion " +
		"nextRecipient numberOfInstances numberOfSDTs numberOfWebsites otelId otelVersion " +
		"previousVersion sbproxyConf syntheticsEnabled upTime updatedOnLocal userChangeOn " +
		"userChangeOnLocal userPermission userVisibleHostsNum userVisibleWebsitesNum watchdogConf " +
		"watchdogUpdatedOn watchdogUpdatedOnLocal websiteConf wrapperConf",
	Fields: []resource.Field[*Collector]{
		{Name: "id", At: func(c *Collector) any { return &c.ID }, Doc: "Set by the portal; 1 is the built-in collector",
			ReadOnly: true, Example: 1},
		{Name: "description", At: func(c *Collector) any { return &c.Description }, Doc: "Display name",
			Example: "Collector in Oslo"},
		{Name: "hostname", At: func(c *Collector) any { return &c.Hostname }, Doc: "The machine it runs on",
			ReadOnly: true},
		{Name: "collectorGroupId", At: func(c *Collector) any { return &c.GroupID }, Doc: "Its collector group",
			Default: ground.DefaultCollectorGroup, Min: resource.Bound(1), Refs: string(CollectorGroupRows),
			Index: true},
		{Name: "backupAgentId", At: func(c *Collector) any { return &c.BackupID },
			Doc: "The backup collector, which monitors its devices while it is down; 0: none", Min: resource.Bound(0),
			Refs: string(CollectorRows)},
		{Name: "status", At: func(c *Collector) any { return &c.Status }, Doc: "1 running, 0 never seen",
			ReadOnly: true},
		{Name: "isDown", At: func(c *Collector) any { return &c.IsDown },
			Doc: "It has sent no heartbeat for collectorDownSeconds (portal settings)", ReadOnly: true},
		{Name: "acked", At: func(c *Collector) any { return &c.Acked }, Doc: "The down alert is acknowledged",
			ReadOnly: true},
		{Name: "ackedBy", At: func(c *Collector) any { return &c.AckedBy }, Doc: "User who acknowledged it",
			ReadOnly: true},
		{Name: "ackedOn", At: func(c *Collector) any { return &c.AckedOn }, Doc: "When it was acknowledged",
			ReadOnly: true},
		{Name: "ackComment", At: func(c *Collector) any { return &c.AckComment }, Doc: "Comment of the acknowledgment",
			ReadOnly: true},
		{Name: "collectorSize", At: func(c *Collector) any { return &c.CollectorSize },
			Doc: "Its size: nano, small, medium, large, …", Default: "small", MaxLen: 64},
		{Name: "platform", At: func(c *Collector) any { return &c.Platform }, Doc: "linux, windows or darwin",
			ReadOnly: true},
		{Name: "arch", At: func(c *Collector) any { return &c.Arch },
			Doc: "Its processor architecture, as last reported or set", MaxLen: 64},
		{Name: "build", At: func(c *Collector) any { return &c.Build }, Doc: "Its version", ReadOnly: true},
		{Name: "enableFailBack", At: func(c *Collector) any { return &c.EnableFailBack },
			Doc: "Move its devices back from the backup when it runs again; otherwise they stay there while the " +
				"backup runs",
			Default: true},
		{Name: "resendIval", At: func(c *Collector) any { return &c.ResendIval },
			Doc: "Minutes between two notifications that it is down", Default: 15, Min: resource.Bound(0),
			Max: resource.Bound(1440)},
		{Name: "suppressAlertClear", At: func(c *Collector) any { return &c.SuppressClear },
			Doc: "Do not notify when it is up again"},
		{Name: "needAutoCreateCollectorDevice", At: func(c *Collector) any { return &c.NeedDevice },
			Doc: "Add the machine it runs on as a device", Default: true},
		{Name: "collectorDeviceId", At: func(c *Collector) any { return &c.DeviceID },
			Doc: "The device it runs on; 0 for none", ReadOnly: true},
		{Name: "customProperties", At: func(c *Collector) any { return &c.Properties },
			Doc:     "Custom properties; secret-looking ones are write-only",
			Example: []resource.Property{{Name: "site", Value: "Oslo"}}},
		{Name: "createdOn", At: func(c *Collector) any { return &c.CreatedOn }, Doc: "When it was added",
			ReadOnly: true},
		{Name: "updatedOn", At: func(c *Collector) any { return &c.UpdatedOn }, Doc: "When it was last changed",
			ReadOnly: true},
		{Name: "lastHeartbeatOn", At: func(c *Collector) any { return &c.LastHeartbeatOn },
			Doc:      "When it last sent a heartbeat",
			ReadOnly: true},
		{Name: "clockOffset", At: func(c *Collector) any { return &c.ClockOffset },
			Doc: "Seconds that its clock is ahead of the portal's, negative when it is behind; its results are " +
				"corrected by " +
				"that", ReadOnly: true},
		{Name: "refusedResults", At: func(c *Collector) any { return &c.Refused },
			Doc: "Results rejected because their time was too far in the future", ReadOnly: true},
		{Name: "credentialReplacedOn", At: func(c *Collector) any { return &c.ReplacedOn },
			Doc:      "When it was registered again while running; 0 after the alert has cleared, an hour later",
			ReadOnly: true},
		resource.KeptField(func(row *Collector) *resource.Foreign { return &row.Kept },
			resource.Keeping("any", "automaticUpgradeInfo escalatingChain nextUpgradeInfo"),
			resource.Keeping("any", "onetimeDowngradeInfo onetimeUpgradeInfo"),
			resource.Keeping("integer", "calculatedThreshold escalatingChainId specifiedCollectorDeviceGroupId"),
			resource.Keeping("boolean", "enableFailOverOnCollectorDevice monitorOthers"),
			resource.Keeping("string", "collectorList errorMsg")),
	},
	Derived: []resource.Derived{{
		Name: "numberOfHosts", Doc: "Devices that it monitors; 0 for a role that cannot view all devices",
		Schema: resource.Integer(""), Example: 152, Whole: true,
		Of: func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
			counts, err := r.CountBy(ctx, string(fleet.DeviceRows), "preferredCollectorId")
			return resource.Integers(rows, counts), err
		},
	}},
	Check: func(w *resource.Write, was, now *Collector) error {
		now.UpdatedOn = resource.SecondsOf(w.Call.At)
		if was == nil {
			now.CreatedOn = now.UpdatedOn
		} else if !w.Given("arch") {
			now.Arch = was.Arch
		}
		if now.BackupID == 0 {
			return nil
		}
		if was != nil && now.BackupID == now.ID {
			return fault.At("backupAgentId", "a collector cannot be its own backup")
		}
		backup, err := resource.Lookup(w.Context, w.Tx, CollectorRows, now.BackupID)
		if err != nil {
			return err
		}
		if backup == nil {
			return fault.At("backupAgentId", "there is no collector %d", now.BackupID)
		}
		return nil
	},
	Remove: func(w *resource.Write, c *Collector) error {
		if c.ID == ground.BuiltInCollector {
			return fault.New(fault.Conflict, "the built-in collector cannot be deleted")
		}
		counts, err := w.Tx.CountBy(w.Context, string(fleet.DeviceRows), "preferredCollectorId")
		if n := counts[c.ID]; err == nil && n > 0 {
			return fault.New(fault.Conflict, "the collector monitors devices; assign them to another collector first")
		}
		return err
	},
	Actions: []resource.Action[*Collector]{{
		Name: "ackdown", Summary: "Acknowledge that a collector is down",
		Doc: "Acknowledges that the collector is down, with a comment. This stops its notifications.",
		Op:  resource.Ack, Takes: ackDown{}, Example: ackDown{Comment: "The power feed in Oslo is being repaired"},
		Do: acknowledge,
	}},
}

// ackDown is the body of a request that acknowledges that a collector is down.
type ackDown struct {
	Comment string `json:"comment,omitempty" doc:"comment, at most 4,000 characters"`
}

func acknowledge(w *resource.Write, c *Collector) error {
	var in ackDown
	if err := w.Call.Read(&in); err != nil {
		return err
	}
	if utf8.RuneCountInString(in.Comment) > 4000 || strings.ContainsRune(in.Comment, 0) {
		return fault.At("comment", "comment must be a text of at most 4,000 characters")
	}
	if !c.IsDown {
		return fault.New(fault.Conflict, "the collector is not down")
	}
	c.Acked, c.AckedBy, c.AckedOn, c.AckComment = true, "system", resource.SecondsOf(w.Call.At), in.Comment
	if w.Call.Access != nil {
		c.AckedBy = w.Call.Access.User
	}
	return nil
}
