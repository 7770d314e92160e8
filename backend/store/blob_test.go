package store_test

import (
	"bytes"
	"testing"

	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// parcel holds arbitrary bytes.
type parcel struct {
	ID      int64
	Content []byte
}

const parcelRows resource.Name[*parcel] = "parcel"

var parcels = resource.Resource[*parcel]{
	Name: parcelRows, Label: "parcel",
	Fields: []resource.Field[*parcel]{
		{Name: "id", At: func(p *parcel) any { return &p.ID }, ReadOnly: true},
		{Name: "content", At: func(p *parcel) any { return &p.Content }, ReadOnly: true, WriteOnly: true},
	},
}

func TestBytesAreStoredUnchanged(t *testing.T) {
	h := open(t)
	if _, err := store.Add(h.db, &parcels); err != nil {
		t.Fatal(err)
	}
	contents := [][]byte{nil, {0}, []byte(`"quoted"`), []byte("null"), {0xff, 0xfe, '\n'}}
	err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		for _, content := range contents {
			if err := resource.Put(t.Context(), tx, parcelRows, &parcel{Content: content}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !onServer { // an older version stored them as JSON
		err := h.db.Raw(t.Context(), `INSERT INTO "parcel" ("content") VALUES ('"aGk="'), ('null')`)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, []byte("hi"), nil)
	}
	rows, err := resource.Find(t.Context(), h.db, parcelRows)
	if err != nil || len(rows) != len(contents) {
		t.Fatalf("%d rows came back, %v", len(rows), err)
	}
	for i, row := range rows {
		if !bytes.Equal(row.Content, contents[i]) {
			t.Errorf("%q came back as %q", contents[i], row.Content)
		}
	}
}
