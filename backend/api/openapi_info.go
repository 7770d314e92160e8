package api

import (
	"slices"

	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// portalInfo describes the document of the portal's API.
func portalInfo(version string) object {
	return info("Spyglass portal API", version, "The REST API of a monitoring portal. Lists take size, offset, sort, "+
		"fields and filter; every error has the same body.")
}

// explorerInfo describes the document of the page's own endpoints.
func explorerInfo(version string) object {
	return info("Spyglass Explorer API", version, "The endpoints of the page beyond the portal's API. They change "+
		"with the page: scripts use the API of the portal.")
}

func info(name, version, doc string) object {
	return object{
		{"title", name}, {"version", version}, {"description", doc},
		{"license", object{{"name", "All rights reserved"}, {"identifier", "LicenseRef-Spyglass"}}},
	}
}

// holds describes the content of each category.
var holds = map[string]string{
	ground.CategoryDevices: "Monitored hosts, appliances and services, with their properties and data.",
	ground.CategoryGroups: "The tree of static and dynamic groups, and the properties that devices " +
		"inherit from it.",
	ground.CategoryDataSources: "What is collected from which devices, and the thresholds of values.",
	ground.CategoryAlerts:      "Alerts, who is notified of them and when, and maintenance windows.",
	ground.CategorySettings:    "Collectors, users and roles, the audit log, and the portal itself.",
	ground.CategoryReports:     "Reports, their schedules and runs.",
}

// tags returns the categories: those of the portal in their order, then any others.
func tags(endpoints []resource.Endpoint) []any {
	names := slices.Clone(ground.Categories)
	used := map[string]bool{}
	for _, e := range endpoints {
		used[e.Category] = true
		if !slices.Contains(names, e.Category) {
			names = append(names, e.Category)
		}
	}
	var out []any
	for _, name := range names {
		if used[name] {
			out = append(out, object{{"name", name}}.with("description", holds[name]))
		}
	}
	return out
}
