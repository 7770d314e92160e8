package resource

import "context"

// Props declares endpoints for the name/value pairs of a row, below
// {path}/{param}/properties: each pair can be read, added, changed and removed by
// its name, and the list includes all other properties that apply to the row.
type Props struct {
	Param  string // the path parameter of the row's id, "deviceId"
	Field  string // of pairs: those that may be written, "customProperties"
	Sample string // the name of a property of the row Sample in the demo environment
	// Others lists the fields of pairs that the portal fills; if a name occurs in
	// several, the first one applies.
	Others []OtherPairs
	// Inherited returns the pairs that a row inherits from the groups in From,
	// its stored column as text: by name, the nearest group first. The row's own
	// pairs override them, and they override the Others. nil for none.
	From      string
	Inherited func(ctx context.Context, r Reader, from string) ([]InheritedPair, error)
}

// OtherPairs is a field of pairs and their type: "auto", "system".
type OtherPairs struct{ Field, Type string }

// InheritedPair is a pair and the group that has it.
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

// EntityProperty is a property that applies to a row.
type EntityProperty struct {
	Name        string            `json:"name" doc:"unique, whatever its letter case"`
	Value       string            `json:"value" doc:"effective value; values of secret-looking properties are write-only"`
	Type        string            `json:"type" doc:"custom: of the object itself; inherit: of a group; system, auto: of the portal"`
	InheritList []InheritanceProp `json:"inheritList" doc:"values of the groups that you can view, the nearest first"`
	Secret      bool              `json:"secret,omitempty" doc:"true: the value is write-only; omit it to keep it"`
}

// InheritanceProp is the value in one of the groups.
type InheritanceProp struct {
	ID       int64  `json:"id" doc:"id of the group"`
	FullPath string `json:"fullpath" doc:"full path of the group; empty for the root"`
	Value    string `json:"value" doc:"its value"`
	Type     string `json:"type" doc:"always custom"`
}
