package check

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// MostFound limits the instances of one data source on one device. A device that
// lists more is broken, or not meant to be monitored as a whole.
const MostFound = 10_000

// Found is one instance of a data source that was discovered on a device.
type Found struct {
	WildValue   string `json:"wildValue"`   // identifies the instance in checks; unique for a device's data source
	DisplayName string `json:"displayName"` // "eth0"
	Description string `json:"description,omitempty"`
}

// Search is a request to a Discoverer.
type Search struct {
	ID         int64             `json:"id"` // id of the data source on the device
	DeviceID   int64             `json:"deviceId"`
	Host       string            `json:"host"`       // name or IP address of the device
	DataSource string            `json:"dataSource"` // its name
	Method     string            `json:"method"`     // the check's name
	Attributes map[string]any    `json:"attributes"` // the parameters of the data source's autoDiscoveryConfig
	Properties map[string]string `json:"properties"` // the same as Properties of a Task
}

// Finding is the result of a Search.
type Finding struct {
	ID    int64   `json:"id"` // id of the search
	Found []Found `json:"found"`
	Error string  `json:"error,omitempty"` // why discovery failed; empty if it succeeded
}

// Discoverer discovers the instances of a data source on a device. It ends when
// ctx ends. Its error says why discovery failed; no instances is a valid result.
type Discoverer interface {
	Discover(ctx context.Context, s Search) ([]Found, error)
}

// property returns a property of the device, or otherwise if it has none.
func (s Search) property(name, otherwise string) string {
	if value := s.Properties[name]; value != "" {
		return value
	}
	return otherwise
}

// Find discovers instances on a device, and implements Discoverer.
type Find func(ctx context.Context, s Search) ([]Found, error)

// Discover implements Discoverer.
func (f Find) Discover(ctx context.Context, s Search) ([]Found, error) {
	if s.Host == "" {
		return nil, errors.New("the device has no name or address to connect to")
	}
	return f(ctx, s)
}

// Discoverers returns the checks that discover instances, by name.
func Discoverers(checks []Check) map[string]Discoverer {
	out := map[string]Discoverer{}
	for _, c := range checks {
		if c.Find != nil {
			out[c.Name] = c.Find
		}
	}
	return out
}

// Simulated returns the instances of a data source on a simulated device. They are always
// the same, and depend on the data source's name.
func Simulated(dataSource string, device int64) []Found {
	name := strings.ToLower(dataSource)
	for _, s := range simulations {
		for _, word := range s.words {
			if strings.Contains(name, word) {
				return s.find(device)
			}
		}
	}
	return []Found{{WildValue: "1", DisplayName: "1"}, {WildValue: "2", DisplayName: "2"}}
}

// simulation defines the instances of data sources with one of the words in their
// names.
type simulation struct {
	words []string
	find  func(device int64) []Found
}

var simulations = []simulation{
	{[]string{"interface", "port", "ethernet"}, interfaces},
	{[]string{"disk", "volume", "filesystem", "file_system", "storage", "mount"}, volumes},
	{[]string{"cpu", "core", "processor"}, cores},
	{[]string{"radio", "ssid", "wireless"}, radios},
	{[]string{"database", "schema"}, listed("postgres", "orders", "tracking", "billing")},
	{[]string{"guest", "virtual", "vm_", "vms"}, guests},
	{[]string{"datastore", "lun", "aggregate"}, listed("datastore-ssd-01", "datastore-ssd-02", "datastore-hdd-01")},
	{[]string{"temp", "sensor", "fan"}, listed("inlet", "exhaust", "cpu")},
	{[]string{"outlet", "phase", "battery"}, listed("L1", "L2", "L3")},
	{[]string{"tunnel", "vpn"}, listed("fra-osl", "fra-aus", "osl-aus")},
	{[]string{"service", "process"}, listed("sshd", "cron", "rsyslogd")},
	{[]string{"queue"}, listed("inbound", "outbound", "dead-letter")},
}

var purposes = []string{"Uplink", "Uplink", "Server rack", "Server rack", "Storage", "Backup", "Management", "Spare"}

// interfaces returns eight interfaces: few enough for a hundred thousand devices,
// and enough to search a list.
func interfaces(device int64) []Found {
	found := make([]Found, len(purposes))
	for i, purpose := range purposes {
		found[i] = Found{fmt.Sprint(i + 1), fmt.Sprintf("Ethernet%d", i+1), purpose}
		if i == len(purposes)-1 && device%3 == 0 {
			found[i].Description = "Console of the room"
		}
	}
	return found
}

func volumes(device int64) []Found {
	found := []Found{{"/", "/", "System"}, {"/var", "/var", "Logs and spools"}, {"/srv", "/srv", "Data"}}
	return found[:2+device%2]
}

func cores(device int64) []Found {
	found := make([]Found, 2+2*(device%2))
	for i := range found {
		found[i] = Found{fmt.Sprint(i), fmt.Sprintf("CPU %d", i), ""}
	}
	return found
}

func radios(int64) []Found {
	return []Found{{"0", "2.4 GHz", "Warehouse scanners"}, {"1", "5 GHz", "Office"}}
}

func guests(device int64) []Found {
	found := make([]Found, 4)
	for i := range found {
		found[i] = Found{fmt.Sprintf("vm-%d", device*10+int64(i)), fmt.Sprintf("guest-%02d", i+1), ""}
	}
	return found
}

func listed(names ...string) func(int64) []Found {
	return func(int64) []Found {
		found := make([]Found, len(names))
		for i, name := range names {
			found[i] = Found{WildValue: name, DisplayName: name}
		}
		return found
	}
}
