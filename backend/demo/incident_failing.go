package demo

import (
	"context"
	"errors"

	"spyglass/backend/fault"
	"spyglass/backend/portal/incident"
)

// failingAnswers lets requests fail as a mistake of the portal would.
var failingAnswers = effect{kind: incident.FailingAnswers, trouble: func(_ context.Context, s *scene) error {
	if !struck(s) {
		return nil
	}
	return &fault.Error{Kind: fault.Internal, Err: errors.New("an incident of the demo lets requests fail")}
}}
