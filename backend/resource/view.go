package resource

import "context"

// View declares rows that are computed for each request and not stored: effective
// settings, a history, an overview. It is declared like a resource, and its lists
// support filters, sorting and paging.
//
// The fields of a Resource for tables (Unique, Scope, Derived, Check, Remove …)
// have no effect: Rows determines which rows the caller can view, and Save
// handles writes. The first field identifies a row and is a whole number; with
// Single there is one row and no list. Fields of IDs and pairs are shown, but
// cannot be filtered.
type View[T any] struct {
	Resource[T]
	Params []Param // more path parameters, which Rows reads

	// Rows returns all rows of the path that the caller can view, in their
	// natural order. The Parents in the path exist and are visible to the caller.
	Rows func(ctx context.Context, r Reader, c *Call) ([]T, error)
	// Save stores the changes of a PUT or PATCH; nil if the rows are read-only.
	// The response is the row that Rows returns afterwards.
	Save func(w *Write, was, now T) error
}

// Each returns a Rows from a function that returns the structs themselves.
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
