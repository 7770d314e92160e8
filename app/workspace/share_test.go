package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// ifMatch is the context key of the ETag in a conditional request.
type ifMatch struct{}

// sharing has the users ana, ben and cem with the ids 1 to 3. It masks the word pLaNtEd.
func (d *desk) sharing(audit *[]string) {
	users := []string{"", "ana", "ben", "cem"}
	replaced := func(draft workspace.Draft, from, to string) workspace.Draft {
		draft.Path, draft.Body = strings.ReplaceAll(draft.Path, from, to), strings.ReplaceAll(draft.Body, from, to)
		return draft
	}
	d.Share(workspace.Sharing{
		UserID: func(_ context.Context, name string) (int64, error) {
			if i := slices.Index(users, name); i > 0 {
				return int64(i), nil
			}
			return 0, fault.New(fault.Unknown, "there is no user %s", name)
		},
		UserName: func(_ context.Context, id int64) (string, error) { return users[id], nil },
		Users:    func(context.Context) ([]string, error) { return slices.Clone(users[1:]), nil },
		Audit: func(_ context.Context, c *resource.Change) error {
			*audit = append(*audit, fmt.Sprint(c.Call.Access.UserID, " ", c.Action, " ", c.Title))
			return nil
		},
		Mask: func(draft workspace.Draft) workspace.Draft { return replaced(draft, "pLaNtEd", resource.Mask) },
		Unmask: func(draft, was workspace.Draft) workspace.Draft {
			if strings.Contains(was.Path+was.Body, "pLaNtEd") {
				return replaced(draft, resource.Mask, "pLaNtEd")
			}
			return draft
		},
	})
}

// shared returns a workspace in which ana has a collection 1 with the folders 2 and 3 and a
// request in each, and a collection 4 with request 4. She shares the rows in share.
func shared(t *testing.T, share ...string) (*desk, *[]string) {
	t.Helper()
	d, audit := open(t), &[]string{}
	d.sharing(audit)
	for _, body := range []string{`{"name":"Fleet"}`, `{"name":"In","parentId":1}`, `{"name":"Out","parentId":1}`,
		`{"name":"Private"}`} {
		d.send(1, "POST /collections", body)
	}
	for i, body := range []string{`"/a?token=pLaNtEd","body":"pLaNtEd"`, `"/in"`, `"/out"`, `"/private"`} {
		d.send(1, "POST /requests", fmt.Sprintf(`{"collectionId":%d,"draft":{"path":%s}}`, i+1, body))
	}
	for _, body := range share {
		if got := d.send(1, "POST /shares", body); !strings.HasPrefix(got, "{") {
			t.Fatal(got)
		}
	}
	d.changes = nil
	return d, audit
}

// sees returns the names of the folders and the paths of the requests that a user can view.
func (d *desk) sees(user int64) string {
	d.t.Helper()
	var tree struct {
		Folders []struct {
			Name, Owner    string
			Shared, Locked bool
		}
		Requests []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(d.send(user, "GET /collections/tree", "")), &tree); err != nil {
		d.t.Fatal(err)
	}
	var all []string
	for _, f := range tree.Folders {
		all = append(all, strings.TrimSpace(fmt.Sprint(f.Owner, " ", f.Name)))
		if f.Locked {
			all[len(all)-1] += "!"
		}
		if f.Shared {
			all[len(all)-1] += "*"
		}
	}
	for _, r := range tree.Requests {
		all = append(all, r.Path)
	}
	return strings.Join(all, " ")
}

const (
	onlyRead = "denied : This collection is shared with you for reading only. Duplicate it to change a copy."
	onlyOwn  = "denied : Only its owner can rename, move or delete a shared collection."
	movesOut = "denied : You cannot move it out of what is shared with you."
)

func TestCollectionIsSharedReadOnly(t *testing.T) {
	d, audit := shared(t, `{"collectionId":1}`)
	d.sees(1)
	for user, want := range map[int64]string{
		1: "Fleet* In Out Private /a?token=pLaNtEd /in /out /private",
		2: "ana Fleet! In! Out! /a?token=******** /in /out", 3: "ana Fleet! In! Out! /a?token=******** /in /out",
	} {
		if got := d.sees(user); got != want {
			t.Errorf("user %d sees %s, want %s", user, got, want)
		}
	}
	for _, tt := range []struct{ do, body, says string }{
		{"PATCH /requests/1", `{"name":"x"}`, onlyRead}, {"DELETE /requests/1", "", onlyRead},
		{"POST /requests", `{"collectionId":2,"draft":{"path":"/b"}}`, onlyRead},
		{"POST /collections", `{"name":"x","parentId":1}`, onlyRead},
		{"PATCH /collections/2", `{"name":"x"}`, onlyRead}, {"DELETE /collections/2", "", onlyRead},
		{"POST /collections/move", `{"request":1,"to":2,"at":0}`, onlyRead},
		{"PATCH /collections/1", `{"name":"x"}`, onlyOwn}, {"DELETE /collections/1", "", onlyOwn},
		{"GET /requests/4", "", "unknown : there is no saved request 4"},
		{"GET /collections/4", "", "unknown : there is no collection 4"},
		{"PATCH /requests/4", `{"name":"x"}`, "unknown : there is no saved request 4"},
		{"POST /collections/move", `{"request":4,"to":1,"at":0}`, "invalid to: this collection no longer exists"},
		{"POST /collections/4/duplicate", "", "unknown : there is no collection 4"},
		{"POST /shares", `{"collectionId":1,"edit":true}`, "invalid collectionId: this collection no longer exists"},
		{"PATCH /shares/1", `{"edit":true}`, "unknown : there is no shared collection 1"},
		{"DELETE /shares/1", "", "unknown : there is no shared collection 1"},
	} {
		d.expect(2, tt.do, tt.body, tt.says)
	}
	if one := d.send(2, "GET /requests/1", ""); strings.Contains(one, "pLaNtEd") ||
		!strings.Contains(one, `"path":"/a?token=********"`) {
		t.Errorf("another user sees %s", one)
	}
	saved, err := d.SavedRequests(t.Context(), 2, []int64{1})
	if err != nil || saved[0].Draft.Body != resource.Mask {
		t.Errorf("a run by another user sends %+v, %v", saved, err)
	}
	if _, err := d.SavedRequests(t.Context(), 2, []int64{4}); err == nil {
		t.Error("another user can run a private request")
	}
	d.expect(2, "POST /collections/1/duplicate", "",
		`{"collections":[5],"variables":[],"requests":3,"environments":[]}`)
	if got, want := d.sees(2), "Fleet copy In Out ana Fleet! In! Out! /a?token=******** /in /out "+
		"/a?token=******** /in /out"; got != want {
		t.Errorf("after a copy, the user sees %s", got)
	}
	d.send(1, "PATCH /collections/1", `{"trashed":5}`)
	d.expect(2, "GET /requests/1", "", "unknown : there is no saved request 1")
	d.send(1, "PATCH /collections/1", `{"trashed":0}`)
	d.changes = nil
	d.send(1, "DELETE /shares/1", "")
	if !slices.Contains(d.changes, "0 collections") {
		t.Errorf("others are not notified that it is no longer shared: %q", d.changes)
	}
	d.expect(2, "GET /requests/1", "", "unknown : there is no saved request 1")
	if got := d.sees(3); got != "" {
		t.Errorf("a request that is no longer shared is still visible: %s", got)
	}
	want := []string{`1 share Shared the collection 1, "Fleet", with everybody`,
		`1 unshare Stopped sharing the collection 1, "Fleet", with everybody`}
	if !slices.Equal(*audit, want) {
		t.Errorf("the audit log has %q", *audit)
	}
}

func TestOtherUsersEditASharedCollection(t *testing.T) {
	d, _ := shared(t, `{"collectionId":1,"with":"ben","edit":true}`)
	d.send(2, "PATCH /requests/1", `{"draft":{"method":"POST","path":"/b?token=********","body":"new ********"}}`)
	if got := strings.Join(d.changes, ", "); got != "1 collections, 0 collections" {
		t.Errorf("a change notifies %s", got)
	}
	if mine := d.send(1, "GET /requests/1", ""); !strings.Contains(mine, `"path":"/b?token=pLaNtEd"`) ||
		!strings.Contains(mine, `"body":"new pLaNtEd"`) {
		t.Errorf("the owner has lost a secret: %s", mine)
	}
	d.send(2, "POST /requests", `{"collectionId":1,"name":"Two","draft":{"path":"/two?token=pLaNtEd"}}`)
	if mine := d.send(1, "GET /requests/5", ""); !strings.Contains(mine, `"path":"/two?token=********"`) {
		t.Errorf("the owner sees the secret of an editor: %s", mine)
	}
	d.expect(2, "POST /collections/move", `{"request":5,"to":2,"at":0}`, "{}")
	for _, tt := range []struct{ do, body, says string }{
		{"PATCH /requests/1", `{"collectionId":4}`, movesOut}, {"PATCH /collections/2", `{"parentId":4}`, movesOut},
		{"PATCH /collections/2", `{"parentId":0}`, movesOut},
		{"PATCH /requests/1", `{"collectionId":1,"collectionId":4}`, movesOut},
		{"POST /collections/move", `{"folder":2,"to":4,"at":0}`, movesOut},
		{"POST /collections/move", `{"folder":2,"to":0,"at":0}`, movesOut},
		{"PATCH /collections/1", `{"name":"x"}`, onlyOwn}, {"DELETE /collections/1", "", onlyOwn},
		{"POST /collections", `{"name":"x","parentId":4}`, "invalid parentId: this collection no longer exists"},
	} {
		d.expect(2, tt.do, tt.body, tt.says)
	}
	d.send(2, "PATCH /collections/2", `{"trashed":5}`)
	if got := d.sees(1); strings.Contains(got, "In") {
		t.Errorf("after ben deleted In, ana sees %s", got)
	}
	d.send(2, "PATCH /collections/2", `{"trashed":0}`)
	if got := d.sees(2); got != "ana Fleet In Out /b?token=******** /two?token=******** /in /out" {
		t.Errorf("after ben restored In, he sees %s", got)
	}
	if got := d.sees(3); got != "" {
		t.Errorf("cem sees %s", got)
	}
}

func TestNestedFoldersAreSharedWithDifferentUsers(t *testing.T) {
	d, _ := shared(t, `{"collectionId":1,"with":"ben"}`, `{"collectionId":2,"with":"ben","edit":true}`,
		`{"collectionId":2,"with":"cem"}`)
	if got := d.sees(2); got != "ana Fleet! In Out! /a?token=******** /in /out" {
		t.Errorf("ben sees %s", got)
	}
	if got := d.sees(3); got != "ana In! /in" {
		t.Errorf("cem sees %s", got)
	}
	d.expect(2, "PATCH /requests/2", `{"collectionId":3}`, movesOut)
	d.expect(2, "PATCH /collections/2", `{"name":"x"}`, onlyRead)
	d.expect(3, "GET /requests/1", "", "unknown : there is no saved request 1")
	for _, tt := range []struct{ body, says string }{
		{`{"collectionId":1,"with":"dan"}`, "invalid with: there is no user “dan”"},
		{`{"collectionId":1,"with":"ana"}`, "invalid with: enter another user: the collection is yours already"},
		{`{"collectionId":0}`, "invalid collectionId: select a collection"},
	} {
		d.expect(1, "POST /shares", tt.body, tt.says)
	}
	if got := d.send(1, "POST /shares", `{"collectionId":2,"with":"cem"}`); !strings.HasPrefix(got, "conflict") {
		t.Errorf("sharing twice says %s", got)
	}
}

func TestSingleUserCannotShare(t *testing.T) {
	d := open(t)
	d.send(1, "POST /collections", `{"name":"Fleet"}`)
	d.expect(1, "POST /shares", `{"collectionId":1}`,
		"denied : Collections can be shared only in a portal that is served to several users.")
}

// TestTwoUsersSaveARequestConcurrently has both users save the version they read. One of them
// gets a conflict, as two windows of the same user do.
func TestTwoUsersSaveARequestConcurrently(t *testing.T) {
	d, _ := shared(t, `{"collectionId":1,"edit":true}`)
	d.Watch(func(int64, workspace.Kind) {})
	etag := resource.ETag([]byte(d.send(1, "GET /requests/1", "")))
	said := make([]string, 2)
	var running sync.WaitGroup
	for i := range said {
		running.Go(func() {
			ctx := context.WithValue(t.Context(), ifMatch{}, etag)
			said[i] = d.callIn(ctx, int64(i)+1, "PATCH /requests/1", `{"doc":"`+strings.Repeat("x", i+1)+`"}`)
		})
	}
	running.Wait()
	if strings.HasPrefix(said[0], "changed") == strings.HasPrefix(said[1], "changed") {
		t.Errorf("both read %q", said)
	}
}

func TestExamplesOfASharedCollectionAreShared(t *testing.T) {
	d, _ := shared(t, `{"collectionId":1,"with":"ben"}`)
	h := d.past(`{"id":7}`)
	for _, request := range []int{1, 4} { // in the shared collection, and in an unshared collection
		body := fmt.Sprintf(`{"historyId":%d,"name":"Found"}`, h)
		if got := d.send(1, fmt.Sprintf("POST /requests/%d/examples", request), body); !strings.HasPrefix(got, "{") {
			t.Fatal(got)
		}
	}
	if got := d.send(2, "GET /examples?filter=requestId:1&sort=id&size=50", ""); !strings.Contains(got, `"total":1,`) ||
		!strings.Contains(got, `"name":"Found"`) {
		t.Errorf("ben sees %s", got)
	}
	d.expect(2, "GET /examples/1/body", "", `{"text":"{\"id\":7}"}`)
	for do, body := range map[string]string{"PATCH /examples/1": `{"name":"Mine"}`, "DELETE /examples/1": "",
		"GET /examples/2/body": ""} {
		if got := d.send(2, do, body); !strings.HasPrefix(got, "unknown") {
			t.Errorf("%s by ben returns %s", do, got)
		}
	}
	for _, other := range []struct {
		user   int64
		filter string
	}{{2, "requestId:4"}, {3, "requestId:1"}, {2, `requestId>0`}, {2, `requestId:1||requestId:4`}} {
		if got := d.send(other.user, "GET /examples?filter="+other.filter, ""); !strings.Contains(got, `"total":0,`) {
			t.Errorf("user %d sees with %s: %s", other.user, other.filter, got)
		}
	}
	d.send(1, "DELETE /requests/1", "")
	if got := d.send(2, "GET /examples/1/body", ""); !strings.HasPrefix(got, "unknown") {
		t.Errorf("ben sees an example of a deleted request: %s", got)
	}
}

func TestSharingListsTheNamesOfTheUsers(t *testing.T) {
	d := open(t)
	d.expect(1, "GET /shares/users", "", `{"names":[]}`)
	d.sharing(&[]string{})
	if got := d.send(1, "GET /shares/users", ""); !strings.Contains(got, `"ben","cem"]}`) {
		t.Errorf("ana sees %s", got)
	}
}
