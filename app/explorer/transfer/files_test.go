package transfer_test

import (
	"reflect"
	"slices"
	"testing"

	files "spyglass/app/exchange"
	"spyglass/app/explorer/transfer"
)

func TestNewFormatOfTheTableNeedsNoOtherCode(t *testing.T) {
	added := &files.Format{ID: "new", Label: "New 1.0", Family: "New", Ext: "new.json", Several: true, Note: "Note.",
		Write: func(*files.Bundle) ([]byte, error) { return nil, nil }}
	table := append(slices.Clone(files.Formats), added)
	got := transfer.Shown(table)
	want := transfer.Format{ID: "new", Label: "New 1.0", Family: "New", Ext: "new.json", Several: true, Note: "Note.",
		Writes: true}
	if last := got[len(got)-1]; len(got) != len(table) || !reflect.DeepEqual(last, want) {
		t.Errorf("got  %d formats, the last %+v\nwant %d, the last %+v", len(got), last, len(table), want)
	}
	if families := files.Families(table); families[len(families)-1] != "New" {
		t.Errorf("the names of what can be imported are %q", families)
	}
}
