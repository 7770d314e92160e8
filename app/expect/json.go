package expect

import "context"

// JSON checks the first value that a query finds in the body.
var JSON = Kind{
	ID: "json", Label: "JSON value", Doc: "The first value of the body that a JSONPath or jq query finds.",
	Target: "Path", Hint: "$.items[0].id", Example: "any value",
	Ops: []*Op{&Is, &IsNot, &OneOf, &Holds, &Lacks, &Matches, &Above, &AtLeast, &Below, &AtMost, &IsType, &Exists,
		&Absent},
	read: func(ctx context.Context, r *Response, path string) (Value, bool, error) {
		v, count, err := r.Query(ctx, path)
		return v, count > 0, err
	},
}
