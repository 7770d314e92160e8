package exchange

import (
	"regexp"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"

	"spyglass/backend/fault"
)

var swaggerLine = regexp.MustCompile(`(?m)^["']?swagger["']?\s*:`)

// Swagger is the older description of an API, version 2.0, as JSON or YAML.
var Swagger = Format{
	ID: "swagger", Label: "Swagger 2.0", Ext: "swagger.json", Type: "application/json",
	Is: func(f *File) bool { return f.has("swagger") || f.isYAML(swaggerLine) },
	Read: func(f *File) (*Found, error) {
		if err := f.asJSON(); err != nil {
			return nil, err
		}
		if err := f.references(); err != nil {
			return nil, err
		}
		var old openapi2.T
		if err := f.decodeAny(&old); err != nil {
			return nil, err
		}
		doc, err := openapi2conv.ToV3WithLoader(&old, apiLoader(), nil)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s is not a valid Swagger 2.0 document: %s", f.name(), firstLine(err))
		}
		return f.described(doc)
	},
}
