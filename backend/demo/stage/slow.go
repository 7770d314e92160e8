package stage

import (
	"context"
	"time"

	"spyglass/backend/portal/incident"
)

// slowAnswers delays requests, at most until their own timeout.
var slowAnswers = effect{kind: incident.SlowAnswers, trouble: func(ctx context.Context, s *scene) error {
	timer := time.NewTimer(time.Duration(s.Strength) * time.Second / 10)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}}
