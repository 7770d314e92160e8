package resource

import "context"

// Props gives the name/value pairs of a row endpoints of their own, below
// {path}/{param}/properties: each can be read, added, changed and removed by
// its name, and their list shows what else applies to the row.
type Props struct {
	Param  string // the path parameter of the row's id, "deviceId"
	Field  string // of pairs: those that may be written, "customProperties"
	Sample string // the name of one that the row Sample has in the demo environment
	// Others are the fields of pairs that the portal fills, by what they are
	// called: the first in which a name occurs counts.
	Others []OtherPairs
	// Inherited are the pairs that come down to a row from the groups in From, its
	// stored column read as text: by name, the nearest first. They count less
	// than the row's own and more than the Others. nil: none.
	From      string
	Inherited func(ctx context.Context, r Reader, from string) ([]InheritedPair, error)
}

// OtherPairs is a field of pairs and what their type is called: "auto", "system".
type OtherPairs struct{ Field, Type string }

// InheritedPair is a pair together with the group that has it.
type InheritedPair struct {
	Property
	ID       int64
	FullPath string
}

// The types of a property.
const (
	PropertyCustom  = "custom"  // the row's own
	PropertyInherit = "inherit" // of a group it is in
)

// EntityProperty is a property as it applies to a row.
type EntityProperty struct {
	Name        string            `json:"name" doc:"unique, whatever its letter case"`
	Value       string            `json:"value" doc:"what applies; secret-looking ones are write-only"`
	Type        string            `json:"type" doc:"custom: the row's own; inherit: of a group; system or auto: set by the portal"`
	InheritList []InheritanceProp `json:"inheritList" doc:"what the groups that one sees say, the nearest first, whether or not it applies"`
	Secret      bool              `json:"secret,omitempty" doc:"true: the value is write-only, whatever the name; leave it out to keep what is set"`
}

// InheritanceProp is the value of one of the groups.
type InheritanceProp struct {
	ID       int64  `json:"id" doc:"of the group"`
	FullPath string `json:"fullpath" doc:"of the group; empty for the root"`
	Value    string `json:"value" doc:"what it says"`
	Type     string `json:"type" doc:"always custom: the group's own"`
}
