package server_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"spyglass/backend/portal/opsnote"
	"spyglass/backend/portal/override"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

func TestChangesAreSentByKindUntilUnsubscribed(t *testing.T) {
	s := start(t, options(t))
	ctx, leave := context.WithCancel(t.Context())
	events, ended := make(chan []string), make(chan error, 1)
	go func() {
		ended <- s.Changes(ctx, func(kinds []string) error {
			select {
			case events <- kinds:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	var again int64
	for _, write := range []struct {
		kind string
		do   func(tx resource.Tx) error
	}{
		{string(opsnote.OpsNotes.Name), func(tx resource.Tx) error {
			return resource.Put(ctx, tx, opsnote.OpsNotes.Name, &opsnote.OpsNote{Note: "deployed"})
		}},
		{string(override.Overrides.Name), func(tx resource.Tx) error {
			again++ // no two overrides are on the same instance
			return resource.Put(ctx, tx, override.Overrides.Name, &override.Override{InstanceID: again})
		}},
	} {
		untilEvent(ctx, t, s, events, write.kind, write.do)
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v, want the end of the context", err)
	}
}

// untilEvent repeats a write until a listener receives an event of the kind.
func untilEvent(ctx context.Context, t *testing.T, s *server.Server, events <-chan []string, kind string,
	write func(tx resource.Tx) error) {
	t.Helper()
	for { // listeners miss writes that happen before they connect
		if err := s.DB().Write(resource.WithCall(ctx, nil), write); err != nil {
			t.Fatal(err)
		}
		select {
		case kinds := <-events:
			if slices.Contains(kinds, kind) {
				return
			}
		case <-time.After(10 * time.Millisecond):
		}
	}
}
