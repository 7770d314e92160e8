package expect

import (
	"context"
	"strconv"
)

// Status checks the status code: 201, or a class such as 2xx.
var Status = Kind{
	ID: "status", Label: "Status", Doc: "The status code, or its class: 2xx.", Example: "200",
	Ops: []*Op{&Is, &IsNot, &OneOf, &Below, &AtLeast},
	read: func(_ context.Context, r *Response, _ string) (Value, bool, error) {
		code := strconv.FormatInt(r.Status, 10)
		return Value{Kind: "number", Text: code, Also: code[:1] + "xx"}, true, nil
	},
}
