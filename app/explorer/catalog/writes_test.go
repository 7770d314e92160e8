package catalog_test

import (
	"context"
	"testing"

	"spyglass/app/explorer/catalog"
)

func TestCatalogMarksEndpointsThatCreateOrReturnSecrets(t *testing.T) {
	made, err := catalog.Read(context.Background(), []byte(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},
		"paths":{"/things":{"post":{"responses":{"201":{"description":"Created"}}}},
		"/things/check":{"post":{"responses":{"200":{"description":"Checked"}}}},
		"/things/tokens":{"post":{"x-once":true,"responses":{"201":{"description":"Created"}}}}}}`),
		"http://127.0.0.1/api")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]bool{"/things": {true, false}, "/things/check": {false, false},
		"/things/tokens": {true, true}} {
		if e := made.Match("POST", path); e.Creates != want[0] || e.Once != want[1] {
			t.Errorf("%s creates: %t, gives a secret: %t; want %v", path, e.Creates, e.Once, want)
		}
	}
}
