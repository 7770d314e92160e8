package store_test

import (
	"database/sql"
	"maps"
	"path/filepath"
	"testing"
)

func TestUpgradeKeepsASafetyCopy(t *testing.T) {
	aboutFiles(t)
	h := open(t)
	for _, name := range []string{"a", "b", "c"} { // all within the same second
		h.send(admin, "POST /device/devices", `{"name":"`+name+`"}`)
		if err := h.db.Close(); err != nil {
			t.Fatal(err)
		}
		old, err := sql.Open("sqlite", h.path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.ExecContext(t.Context(), `UPDATE "_shape" SET "shape" = 'older'`); err != nil {
			t.Fatal(err)
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		h.start()
	}
	copies := map[string]int{}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(h.path), "*-before-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		kept, err := sql.Open("sqlite", name)
		if err != nil {
			t.Fatal(err)
		}
		var devices int
		if err := kept.QueryRowContext(t.Context(), `SELECT count(*) FROM "device"`).Scan(&devices); err != nil {
			t.Error(err)
		}
		copies[filepath.Base(name)] = devices
		if err := kept.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int{"portal-before-20260504T120000.db": 1, "portal-before-20260504T120000-2.db": 2,
		"portal-before-20260504T120000-3.db": 3}
	if !maps.Equal(copies, want) {
		t.Errorf("the copies and how many devices each has are %v, want %v", copies, want)
	}
}
