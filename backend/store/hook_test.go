package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"spyglass/backend/resource"
)

const (
	switched resource.Trigger[int64] = "lamp.switched"
	warmth   resource.Value          = "lamp.warmth"
)

func TestHookRunsInTheTransactionOfItsTrigger(t *testing.T) {
	const lampRows, roomRows resource.Name[*lamp] = "lamp", "room"
	refused := errors.New("refused")
	follower := rooms()
	follower.Hooks = []resource.Hook{
		resource.Follow(switched, func(ctx context.Context, tx resource.Tx, id int64) error {
			l, err := resource.Get(ctx, tx, lampRows, id)
			if err != nil {
				return err
			}
			if l.Name == "dark" {
				return refused
			}
			return resource.Put(ctx, tx, roomRows, &lamp{Name: "room of " + l.Name})
		})}
	db, err := version(filepath.Join(t.TempDir(), "portal.db"), lamps(), follower)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	write := func(name string) error {
		return db.Write(t.Context(), func(tx resource.Tx) error {
			l := lamp{Name: name}
			if err := resource.Put(t.Context(), tx, lampRows, &l); err != nil {
				return err
			}
			return switched.Fire(t.Context(), tx, l.ID)
		})
	}
	if err := write("bright"); err != nil {
		t.Fatal(err)
	}
	if err := write("dark"); !errors.Is(err, refused) {
		t.Errorf("the write returned %v, want the error of the hook", err)
	}
	for name, want := range map[resource.Name[*lamp]]string{lampRows: "bright", roomRows: "room of bright"} {
		rows, err := resource.Find(t.Context(), db, name)
		if err != nil || len(rows) != 1 || rows[0].Name != want {
			t.Errorf("%s holds %v, %v; want %q alone", name, rows, err, want)
		}
	}
}

func TestComputedValueComesFromItsResource(t *testing.T) {
	for name, tt := range map[string]struct {
		supplied bool
		want     string
	}{"with the supplier": {true, `"warm"`}, "without it": {false, `"unknown"`}} {
		t.Run(name, func(t *testing.T) {
			supplier := rooms()
			if tt.supplied {
				supplier.Hooks = []resource.Hook{
					resource.Supply(warmth,
						func(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
							return resource.EachRow(rows, func(resource.Row) any { return "warm" })
						})}
			}
			db, err := version(filepath.Join(t.TempDir(), "portal.db"), lamps(), supplier)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			got, err := warmth.Or("unknown")(t.Context(), db, []resource.Row{{ID: 1}})
			if err != nil || len(got) != 1 || string(got[0]) != tt.want {
				t.Errorf("the value is %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}
