package store

import (
	"context"

	"spyglass/backend/endpoint"
	"spyglass/backend/resource"
)

// Endpoints returns the endpoints of the resource, with their documentation.
func (t *Table) Endpoints() []resource.Endpoint {
	return endpoint.Of(t.res, endpoint.Handlers{
		DB:   t.db,
		List: t.list, Create: t.create, Get: t.get, Replace: t.replace, Patch: t.patch, Delete: t.erase, Clear: t.clear,
		Batch: t.batch,
		Listing: func(l resource.Listing) endpoint.Handler {
			return func(ctx context.Context, c *resource.Call) (any, error) { return t.listThose(ctx, c, t.listed(l)) }
		},
		Act: t.act,
		ActOnMany: func(a resource.Action[any]) endpoint.Handler {
			return t.many(a.Many, a.Name, func(c *resource.Call) (step, error) { return t.acting(a, c), nil })
		},
		Bin: endpoint.BinHandlers{
			List:        func(ctx context.Context, c *resource.Call) (any, error) { return t.listAs(ctx, c, gone) },
			Restore:     t.restore,
			Purge:       t.purge,
			RestoreMany: t.many("ids", "restore", t.restoring),
			PurgeMany:   t.many("ids", "purge", t.purging),
		},
		Props: endpoint.PropHandlers{
			List: t.listProps, Add: t.addProp, Get: t.getProp, Replace: t.setProp(true), Patch: t.setProp(false),
			Delete: t.dropProp,
		},
	})
}
