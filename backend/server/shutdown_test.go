package server_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// TestStopEndsByItsDeadlineDuringABlockedWrite blocks a write. Stop must return without
// it, and the folder must remain locked.
func TestStopEndsByItsDeadlineDuringABlockedWrite(t *testing.T) {
	o := options(t)
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(nil); err != nil {
		t.Fatal(err)
	}
	writing, release, written := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		written <- s.DB().Write(context.WithoutCancel(t.Context()), func(resource.Tx) error {
			close(writing)
			<-release
			return nil
		})
	}()
	<-writing

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	select {
	case err := <-stopped:
		if err == nil || !strings.Contains(err.Error(), "portal.db did not stop in time") {
			t.Errorf("it stopped with %v, want a word on portal.db", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("it has not stopped long after its deadline")
	}
	if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Conflict) {
		t.Errorf("while a write is under way the folder is opened again: %v", err)
	}
	close(release)
	<-written
}

func TestRenamedPortalUsesItsNewName(t *testing.T) {
	s := start(t, options(t))
	ctx := resource.WithCall(t.Context(), nil)
	err := s.DB().Write(ctx, func(tx resource.Tx) error {
		settings, err := resource.Get(ctx, tx, setting.Settings.Name, setting.SettingID)
		if err != nil {
			return err
		}
		settings.Name = "Harbour"
		return resource.Put(ctx, tx, setting.Settings.Name, settings)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.PortalName(); got != "Harbour" {
		t.Errorf("the portal is called %q, want Harbour", got)
	}
}
