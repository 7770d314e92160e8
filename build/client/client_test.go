// Package client uses the portal as an external program does: through a Go client that
// oapi-codegen generates from the OpenAPI document in the package portal next to this one.
//
// `go run ./build test contract` starts a portal, generates the client and runs
// these tests. They are a separate module, so that the program does not
// depend on the generator.
package client

import (
	"context"
	"net/http"
	"os"
	"testing"

	"spyglass/build/client/portal"
)

// connect returns the generated client, signed in by a token.
func connect(t *testing.T) *portal.ClientWithResponses {
	t.Helper()
	origin, bearer := os.Getenv("SPYGLASS_ORIGIN"), os.Getenv("SPYGLASS_BEARER")
	if origin == "" || bearer == "" {
		t.Fatal("no portal is named: go run ./build test contract starts one")
	}
	c, err := portal.NewClientWithResponses(origin+"/api",
		portal.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+bearer)
			return nil
		}))
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answers fails the test if a response has an unexpected status.
func answers(t *testing.T, what string, response *http.Response, body []byte, status int) {
	t.Helper()
	if response.StatusCode != status {
		t.Fatalf("%s returned %d %s, want %d", what, response.StatusCode, body, status)
	}
}

func TestGeneratedClientManagesADevice(t *testing.T) {
	c := connect(t)
	made, err := c.PostDeviceDevicesWithResponse(t.Context(), portal.DeviceBody{
		Name: "made-by-client.example.net", HostGroupIds: new("1"),
		CustomProperties: &[]portal.Property{{Name: "shelf", Value: "12"}, {Name: "snmp.community", Value: "hush"}},
	})
	must(t, err)
	answers(t, "create", made.HTTPResponse, made.Body, http.StatusCreated)
	id := *made.JSON201.Id

	read, err := c.GetDeviceDevicesByIdWithResponse(t.Context(), id, nil)
	must(t, err)
	answers(t, "get", read.HTTPResponse, read.Body, http.StatusOK)
	if d := read.JSON200; *d.DisplayName != "made-by-client.example.net" || len(*d.CustomProperties) != 2 ||
		(*d.CustomProperties)[1].Value != "********" {
		t.Errorf("the new device is %s", read.Body)
	}

	same, err := c.GetDeviceDevicesByIdWithResponse(t.Context(), id, &portal.GetDeviceDevicesByIdParams{
		IfNoneMatch: new(read.HTTPResponse.Header.Get("ETag"))})
	must(t, err)
	answers(t, "get with If-None-Match", same.HTTPResponse, same.Body, http.StatusNotModified)

	found, err := c.GetDeviceDevicesWithResponse(t.Context(), &portal.GetDeviceDevicesParams{
		Filter: new(`displayName~"MADE-BY",customProperties.name:"shelf",customProperties.value:"12"`), Size: new(10),
		Sort: new("-id"), Fields: new("id,name"),
	})
	must(t, err)
	answers(t, "list", found.HTTPResponse, found.Body, http.StatusOK)
	if list := found.JSON200; list.Total != 1 || len(list.Items) != 1 || *list.Items[0].Id != id ||
		list.Items[0].DisplayName != nil {
		t.Errorf("the filter finds %s", found.Body)
	}

	patched, err := c.PatchDeviceDevicesByIdWithResponse(t.Context(), id, nil,
		portal.PatchDeviceDevicesByIdJSONRequestBody{Description: new("patched")})
	must(t, err)
	answers(t, "patch", patched.HTTPResponse, patched.Body, http.StatusOK)
	if d := patched.JSON200; *d.Description != "patched" || len(*d.CustomProperties) != 2 {
		t.Errorf("patched it is %s", patched.Body)
	}
	replace(t, c, id, read.HTTPResponse.Header.Get("ETag"), patched.HTTPResponse.Header.Get("ETag"))

	gone, err := c.DeleteDeviceDevicesByIdWithResponse(t.Context(), id, &portal.DeleteDeviceDevicesByIdParams{
		DeleteHard: new(true)})
	must(t, err)
	answers(t, "delete", gone.HTTPResponse, gone.Body, http.StatusOK)
	missing, err := c.GetDeviceDevicesByIdWithResponse(t.Context(), id, nil)
	must(t, err)
	answers(t, "get after delete", missing.HTTPResponse, missing.Body, http.StatusNotFound)
	if missing.JSON404.ErrorCode != 1404 || missing.JSON404.ErrorDetail != nil || missing.JSON404.ErrorMessage == "" {
		t.Errorf("a missing device returned %s", missing.Body)
	}
}

// replace sends a PUT of the device twice: with an outdated version, and with the current version.
func replace(t *testing.T, c *portal.ClientWithResponses, id int, stale, fresh string) {
	t.Helper()
	body := portal.DeviceBody{Name: "put-by-client.example.net"}
	put, err := c.PutDeviceDevicesByIdWithResponse(t.Context(), id, &portal.PutDeviceDevicesByIdParams{
		IfMatch: &stale}, body)
	must(t, err)
	answers(t, "put of an old version", put.HTTPResponse, put.Body, http.StatusPreconditionFailed)
	if put.JSON412.ErrorCode != 1412 {
		t.Errorf("an old version returned %s", put.Body)
	}
	put, err = c.PutDeviceDevicesByIdWithResponse(t.Context(), id, &portal.PutDeviceDevicesByIdParams{
		IfMatch: &fresh}, body)
	must(t, err)
	answers(t, "put", put.HTTPResponse, put.Body, http.StatusOK)
	if d := put.JSON200; *d.Name != "put-by-client.example.net" || *d.Description != "" ||
		len(*d.CustomProperties) != 0 {
		t.Errorf("replaced it is %s", put.Body)
	}
}

func TestGeneratedClientGetsTheWrongField(t *testing.T) {
	c := connect(t)
	for _, tt := range []struct {
		body  portal.DeviceBody
		field string
	}{
		{portal.DeviceBody{Name: ""}, "name"},
		{portal.DeviceBody{Name: "x.example.net", HostGroupIds: new("999999")}, "hostGroupIds"},
		{portal.DeviceBody{Name: "x.example.net", Link: new("javascript:alert(1)")}, "link"},
	} {
		wrong, err := c.PostDeviceDevicesWithResponse(t.Context(), tt.body)
		must(t, err)
		answers(t, "create", wrong.HTTPResponse, wrong.Body, http.StatusBadRequest)
		f := wrong.JSON400
		if f.ErrorCode != 1400 || f.ErrorDetail == nil || f.ErrorDetail.Field == nil ||
			*f.ErrorDetail.Field != tt.field {
			t.Errorf("want the field %s, not %s", tt.field, wrong.Body)
		}
	}
	list, err := c.GetDeviceDevicesWithResponse(t.Context(),
		&portal.GetDeviceDevicesParams{Filter: new(`displaynam:"x"`)})
	must(t, err)
	answers(t, "list", list.HTTPResponse, list.Body, http.StatusBadRequest)
	if *list.JSON400.ErrorDetail.Field != "filter" {
		t.Errorf("want the field filter, not %s", list.Body)
	}
}
