package stage

import (
	"context"
	"math/rand/v2"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/incident"
)

// tooManyRequests refuses requests like a rate limit.
var tooManyRequests = effect{kind: incident.TooManyRequests, trouble: func(_ context.Context, s *scene) error {
	if !struck(s) {
		return nil
	}
	return &fault.Error{Kind: fault.TooMany, RetryAfter: 5 * time.Second, Message: "a demo incident lowers the rate " +
		"limit; try again in 5 seconds"}
}}

// struck decides at random whether an incident affects a request.
func struck(s *scene) bool { return rand.Int64N(100) < s.Strength }
