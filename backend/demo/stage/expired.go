package stage

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/portal/incident"
)

// expiredSession refuses requests as if their session had expired. The session
// still exists and works again after the incident.
var expiredSession = effect{kind: incident.ExpiredSession, trouble: func(_ context.Context, s *scene) error {
	if !struck(s) {
		return nil
	}
	return fault.New(fault.NoLogin, "a demo incident expires all sessions")
}}
