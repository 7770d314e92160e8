package endpoint_test

import (
	"testing"

	"spyglass/backend/endpoint"
	"spyglass/backend/resource"
)

type wick struct {
	ID     resource.TextID
	LampID int64
	Title  string
	Length int64
}

func TestSampleRowMatchesTheExamples(t *testing.T) {
	r := &resource.Resource[*wick]{
		Name: "wick", Label: "wick", Path: "/lamps/{lampId}/wicks", Doc: "Burns.", Sample: 5,
		Parents: []resource.Parent{{Of: "lamp", Param: "lampId", Field: "lampId", Sample: 7}},
		Unique:  [][]string{{"lampId", "title"}},
		Fields: []resource.Field[*wick]{
			{Name: "id", At: func(w *wick) any { return &w.ID }, ReadOnly: true, Prefix: "W_"},
			{Name: "lampId", At: func(w *wick) any { return &w.LampID }, ReadOnly: true},
			{Name: "title", At: func(w *wick) any { return &w.Title }, Example: "long"},
			{Name: "length", At: func(w *wick) any { return &w.Length }, Default: 12},
		},
	}
	row, err := endpoint.SampleRow(r)
	if want := (wick{5, 7, "long_renamed", 12}); err != nil || *row != want {
		t.Errorf("the row is %v (%v), want %v", *row, err, want)
	}
}
