package budget_test

import (
	"context"
	"errors"
	"testing"

	"spyglass/app/budget"
)

func TestBudgetRunsOutOnceAndStaysExhausted(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spend func(*budget.Budget) error
		spent bool
	}{
		{"all bytes", func(b *budget.Budget) error { return b.Bytes(10) }, false},
		{"one byte too many", func(b *budget.Budget) error { return b.Bytes(11) }, true},
		{"all steps", func(b *budget.Budget) error { return b.Steps(100) }, false},
		{"one step too many", func(b *budget.Budget) error { return b.Steps(101) }, true},
		{"spent before", func(b *budget.Budget) error { _ = b.Bytes(11); return b.Steps(0) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := budget.New(t.Context(), budget.Limits{Bytes: 10, Steps: 100})
			if err := tt.spend(b); budget.Spent(err) != tt.spent || budget.Spent(b.Err()) != tt.spent {
				t.Errorf("got %v, want it spent: %v", err, tt.spent)
			}
		})
	}
}

func TestBudgetEndsWhenItsContextIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := budget.New(ctx, budget.Limits{Bytes: 1 << 30, Steps: 1 << 30})
	gone := errors.New("the caller went away")
	cancel(gone)
	if err := b.Steps(1 << 20); !errors.Is(err, gone) {
		t.Errorf("got %v, want %v", err, gone)
	}
}

func TestNilBudgetIsUnlimited(t *testing.T) {
	var b *budget.Budget
	if b.Bytes(1<<40) != nil || b.Steps(1<<40) != nil || b.Err() != nil {
		t.Error("nil was spent")
	}
}
