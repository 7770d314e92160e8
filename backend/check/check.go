// Package check looks at devices: one file for each way of looking, and one for
// devices that only exist in the demo.
//
// A Task says what to look at; a check answers with one number for each raw
// field, under the names that data points know them by (rawDataFieldName).
// What becomes of the numbers (rates, expressions, thresholds) is not its
// business. Checks are listed in All; adding one is a file and a line there.
//
// # Units
//
// Times are in milliseconds, sizes in bytes, shares in percent, unless the name
// of a field says otherwise. Counters count up and wrap; whoever keeps them
// makes rates.
//
// # Concurrency
//
// A check is safe for concurrent use and keeps no state between two calls. It
// ends when its context does.
//
// # Errors
//
// An error is a sentence for a person: what was asked of whom, and what came
// back. It means that there is no data, not that the device is down.
package check

import "context"

// Check is one way to look at a device.
type Check struct {
	Name string // "ping": what a data source's collectMethod says
	Doc  string // one sentence
	// Attributes are what a data source may say in its collectorAttribute, and
	// Properties what is asked of the device; each with a sentence.
	Attributes, Properties []Setting
	Fields                 []Setting // the raw fields it answers with

	// Look answers the raw fields of one instance.
	Look func(ctx context.Context, t *Task) (Values, error)
	// Find lists the instances on a device; nil: there is but one.
	Find Find
}

// Setting is a name and what it means, with its unit.
type Setting struct{ Name, Doc string }

// Values are raw fields by name. A field that is not there has no data.
type Values map[string]float64

// Task is one instance to look at. It is shared: read it only.
type Task struct {
	InstanceID   int64             `json:"instanceId"`
	DeviceID     int64             `json:"deviceId"`
	DataSourceID int64             `json:"dataSourceId"`
	Host         string            `json:"host"`       // name or address that checks connect to
	DataSource   string            `json:"dataSource"` // its name
	Method       string            `json:"method"`     // the check's name
	Attributes   map[string]string `json:"attributes"` // of the data source
	Properties   map[string]string `json:"properties"` // of the device and its groups, in lower case, secrets in clear
	Wild         string            `json:"wildValue"`  // which instance
	Wild2        string            `json:"wildValue2"`
	Interval     int64             `json:"interval"` // seconds
	Fields       []string          `json:"fields"`   // the raw fields that data points ask for
}

// Property is a property of the device, or what stands for it when there is none.
func (t *Task) Property(name, otherwise string) string {
	if value, ok := t.Properties[name]; ok && value != "" {
		return value
	}
	return otherwise
}

// Attribute is what the data source says, with ##name## replaced by the
// device's property of that name and ##WILDVALUE## by the instance.
func (t *Task) Attribute(name, otherwise string) string {
	text, ok := t.Attributes[name]
	if !ok || text == "" {
		return otherwise
	}
	return t.expand(text)
}
