package client

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"spyglass/build/client/portal"
)

// mount is the path at which published clients expect the API.
const mount = "/santaba/rest"

// signed returns a client that signs its requests with LMv1 as published clients
// do: over the path below the mount, without the query.
func signed(t *testing.T) *portal.Client {
	t.Helper()
	made, err := connect(t).PostSettingAdminsByAdminIdApitokensWithResponse(t.Context(), 1,
		portal.PostSettingAdminsByAdminIdApitokensJSONRequestBody{Note: new("made by the client")})
	must(t, err)
	answers(t, "create a token", made.HTTPResponse, made.Body, http.StatusCreated)
	var token struct{ AccessID, AccessKey string }
	must(t, json.Unmarshal(made.Body, &token))
	c, err := portal.NewClient(os.Getenv("SPYGLASS_ORIGIN")+mount,
		portal.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			return sign(r, token.AccessID, token.AccessKey)
		}))
	must(t, err)
	return c
}

func sign(r *http.Request, id, key string) error {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	at := strconv.FormatInt(time.Now().UnixMilli(), 10)
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(r.Method + at + string(body) + strings.TrimPrefix(r.URL.Path, mount)))
	signature := base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(h.Sum(nil))))
	r.Header.Set("Authorization", "LMv1 "+id+":"+signature+":"+at)
	r.Header.Set("X-Version", "3")
	return nil
}

// read decodes a response of a client, and fails the test if the status
// differs.
func read(t *testing.T, what string, response *http.Response, err error, status int, into any) {
	t.Helper()
	must(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	answers(t, what, response, body, status)
	must(t, json.Unmarshal(body, into))
}

func TestSignedClientManagesADeviceAtThePublishedMount(t *testing.T) {
	c := signed(t)
	var made portal.Device
	// sends keys that are coerced, unknown or null, as published clients do
	response, err := c.PostDeviceDevicesWithBody(t.Context(), "application/json",
		strings.NewReader(`{"name":"signed.example.net","displayName":"signed","preferredCollectorId":"1",`+
			`"hostGroupIds":"1","disableAlerting":"False","netflowCollectorId":null,"unknown":{"a":1}}`))
	read(t, "create", response, err, http.StatusOK, &made)

	var list portal.DeviceList
	response, err = c.GetDeviceDevices(t.Context(), &portal.GetDeviceDevicesParams{Filter: new(`displayName:"signed"`),
		Size: new(5000)})
	read(t, "list", response, err, http.StatusOK, &list)
	if list.Total != 1 || *list.Items[0].Id != *made.Id {
		t.Errorf("the list is %+v", list)
	}

	var changed portal.Device
	response, err = c.PatchDeviceDevicesById(t.Context(), *made.Id, nil, portal.PatchDeviceDevicesByIdJSONRequestBody{
		Description: new("signed")})
	read(t, "patch", response, err, http.StatusOK, &changed)
	if *changed.Description != "signed" {
		t.Errorf("patched it is %+v", changed)
	}

	var nothing map[string]any
	response, err = c.DeleteDeviceDevicesById(t.Context(), *made.Id, &portal.DeleteDeviceDevicesByIdParams{
		DeleteHard: new(true)})
	read(t, "delete", response, err, http.StatusOK, &nothing)
	var fault portal.Error
	response, err = c.GetDeviceDevicesById(t.Context(), *made.Id, nil)
	read(t, "get after delete", response, err, http.StatusNotFound, &fault)
	if fault.ErrorCode != 1404 {
		t.Errorf("a missing device returns %+v", fault)
	}
}

func TestSignedClientReadsByPublishedPaths(t *testing.T) {
	c := signed(t)
	for _, path := range []string{
		"/device/devices", "/device/groups", "/setting/collector/collectors", "/setting/collector/groups",
		"/setting/admins", "/setting/roles",
		"/alert/alerts", "/setting/datasources", "/sdt/sdts", "/report/reports",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, os.Getenv("SPYGLASS_ORIGIN")+mount+path+
			"?size=2&v=3", nil)
		must(t, err)
		must(t, c.RequestEditors[0](t.Context(), r))
		response, err := http.DefaultClient.Do(r)
		must(t, err)
		body, err := io.ReadAll(response.Body)
		must(t, err)
		response.Body.Close()
		var page struct {
			Total int
			Items []json.RawMessage
		}
		if err := json.Unmarshal(body, &page); err != nil || response.StatusCode != http.StatusOK ||
			len(page.Items) == 0 || page.Total < len(page.Items) {
			t.Errorf("%s returned %d %.200s", path, response.StatusCode, body)
		}
	}
}
