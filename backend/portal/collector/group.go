package collector

import (
	"context"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// CollectorGroupRows names the rows of CollectorGroup.
const CollectorGroupRows resource.Name[*CollectorGroup] = "collectorGroup"

// CollectorGroup is a group of collectors. Group 1 is in every portal.
type CollectorGroup struct {
	ID           int64
	Name         string
	Description  string
	AutoBalance  bool
	Strategy     string
	MaxInstances int64
	Properties   []resource.Property
	CreatedOn    resource.Seconds
	Kept         resource.Foreign
}

// CollectorGroups declares /setting/collectors/groups.
var CollectorGroups = resource.Resource[*CollectorGroup]{
	Name: CollectorGroupRows, Label: "collector group", Sample: 3, Path: "/setting/collectors/groups",
	Published: "/setting/collector/groups",
	Category:  ground.CategorySettings, Object: resource.Setting, Area: ground.AreaCollectors,
	Doc:     "A group of collectors, by site or by purpose.",
	OpTypes: true,
	Absent:  "mismatchVersion numOfInstances platform userPermission",
	Fields: []resource.Field[*CollectorGroup]{
		{Name: "id", At: func(g *CollectorGroup) any { return &g.ID }, Doc: "Set by the portal; 1 is the default group",
			ReadOnly: true, Example: 1},
		{Name: "name", At: func(g *CollectorGroup) any { return &g.Name }, Doc: "Unique name", Required: true,
			MaxLen: 255,
			Index:  true, Example: "Bergen"},
		{Name: "description", At: func(g *CollectorGroup) any { return &g.Description },
			Doc:    "Description of the group",
			MaxLen: 4000, Example: "Collectors of the western port"},
		{Name: "autoBalance", At: func(g *CollectorGroup) any { return &g.AutoBalance },
			Doc: "Distribute devices over the running collectors of the group, so that each has about the same " +
				"number of instances"},
		{Name: "autoBalanceStrategy", At: func(g *CollectorGroup) any { return &g.Strategy },
			Doc: "Kept for clients of the published API", Default: "none", MaxLen: 64},
		{Name: "autoBalanceInstanceCountThreshold", At: func(g *CollectorGroup) any { return &g.MaxInstances },
			Doc: "With autoBalance: above this number of instances, a collector hands over devices even if the " +
				"others have only slightly fewer; 0: no limit", Default: 10_000, Min: resource.Bound(0)},
		{Name: "customProperties", At: func(g *CollectorGroup) any { return &g.Properties },
			Doc:     "Custom properties; secret-looking ones are write-only",
			Default: []resource.Property{}, Example: []resource.Property{{Name: "site", Value: "Bergen"}}},
		{Name: "createOn", At: func(g *CollectorGroup) any { return &g.CreatedOn }, Doc: "When it was added",
			ReadOnly: true},
		resource.KeptField(func(row *CollectorGroup) *resource.Foreign { return &row.Kept },
			resource.Keeping("integer", "calThreshold"),
			resource.Keeping("any", "highestPriorityCollectorStatus")),
	},
	Derived: []resource.Derived{
		{Name: "numOfCollectors", Doc: "Collectors in it", Schema: resource.Integer(""), Example: 1,
			Counts: resource.Noun{One: "collector in it", Many: "collectors in it"},
			Of: func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
				counts, err := r.CountBy(ctx, string(CollectorRows), "collectorGroupId")
				return resource.Integers(rows, counts), err
			}},
		{Name: "numOfHosts", Doc: "Devices that they monitor; 0 for a role that cannot view all devices",
			Schema: resource.Integer(""), Example: 152, Whole: true, Of: hostsOfCollectorGroups,
			Counts: resource.Noun{One: "device that they monitor", Many: "devices that they monitor"}},
	},
	Unique: [][]string{{"name"}},
	Check: func(w *resource.Write, was, now *CollectorGroup) error {
		now.Name = strings.TrimSpace(now.Name)
		if was == nil {
			now.CreatedOn = resource.SecondsOf(w.Call.At)
		}
		if was != nil && was.ID == ground.DefaultCollectorGroup && was.Name != now.Name {
			return fault.New(fault.Conflict, "the collector group %s cannot be renamed", was.Name)
		}
		return nil
	},
	Remove: func(w *resource.Write, g *CollectorGroup) error {
		if g.ID == ground.DefaultCollectorGroup {
			return fault.New(fault.Conflict, "the collector group %s cannot be deleted", g.Name)
		}
		inside, err := resource.Find(w.Context, w.Tx, CollectorRows,
			resource.Where{Field: "collectorGroupId", Op: "=", Value: g.ID})
		if err == nil && len(inside) > 0 {
			err = fault.New(fault.Conflict, "%s is in the collector group %s; move it to another one first",
				inside[0].Description, g.Name)
		}
		return err
	},
}

func hostsOfCollectorGroups(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	devices, err := r.CountBy(ctx, string(fleet.DeviceRows), "preferredCollectorId")
	if err != nil {
		return nil, err
	}
	collectors, err := resource.Find(ctx, r, CollectorRows)
	counts := map[int64]int64{}
	for i := range collectors {
		counts[collectors[i].GroupID] += devices[collectors[i].ID]
	}
	return resource.Integers(rows, counts), err
}

// DefaultGroup returns the collector group that is in every portal.
func DefaultGroup(now resource.Seconds) CollectorGroup {
	return CollectorGroup{
		ID: ground.DefaultCollectorGroup, Name: "@default", Description: "Collectors that are in no other group",
		Strategy: "none", MaxInstances: 10_000, Properties: []resource.Property{}, CreatedOn: now,
	}
}
