package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// Writes share a commit. When a write finds the disk full, no acknowledged write may be lost,
// and no refused write may be stored.
func TestFullDiskKeepsOnlyAcknowledgedWrites(t *testing.T) {
	aboutFiles(t)
	h := open(t)
	create := func(name string) error {
		_, err := h.do(admin, "POST /device/devices",
			fmt.Sprintf(`{"name":%q,"description":%q}`, name, strings.Repeat("x", 3000)), "")
		return err
	}
	if err := h.db.MaxPages(t.Context(), 200); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	made, refused := map[string]bool{}, 0
	var wait sync.WaitGroup
	for w := range 8 {
		wait.Go(func() {
			for i := range 50 {
				name := fmt.Sprintf("d-%d-%d", w, i)
				err := create(name)
				mu.Lock()
				switch {
				case err == nil:
					made[name] = true
				case fault.Is(err, fault.Full):
					refused++
				default:
					t.Errorf("%s: %v, want fault.Full", name, err)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(made) == 0 || refused == 0 {
		t.Fatalf("%d writes were taken, %d refused", len(made), refused)
	}
	have, err := resource.Find(t.Context(), h.db, fleet.Devices.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range have {
		if !made[d.Name] {
			t.Errorf("%s is there, and was refused", d.Name)
		}
		delete(made, d.Name)
	}
	for name := range made {
		t.Errorf("%s was acknowledged, and is not there", name)
	}
	if err := h.db.MaxPages(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := create("with-room-again"); err != nil {
		t.Error(err)
	}
}
