package expect

import (
	"context"
	"strconv"
)

// Time checks how long the request took, from sending it to the last byte.
var Time = Kind{
	ID: "time", Label: "Time", Doc: "Milliseconds from sending to the last byte.", Unit: "ms", Example: "500",
	Ops: []*Op{&Below, &AtMost, &Above},
	read: func(_ context.Context, r *Response, _ string) (Value, bool, error) {
		return Value{Kind: "number", Text: strconv.FormatInt(r.MS, 10)}, true, nil
	},
}
