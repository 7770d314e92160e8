package server_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

func TestChangesAreToldByTheirKindsUntilNobodyListens(t *testing.T) {
	s := start(t, options(t))
	ctx, leave := context.WithCancel(t.Context())
	told, ended := make(chan []string), make(chan error, 1)
	go func() {
		ended <- s.Changes(ctx, func(kinds []string) error {
			select {
			case told <- kinds:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	for told := told; told != nil; { // what is written before somebody listens is not told
		err := s.DB().Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
			return resource.Put(ctx, tx, portal.OpsNotes.Name, &portal.OpsNote{Note: "deployed"})
		})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case kinds := <-told:
			if slices.Contains(kinds, string(portal.OpsNotes.Name)) {
				told = nil
			}
		case <-time.After(10 * time.Millisecond):
		}
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v, want the end of the context", err)
	}
}
