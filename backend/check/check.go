// Package check polls devices: one file for each check method, and one for
// simulated devices of the demo.
//
// A Task describes an instance; a check returns one number for each raw field,
// under the names that data points refer to (rawDataFieldName). Processing the
// numbers (rates, expressions, thresholds) is left to the caller. Checks are
// listed in All; adding one is a file and a line there.
//
// # Units
//
// Times are in milliseconds, sizes in bytes, shares in percent, unless the name
// of a field says otherwise. Counters count up and wrap; the caller makes rates
// of them.
//
// # Concurrency
//
// A check is safe for concurrent use and keeps no state between two calls. It
// ends when its context does.
//
// # Errors
//
// An error is a sentence for a person: what was requested from whom, and what
// came back. It means that there is no data, not that the device is down.
package check

import "context"

// Check is a method of polling a device.
type Check struct {
	Name string // "ping": the collectMethod of data sources that use it
	Doc  string // one sentence
	// Attributes are the keys allowed in a data source's collectorAttribute,
	// and Properties the device properties that it uses; each with a sentence.
	Attributes, Properties []Setting
	Fields                 []Setting // the raw fields it returns

	// Run returns the raw fields of one instance.
	Run func(ctx context.Context, t *Task) (Values, error)
	// Find lists the instances on a device; nil: there is only one.
	Find Find
}

// Setting is a name and its meaning, with its unit.
type Setting struct{ Name, Doc string }

// Values are raw fields by name. A missing field has no data.
type Values map[string]float64

// Task describes one instance to poll. It is shared: read it only.
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
	Fields       []string          `json:"fields"`   // the raw fields that data points use
}

// Property returns a property of the device, or otherwise when there is none.
func (t *Task) Property(name, otherwise string) string {
	if value, ok := t.Properties[name]; ok && value != "" {
		return value
	}
	return otherwise
}

// Attribute returns an attribute of the data source, or otherwise when there is
// none, with ##name## replaced by the device's property of that name and
// ##WILDVALUE## by the instance.
func (t *Task) Attribute(name, otherwise string) string {
	text, ok := t.Attributes[name]
	if !ok || text == "" {
		return otherwise
	}
	return t.expand(text)
}
