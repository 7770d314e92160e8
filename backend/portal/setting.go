package portal

import (
	"context"
	"slices"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Setting holds the settings of the portal: one row, id 1, written last when a
// portal is made. Without it the portal is not complete.
type Setting struct {
	ID         int64
	Instance   string // random; tells this portal from others on the same machine
	Name       string
	Demo       bool
	Timezone   string // IANA name; empty: the machine's
	RateGet    int64  // requests in a minute to one endpoint
	RatePost   int64
	RatePut    int64
	RatePatch  int64
	RateDelete int64
	DataDays   int64
	AlertDays  int64
	AuditDays  int64
	HourDays   int64
	DownAfter  int64 // seconds
	Seeded     int64 // how many sets of built-in rows it was given, see Complete
	CreatedOn  resource.Seconds
}

// SettingID is the id of the one row.
const SettingID int64 = 1

const leastRate, mostRate, mostDays = 10, 100_000, 3650

// defaultDownAfter is in seconds.
const defaultDownAfter = 60

// Settings declares /setting/portal.
var Settings = resource.Resource[*Setting]{
	Name: settingRows, Label: "portal settings", Sample: SettingID, Single: SettingID, Path: "/setting/portal", Category: CategorySettings, Object: resource.Setting, Area: AreaPortal,
	Doc: "What the portal is called, its time zone, its limits, and how long it keeps what.",
	Fields: []resource.Field[*Setting]{
		{Name: "id", At: func(s *Setting) any { return &s.ID }, Doc: "Always 1", ReadOnly: true},
		{Name: "instance", At: func(s *Setting) any { return &s.Instance }, Doc: "Tells this portal from others on the same machine", ReadOnly: true},
		{Name: "name", At: func(s *Setting) any { return &s.Name }, Doc: "What it is called", Required: true, MaxLen: 255, Example: "Demo portal"},
		{Name: "demo", At: func(s *Setting) any { return &s.Demo }, Doc: "Filled with the demo environment", ReadOnly: true},
		{Name: "timezone", At: func(s *Setting) any { return &s.Timezone }, Doc: "IANA name of the time zone in which a day of a filter is a day; empty: the machine's", MaxLen: 64, Example: "Europe/Berlin"},
		{Name: "rateLimitGet", At: func(s *Setting) any { return &s.RateGet }, Doc: "GET requests that each endpoint takes in 60 seconds", Default: 500, Min: number(leastRate), Max: number(mostRate)},
		{Name: "rateLimitPost", At: func(s *Setting) any { return &s.RatePost }, Doc: "The same for POST", Default: 200, Min: number(leastRate), Max: number(mostRate)},
		{Name: "rateLimitPut", At: func(s *Setting) any { return &s.RatePut }, Doc: "The same for PUT", Default: 200, Min: number(leastRate), Max: number(mostRate)},
		{Name: "rateLimitPatch", At: func(s *Setting) any { return &s.RatePatch }, Doc: "The same for PATCH", Default: 250, Min: number(leastRate), Max: number(mostRate)},
		{Name: "rateLimitDelete", At: func(s *Setting) any { return &s.RateDelete }, Doc: "The same for DELETE", Default: 300, Min: number(leastRate), Max: number(mostRate)},
		{Name: "dataRetentionDays", At: func(s *Setting) any { return &s.DataDays }, Doc: "Days that samples are kept as they came", Default: 365, Min: number(1), Max: number(mostDays)},
		{Name: "hourlyDataRetentionDays", At: func(s *Setting) any { return &s.HourDays }, Doc: "Days that hourly values are kept, which graphs, data and reports show once the samples have gone; no longer than dataRetentionDays: none are made", Default: 1825, Min: number(0), Max: number(mostDays)},
		{Name: "alertRetentionDays", At: func(s *Setting) any { return &s.AlertDays }, Doc: "Days that alerts are kept once they have cleared", Default: 365, Min: number(1), Max: number(mostDays)},
		{Name: "auditRetentionDays", At: func(s *Setting) any { return &s.AuditDays }, Doc: "Days that the access log is kept", Default: auditDays, Min: number(1), Max: number(mostDays)},
		{Name: "collectorDownSeconds", At: func(s *Setting) any { return &s.DownAfter }, Doc: "Seconds without a heartbeat after which a collector counts as down and others take its devices over", Default: defaultDownAfter, Min: number(45), Max: number(3600)},
		{Name: "createdOn", At: func(s *Setting) any { return &s.CreatedOn }, Doc: "When it was made", ReadOnly: true},
		{Name: "seeded", At: func(s *Setting) any { return &s.Seeded }, Doc: "How many sets of built-in rows it was given", ReadOnly: true, WriteOnly: true, Default: seeded},
	},
	Check: func(_ *resource.Write, _, now *Setting) error {
		now.Name = strings.TrimSpace(now.Name)
		if !isZone(now.Timezone) {
			return fault.At("timezone", "timezone is an IANA name such as Europe/Berlin")
		}
		return nil
	},
}

// Requests is how many requests of a method each endpoint takes in a minute.
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
	s, err := resource.Lookup(ctx, r, settingRows, SettingID)
	if err != nil || s == nil || s.DownAfter < 1 {
		return defaultDownAfter * time.Second, err
	}
	return time.Duration(s.DownAfter) * time.Second, nil
}

// Zone is the portal's time zone.
func (s *Setting) Zone() *time.Location {
	if zone, err := time.LoadLocation(s.Timezone); err == nil && s.Timezone != "" {
		return zone
	}
	return time.Local
}

// isZone reports whether name is an IANA time zone; "" is the portal's own.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

// auditKept is how many days the access log is kept.
func auditKept(ctx context.Context, r resource.Reader) int {
	s, err := resource.Get(ctx, r, settingRows, SettingID)
	if err != nil || s.AuditDays < 1 {
		return auditDays
	}
	return int(s.AuditDays)
}

// Complete brings a portal of an older version to the present one: what Seed
// now writes and it lacks, and settings it did not have.
func Complete(ctx context.Context, tx resource.Tx, s *Setting, now resource.Seconds) error {
	if _, err := resource.Get(ctx, tx, collectorGroupRows, DefaultCollectorGroup); fault.Is(err, fault.Unknown) {
		group := defaultCollectorGroup(now)
		err = resource.Put(ctx, tx, collectorGroupRows, &group)
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if s.RateGet > 0 && s.Seeded == seeded {
		return nil
	}
	if s.Seeded < 1 {
		if err := completeDataSources(ctx, tx, now); err != nil {
			return err
		}
	}
	if s.Seeded < 2 {
		if err := addBuiltIn(ctx, tx, now, laterBuiltIn); err != nil {
			return err
		}
	}
	if s.Seeded < 4 {
		if err := amendBuiltIn(ctx, tx, now); err != nil {
			return err
		}
	}
	if s.Seeded < 5 {
		if err := completeAccounts(ctx, tx, now); err != nil {
			return err
		}
	}
	fresh, err := Settings.Defaults()
	if err != nil {
		return err
	}
	if s.RateGet > 0 {
		later := *fresh
		if *fresh = *s; s.Seeded < 3 {
			fresh.DownAfter, fresh.HourDays = later.DownAfter, later.HourDays
		}
	}
	fresh.ID, fresh.Instance, fresh.Name, fresh.Demo, fresh.CreatedOn, fresh.Seeded = s.ID, s.Instance, s.Name, s.Demo, s.CreatedOn, seeded
	*s = *fresh
	return resource.Put(ctx, tx, settingRows, s)
}

// seeded counts the sets of rows that were added to Seed since the first
// version: 1, the data sources; 2, those of this machine's disks and network; 3, settings
// of collectors that are down and of hourly values; 4, what amendBuiltIn changes; 5, user groups and role groups.
const seeded = 5

// completeAccounts adds the default groups of users and roles, moves users and
// roles there from groups that do not exist, and brings what users show of their
// roles up to date.
func completeAccounts(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	if err := seedAccountGroups(ctx, tx, now); err != nil {
		return err
	}
	roles, err := resource.Find(ctx, tx, roleRows)
	if err != nil {
		return err
	}
	for i := range roles {
		if roles[i].GroupID == DefaultAccountGroup {
			continue
		}
		roles[i].GroupID = DefaultAccountGroup
		if err := resource.Put(ctx, tx, roleRows, &roles[i]); err != nil {
			return err
		}
	}
	users, err := resource.Find(ctx, tx, userRows)
	if err != nil {
		return err
	}
	for i := range users {
		changed := !slices.Equal(users[i].GroupIDs, []int64{DefaultAccountGroup})
		users[i].GroupIDs = []int64{DefaultAccountGroup}
		for k := range users[i].Roles {
			ref := &users[i].Roles[k]
			at := slices.IndexFunc(roles, func(r Role) bool { return r.ID == ref.ID })
			if at >= 0 && (ref.Privileges == nil || !slices.Equal(ref.Privileges, roles[at].Privileges)) {
				ref.Privileges, changed = append([]Privilege{}, roles[at].Privileges...), true
			}
		}
		if changed {
			if err := resource.Put(ctx, tx, userRows, &users[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// completeDataSources gives an older portal the built-in data sources. Roles stay
// as people know them: who may read data sources is for an administrator to say.
func completeDataSources(ctx context.Context, tx resource.Tx, now resource.Seconds) error {
	have, err := resource.Find(ctx, tx, dataSourceRows, resource.Limit(1))
	if err != nil || len(have) > 0 {
		return err
	}
	return seedDataSources(ctx, tx, now)
}
