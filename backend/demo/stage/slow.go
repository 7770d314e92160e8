package stage

import (
	"context"
	"time"

	"spyglass/backend/portal/incident"
)

// slowResponses delays requests, at most until their own timeout.
var slowResponses = effect{kind: incident.SlowResponses, trouble: func(ctx context.Context, s *scene) error {
	timer := time.NewTimer(time.Duration(s.Strength) * time.Second / 10)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}}
