package workspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// past adds a response to the history of user 1 and returns its id.
func (d *desk) past(body string) int64 {
	d.t.Helper()
	z := workspace.NewZipper()
	_, _ = z.Write([]byte(body))
	h := &workspace.History{UserID: 1, At: 5, Method: "GET", Path: "/a", Status: 200, StatusText: "OK",
		Bytes: int64(len(body))}
	headers := [][2]string{{"Content-Type", "application/json"}, {"ETag", "1"}, {"Date", "today"}}
	if err := d.AddToHistory(d.t.Context(), h, &workspace.Reply{Headers: headers, Zipped: z.Zipped()}, 0); err != nil {
		d.t.Fatal(err)
	}
	return h.ID
}

func TestExampleStoresAResponseWithItsRequest(t *testing.T) {
	d := open(t)
	d.send(1, "POST /collections", `{"name":"Devices"}`)
	d.send(1, "POST /requests", `{"collectionId":1,"draft":{"path":"/a"}}`)
	h := d.past(`{"id":7}`)
	body := fmt.Sprintf(`{"historyId":%d,"name":"Found","headers":["etag","content-type"]}`, h)
	d.expect(1, "POST /requests/1/examples", body, `{"id":1}`)
	all := `{"total":1,"searchId":null,"items":[{"id":1,"requestId":1,"at":5,"name":"Found","status":200,` +
		`"statusText":"OK","headers":[["Content-Type","application/json"],["ETag","1"]],"bytes":8}],"data":null}`
	d.expect(1, "GET /examples?filter=requestId:1", "", all)
	d.expect(1, "GET /examples/1/body", "", `{"text":"{\"id\":7}"}`)
	for _, tt := range []struct {
		user         int64
		do, body, is string
	}{
		{1, "POST /requests/7/examples", body, "unknown : there is no saved request 7"},
		{2, "POST /requests/1/examples", body, fmt.Sprintf("unknown : there is no request %d", h)},
		{2, "GET /examples/1/body", "", "unknown : there is no example 1"},
		{1, "POST /requests/1/examples", `{"historyId":99,"name":"x"}`, "unknown : there is no request 99"},
		{1, "POST /requests/1/examples", fmt.Sprintf(`{"historyId":%d,"name":"x"}`, d.past("\xff\xfe")),
			"invalid historyId: the response is not text, so it cannot be an example"},
		{1, "POST /requests/1/examples", fmt.Sprintf(`{"historyId":%d,"name":"x"}`,
			d.past(strings.Repeat("x", workspace.MaxExampleBody+1))),
			"invalid historyId: the response has 1025 KiB, and an example at most 1024; send a request for fewer " +
				"fields or items"},
	} {
		d.expect(tt.user, tt.do, tt.body, tt.is)
	}
	d.send(1, "DELETE /history/1", "")
	d.send(1, "PATCH /examples/1", `{"name":"Renamed"}`)
	folders, err := d.Folders(t.Context(), 1, 1)
	want := "[{Renamed 200 OK [[Content-Type application/json] [ETag 1]] {\"id\":7}}]"
	if err != nil || fmt.Sprint(folders[0].Requests[0].Examples) != want {
		t.Errorf("the collection has %v, %v, want %s", folders, err, want)
	}
	d.send(1, "POST /collections/1/duplicate", "")
	d.expect(1, "GET /examples/2/body", "", `{"text":"{\"id\":7}"}`)
	for i := range workspace.MaxExamples - 1 {
		d.send(1, "POST /requests/1/examples", fmt.Sprintf(`{"historyId":%d,"name":"%d"}`, d.past("{}"), i))
	}
	d.expect(1, "POST /requests/1/examples", fmt.Sprintf(`{"historyId":%d,"name":"x"}`, d.past("{}")),
		"conflict : this request already has 20 examples; delete some first")
}

func TestExamplesAreDeletedAndRestoredWithTheirRequest(t *testing.T) {
	d := open(t)
	example := []workspace.SavedExample{{Name: "Found", Status: 200, Body: "{}"}}
	request := func() workspace.Saved {
		return workspace.Saved{Draft: workspace.Draft{Path: "/a"}, Examples: example}
	}
	folders := []workspace.Folder{{Name: "A", Requests: []workspace.Saved{request(), request()}}, {Name: "B",
		Requests: []workspace.Saved{request()}}}
	if _, err := d.Plant(t.Context(), 1, 0, folders, nil); err != nil {
		t.Fatal(err)
	}
	count := func(want string) {
		t.Helper()
		d.expect(1, "GET /examples?fields=requestId", "", want)
		counts, err := d.Counts(t.Context())
		if err != nil || counts["requestExample"] != counts["exampleBody"] {
			t.Errorf("%d examples have %d bodies (%v)", counts["requestExample"], counts["exampleBody"], err)
		}
	}
	count(`{"total":3,"searchId":null,"items":[{"requestId":1},{"requestId":2},{"requestId":3}],"data":null}`)
	d.send(1, "DELETE /requests/1", "")
	count(`{"total":2,"searchId":null,"items":[{"requestId":2},{"requestId":3}],"data":null}`)
	d.send(1, "DELETE /examples/2", "")
	count(`{"total":1,"searchId":null,"items":[{"requestId":3}],"data":null}`)
	d.send(1, "DELETE /collections/2", "")
	count(`{"total":0,"searchId":null,"items":[],"data":null}`)

	if _, err := d.Plant(t.Context(), 1, 0, folders[1:], nil); err != nil {
		t.Fatal(err)
	}
	d.send(1, "PATCH /requests/4", fmt.Sprintf(`{"trashed":%d}`, time.Now().Add(-25*time.Hour).UnixMilli()))
	_ = d.Close()
	d.open(0)
	count(`{"total":0,"searchId":null,"items":[],"data":null}`)

	folders[0].Requests[0].Examples = []workspace.SavedExample{{Body: strings.Repeat("x", workspace.MaxExampleBody+1)}}
	if _, err := d.Plant(t.Context(), 1, 0, folders, nil); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a huge example was planted: %v", err)
	}
}
