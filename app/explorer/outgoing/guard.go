package outgoing

import (
	"fmt"

	"spyglass/backend/fault"
)

// Guard refuses writes to a read-only portal.
func (t *Target) Guard(out *Request) error {
	if !t.ReadOnly || out.Method == "GET" {
		return nil
	}
	return &fault.Error{
		Kind: fault.Denied, Field: "portal", Detail: map[string]any{"readOnly": true},
		Message: fmt.Sprintf("%s is read-only, so %s was not sent; unlock it to make changes", t.Name,
			out.Method),
	}
}
