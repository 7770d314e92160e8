package resource_test

import (
	"testing"

	"spyglass/backend/resource"
)

func TestRegularPlurals(t *testing.T) {
	for one, want := range map[string]string{
		"device":          "devices",
		"delivery":        "deliveries",
		"audit log entry": "audit log entries",
		"overlay":         "overlays",
	} {
		if got := resource.Regular(one); got != (resource.Noun{One: one, Many: want}) {
			t.Errorf("several of %q are %q, want %q", one, got.Many, want)
		}
	}
}

func TestDeclarationNamesItsRows(t *testing.T) {
	type row struct{}
	for _, tt := range []struct {
		of         resource.Resource[*row]
		noun, full resource.Noun
	}{
		{resource.Resource[*row]{Label: "device"}, resource.Noun{One: "device", Many: "devices"},
			resource.Noun{One: "device", Many: "devices"}},
		{resource.Resource[*row]{Label: "property", Whose: "of a device in a group"},
			resource.Noun{One: "property", Many: "properties"},
			resource.Noun{One: "property of a device in a group", Many: "properties of a device in a group"}},
		{resource.Resource[*row]{Label: "staff", Plural: "staff"}, resource.Noun{One: "staff", Many: "staff"},
			resource.Noun{One: "staff", Many: "staff"}},
		{resource.Resource[*row]{Label: "portal settings", Single: 1},
			resource.Noun{One: "portal settings", Many: "portal settings"},
			resource.Noun{One: "portal settings", Many: "portal settings"}},
	} {
		if noun, full := tt.of.Untyped().Noun(), tt.of.Untyped().FullNoun(); noun != tt.noun || full != tt.full {
			t.Errorf("%q %q are %q and %q, want %q and %q", tt.of.Label, tt.of.Whose, noun, full, tt.noun, tt.full)
		}
	}
}
