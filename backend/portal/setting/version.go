package setting

import (
	"context"

	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Version is the response of GET /setting/version.
type Version struct {
	Version    string `json:"version" doc:"version of the API, 3.x.y"`
	APIVersion int64  `json:"apiVersion" doc:"the number that a client sends in X-Version; always 3"`
	Build      string `json:"build" doc:"version of this program"`
}

// APIVersion is the version of the REST API; it is raised when endpoints are
// added.
const APIVersion = "3.0.0"

// VersionEndpoint declares GET /setting/version.
func VersionEndpoint(build string) resource.Endpoint {
	schema := resource.SchemaOf(Version{})
	return resource.Endpoint{
		Method: "GET", Path: "/setting/version", Category: ground.CategorySettings, Summary: "Get the API version",
		Doc:   "Returns the version of the portal's API.",
		Right: resource.Right{Object: resource.Anyone}, Response: &schema,
		Handle: func(context.Context, *resource.Call) (any, error) {
			return Version{Version: APIVersion, APIVersion: 3, Build: build}, nil
		},
	}
}
