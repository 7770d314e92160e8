package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

func TestSealedFieldRoundTripsAndIsInNoFile(t *testing.T) {
	aboutFiles(t)
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "portal.db")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Add(db, &alert.Integrations); err != nil {
		t.Fatal(err)
	}
	row := alert.Integration{Name: "hook", Type: alert.IntegrationHTTP, Secret: "Bearer sandpiper-91"}
	err = db.Write(t.Context(),
		func(tx resource.Tx) error { return resource.Put(t.Context(), tx, alert.Integrations.Name, &row) })
	if err != nil {
		t.Fatal(err)
	}
	got, err := resource.Get(t.Context(), db, alert.Integrations.Name, row.ID)
	if err != nil || got.Secret != "Bearer sandpiper-91" || got.Password != "" {
		t.Errorf("the secrets are %q and %q (%v)", got.Secret, got.Password, err)
	}
	read := func() {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v %v", files, err)
		}
		for _, file := range files {
			if text, err := os.ReadFile(file); err != nil || bytes.Contains(text, []byte("sandpiper")) {
				t.Errorf("%s holds the secret, or cannot be read (%v)", filepath.Base(file), err)
			}
		}
	}
	read()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	read()
}
