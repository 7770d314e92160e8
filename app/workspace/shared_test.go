package workspace_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/store/postgres/pgtest"
)

// node opens the workspace of a database as one of several processes does.
func node(t *testing.T, dir, address string, changes chan string) *desk {
	t.Helper()
	w, err := workspace.Open(t.Context(), workspace.Options{Path: filepath.Join(dir, "workspace.db"), Database: address,
		Kept: 100, Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	w.Watch(func(userID int64, kind workspace.Kind) {
		select {
		case changes <- fmt.Sprintf("%d %s", userID, kind):
		default: // nobody waits for it
		}
	})
	return &desk{Workspace: w, t: t, dir: dir}
}

// twoNodes opens the same workspace twice. changes receives the changes that the second hears of.
func twoNodes(t *testing.T) (a, b *desk, changes chan string) {
	t.Helper()
	dir, address := t.TempDir(), pgtest.Database(t) // both use the same key
	changes = make(chan string, 100)
	a, b = node(t, dir, address, nil), node(t, dir, address, changes)
	for i := 0; ; i++ { // until it listens
		a.send(99, "PATCH /settings", fmt.Sprintf(`{"try":%d}`, i))
		select {
		case <-changes:
			return a, b, changes
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func await(t *testing.T, changes chan string, want string) {
	t.Helper()
	for {
		select {
		case got := <-changes:
			if got == want {
				return
			}
		case <-t.Context().Done():
			t.Fatalf("nothing notified of %q", want)
		}
	}
}

func TestNodesSeeEachOthersTabsAndNotifyTheirPages(t *testing.T) {
	a, b, changes := twoNodes(t)
	a.send(7, "POST /tabs", `{"name":"of a"}`)
	await(t, changes, "7 tabs")
	b.expect(7, "GET /tabs?fields=id,name", "", `{"total":1,"searchId":null,"items":[{"id":1,"name":"of a"}],`+
		`"data":null}`)
	b.send(7, "PATCH /tabs/1", `{"name":"of b"}`)
	b.send(7, "POST /tabs", `{"name":"second"}`)
	a.send(7, "PATCH /settings", `{"theme":"light"}`) // the first one clears unreadable settings
	a.send(7, "PATCH /settings", `{"theme":"dark"}`)
	await(t, changes, "7 settings")
	a.expect(7, "GET /tabs?fields=name", "", `{"total":2,"searchId":null,"items":[{"name":"of b"},{"name":"second"}],`+
		`"data":null}`)
	b.expect(7, "GET /settings", "", `{"theme":"dark"}`)
	b.expect(8, "GET /tabs?fields=name", "", `{"total":0,"searchId":null,"items":[],"data":null}`)
}

func TestNodesSearchOneHistoryInTheOrderOfSending(t *testing.T) {
	a, b, _ := twoNodes(t)
	nodes := []*desk{a, b}
	for i := range 6 {
		h := &workspace.History{UserID: 1, Method: "GET", Path: fmt.Sprintf("/word%d/common", i)}
		if err := nodes[i%2].AddToHistory(t.Context(), h, &workspace.Reply{Zipped: []byte("x")}, 0); err != nil {
			t.Fatal(err)
		}
		if i == 3 { // a search indexes all requests so far
			a.send(1, "GET /history/search?words=common", "")
		}
	}
	for _, d := range nodes {
		var found struct{ Items []struct{ Path string } }
		if err := json.Unmarshal([]byte(d.send(1, "GET /history/search?words=common", "")), &found); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, one := range found.Items {
			paths = append(paths, one.Path)
		}
		want := "/word5/common /word4/common /word3/common /word2/common /word1/common /word0/common"
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("found %s, want %s", got, want)
		}
	}
}

func TestARestoredRequestDoesNotBreakTheOrderOfNodes(t *testing.T) {
	a, b, _ := twoNodes(t)
	send := func(d *desk, path string) {
		if err := d.AddToHistory(t.Context(), &workspace.History{UserID: 1, Method: "GET", Path: path}, nil,
			0); err != nil {
			t.Fatal(err)
		}
	}
	send(a, "/restored")
	a.send(1, "DELETE /history/1", "")
	b.expect(1, "POST /history/1/restore", "", "{}") // b reserves an id, and does not use it
	send(a, "/first")
	send(b, "/second")
	b.expect(1, "GET /history?fields=path&sort=id", "", `{"total":3,"searchId":null,"items":[{"path":"/restored"},`+
		`{"path":"/first"},{"path":"/second"}],"data":null}`)
}

func TestNodesKeepTheLimitOfAUsersHistory(t *testing.T) {
	a, b, _ := twoNodes(t) // each keeps 100
	for i := range 110 {
		if err := []*desk{a, b}[i%2].AddToHistory(t.Context(), &workspace.History{UserID: 1, Method: "GET",
			Path: "/x"}, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	counts, err := a.Counts(t.Context())
	if err != nil || counts["history"] != 100 {
		t.Errorf("there are %d requests (%v), want 100", counts["history"], err)
	}
}

func TestAnyNodeRestoresWhatAnotherDeleted(t *testing.T) {
	a, b, _ := twoNodes(t)
	a.send(1, "POST /variables", `{"name":"token","value":"s3cret","secret":true}`)
	a.send(1, "POST /environments", `{"name":"test"}`)
	a.send(1, "POST /variables", `{"name":"key","value":"hidden","secret":true,"scope":"environment",`+
		`"environmentId":1}`)
	h := &workspace.History{UserID: 1, Method: "GET", Path: "/x"}
	if err := a.AddToHistory(t.Context(), h, &workspace.Reply{Zipped: []byte("body")}, 0); err != nil {
		t.Fatal(err)
	}
	for _, do := range []string{"DELETE /variables/1", "DELETE /environments/1", "DELETE /history/1"} {
		a.send(1, do, "")
	}
	for _, do := range []string{"POST /variables/1/restore", "POST /environments/1/restore",
		"POST /history/1/restore"} {
		b.expect(2, do, "", fmt.Sprintf("unknown : %s 1 can no longer be restored",
			map[string]string{"v": "variable", "e": "environment", "h": "request"}[do[6:7]]))
		b.expect(1, do, "", "{}")
	}
	for id, want := range map[int64]string{1: "s3cret", 2: "hidden"} {
		vars, err := a.VariablesOf(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range vars {
			if vars[i].ID != id {
				continue
			}
			if got, err := a.Secret(&vars[i]); err != nil || got != want {
				t.Errorf("the secret of variable %d is %q (%v), want %q", id, got, err, want)
			}
		}
		if len(vars) != 2 {
			t.Errorf("there are %d variables, want 2", len(vars))
		}
	}
	if _, r, err := a.Recall(t.Context(), 1, h.ID); err != nil || string(r.Zipped) != "body" {
		t.Errorf("the response is %v (%v)", r, err)
	}
}

func TestAnyNodeUndoesARename(t *testing.T) {
	a, b, _ := twoNodes(t)
	a.send(1, "POST /variables", `{"name":"host","value":"x"}`)
	a.send(1, "POST /collections", `{"name":"c"}`)
	a.send(1, "POST /requests", `{"collectionId":1,"name":"r","draft":{"method":"GET","path":"/{{host}}"}}`)
	a.send(1, "PATCH /variables/1", `{"name":"server"}`)
	a.expect(1, "POST /variables/1/follow", `{"from":"host"}`, `{"extractors":0,"requests":1}`)
	b.expect(1, "GET /requests/1?fields=path", "", `{"path":"/{{server}}"}`)
	b.expect(1, "DELETE /variables/1/follow", "", `{"extractors":0,"requests":1}`)
	a.expect(1, "GET /requests/1?fields=path", "", `{"path":"/{{host}}"}`)
}

func TestSecretsInADatabaseAreSealed(t *testing.T) {
	address, dir := pgtest.Database(t), t.TempDir()
	a := node(t, dir, address, nil)
	a.send(1, "POST /variables", `{"name":"token","value":"s3cret-value","secret":true}`)
	a.send(1, "POST /variables", `{"name":"gone","value":"other-secret","secret":true}`)
	a.send(1, "DELETE /variables/2", "")
	text, err := pgtest.Dump(address, "_workspace")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "token") { // it would find the values
		t.Errorf("the dump has no variables: %.200s", text)
	}
	for _, secret := range []string{"s3cret-value", "other-secret"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s can be read in the database", secret)
		}
	}
	stranger := node(t, t.TempDir(), address, nil) // with another key
	vars, err := stranger.VariablesOf(t.Context(), 1)
	if err != nil || len(vars) != 1 {
		t.Fatalf("the variables are %v (%v)", vars, err)
	}
	if got, err := stranger.Secret(&vars[0]); err == nil {
		t.Errorf("another key reads %q", got)
	}
}
