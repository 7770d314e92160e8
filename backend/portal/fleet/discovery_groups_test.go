package fleet

import (
	"fmt"
	"testing"

	"spyglass/backend/check"
	"spyglass/backend/portal/datasource"
)

func TestInstancesPassAllFilters(t *testing.T) {
	found := []check.Found{{WildValue: "1", DisplayName: "lo", Description: ""},
		{WildValue: "2", DisplayName: "Ethernet1", Description: "Uplink"},
		{WildValue: "12", DisplayName: "Ethernet12", Description: "Desk"}}
	for _, tt := range []struct {
		filters []datasource.DiscoveryFilter
		want    string
	}{
		{nil, "1 2 12"},
		{[]datasource.DiscoveryFilter{{Attribute: "name", Operation: "Equal", Value: "LO"}}, "1"},
		{[]datasource.DiscoveryFilter{{Attribute: "auto.name", Operation: "NotEqual", Value: "lo"}}, "2 12"},
		{[]datasource.DiscoveryFilter{{Attribute: "description", Operation: "Contain", Value: "up"}}, "2"},
		{[]datasource.DiscoveryFilter{{Attribute: "description", Operation: "NotContain", Value: "up"}}, "1 12"},
		{[]datasource.DiscoveryFilter{{Attribute: "name", Operation: "RegexMatch", Value: `^Ethernet\d$`}}, "2"},
		{[]datasource.DiscoveryFilter{{Attribute: "name", Operation: "RegexNotMatch", Value: `^eth`}}, "1 2 12"},
		{[]datasource.DiscoveryFilter{{Attribute: "value", Operation: "GreaterThan", Value: "1"},
			{Attribute: "value", Operation: "LessThan", Value: "12"}}, "2"},
		{[]datasource.DiscoveryFilter{{Attribute: "name", Operation: "GreaterThan", Value: "1"}}, ""},
		{[]datasource.DiscoveryFilter{{Attribute: "description", Operation: "Exist"}}, "2 12"},
		{[]datasource.DiscoveryFilter{{Attribute: "auto.interface.type", Operation: "NotExist"}}, "1 2 12"},
	} {
		got := ""
		for _, f := range (&datasource.Discovery{Filters: tt.filters}).Admitted(found) {
			got += " " + f.WildValue
		}
		if got != map[bool]string{true: "", false: " " + tt.want}[tt.want == ""] {
			t.Errorf("%+v admits%s, want %s", tt.filters, got, tt.want)
		}
	}
}

func TestDiscoveryLimitsTheNumberOfInstances(t *testing.T) {
	found := make([]check.Found, 1_000_000)
	for i := range found {
		found[i].WildValue = fmt.Sprint(i)
	}
	if got := len(eachOnce(found)); got != check.MostFound {
		t.Errorf("%d instances are taken, want %d", got, check.MostFound)
	}
}
