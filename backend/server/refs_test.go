package server_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

// TestIDFieldsNameTheirResource keeps ids in bodies selectable by name, in the
// Explorer's form and for clients that read x-list in the OpenAPI document.
func TestIDFieldsNameTheirResource(t *testing.T) {
	const (
		kept   = "kept for clients of the published API"
		inside = "listed only inside what it is of"
	)
	plain := map[string]string{ // fields that do not refer to a row, with the reason
		"Device.relatedDeviceId": kept, "DataSource.originRegistryId": kept, "DataSource.accessGroupIds": kept,
		"DataPoint.originId":                  kept,
		"Device.autoBalancedCollectorGroupId": kept, "Device.currentLogCollectorId": kept,
		"Device.logCollectorId": kept, "Device.netflowCollectorId": kept,
		"Device.syntheticsCollectorIds": kept, "Device.resourceIds": kept,
		"DeviceGroup.defaultAutoBalancedCollectorGroupId": kept,
		"AppliesToFunction.accessGroupIds":                kept, "Collector.escalatingChainId": kept,
		"Collector.specifiedCollectorDeviceGroupId": kept,
		"Report.dashboardId":                        kept,
		"AlertAckMany.alertIds":                     "texts such as DS12",
		"AlertNoteMany.alertIds":                    "texts such as DS12",
		"AlertUnackMany.alertIds":                   "texts such as DS12",
		"DeviceDatasourceInstance.groupId":          inside, "DeviceInstances.instanceIds": inside,
		"Result.instanceId": inside, "spark.instanceId": inside,
		"GroupDataPoint.dataPointId": inside, "DeviceClusterAlertConfig.dataPointId": inside,
		"ReportMetric.dataPointId":             inside,
		"GraphDataPoint.dataSourceDataPointId": inside, "GraphLine.dataPointId": inside,
		"SignInSetting.clientId":         "at the provider",
		"Privilege.objectId":             "for some types a word",
		"GenerateReportRequest.reportId": "ignored; the path has the id",
	}
	_, endpoints := newCaller(t)
	met := map[string]bool{}
	var look func(where string, s *resource.Schema)
	look = func(where string, s *resource.Schema) {
		if s.Items != nil {
			look(where, s.Items)
		}
		for _, k := range s.Properties {
			if k.ReadOnly {
				continue
			}
			look(where, &k.Schema)
			if !strings.HasSuffix(k.Name, "Id") && !strings.HasSuffix(k.Name, "Ids") || k.Schema.Refs != "" ||
				k.Schema.Doc == "set by the portal" {
				continue
			}
			name := s.Name + "." + k.Name
			if met[name] = true; plain[name] == "" {
				t.Errorf("%s: %s says not what its ids are of", where, name)
			}
		}
	}
	for _, e := range endpoints {
		if e.Body != nil {
			look(e.ID(), e.Body)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		if !met[name] {
			t.Errorf("no body has a %s without a reference any more", name)
		}
	}
}
