package stage

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/portal/incident"
)

// expiredSession refuses requests as if their session had ended. It has not: the
// next ones after the incident go through.
var expiredSession = effect{kind: incident.ExpiredSession, trouble: func(_ context.Context, s *scene) error {
	if !struck(s) {
		return nil
	}
	return fault.New(fault.NoLogin, "a demo incident expires all sessions")
}}
