package workspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

func TestCollectionItemsCanBeMoved(t *testing.T) {
	d := open(t)
	d.expect(1, "POST /collections", `{"name":"Devices"}`, `{"id":1,"parentId":0,"position":1,"name":"Devices",`+
		`"doc":"","trashed":0}`)
	d.expect(1, "POST /collections", `{"name":"Inner","parentId":1}`, `{"id":2,"parentId":1,"position":1,`+
		`"name":"Inner","doc":"","trashed":0}`)
	for _, path := range []string{"/a", "/b", "/c"} {
		d.send(1, "POST /requests", `{"collectionId":1,"draft":{"path":"`+path+`"}}`)
	}
	folders := `{"folders":[{"doc":"","id":1,"name":"Devices","parentId":0},{"doc":"","id":2,"name":"Inner",` +
		`"parentId":1}],"requests":`
	request := func(id, collection int, path string) string {
		return fmt.Sprintf(`{"collectionId":%d,"id":%d,"method":"GET","name":"","path":"%s"}`, collection, id, path)
	}
	d.wantTree(folders + `[` + request(1, 1, "/a") + `,` + request(2, 1, "/b") + `,` + request(3, 1, "/c") + `]}`)
	d.expect(1, "POST /collections/move", `{"request":3,"to":1,"at":0}`, `{}`)
	d.expect(1, "POST /collections/move", `{"request":1,"to":2,"at":9}`, `{}`)
	d.wantTree(folders + `[` + request(3, 1, "/c") + `,` + request(2, 1, "/b") + `,` + request(1, 2, "/a") + `]}`)
	for _, tt := range []struct{ do, body, want string }{
		{"POST /collections/move", `{"folder":1,"to":2}`, "invalid to: a collection cannot be inside itself"},
		{"PATCH /collections/1", `{"parentId":2}`, "invalid parentId: a collection cannot be inside itself"},
		{"POST /collections/move", `{"request":1,"to":0}`, "invalid to: a saved request must be in a collection"},
		{"POST /collections/move", `{"request":1,"folder":1,"to":0}`, "invalid : specify either a collection or a " +
			"request to move"},
		{"POST /requests", `{"collectionId":7}`, "invalid collectionId: this collection no longer exists"},
		{"POST /requests", `{"collectionId":1,"draft":{"method":"FETCH"}}`,
			"invalid draft.method: the method must be one of GET, POST, PUT, PATCH, DELETE"},
	} {
		d.expect(1, tt.do, tt.body, tt.want)
	}
	d.expect(2, "POST /requests", `{"collectionId":1}`, "invalid collectionId: this collection no longer exists")
	d.expect(2, "POST /collections/move", `{"folder":1,"to":0}`, "unknown : there is no collection 1")
}

func (d *desk) wantTree(want string) {
	d.t.Helper()
	if got := d.send(1, "GET /collections/tree", ""); got != want {
		d.t.Errorf("the tree is\n got %s\nwant %s", got, want)
	}
}

func TestDeletedItemsCanBeRestoredForADay(t *testing.T) {
	d := open(t)
	d.send(1, "POST /collections", `{"name":"Devices"}`)
	d.send(1, "POST /collections", `{"name":"Inner","parentId":1}`)
	d.send(1, "POST /requests", `{"collectionId":2,"draft":{"path":"/a"}}`)
	before := d.send(1, "GET /collections/tree", "")
	yesterday := time.Now().Add(-25 * time.Hour).UnixMilli()
	d.send(1, "PATCH /collections/1", fmt.Sprintf(`{"trashed":%d}`, time.Now().UnixMilli()))
	d.wantTree(`{"folders":[],"requests":[]}`)
	_ = d.Close()
	d.open(0)
	d.send(1, "PATCH /collections/1", `{"trashed":0}`)
	d.wantTree(before)
	d.send(1, "PATCH /collections/1", fmt.Sprintf(`{"trashed":%d}`, yesterday))
	_ = d.Close()
	d.open(0)
	for _, do := range []string{"GET /collections?fields=id", "GET /requests?fields=id"} {
		d.expect(1, do, "", `{"total":0,"searchId":null,"items":[],"data":null}`)
	}
}

func TestFoldersAreCreatedCompletelyOrNotAtAll(t *testing.T) {
	d := open(t)
	request := func(path string) workspace.Saved {
		return workspace.Saved{Name: "of " + path, Doc: "note",
			Draft: workspace.Draft{Method: "GET", Path: path, Mode: "raw", Body: "{ }"}}
	}
	folders := []workspace.Folder{
		{Name: "A", Doc: "first", Requests: []workspace.Saved{request("/1"), request("/2")},
			Folders: []workspace.Folder{{Name: "B", Requests: []workspace.Saved{request("/3")}}}},
		{Name: "C"},
	}
	d.send(1, "POST /variables", `{"name":"have","value":"mine"}`)
	made, err := d.Plant(t.Context(), 1, 0, folders, []workspace.Variable{{Name: "have", Value: "other"},
		{Name: "new", Value: "1"}, {Name: "bad name"}, {Name: "hidden", Value: "pLaNtEd", Secret: true},
		{Name: "unknown", Secret: true}})
	if err != nil || fmt.Sprint(*made) != "{[1 3] [2 3 4] 3 []}" {
		t.Fatalf("planted %v, %v", made, err)
	}
	got, err := d.Folders(t.Context(), 1)
	if want := fmt.Sprintf("%+v", folders); err != nil || fmt.Sprintf("%+v", got) != want {
		t.Errorf("the folders are\n got %+v %v\nwant %s", got, err, want)
	}
	d.expect(1, "GET /variables?fields=name,value", "", `{"total":4,"searchId":null,"items":[{"name":"have",`+
		`"value":"mine"},{"name":"new","value":"1"},{"name":"hidden","value":"********"},{"name":"unknown",`+
		`"value":""}],"data":null}`)
	if secret,
		err := d.Secret(&workspace.Variable{ID: 3, UserID: 1, Value: resource.Mask,
		Secret: true}); secret != "pLaNtEd" || err != nil {
		t.Errorf("the keyring has %q, %v", secret, err)
	}

	bad := []workspace.Folder{
		{Name: "D", Requests: []workspace.Saved{request("/4"), {Draft: workspace.Draft{Method: "FETCH"}}}}}
	if _, err := d.Plant(t.Context(), 1, 0, bad, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("a wrong method was planted: %v", err)
	}
	deep := workspace.Folder{Name: "x"}
	for range workspace.MaxDepth {
		deep = workspace.Folder{Name: "x", Folders: []workspace.Folder{deep}}
	}
	if _, err := d.Plant(t.Context(), 1, 0, []workspace.Folder{deep}, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("folders without end were planted: %v", err)
	}
	if again, err := d.Folders(t.Context(), 1); err != nil || len(again) != 2 {
		t.Errorf("half of it was planted: %v %v", again, err)
	}
	if _, err := d.Folders(t.Context(), 2, 1); !fault.Is(err, fault.Unknown) {
		t.Errorf("another's collection was read: %v", err)
	}
}

func TestNewerTabIsNotOverwritten(t *testing.T) {
	d := open(t)
	d.send(1, "POST /tabs", `{}`)
	if got := d.send(1, "PATCH /tabs/1", `{"version":1,"draft":{"method":"GET","path":"/mine"}}`); !strings.Contains(
		got, `"version":2`) {
		t.Fatal(got)
	}
	d.expect(1, "PATCH /tabs/1", `{"version":1,"draft":{"method":"GET","path":"/theirs"}}`,
		"conflict version: this tab was changed in another window meanwhile")
	if got := d.send(1, "PATCH /tabs/1", `{"view":{"scroll":4},"historyId":3,"position":2}`); !strings.Contains(
		got, `"path":"/mine"`) || !strings.Contains(got, `"version":2`) {
		t.Errorf("what is only shown counts as a change: %s", got)
	}
}

func TestRecentlyClosedTabsCanBeReopened(t *testing.T) {
	d := open(t)
	for i := 1; i <= 30; i++ {
		d.send(1, "POST /tabs", `{}`)
		d.send(1, fmt.Sprintf("PATCH /tabs/%d", i), fmt.Sprintf(`{"closed":%d}`, 1000+i))
	}
	if open, err := d.TabsJSON(t.Context(), 1, workspace.BuiltIn); err != nil || string(open) != "[]" {
		t.Errorf("closed tabs are open: %s %v", open, err)
	}
	d.expect(1, "GET /tabs?fields=id&sort=-closed&size=2", "", `{"total":25,"searchId":null,"items":[{"id":30},`+
		`{"id":29}],"data":null}`)
	d.send(1, "PATCH /tabs/30", `{"closed":0}`)
	if open, err := d.TabsJSON(t.Context(), 1, workspace.BuiltIn); err != nil ||
		!strings.Contains(string(open), `"id":30,`) {
		t.Errorf("the tab is not open again: %s %v", open, err)
	}
}
