package endpoint_test

import (
	"testing"

	"spyglass/backend/endpoint"
)

func TestWhatIsListedIsNamedAsSeveral(t *testing.T) {
	for label, want := range map[string]string{
		"device":                          "devices",
		"delivery":                        "deliveries",
		"audit log entry":                 "audit log entries",
		"overlay":                         "overlays",
		"alert setting of a device":       "alert settings of a device",
		"property of a device in a group": "properties of a device in a group",
	} {
		if got := endpoint.Plural(label); got != want {
			t.Errorf("several of %q are %q, want %q", label, got, want)
		}
	}
}
