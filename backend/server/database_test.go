package server_test

import (
	"os"
	"path/filepath"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
	"spyglass/backend/server"
	"spyglass/backend/store/postgres/pgtest"
)

func TestAPortalInADatabaseIsThereAfterAStart(t *testing.T) {
	o := server.Options{Data: t.TempDir(), Database: pgtest.Database(t), Version: "test"}
	add := server.Command{Do: server.DoAddUser, Name: "kim", Role: "readonly", Password: "a-long-password-7"}
	if _, err := server.Send(t.Context(), o, add); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"portal.db", "series.db"} {
		if _, err := os.Stat(filepath.Join(o.Data, file)); err == nil {
			t.Errorf("there is a file %s", file)
		}
	}
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	found, err := resource.Find(t.Context(), s.DB(), people.Users.Name,
		resource.Where{Field: "username", Op: "=", Value: "kim"})
	if err != nil || len(found) != 1 {
		t.Errorf("the users are %v (%v), want kim", found, err)
	}
	other := o
	other.Data = t.TempDir()
	if _, err := server.New(t.Context(), other); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second portal on the database: %v, want fault.Conflict", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := server.New(t.Context(), other); !fault.Is(err, fault.Conflict) { // without the key
		t.Errorf("a start without the key: %v, want fault.Conflict", err)
	}
}

func TestAFolderWithAPortalIsNotUsedForOneInADatabase(t *testing.T) {
	o := server.Options{Data: t.TempDir(), Version: "test"}
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Database = "postgres://db.example.net/spyglass" // no test connects to it
	if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want fault.Conflict", err)
	}
}
