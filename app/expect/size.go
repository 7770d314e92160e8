package expect

import (
	"context"
	"strconv"
)

// Size checks the bytes of the body.
var Size = Kind{
	ID: "size", Label: "Size", Doc: "Bytes of the body.", Unit: "bytes", Example: "10000",
	Ops: []*Op{&Below, &AtMost, &Above, &AtLeast, &Is},
	read: func(_ context.Context, r *Response, _ string) (Value, bool, error) {
		return Value{Kind: "number", Text: strconv.FormatInt(r.Bytes, 10)}, true, nil
	},
}
