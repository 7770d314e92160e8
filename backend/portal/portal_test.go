package portal_test

import (
	"reflect"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

func TestNearestGroupPropertyIsInherited(t *testing.T) {
	prop := func(name, value string) resource.Property { return resource.Property{Name: name, Value: value} }
	tree := &fleet.Tree{Groups: map[int64]*fleet.Group{
		1: {ID: 1, CustomProperties: []resource.Property{prop("site", "HQ"), prop("owner", "IT"),
			prop("snmp.community", "public")}},
		2: {ID: 2, ParentID: 1, CustomProperties: []resource.Property{prop("Site", "Oslo")}},
		3: {ID: 3, ParentID: 2, CustomProperties: []resource.Property{prop("rack", "12")}},
		4: {ID: 4, ParentID: 1,
			CustomProperties: []resource.Property{prop("site", "Rome"), prop("rack", "7"), prop("floor", "2")}},
	}}
	for _, tt := range []struct {
		name   string
		groups resource.IDs
		want   []resource.Property
	}{
		{"no group", nil, nil},
		{"a group that is gone", resource.IDs{99}, nil},
		{"the root", resource.IDs{1},
			[]resource.Property{prop("owner", "IT"), prop("site", "HQ"), prop("snmp.community", "public")}},
		{"the nearest wins, whatever its letter case", resource.IDs{3},
			[]resource.Property{prop("Site", "Oslo"), prop("owner", "IT"), prop("rack", "12"),
				prop("snmp.community", "public")}},
		{"the first group wins", resource.IDs{4, 3},
			[]resource.Property{prop("floor", "2"), prop("owner", "IT"), prop("rack", "7"), prop("site", "Rome"),
				prop("snmp.community", "public")}},
		{"the first group wins, even the root", resource.IDs{1, 3},
			[]resource.Property{prop("owner", "IT"), prop("rack", "12"), prop("site", "HQ"),
				prop("snmp.community", "public")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tree.Inherited(tt.groups); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestBelowIncludesTheGroupAndItsDescendants(t *testing.T) {
	tree := &fleet.Tree{Children: map[int64][]int64{1: {2, 4}, 2: {3}}}
	want := map[int64][]int64{1: {1, 2, 4, 3}, 2: {2, 3}, 3: {3}}
	if got := tree.Below([]int64{1, 2, 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
