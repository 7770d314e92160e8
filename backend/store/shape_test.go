package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// lamp is a resource whose versions differ in their fields.
type lamp struct {
	ID     int64
	Name   string
	Colour string
	Bulbs  []bulb
	Shades []shade
}

type bulb struct {
	Watt int64 `json:"watt" doc:"power"`
}

type shade struct {
	Watt   int64  `json:"watt" doc:"power"`
	Socket string `json:"socket" doc:"what it is screwed into"`
}

func lamps(with ...string) *resource.Resource[*lamp] {
	r := &resource.Resource[*lamp]{Name: "lamp", Label: "lamp", Fields: []resource.Field[*lamp]{
		{Name: "id", At: func(l *lamp) any { return &l.ID }, ReadOnly: true},
		{Name: "name", At: func(l *lamp) any { return &l.Name }},
	}}
	for _, field := range with {
		switch field {
		case "colour":
			r.Fields = append(r.Fields,
				resource.Field[*lamp]{Name: "colour", At: func(l *lamp) any { return &l.Colour }})
		case "bulbs":
			r.Fields = append(r.Fields, resource.Field[*lamp]{Name: "bulbs", At: func(l *lamp) any { return &l.Bulbs }})
		case "bulbs with sockets":
			r.Fields = append(r.Fields,
				resource.Field[*lamp]{Name: "bulbs", At: func(l *lamp) any { return &l.Shades }})
		}
	}
	return r
}

func rooms() *resource.Resource[*lamp] {
	r := lamps()
	r.Name = "room"
	return r
}

// version opens a file as a program that declares these resources.
func version(path string, resources ...*resource.Resource[*lamp]) (*store.DB, error) {
	db, err := store.Open(context.Background(), options(path))
	if err != nil {
		return nil, err
	}
	shapes := make([]store.Shape, len(resources))
	for i, r := range resources {
		shapes[i] = store.ShapeOf(r)
	}
	err = db.Accept(context.Background(), shapes...)
	for _, r := range resources {
		if err == nil {
			_, err = store.Add(db, r)
		}
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

func TestNewerFileIsRefusedAndUnchanged(t *testing.T) {
	type list = []*resource.Resource[*lamp]
	former := lamps()
	former.Former = []string{"colour text"}
	for _, tt := range []struct {
		name       string
		wrote, now list
		has        string // part of the error; empty: the file opens
	}{
		{"the same", list{lamps("colour")}, list{lamps("colour")}, ""},
		{"an older one", list{lamps()}, list{lamps("colour"), rooms()}, ""},
		{"with a field more", list{lamps("colour")}, list{lamps()}, "lamp.colour"},
		{"with a field more inside", list{lamps("bulbs with sockets")}, list{lamps("bulbs")}, "lamp.bulbs[].socket"},
		{"with a table more", list{lamps(), rooms()}, list{lamps()}, "room"},
		{"with a field that is gone for good", list{lamps("colour")}, list{former}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "portal.db")
			db, err := version(path, tt.wrote...)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db, err = version(path, tt.now...)
			if tt.has == "" {
				if err != nil {
					t.Fatal(err)
				}
				_ = db.Close()
				return
			}
			want := nameOf(path) + " was written by a newer version of Spyglass: it has " + tt.has +
				", which this version does not know and would lose. Start the newer version, or choose another " +
				"--data folder. Nothing was changed"
			if f := fault.Of(err); f.Kind != fault.Conflict || f.Message != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if db, err = version(path, tt.wrote...); err != nil {
				t.Errorf("the newer version does not open it any more: %v", err)
			} else {
				_ = db.Close()
			}
		})
	}
}

func TestOldFieldSurvivesAWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portal.db")
	former := lamps()
	former.Former = []string{"colour text"}
	for i, r := range []*resource.Resource[*lamp]{lamps("colour"), former, lamps("colour")} {
		db, err := version(path, r)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(t.Context(), func(tx resource.Tx) error {
			row := &lamp{ID: 1, Name: "a", Colour: "red"}
			if i > 0 {
				if row, err = resource.Get(t.Context(), tx, r.Name, 1); err != nil {
					return err
				}
			}
			if i == 2 && row.Colour != "red" {
				t.Errorf("the colour is %q", row.Colour)
			}
			row.Name += "a"
			return resource.Put(t.Context(), tx, r.Name, row)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileWithoutAFieldListOpens(t *testing.T) {
	aboutFiles(t)
	path := filepath.Join(t.TempDir(), "portal.db")
	db, err := version(path, lamps("colour"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`DROP TABLE "_field"`, `PRAGMA user_version = 1`} {
		if err := db.Raw(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = version(path, lamps()); err != nil { // an old program may have left a field
		t.Fatal(err)
	}
	_ = db.Close()
}

func TestFailedMigrationIsReportedWithAMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "portal.db")
	db, err := version(path, lamps())
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx resource.Tx) error {
		for range 2 {
			if err := resource.Put(t.Context(), tx, lamps().Name, &lamp{Name: "same"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	unique := lamps()
	unique.Unique = [][]string{{"name"}}
	_, err = version(path, unique)
	want := nameOf(path) + " cannot be opened by this version of Spyglass: in its table lamp, several of its rows " +
		"share a value that must be unique. It was left as it is. Start the version that wrote it last, restore a " +
		"backup, or choose another --data folder"
	if f := fault.Of(err); f.Kind != fault.Conflict || f.Message != want ||
		!strings.Contains(strings.ToLower(err.Error()), "unique") {
		t.Errorf("got %v, want %s", err, want)
	}
}
