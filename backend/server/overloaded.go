package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// overloadedAgain is the interval at which watchExpressions checks. Saving
// refuses expressions that cost too much, so the alert only opens after a start
// of a new version.
const overloadedAgain = time.Minute

// watchExpressions opens and clears the portal's own alert about expressions that
// are not evaluated because they take too much work, until ctx ends.
func (s *Server) watchExpressions(ctx context.Context) {
	again := time.NewTicker(overloadedAgain)
	defer again.Stop()
	for reported, first := []string(nil), true; ; {
		over, err := fleet.Overloaded(ctx, s.db)
		if err == nil && (first || !slices.Equal(over, reported)) {
			err = s.notifyOverloaded(ctx, over, len(reported) > 0)
		}
		if err == nil {
			reported, first = over, false
		} else if ctx.Err() == nil {
			s.o.Log.ErrorContext(ctx, "the alert about expressions that take too much work could not be written",
				"err", err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// notifyOverloaded opens an alert that names the expressions, or clears it. It
// first clears an alert that names others.
func (s *Server) notifyOverloaded(ctx context.Context, over []string, others bool) error {
	f := &alert.Finding{CollectorID: ground.BuiltInCollector, Condition: alert.ConditionExpressions,
		At: resource.SecondsOf(s.o.Clock())}
	return s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		if len(over) == 0 || others {
			if _, err := alert.Clear(ctx, tx, f); err != nil || len(over) == 0 {
				return err
			}
		}
		f.Severity, f.Value = threshold.SeverityError, "too much work"
		f.Reason = fmt.Sprintf("Expressions take too much work and are no longer evaluated: those of %s. "+
			"Simplify them, or other expressions.", shortened(over))
		_, _, err := alert.Raise(ctx, tx, f)
		return err
	})
}

// shortened joins names, and counts those after the first few.
func shortened(names []string) string {
	const shown = 5
	if more := len(names) - shown; more > 0 {
		names = append(slices.Clone(names[:shown]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
