package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

func TestCheckReadsEveryDatabaseAndNamesTheDamagedOne(t *testing.T) {
	o := options(t)
	s := start(t, o)
	var sound []string
	tell := func(file string) { sound = append(sound, file) }
	if err := server.Check(t.Context(), o.Data, tell); err != nil { // while it runs
		t.Fatal(err)
	}
	if want := []string{"portal.db", "series.db"}; !slices.Equal(sound, want) {
		t.Errorf("%q are sound, want %q", sound, want)
	}
	stop(t, s)
	path := filepath.Join(o.Data, "series.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte(strings.Repeat("damage ", 2000)), 16384) // its second page
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	sound = nil
	if err := server.Check(t.Context(), o.Data, tell); !fault.Is(err, fault.Conflict) || !strings.HasPrefix(fault.Sentence(err), path+" is damaged") {
		t.Errorf("got %v, want that %s is damaged", err, path)
	}
	if want := []string{"portal.db"}; !slices.Equal(sound, want) {
		t.Errorf("%q are sound, want %q", sound, want)
	}
}

func TestADamagedDatabaseIsAnAlertOfThePortalUntilACheckIsClean(t *testing.T) {
	o := options(t)
	stop(t, start(t, o)) // what was written is in the file, and not in its log
	s := start(t, o)
	path := filepath.Join(o.Data, "series.db")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			_, err = file.WriteAt(data, 16384) // its second page
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	for _, step := range []struct {
		data    []byte
		cleared bool
	}{{[]byte(strings.Repeat("damage ", 2000)), false}, {sound[16384:], true}} {
		write(step.data)
		s.Verify(t.Context())
		found, err := resource.Find(t.Context(), s.DB(), alert.Alerts.Name)
		if err != nil || len(found) != 1 {
			t.Fatalf("%d alerts (%v), want 1", len(found), err)
		}
		a := &found[0]
		if a.Condition != alert.ConditionDatabase || a.Cleared != step.cleared || !strings.HasPrefix(a.Reason, path+" is damaged") || !strings.Contains(a.Reason, "backup") {
			t.Errorf("the alert is %s, cleared %t: %s", a.Condition, a.Cleared, a.Reason)
		}
	}
}
