// Package check polls devices. It has one file for each check method, and one for
// the simulated devices of the demo.
//
// A Task describes an instance. A check returns one number for each raw field,
// under the names that data points refer to (rawDataFieldName). Callers process
// the numbers (rates, expressions, thresholds). All lists the checks; to add one,
// add a file and a line there.
//
// # Units
//
// Times are in milliseconds, sizes in bytes, shares in percent, unless the name
// of a field says otherwise. Counters count up and wrap; callers compute rates
// from them.
//
// # Concurrency
//
// A check is safe for concurrent use and keeps no state between two calls. It
// ends when its context ends.
//
// # Errors
//
// An error is a sentence for users: what was requested from whom, and the
// response. It means that there is no data, not that the device is down.
package check

import "context"

// Check is a method of polling a device. Its JSON is the description for users.
type Check struct {
	Name       string    `json:"name" doc:"the collectMethod of data sources that use it"`
	Title      string    `json:"title" doc:"display name"`
	Doc        string    `json:"description" doc:"what it measures"`
	Needs      *Need     `json:"needs" doc:"what enables it for a device; null: nothing"`
	Attributes []Setting `json:"attributes" doc:"keys of the collectorAttribute of a data source"`
	Properties []Setting `json:"properties" doc:"device properties that it uses"`
	Fields     []Setting `json:"fields" doc:"raw fields that it returns"`

	// PublishedName and PublishedSearch are the names of the collectorAttribute
	// and the discovery method of its data sources in the published API;
	// published clients refuse unknown names. Empty: "internal", and a method
	// that finds nothing.
	PublishedName, PublishedSearch string `json:"-"`
	// Local is set for a check that measures the machine it runs on, whatever the
	// device.
	Local bool `json:"-"`
	// ConnectsTo returns the host that the check connects to; nil: the task's.
	ConnectsTo func(*Task) string `json:"-"`

	// Run returns the raw fields of one instance.
	Run func(ctx context.Context, t *Task) (Values, error) `json:"-"`
	// Find lists the instances on a device; nil if there is only one.
	Find Find `json:"-"`
}

// Setting is a name and its meaning, with its unit.
type Setting struct {
	Name string `json:"name"`
	Doc  string `json:"description"`
}

// Need is the device property that enables a check: the built-in data sources of
// the check apply to devices that have it.
type Need struct {
	Property string `json:"property" doc:"its name"`
	Label    string `json:"label" doc:"what to enter; empty: nothing, the value is true"`
	Example  string `json:"example" doc:"example of a value; if there is nothing to enter, what is measured"`
	Secret   bool   `json:"secret" doc:"its value is hidden"`
	Category string `json:"category" doc:"value of system.categories for such devices; empty: none"`
	Host     string `json:"host" doc:"host name of such a device when none is entered; empty: none"`
}

// Values are raw fields by name. A missing field has no data.
type Values map[string]float64

// Task describes one instance to poll. Tasks are shared: do not change them.
type Task struct {
	InstanceID   int64             `json:"instanceId"`
	DeviceID     int64             `json:"deviceId"`
	DataSourceID int64             `json:"dataSourceId"`
	Host         string            `json:"host"`       // host name or IP address that checks connect to
	DataSource   string            `json:"dataSource"` // its name
	Method       string            `json:"method"`     // the check's name
	Attributes   map[string]string `json:"attributes"` // of the data source
	Properties   map[string]string `json:"properties"` // of the device and its groups, in lower case, secrets in clear
	Wild         string            `json:"wildValue"`  // the wild value of the instance
	Wild2        string            `json:"wildValue2"`
	Interval     int64             `json:"interval"` // seconds
	Fields       []string          `json:"fields"`   // the raw fields that data points use
}

// Property returns a property of the device, or otherwise if it has none.
func (t *Task) Property(name, otherwise string) string {
	if value, ok := t.Properties[name]; ok && value != "" {
		return value
	}
	return otherwise
}

// Attribute returns an attribute of the data source, or otherwise if it has none.
// It replaces ##name## by the device's property of that name, and ##WILDVALUE##
// by the instance.
func (t *Task) Attribute(name, otherwise string) string {
	text, ok := t.Attributes[name]
	if !ok || text == "" {
		return otherwise
	}
	return t.expand(text)
}
