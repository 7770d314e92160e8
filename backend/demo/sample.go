package demo

import (
	"slices"

	"spyglass/backend/endpoint"
	"spyglass/backend/resource"
)

// Sample adds the row that the examples of a resource use.
type Sample func(f *filler) error

// SampleOf returns the Sample of a resource. It adds nothing if the demo has rows of
// the resource, or if callers cannot add any.
func SampleOf[T any](r *resource.Resource[*T]) Sample {
	return func(f *filler) error {
		if r.Sample == 0 || r.Single > 0 || r.Owner != "" || slices.Contains(r.Without, resource.OnCreate) {
			return nil
		}
		some, err := resource.Find(f.write.Context, f.write.Tx, r.Name, resource.Limit(1))
		if err != nil || len(some) > 0 {
			return err
		}
		row, err := endpoint.SampleRow(r)
		if err != nil {
			return err
		}
		return add(f, r, row, nil)
	}
}
