package serve

import (
	"context"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Handle serves one endpoint.
type Handle = func(ctx context.Context, c *resource.Call) (any, error)

// MaxDraft limits the bytes of an Explorer request body with a draft in it.
const MaxDraft = 16 << 20

// Nothing is the response of an endpoint without a result.
type Nothing struct{}

// Call returns an endpoint whose response is declared by its Go type.
func Call[Out any](method, path, summary string, do func(context.Context, *resource.Call) (Out, error),
	params ...resource.Param) resource.Endpoint {
	response := resource.SchemaOf(*new(Out))
	response.Nullable = false // a handler returns a pointer to a response or an error
	return resource.Endpoint{
		Method: method, Path: path, Summary: summary, Params: append(pathParams(path), params...), Response: &response,
		Handle: func(ctx context.Context, c *resource.Call) (any, error) { return do(ctx, c) },
	}
}

// Get returns an endpoint that reads data.
func Get[Out any](path, summary string, do func(context.Context, *resource.Call) (Out, error),
	params ...resource.Param) resource.Endpoint {
	return Call("GET", path, summary, do, params...)
}

// Post returns an endpoint whose body is declared like a resource, and whose
// response by its Go type.
func Post[In, Out any](path, summary string, r *resource.Resource[*In],
	do func(context.Context, *resource.Call, *In) (Out, error)) resource.Endpoint {
	untyped := r.Untyped()
	body := untyped.Schema()
	e := Call("POST", path, summary, func(ctx context.Context, c *resource.Call) (out Out, err error) {
		given, err := untyped.Read(c.Body, false)
		if err != nil {
			return out, err
		}
		in, err := untyped.Defaults()
		if err == nil {
			err = untyped.Apply(given, in, true)
		}
		if err != nil {
			return out, err
		}
		return do(ctx, c, in.(*In))
	})
	e.Body, e.Limit = &body, MaxDraft
	return e
}

// File returns an endpoint that streams a file or a text in one of several media
// types.
func File(path, summary string, types []string, do Handle, params ...resource.Param) resource.Endpoint {
	return resource.Endpoint{
		Method: "GET", Path: path, Summary: summary, Params: append(pathParams(path), params...),
		Response: &resource.Schema{Type: "string", Format: types[0]}, Files: types[1:], Handle: do,
	}
}

// OfPortal declares of endpoints that they are about one of several portals, which
// the parameter portal names.
func OfPortal(endpoints ...resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		endpoints[i].Params = append(endpoints[i].Params, Query("portal", resource.Integer("The remote portal; 0, the "+
			"default, is the built-in one")))
	}
	return endpoints
}

// OnlyWindow has endpoints refuse all sessions but that of the desktop window, where
// there is one: other sessions of the user, and other users, must not control the
// screen.
func OnlyWindow(desktop bool, endpoints ...resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		do := endpoints[i].Handle
		endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			if desktop && !c.Session.Window {
				return nil, fault.New(fault.Denied, "Only the Spyglass window itself may do this. Use the window.")
			}
			return do(ctx, c)
		}
	}
	return endpoints
}

// OnlyAdministrators has endpoints refuse other users.
func OnlyAdministrators(endpoints ...resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		do := endpoints[i].Handle
		endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			if !c.Access.Admin {
				return nil, fault.New(fault.Denied, "only an administrator can do this")
			}
			return do(ctx, c)
		}
	}
	return endpoints
}

// PlainText is the media type of a text to show or paste.
const PlainText = "text/plain"

// Query declares an optional query parameter.
func Query(name string, s resource.Schema) resource.Param {
	return resource.Param{Name: name, In: "query", Schema: s}
}

// pathParams declares the parameters of a path: ids are numbers, except those of
// documents, runs and watches.
func pathParams(path string) []resource.Param {
	var all []resource.Param
	for segment := range strings.SplitSeq(path, "/") {
		name, ok := strings.CutPrefix(segment, "{")
		if !ok {
			continue
		}
		p := resource.Param{Name: strings.TrimSuffix(name, "}"), In: "path", Required: true,
			Schema: resource.Integer("")}
		if slices.ContainsFunc([]string{"/documents/", "/pages/", "/watches/"}, func(prefix string) bool {
			return strings.HasPrefix(path, prefix)
		}) {
			p.Schema.Type = "string"
		}
		all = append(all, p)
	}
	return all
}
