package portal

import (
	"slices"
	"strings"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// alias adds a second path to an endpoint of the portal.
type alias struct {
	of, path string // ID of the endpoint, and the further path
	summary  string
	category string
}

// WithAliases adds the paths at which published clients expect endpoints that the
// portal has at its own paths. Permissions, limits and docs are those of the
// endpoint itself.
func WithAliases(all []resource.Endpoint) []resource.Endpoint {
	aliases := []alias{
		{of: "GET " + alert.Deliveries.Path, path: "/setting/integrations/auditlogs",
			summary:  "List the log of integrations",
			category: ground.CategoryAlerts},
		{of: "GET /alert/summary", path: "/alert/stat", summary: "Count alerts for statistics",
			category: ground.CategoryAlerts},
		{of: "GET " + setting.Settings.Path, path: "/setting/companySetting", summary: "Get the company settings",
			category: ground.CategorySettings},
		{of: "PUT " + setting.Settings.Path, path: "/setting/companySetting", summary: "Replace the company settings",
			category: ground.CategorySettings},
		{of: "PATCH " + setting.Settings.Path, path: "/setting/companySetting",
			summary: "Change some of the company settings", category: ground.CategorySettings},
	}
	all = slices.Clip(all)
	for _, a := range aliases {
		i := slices.IndexFunc(all, func(e resource.Endpoint) bool { return e.ID() == a.of })
		if i < 0 {
			continue
		}
		e := all[i]
		own := e.Path
		e.Path, e.Summary, e.Category = a.path, a.summary, a.category
		e.Doc = strings.TrimSpace(e.Doc) + " The same as " + e.Method + " " + own +
			", under the path of published clients."
		if e.Example.Path != "" {
			e.Example.Path = strings.Replace(e.Example.Path, own, a.path, 1)
		}
		all = append(all, e)
	}
	return all
}
