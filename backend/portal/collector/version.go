package collector

import (
	"context"
	"fmt"

	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// collectorVersionRows names the rows of CollectorVersion.
const collectorVersionRows resource.Name[*CollectorVersion] = "collectorVersion"

// CollectorVersion is a version of the collector that can be installed. There
// is one: a portal and its collectors are the same program.
type CollectorVersion struct {
	ID        int64
	Major     int64
	Minor     int64
	Build     string
	Stable    bool
	Mandatory bool
	Feature   bool
	Patch     bool
	Windows32 bool
	Linux32   bool
	Released  resource.Seconds
}

// CollectorVersions declares /setting/collectors/versions. Its one row is
// written when the portal starts.
var CollectorVersions = resource.Resource[*CollectorVersion]{
	Name: collectorVersionRows, Label: "collector version", Sample: 1, Path: collectorVersionsPath,
	Published: "/setting/collector/collectors/versions",
	Category:  ground.CategorySettings, Object: resource.Setting, Area: ground.AreaCollectors,
	Doc: "A version of the collector that can be installed.",
	Without: []resource.Verb{resource.OnGet, resource.OnCreate, resource.OnReplace, resource.OnPatch,
		resource.OnDelete},
	Fields: []resource.Field[*CollectorVersion]{
		{Name: "id", At: func(v *CollectorVersion) any { return &v.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 1},
		{Name: "majorVersion", At: func(v *CollectorVersion) any { return &v.Major },
			Doc:      "Major version",
			ReadOnly: true, Example: 1},
		{Name: "minorVersion", At: func(v *CollectorVersion) any { return &v.Minor },
			Doc:      "Minor version",
			ReadOnly: true},
		{Name: "build", At: func(v *CollectorVersion) any { return &v.Build }, Doc: "The version in full",
			ReadOnly: true,
			Example:  "1.0.0"},
		{Name: "stable", At: func(v *CollectorVersion) any { return &v.Stable }, Doc: "It is a stable release",
			ReadOnly: true},
		{Name: "mandatory", At: func(v *CollectorVersion) any { return &v.Mandatory },
			Doc:      "Older collectors must be upgraded",
			ReadOnly: true},
		{Name: "feature", At: func(v *CollectorVersion) any { return &v.Feature },
			Doc: "Kept for clients of the published API", ReadOnly: true},
		{Name: "patch", At: func(v *CollectorVersion) any { return &v.Patch }, Doc: "Kept for clients of the " +
			"published API",
			ReadOnly: true},
		{Name: "has32bitWindows", At: func(v *CollectorVersion) any { return &v.Windows32 },
			Doc: "There is one for 32-bit Windows", ReadOnly: true},
		{Name: "has32bitLinux", At: func(v *CollectorVersion) any { return &v.Linux32 },
			Doc:      "There is one for 32-bit Linux",
			ReadOnly: true},
		{Name: "releaseEpoch", At: func(v *CollectorVersion) any { return &v.Released },
			Doc: "When it was released; 0: unknown", ReadOnly: true},
	},
}

const collectorVersionsPath = "/setting/collectors/versions"

// Announce sets the one collector version to build, the version of this program;
// released is its release time, 0 if unknown.
func Announce(ctx context.Context, tx resource.Tx, build string, released resource.Seconds) error {
	now := CollectorVersion{ID: 1, Build: build, Stable: true, Released: released}
	if n, err := fmt.Sscanf(build, "%d.%d", &now.Major, &now.Minor); n < 2 || err != nil {
		now.Major, now.Minor, now.Stable = 0, 0, false // not a release
	}
	was, err := resource.Lookup(ctx, tx, collectorVersionRows, now.ID)
	if err != nil || was != nil && *was == now {
		return err
	}
	return resource.Put(ctx, tx, collectorVersionRows, &now)
}
