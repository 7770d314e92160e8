package explorer

import (
	"fmt"

	"spyglass/backend/fault"
)

// guard refuses writes to a portal that is locked for them.
func (t *target) guard(out *outgoing) error {
	if !t.readOnly || out.Method == "GET" {
		return nil
	}
	return &fault.Error{
		Kind: fault.Denied, Field: "portal", Detail: map[string]any{"readOnly": true},
		Message: fmt.Sprintf("%s is locked for reading only, so %s was not sent; unlock it to write", t.name, out.Method),
	}
}
