// Package setting declares the settings of the portal itself and its version.
//
// There is one row of settings, id 1. Durations are in the unit that a field's
// doc names: days, seconds, or requests per minute. Without a row, the defaults
// apply.
package setting

import (
	"context"
	"strings"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// SettingRows names the rows of Setting.
const SettingRows resource.Name[*Setting] = "portalSetting"

// Setting holds the settings of the portal: one row, id 1, which is written last
// when a portal is created. Without it the portal is incomplete.
type Setting struct {
	ID         int64
	Instance   string // random; distinguishes this portal from others on the same machine
	Name       string
	Demo       bool
	Timezone   string // IANA name; empty: the machine's
	RateGet    int64  // requests per minute and endpoint
	RatePost   int64
	RatePut    int64
	RatePatch  int64
	RateDelete int64
	DataDays   int64
	AlertDays  int64
	AuditDays  int64
	HourDays   int64
	CopyDays   int64  // see store.RemoveCopies
	DownAfter  int64  // seconds
	Allowed    string // networks that the Explorer may reach
	Refused    string // networks that it must not reach
	// agents may change the portal, over /mcp
	AgentsWrite bool
	Seeded      int64 // the last set of built-in rows, see Complete
	CreatedOn   resource.Seconds
}

// SettingID is the id of the only row.
const SettingID int64 = 1

const leastRate, mostRate, mostDays = 10, 100_000, 3650

// mostNetworks is the maximum length of a list of networks, in characters.
const mostNetworks = 4096

// DefaultAuditDays is the default number of days for which the audit log is
// stored. The limit on its rows may delete entries earlier.
const DefaultAuditDays = 90

// DefaultCopyDays is the default number of days for which safety copies are kept.
const DefaultCopyDays = 30

// defaultDownAfter is in seconds.
const defaultDownAfter = 60

// published is the path of the settings for published clients.
func published(summary string) resource.Alias {
	return resource.Alias{Path: "/setting/companySetting", Summary: summary}
}

// Settings declares /setting/portal.
var Settings = resource.Resource[*Setting]{
	Name: SettingRows, Label: "portal settings", Sample: SettingID, Single: SettingID, Path: "/setting/portal",
	Category: ground.CategorySettings, Object: resource.Setting, Area: ground.AreaPortal,
	Doc: "The portal's name, time zone, limits and retention.",
	Extra: map[resource.Verb]resource.Extra{
		resource.OnGet:     {Alias: published("Get the company settings")},
		resource.OnReplace: {Alias: published("Replace the company settings")},
		resource.OnPatch:   {Alias: published("Change some of the company settings")},
	},
	Fields: []resource.Field[*Setting]{
		{Name: "id", At: func(s *Setting) any { return &s.ID }, Doc: "Always 1", ReadOnly: true},
		{Name: "instance", At: func(s *Setting) any { return &s.Instance },
			Doc: "Identifies this portal among others on the same machine", ReadOnly: true},
		{Name: "name", At: func(s *Setting) any { return &s.Name }, Doc: "Name of the portal", Required: true,
			MaxLen:  255,
			Example: "Demo portal"},
		{Name: "demo", At: func(s *Setting) any { return &s.Demo }, Doc: "Filled with the demo environment",
			ReadOnly: true},
		{Name: "timezone", At: func(s *Setting) any { return &s.Timezone },
			Doc: "IANA name of the portal's time zone, used for dates in filters; empty: the machine's", MaxLen: 64,
			Example: "Europe/Berlin"},
		{Name: "rateLimitGet", At: func(s *Setting) any { return &s.RateGet },
			Doc: "GET requests that each endpoint accepts in 60 seconds", Default: 500, Min: resource.Bound(leastRate),
			Max: resource.Bound(mostRate)},
		{Name: "rateLimitPost", At: func(s *Setting) any { return &s.RatePost }, Doc: "POST requests that each " +
			"endpoint accepts in 60 seconds", Default: 200,
			Min: resource.Bound(leastRate), Max: resource.Bound(mostRate)},
		{Name: "rateLimitPut", At: func(s *Setting) any { return &s.RatePut }, Doc: "PUT requests that each endpoint " +
			"accepts in 60 seconds", Default: 200,
			Min: resource.Bound(leastRate), Max: resource.Bound(mostRate)},
		{Name: "rateLimitPatch", At: func(s *Setting) any { return &s.RatePatch }, Doc: "PATCH requests that each " +
			"endpoint accepts in 60 seconds",
			Default: 250,
			Min:     resource.Bound(leastRate), Max: resource.Bound(mostRate)},
		{Name: "rateLimitDelete", At: func(s *Setting) any { return &s.RateDelete }, Doc: "DELETE requests that each " +
			"endpoint accepts in 60 seconds",
			Default: 300,
			Min:     resource.Bound(leastRate), Max: resource.Bound(mostRate)},
		{Name: "dataRetentionDays", At: func(s *Setting) any { return &s.DataDays },
			Doc: "Days that samples are kept at full resolution", Default: 365, Min: resource.Bound(1),
			Max: resource.Bound(mostDays)},
		{Name: "hourlyDataRetentionDays", At: func(s *Setting) any { return &s.HourDays },
			Doc: "Days that hourly values are kept; graphs, data and reports show them after the samples are " +
				"deleted; none are stored if this is at most dataRetentionDays", Default: 1825, Min: resource.Bound(0),
			Max: resource.Bound(mostDays)},
		{Name: "alertRetentionDays", At: func(s *Setting) any { return &s.AlertDays },
			Doc: "Days that cleared alerts are kept", Default: 365, Min: resource.Bound(1),
			Max: resource.Bound(mostDays)},
		{Name: "auditRetentionDays", At: func(s *Setting) any { return &s.AuditDays },
			Doc: "Days that the audit log is kept", Default: DefaultAuditDays, Min: resource.Bound(1),
			Max: resource.Bound(mostDays)},
		{Name: "upgradeCopyDays", At: func(s *Setting) any { return &s.CopyDays },
			Doc:     "Days that the safety copies of the databases are kept that an upgrade makes in the data folder",
			Default: DefaultCopyDays, Min: resource.Bound(1), Max: resource.Bound(mostDays)},
		{Name: "collectorDownSeconds", At: func(s *Setting) any { return &s.DownAfter },
			Doc: "Seconds without a heartbeat after which a collector counts as down and others take its " +
				"devices over",
			Default: defaultDownAfter, Min: resource.Bound(45), Max: resource.Bound(3600)},
		{Name: "explorerAllowedNetworks", At: func(s *Setting) any { return &s.Allowed },
			Doc: "Networks that the Explorer may send requests to, to other portals and to proxies: networks such as " +
				"10.0.0.0/8 and addresses, comma-separated; empty: all that are not refused",
			MaxLen: mostNetworks},
		{Name: "explorerRefusedNetworks", At: func(s *Setting) any { return &s.Refused },
			Doc: "Networks and addresses that such requests must not reach, even in an allowed network. The portal " +
				"itself, and cloud metadata addresses, are always refused", MaxLen: mostNetworks},
		{Name: "agentsMayWrite", At: func(s *Setting) any { return &s.AgentsWrite },
			Doc: "Agents that connect to /mcp may change the portal, with the permissions of their token and after " +
				"a preview; otherwise they only read"},
		{Name: "createdOn", At: func(s *Setting) any { return &s.CreatedOn },
			Doc: "When the portal was created", ReadOnly: true},
		{Name: "seeded", At: func(s *Setting) any { return &s.Seeded }, Doc: "How many sets of built-in rows it was " +
			"given",
			ReadOnly: true, WriteOnly: true, Default: SeedVersion},
	},
	Check: func(_ *resource.Write, _, now *Setting) error {
		now.Name = strings.TrimSpace(now.Name)
		if !ground.IsZone(now.Timezone) {
			return fault.At("timezone", "timezone must be an IANA time zone name such as Europe/Berlin")
		}
		if _, err := check.ParseNetworks(now.Allowed); err != nil {
			return fault.At("explorerAllowedNetworks", "explorerAllowedNetworks: "+err.Error())
		}
		if _, err := check.ParseNetworks(now.Refused); err != nil {
			return fault.At("explorerRefusedNetworks", "explorerRefusedNetworks: "+err.Error())
		}
		return nil
	},
}

// Networks returns the networks to which the Explorer may send requests to
// other portals.
func (s *Setting) Networks() (check.Networks, error) { return check.NetworksOf(s.Allowed, s.Refused) }

// Requests returns the rate limit of endpoints with a method, in requests per
// minute.
func (s *Setting) Requests(method string) int64 {
	switch method {
	case "GET":
		return s.RateGet
	case "PUT":
		return s.RatePut
	case "PATCH":
		return s.RatePatch
	case "DELETE":
		return s.RateDelete
	}
	return s.RatePost
}

// CollectorDownAfter returns how long a collector may be silent before it counts as down.
func CollectorDownAfter(ctx context.Context, r resource.Reader) (time.Duration, error) {
	s, err := resource.Lookup(ctx, r, SettingRows, SettingID)
	if err != nil || s == nil || s.DownAfter < 1 {
		return defaultDownAfter * time.Second, err
	}
	return time.Duration(s.DownAfter) * time.Second, nil
}

// CopyDays returns the number of days for which the safety copies of upgrades are kept.
func CopyDays(ctx context.Context, r resource.Reader) (int64, error) {
	s, err := resource.Lookup(ctx, r, SettingRows, SettingID)
	if err != nil || s == nil || s.CopyDays < 1 {
		return DefaultCopyDays, err
	}
	return s.CopyDays, nil
}

// Zone returns the portal's time zone.
func (s *Setting) Zone() *time.Location {
	if zone, err := time.LoadLocation(s.Timezone); err == nil && s.Timezone != "" {
		return zone
	}
	return time.Local
}

// SeedVersion counts the sets of rows that were added to every portal since the
// first version: 1, the data sources; 2, those for this machine's disks and
// network; 3, settings for collectors that are down and hourly values; 4, the
// changes of datasource.AmendBuiltIn; 5, user groups and role groups; 6, how long
// safety copies are kept.
const SeedVersion = 6

// ZoneOf returns the time zone for maintenance without its own.
func ZoneOf(ctx context.Context, r resource.Reader) *time.Location {
	s, err := resource.Get(ctx, r, SettingRows, SettingID)
	if err != nil {
		return time.Local
	}
	return s.Zone()
}
