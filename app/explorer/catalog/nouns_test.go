package catalog_test

import (
	"context"
	"testing"

	"spyglass/app/explorer/catalog"
	"spyglass/backend/resource"
)

func TestEndpointNameComesFromThePortalOrThePath(t *testing.T) {
	for _, tt := range []struct {
		of   resource.Endpoint
		want resource.Noun
	}{
		{resource.Endpoint{Method: "DELETE", Path: "/sdt/sdts/{id}", Noun: resource.Regular("maintenance window")},
			resource.Noun{One: "maintenance window", Many: "maintenance windows"}},
		{resource.Endpoint{Method: "DELETE", Path: "/things/{id}"}, resource.Noun{One: "thing", Many: "things"}},
		{resource.Endpoint{Method: "GET", Path: "/things/{id}/spareParts"},
			resource.Noun{One: "spare part", Many: "spare parts"}},
		{resource.Endpoint{Method: "GET", Path: "/things/{id}/deliveries"},
			resource.Noun{One: "delivery", Many: "deliveries"}},
		{resource.Endpoint{Method: "DELETE", Path: "/session"}, resource.Noun{}},
		{resource.Endpoint{Method: "DELETE", Path: "{id}"}, resource.Noun{}},
	} {
		if got := catalog.NounOf(&tt.of); got != tt.want {
			t.Errorf("%s is of %q, want %q", tt.of.ID(), got, tt.want)
		}
	}
}

func TestPluralComesFromThePortalOrTheName(t *testing.T) {
	devices := resource.Noun{One: "device in it", Many: "devices in it"}
	for _, tt := range []struct {
		name string
		of   *resource.Schema
		want resource.Noun
	}{
		{"inside", &resource.Schema{Type: "integer", Counts: devices}, devices},
		{"numOfSubGroups", &resource.Schema{Type: "integer", Doc: "Groups in it"},
			resource.Noun{One: "sub group", Many: "sub groups"}},
		{"numOfHosts", nil, resource.Noun{One: "host", Many: "hosts"}},
		{"size", &resource.Schema{Type: "integer", Doc: "Devices in it"}, resource.Noun{}},
	} {
		if got := catalog.Counted(tt.name, tt.of); got != tt.want {
			t.Errorf("%s counts %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCatalogNamesTheResourcesOfEndpoints(t *testing.T) {
	made, err := catalog.Read(context.Background(), []byte(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},
		"paths":{"/sdts/{id}":{"get":{"x-noun":"maintenance window","x-plural":"maintenance windows",
		"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],
		"responses":{"200":{"description":"Done","content":{"application/json":{"schema":{"type":"object",
		"properties":{"inside":{"type":"integer","x-noun":"device in it","x-plural":"devices in it"},
		"half":{"type":"integer","x-noun":"half"}}}}}}}}}}}`), "http://127.0.0.1/api")
	if err != nil {
		t.Fatal(err)
	}
	e := made.Match("GET", "/sdts/7")
	_, inside := catalog.Property(e.Response, "inside")
	_, half := catalog.Property(e.Response, "half")
	if want := (resource.Noun{One: "device in it", Many: "devices in it"}); inside.Counts != want ||
		half.Counts != (resource.Noun{}) || e.Noun != resource.Regular("maintenance window") {
		t.Errorf("it is of %q and counts %q and %q, want %q", e.Noun, inside.Counts, half.Counts, want)
	}
}
