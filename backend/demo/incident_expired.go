package demo

import (
	"context"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// expiredSession refuses requests as if their session had ended. It has not: the
// next ones after the incident go through.
var expiredSession = effect{kind: incident.ExpiredSession, trouble: func(_ context.Context, s *scene) error {
	if !struck(s) {
		return nil
	}
	return fault.New(fault.NoLogin, "a demo incident expires all sessions")
}}

// spared returns the endpoints that API incidents do not affect: those that end them, and
// those that return the signed-in user, without which the page cannot show the
// others.
func spared(e *resource.Endpoint) bool {
	return e.Right.Object == resource.Open || strings.HasPrefix(e.Path, "/demo/") || e.Path == "/session" ||
		strings.HasPrefix(e.Path, "/session/") || e.Path == "/openapi.json"
}
