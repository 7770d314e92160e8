package resource_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"spyglass/backend/resource"
)

type shade string

func (shade) Schema() resource.Schema {
	return resource.Schema{Type: "string", Enum: []any{"light", "dark"}}
}

type branch struct {
	Name string `json:"name" doc:"of the branch"`
	leaf
	Below []branch        `json:"below,omitempty"`
	Pair  [2]string       `json:"pair"`
	One   *string         `json:"one,omitempty" null:"no"`
	Other *string         `json:"other"`
	Any   json.RawMessage `json:"any"`
	Shade shade           `json:"shade" doc:"of the leaves"`
	Fruit shade           `json:"fruit" enum:"light|none"`
}

type leaf struct {
	Kind string `json:"kind" enum:"oak|elm"`
}

func TestSchemaOfAGoType(t *testing.T) {
	got := resource.SchemaOf(branch{})
	pair := resource.List(resource.Schema{Type: "string"}, "")
	pair.Length = 2
	want := resource.Schema{Type: "object", Name: "branch", Properties: []resource.Key{
		{Name: "name", Required: true, Schema: resource.Text("of the branch")},
		{Name: "kind", Required: true, Schema: resource.Schema{Type: "string", Enum: []any{"oak", "elm"}}},
		{Name: "below", Schema: resource.List(resource.Schema{Type: "object", Name: "branch", Again: true}, "")},
		{Name: "pair", Required: true, Schema: pair},
		{Name: "one", Schema: resource.Schema{Type: "string"}},
		{Name: "other", Required: true, Schema: resource.Schema{Type: "string", Nullable: true}},
		{Name: "any", Required: true, Schema: resource.Schema{Type: "any"}},
		{Name: "shade", Required: true,
			Schema: resource.Schema{Type: "string", Doc: "of the leaves", Enum: []any{"light", "dark"}}},
		{Name: "fruit", Required: true, Schema: resource.Schema{Type: "string", Enum: []any{"light", "none"}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it is\n%+v, want\n%+v", got, want)
	}
}
