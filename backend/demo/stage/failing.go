package stage

import (
	"context"
	"errors"

	"spyglass/backend/fault"
	"spyglass/backend/portal/incident"
)

// failingResponses makes requests fail with an internal error of the portal.
var failingResponses = effect{kind: incident.FailingResponses, trouble: func(_ context.Context, s *scene) error {
	if !struck(s) {
		return nil
	}
	return &fault.Error{Kind: fault.Internal, Err: errors.New("a demo incident fails requests")}
}}
