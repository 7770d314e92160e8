package serve

import (
	"context"

	"spyglass/backend/resource"
)

// Handle serves one endpoint.
type Handle = func(ctx context.Context, c *resource.Call) (any, error)

// MaxDraft limits the bytes of an Explorer request body with a draft in it.
const MaxDraft = 16 << 20

// Post is an endpoint whose body is declared like a resource.
func Post[T any](path, summary string, r *resource.Resource[*T],
	do func(context.Context, *resource.Call, *T) (any, error)) resource.Endpoint {
	schema := r.Schema()
	return resource.Endpoint{
		Method: "POST", Path: path, Summary: summary, Body: &schema, Limit: MaxDraft,
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			body, err := r.Read(c.Body, false)
			if err != nil {
				return nil, err
			}
			in, err := r.Defaults()
			if err == nil {
				err = r.Apply(body, in, true)
			}
			if err != nil {
				return nil, err
			}
			return do(ctx, c, in)
		},
	}
}
