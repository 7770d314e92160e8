package resource

import "context"

// View declares rows that are worked out for each request and kept nowhere as
// they stand: what a setting amounts to, a history, an overview. It is written
// like a resource, and its lists filter, sort and page like those of one.
//
// What a Resource says of tables (Unique, Scope, Derived, Check, Remove …) has
// no meaning here: Rows knows what the caller may see, and Save what follows.
// A row is found by its first field, which is a whole number; with Single there
// is one row and no list. Fields of IDs and pairs are shown, but do not filter.
type View[T any] struct {
	Resource[T]
	Params []Param // further path parameters, which Rows reads

	// Rows returns all rows of the path, in their natural order, limited to
	// what the caller may see; the Parents in the path exist and are visible to
	// the caller.
	Rows func(ctx context.Context, r Reader, c *Call) ([]T, error)
	// Save stores the changes of a PUT or PATCH; nil: the rows are read only.
	// The response is the row as Rows returns it afterwards.
	Save func(w *Write, was, now T) error
}

// Each makes Rows of a function that gives the structs themselves.
func Each[T any](
	rows func(context.Context, Reader, *Call) ([]T, error),
) func(context.Context, Reader, *Call) ([]*T, error) {
	return func(ctx context.Context, r Reader, c *Call) ([]*T, error) {
		found, err := rows(ctx, r, c)
		all := make([]*T, len(found))
		for i := range found {
			all[i] = &found[i]
		}
		return all, err
	}
}
