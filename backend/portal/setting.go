package portal

import "spyglass/backend/resource"

// Setting is what a portal knows of itself: one row, id 1, written last when a
// portal is made. Without it the portal is not complete.
type Setting struct {
	ID        int64
	Instance  string // random; tells this portal from others on the same machine
	Name      string
	Demo      bool
	CreatedOn resource.Seconds
}

// SettingID is the id of the one row.
const SettingID int64 = 1

// Settings declares the table; it has no endpoints yet.
var Settings = resource.Resource[Setting]{
	Name: "portalSetting", Label: "portal setting", Object: resource.Setting, Area: "portal",
	Doc: "What a portal knows of itself.",
	Fields: []resource.Field[Setting]{
		{Name: "id", At: func(s *Setting) any { return &s.ID }, Doc: "Always 1", ReadOnly: true},
		{Name: "instance", At: func(s *Setting) any { return &s.Instance }, Doc: "Tells this portal from others on the same machine", ReadOnly: true},
		{Name: "name", At: func(s *Setting) any { return &s.Name }, Doc: "What it is called"},
		{Name: "demo", At: func(s *Setting) any { return &s.Demo }, Doc: "Filled with the demo environment", ReadOnly: true},
		{Name: "createdOn", At: func(s *Setting) any { return &s.CreatedOn }, Doc: "When it was made", ReadOnly: true},
	},
}
