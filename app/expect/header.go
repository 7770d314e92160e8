package expect

import (
	"context"
	"strings"
)

// Header checks a header by its name; of several with one name, all values with commas.
var Header = Kind{
	ID: "header", Label: "Header", Doc: "The value of a response header.", Target: "Name", Hint: "Content-Type",
	Example: "application/json",
	Ops:     []*Op{&Is, &IsNot, &Holds, &Lacks, &Matches, &OneOf, &Exists, &Absent},
	read: func(_ context.Context, r *Response, name string) (Value, bool, error) {
		var values []string
		for _, h := range r.Headers {
			if strings.EqualFold(h[0], name) {
				values = append(values, h[1])
			}
		}
		return Value{Kind: "string", Text: strings.Join(values, ", ")}, len(values) > 0, nil
	},
}
