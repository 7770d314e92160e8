package keep_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/keep"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// desk is a workspace and a folder. User 1 syncs a collection with the folder, as a page in the
// desktop window does.
type desk struct {
	*workspace.Workspace
	*keep.Keeper
	t       *testing.T
	dir     string
	changed chan workspace.Kind
	caller  resource.Call
}

func open(t *testing.T) *desk {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	w, err := workspace.Open(t.Context(), workspace.Options{Path: filepath.Join(t.TempDir(), "workspace.db"),
		Log: quiet, Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{Workspace: w, t: t, dir: filepath.Join(t.TempDir(), "fleet"), changed: make(chan workspace.Kind, 1000)}
	d.Keeper = &keep.Keeper{Workspace: w, Catalog: catalog.New(nil), Hub: &stream.Hub{}, Desktop: true, Log: quiet}
	d.caller = resource.Call{Access: &resource.Access{UserID: 1, Admin: true}, Session: resource.Session{Window: true}}
	w.Watch(func(userID int64, kind workspace.Kind) {
		d.Changed(userID)
		d.changed <- kind
	})
	t.Cleanup(func() {
		d.Stop()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// send calls "POST /collections/{id}/folder" for a row and returns the body, or the
// field and message of the error.
func (d *desk) send(do string, id int64, body string) string {
	d.t.Helper()
	method, path, _ := strings.Cut(do, " ")
	for _, e := range slices.Concat(d.Workspace.Endpoints(), d.Keeper.Endpoints()) {
		if e.Method != method || e.Path != path {
			continue
		}
		c := d.caller
		c.At, c.Body, c.Vars = time.Now(), []byte(body), map[string]string{"id": fmt.Sprint(id)}
		out, err := e.Handle(d.t.Context(), &c)
		if err != nil {
			return fault.Of(err).Field + ": " + fault.Of(err).Message
		}
		if a, ok := out.(*resource.Response); ok {
			out = a.Body
		}
		if text, ok := out.(resource.JSON); ok {
			return string(text)
		}
		text, err := json.Marshal(out)
		if err != nil {
			d.t.Fatal(err)
		}
		return string(text)
	}
	d.t.Fatalf("there is no %s", do)
	return ""
}

// do calls send and fails the test on an error.
func (d *desk) do(do string, id int64, body string) {
	d.t.Helper()
	if got := d.send(do, id, body); !strings.HasPrefix(got, "{") {
		d.t.Fatalf("%s %d %s says %s", do, id, body, got)
	}
}

// fleet creates a collection with two folders and requests, and syncs it with the folder.
func (d *desk) fleet() {
	d.t.Helper()
	d.do("POST /collections", 0, `{"name":"Fleet"}`)
	d.do("POST /collections", 0, `{"name":"Devices","parentId":1}`)
	d.do("POST /collections", 0, `{"name":"Alerts","parentId":1}`)
	d.do("POST /requests", 0, `{"collectionId":2,"name":"List","draft":{"path":"/device/devices?sort={{sort}}",`+
		`"headers":[{"on":true,"key":"X-Api-Key","value":"pLaNtEd"}]}}`)
	d.do("POST /requests", 0, `{"collectionId":2,"draft":{"method":"POST","path":"/a","body":"{\n  \"name\": \"x\",\n`+
		`  \"password\": \"pLaNtEd\"\n}"}}`)
	d.do("POST /collections/{id}/folder", 1, d.named(d.dir))
	d.step()
}

func (d *desk) named(dir string) string {
	text, err := json.Marshal(map[string]string{"dir": dir})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

func (d *desk) step() {
	d.t.Helper()
	if err := d.Sync(d.t.Context(), 1); err != nil {
		d.t.Fatal(err)
	}
}

// files returns the contents of the files in the folder by path.
func (d *desk) files() map[string]string {
	d.t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(d.dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var text []byte
			text, err = os.ReadFile(filepath.Join(d.dir, path))
			all[path] = string(text)
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// put changes a file as an editor does.
func (d *desk) put(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path+"~", []byte(text), 0o600)
	}
	if err == nil {
		err = os.Rename(path+"~", path)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// edit replaces text in a file.
func (d *desk) edit(name, was, is string) {
	d.t.Helper()
	text := d.files()[name]
	if !strings.Contains(text, was) {
		d.t.Fatalf("%s has no %q: %q", name, was, text)
	}
	d.put(name, strings.Replace(text, was, is, 1))
}

func (d *desk) rename(from, to string) {
	d.t.Helper()
	if err := os.Rename(filepath.Join(d.dir, from), filepath.Join(d.dir, to)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) remove(name string) {
	d.t.Helper()
	if err := os.RemoveAll(filepath.Join(d.dir, name)); err != nil {
		d.t.Fatal(err)
	}
}

// tree returns the collections and requests: "1 Fleet, 2 Devices: 1 List GET /a".
func (d *desk) tree() string {
	d.t.Helper()
	var tree struct {
		Folders []struct {
			ID, ParentID int64
			Name         string
		}
		Requests []struct {
			ID, CollectionID   int64
			Name, Method, Path string
		}
	}
	if err := json.Unmarshal([]byte(d.send("GET /collections/tree", 0, "")), &tree); err != nil {
		d.t.Fatal(err)
	}
	var lines []string
	for _, f := range tree.Folders {
		line := fmt.Sprintf("%d %s in %d:", f.ID, f.Name, f.ParentID)
		for _, r := range tree.Requests {
			if r.CollectionID == f.ID {
				line += fmt.Sprintf(" [%d %s %s %s]", r.ID, r.Name, r.Method, r.Path)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// problems returns the problems of the folder, one per line.
func (d *desk) problems() string {
	d.t.Helper()
	var list struct{ Items []struct{ Problems []string } }
	if err := json.Unmarshal([]byte(d.send("GET /collections/folders", 0, "")), &list); err != nil {
		d.t.Fatal(err)
	}
	var all []string
	for _, item := range list.Items {
		all = append(all, item.Problems...)
	}
	return strings.Join(all, "\n")
}

// same fails the test unless both texts are equal.
func (d *desk) same(what, got, want string) {
	d.t.Helper()
	if got != want {
		d.t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

const (
	listFile = `name: List
order: 1
method: GET
path: /device/devices?sort={{sort}}
headers:
  - key: X-Api-Key
    value: '********'
`
	fleetTree = "1 Fleet in 0:\n2 Devices in 1: [1 List GET /device/devices?sort={{sort}}] [2  POST /a]\n3 Alerts in 1:"
)

func TestCollectionIsWrittenToFilesWithoutSecrets(t *testing.T) {
	d := open(t)
	d.do("POST /variables", 0, `{"name":"sort","value":"name"}`)
	d.do("POST /variables", 0, `{"name":"unused","value":"7"}`)
	d.do("POST /variables", 0, `{"name":"token","value":"pLaNtEd","secret":true}`)
	d.fleet()
	want := map[string]string{
		"collection.yaml":     "spyglass: 1\nname: Fleet\nvariables:\n  sort: name\n",
		"Devices/folder.yaml": "name: Devices\norder: 1\n",
		"Alerts/folder.yaml":  "name: Alerts\norder: 2\n",
		"Devices/List.yaml":   listFile,
		"Devices/POST -a.yaml": "order: 2\nmethod: POST\npath: /a\nbody: |-\n  {\n    \"name\": \"x\",\n" +
			"    \"password\": \"********\"\n  }\n",
	}
	if got := d.files(); !maps.Equal(got, want) {
		t.Errorf("writes %q\nwant %q", got, want)
	}
	d.step()
	d.same("the tree afterwards", d.tree(), fleetTree)
	d.same("the problems", d.problems(), "")
	for _, tt := range []struct{ dir, says string }{
		{d.dir, "dir: this folder already has a collection. Open it instead, or name another folder"},
		{filepath.Join(d.dir, "Devices"), "dir: collections cannot be inside each other, and " + d.dir + " has one"},
		{"fleet", "dir: enter the whole path of the folder"},
	} {
		d.do("POST /collections", 0, `{"name":"Other"}`)
		d.same(tt.dir, d.send("POST /collections/{id}/folder", 4, d.named(tt.dir)), tt.says)
	}
	d.same("a folder inside a collection", d.send("POST /collections/{id}/folder", 2, d.named(t.TempDir())),
		": “Devices” is inside another collection. Keep the outermost one in a folder")
	d.do("DELETE /collections/{id}/folder", 1, "")
	d.do("PATCH /requests/{id}", 1, `{"name":"Other"}`)
	d.step()
	if got := d.files(); !maps.Equal(got, want) {
		t.Errorf("once it is no longer kept there, it writes %q", got)
	}
}

func TestFolderIsOpenedAsACollection(t *testing.T) {
	d := open(t)
	d.same("nothing there", d.send("POST /collections/open", 0, d.named(d.dir)), "dir: "+d.dir+" does not exist. "+
		"Nothing changes until it is back")
	d.put("a/b/Deep.yaml", "method: GET\npath: /deep\n")
	d.same("no collection", d.send("POST /collections/open", 0, d.named(d.dir)), "dir: this folder has no "+
		"collection.yaml, so it is not that of a collection")
	d.put("collection.yaml", "spyglass: 1\nname: Cloned\nvariables:\n  size: \"5\"\n  apiKey: x\n")
	d.put("a/b/Deep.examples/Found.yaml", "name: Found\nstatus: 200\nbody: hi\n")
	before := d.files()
	d.same("opening", d.send("POST /collections/open", 0, d.named(d.dir)), `{"id":1}`)
	d.step()
	d.same("the tree", d.tree(), "1 Cloned in 0:\n2 a in 1:\n3 b in 2: [1  GET /deep]")
	d.same("the examples", d.send("GET /examples/{id}/body", 1, ""), `{"text":"hi"}`)
	if got := d.files(); !maps.Equal(got, before) {
		t.Errorf("opening changes files: %q", got)
	}
	vars, err := d.VariablesOf(t.Context(), 1)
	slices.SortFunc(vars, func(a, b workspace.Variable) int { return strings.Compare(a.Name, b.Name) })
	if err != nil || len(vars) != 2 || vars[0].Value != resource.Mask || vars[1].Value != "5" {
		t.Errorf("the variables are %+v, %v", vars, err)
	}
}

// TestChangesAreSyncedInBothDirections changes files and the workspace at the same time, and
// checks both after a sync.
func TestChangesAreSyncedInBothDirections(t *testing.T) {
	rows := func(more string) string { return "1 Fleet in 0:\n2 Devices in 1:" + more + "\n3 Alerts in 1:" }
	const list, post = " [1 List GET /device/devices?sort={{sort}}]", " [2  POST /a]"
	for _, tt := range []struct {
		name   string
		change func(d *desk)
		tree   string
		file   string // path of a file
		has    string // that contains this text
		none   string // path that must not exist
		says   string // the problems of the folder
	}{
		{name: "a file changed", change: func(d *desk) { d.edit("Devices/List.yaml", "/device/devices", "/x") },
			tree: rows(" [1 List GET /x?sort={{sort}}]" + post), file: "Devices/List.yaml", has: "/x"},
		{name: "a request changed", change: func(d *desk) {
			d.do("PATCH /requests/{id}", 2, `{"draft":{"method":"POST","path":"/a","body":"new"}}`)
		}, tree: fleetTree, file: "Devices/POST -a.yaml", has: "body: new"},
		{name: "both changed other requests", change: func(d *desk) {
			d.edit("Devices/List.yaml", "/device/devices", "/x")
			d.do("PATCH /requests/{id}", 2, `{"doc":"A note"}`)
		}, tree: rows(" [1 List GET /x?sort={{sort}}]" + post), file: "Devices/POST -a.yaml", has: "doc: A note"},
		{name: "both changed one request", change: func(d *desk) {
			d.edit("Devices/List.yaml", "/device/devices", "/theirs")
			d.do("PATCH /requests/{id}", 1, `{"draft":{"path":"/mine"}}`)
		}, tree: rows(" [1 List GET /theirs?sort={{sort}}] [3 List (my change) GET /mine]" + post),
			file: "Devices/List (my change).yaml", has: "/mine"},
		{name: "both changed one request in the same way", change: func(d *desk) {
			d.edit("Devices/POST -a.yaml", "/a", "/b")
			d.do("PATCH /requests/{id}", 2, `{"draft":{"method":"POST","path":"/b","body":"{\n  \"name\": \"x\",\n`+
				`  \"password\": \"pLaNtEd\"\n}"}}`)
		}, tree: rows(list + " [2  POST /b]"), file: "Devices/POST -a.yaml", has: "path: /b"},
		{name: "a request was renamed", change: func(d *desk) { d.do("PATCH /requests/{id}", 1, `{"name":"All: d"}`) },
			tree: rows(" [1 All: d GET /device/devices?sort={{sort}}]" + post), file: "Devices/All- d.yaml",
			has: "name: 'All: d'", none: "Devices/List.yaml"},
		{name: "a file was renamed", change: func(d *desk) { d.rename("Devices/List.yaml", "Devices/else.yaml") },
			tree: fleetTree, file: "Devices/else.yaml", has: "name: List", none: "Devices/List.yaml"},
		{name: "a file was moved and changed", change: func(d *desk) {
			d.edit("Devices/List.yaml", "order: 1", "order: 7")
			d.rename("Devices/List.yaml", "Alerts/List.yaml")
		}, tree: "1 Fleet in 0:\n2 Devices in 1:" + post + "\n3 Alerts in 1:" + list, file: "Alerts/List.yaml",
			has: "order: 7"},
		{name: "a request was moved", change: func(d *desk) {
			d.do("POST /collections/move", 0, `{"request":1,"to":3,"at":0}`)
		}, tree: "1 Fleet in 0:\n2 Devices in 1:" + post + "\n3 Alerts in 1:" + list, file: "Alerts/List.yaml",
			has: "order: 1", none: "Devices/List.yaml"},
		{name: "a request was moved and its file changed", change: func(d *desk) {
			d.do("POST /collections/move", 0, `{"request":1,"to":3,"at":0}`)
			d.edit("Devices/List.yaml", "/device/devices", "/x")
		}, tree: "1 Fleet in 0:\n2 Devices in 1:" + post + "\n3 Alerts in 1: [1 List GET /x?sort={{sort}}]",
			file: "Alerts/List.yaml", has: "/x", none: "Devices/List.yaml"},
		{name: "a file was deleted", change: func(d *desk) { d.remove("Devices/List.yaml") }, tree: rows(post),
			none: "Devices/List.yaml"},
		{name: "a file was deleted, and restored in the window", change: func(d *desk) {
			d.remove("Devices/List.yaml")
			d.step()
			d.do("PATCH /requests/{id}", 1, `{"trashed":0}`)
		}, tree: fleetTree, file: "Devices/List.yaml", has: listFile},
		{name: "a file was deleted, and its request changed", change: func(d *desk) {
			d.remove("Devices/List.yaml")
			d.do("PATCH /requests/{id}", 1, `{"draft":{"path":"/mine"}}`)
		}, tree: rows(" [1 List GET /mine]" + post), file: "Devices/List.yaml", has: "/mine"},
		{name: "a request was deleted", change: func(d *desk) { d.do("PATCH /requests/{id}", 1, `{"trashed":5}`) },
			tree: rows(post), none: "Devices/List.yaml"},
		{name: "a request was deleted, and its file changed", change: func(d *desk) {
			d.do("PATCH /requests/{id}", 1, `{"trashed":5}`)
			d.edit("Devices/List.yaml", "/device/devices", "/x")
		}, tree: rows(" [1 List GET /x?sort={{sort}}]" + post), file: "Devices/List.yaml", has: "/x"},
		{name: "a file was added", change: func(d *desk) { d.put("new/A.yaml", "name: A\nmethod: PUT\npath: /a\n") },
			tree: fleetTree[:13] + "\n4 new in 1: [3 A PUT /a]" + fleetTree[13:], file: "new/A.yaml",
			has: "name: A\nmethod: PUT\npath: /a\n"},
		{name: "a request was added beside a file of that name", change: func(d *desk) {
			d.put("Devices/new.yaml", "services: {}\n")
			d.do("POST /requests", 0, `{"collectionId":2,"name":"New","draft":{"path":"/new"}}`)
		}, tree: rows(list + post + " [3 New GET /new]"), file: "Devices/New 2.yaml", has: "path: /new"},
		{name: "a folder was renamed on disk", change: func(d *desk) { d.rename("Devices", "Other") }, tree: fleetTree,
			file: "Other/List.yaml", has: listFile, none: "Devices/List.yaml"},
		{name: "a folder was renamed in the window", change: func(d *desk) {
			d.do("PATCH /collections/{id}", 2, `{"name":"Other"}`)
			d.put("Devices/README.md", "# mine")
		}, tree: strings.Replace(fleetTree, "Devices", "Other", 1), file: "Other/README.md", has: "# mine",
			none: "Devices/List.yaml"},
		{name: "a folder was deleted on disk", change: func(d *desk) { d.remove("Devices") },
			tree: "1 Fleet in 0:\n3 Alerts in 1:", none: "Devices/List.yaml"},
		{name: "a folder was deleted on disk, and restored in the window", change: func(d *desk) {
			d.remove("Devices")
			d.step()
			d.do("PATCH /collections/{id}", 2, `{"trashed":0}`)
		}, tree: fleetTree, file: "Devices/List.yaml", has: listFile},
		{name: "a folder was deleted on disk, and changed in the window", change: func(d *desk) {
			d.remove("Devices")
			d.do("PATCH /requests/{id}", 1, `{"doc":"A note"}`)
		}, tree: rows(list), file: "Devices/List.yaml", has: "A note", none: "Devices/POST -a.yaml"},
		{name: "a folder was deleted in the window", change: func(d *desk) {
			d.do("PATCH /collections/{id}", 2, `{"trashed":5}`)
		}, tree: "1 Fleet in 0:\n3 Alerts in 1:", none: "Devices/folder.yaml"},
		{name: "a folder was deleted in the window, and its file changed", change: func(d *desk) {
			d.do("PATCH /collections/{id}", 2, `{"trashed":5}`)
			d.edit("Devices/folder.yaml", "order: 1", "order: 9")
			d.put("Devices/README.md", "# mine")
		}, tree: "1 Fleet in 0:\n3 Alerts in 1:", file: "Devices/README.md", has: "# mine", none: "Devices/List.yaml"},
		{name: "a folder was moved in the window", change: func(d *desk) {
			d.do("POST /collections/move", 0, `{"folder":2,"to":3,"at":0}`)
		}, tree: "1 Fleet in 0:\n3 Alerts in 1:\n2 Devices in 3:" + list + post, file: "Alerts/Devices/List.yaml",
			has: listFile, none: "Devices/List.yaml"},
		{name: "all files of a folder were moved to another", change: func(d *desk) {
			d.rename("Devices/List.yaml", "Alerts/List.yaml")
			d.rename("Devices/POST -a.yaml", "Alerts/POST -a.yaml")
			d.remove("Devices")
		}, tree: "1 Fleet in 0:\n3 Alerts in 1:" + list + post, file: "Alerts/List.yaml", has: listFile,
			none: "Devices/folder.yaml"},
		{name: "there is a conflict of git", change: func(d *desk) {
			d.edit("Devices/List.yaml", "path:", "<<<<<<< HEAD\npath:")
			d.do("PATCH /requests/{id}", 1, `{"draft":{"path":"/mine"}}`)
		}, tree: rows(" [1 List GET /mine]" + post), file: "Devices/List.yaml", has: "<<<<<<< HEAD",
			says: "Devices/List.yaml, line 4: there is an unresolved conflict of git. Resolve it in an editor"},
		{name: "a conflict of git was resolved", change: func(d *desk) {
			d.edit("Devices/List.yaml", "path:", "<<<<<<< HEAD\npath:")
			d.step()
			d.edit("Devices/List.yaml", "<<<<<<< HEAD\npath: /device/devices", "path: /x")
		}, tree: rows(" [1 List GET /x?sort={{sort}}]" + post), file: "Devices/List.yaml", has: "path: /x"},
		{name: "a file is too large", change: func(d *desk) {
			d.put("Devices/List.yaml", strings.Repeat("x", 1<<20+1))
		}, tree: fleetTree, file: "Devices/List.yaml", has: "xxx", says: "Devices/List.yaml has more than 1 MiB, " +
			"which is too large for a file of a collection"},
		{name: "a new file is broken", change: func(d *desk) { d.put("Bad.yaml", "method: LOOK\n") }, tree: fleetTree,
			file: "Bad.yaml", has: "LOOK", says: "Bad.yaml: the method must be one of GET, POST, PUT, PATCH, DELETE"},
		{name: "another branch has no such folder", change: func(d *desk) {
			d.remove("collection.yaml")
			d.remove("Devices")
			d.do("PATCH /requests/{id}", 1, `{"doc":"A note"}`)
		}, tree: fleetTree, none: "Devices/List.yaml", says: "DIR has no collection.yaml. Nothing changes until it " +
			"is back"},
		{name: "the whole folder is gone", change: func(d *desk) { d.remove(".") }, tree: fleetTree,
			says: "DIR does not exist. Nothing changes until it is back"},
		{name: "the collection was renamed on both sides", change: func(d *desk) {
			d.edit("collection.yaml", "Fleet", "Theirs")
			d.do("PATCH /collections/{id}", 1, `{"name":"Mine"}`)
		}, tree: strings.Replace(fleetTree, "Fleet", "Theirs", 1), file: "collection.yaml", has: "name: Theirs"},
		{name: "somebody changed one mask to a name, which is shown", change: func(d *desk) {
			d.edit("Devices/POST -a.yaml", `"x"`, `"********"`)
			d.edit("Devices/POST -a.yaml", `"password": "********"`, `"description": "y"`)
			d.step()
			d.do("PATCH /requests/{id}", 2, `{"doc":"A note"}`)
		}, tree: fleetTree, file: "Devices/POST -a.yaml", has: `"name": "********"`},
		{name: "the collection was renamed in the window", change: func(d *desk) {
			d.do("PATCH /collections/{id}", 1, `{"name":"Mine"}`)
		}, tree: strings.Replace(fleetTree, "Fleet", "Mine", 1), file: "collection.yaml", has: "name: Mine"},
		{name: "the collection was renamed in the window, and its file is broken", change: func(d *desk) {
			d.put("collection.yaml", "name: [Theirs\n")
			d.do("PATCH /collections/{id}", 1, `{"name":"Mine"}`)
		}, tree: strings.Replace(fleetTree, "Fleet", "Mine", 1), file: "collection.yaml", has: "name: [Theirs",
			says: "collection.yaml, line 1: did not find expected ',' or ']'"},
		{name: "a request was changed whose file has comments", change: func(d *desk) {
			d.put("Devices/List.yaml", "# Ours\n\n"+strings.Replace(listFile, "GET", "GET # not POST", 1))
			d.step()
			d.do("PATCH /requests/{id}", 1, `{"doc":"A note"}`)
		}, tree: fleetTree, file: "Devices/List.yaml", has: "# Ours\n\nname: List\norder: 1\nmethod: GET # not POST\n" +
			"path: /device/devices?sort={{sort}}\ndoc: A note\n"},
		{name: "a request was renamed whose file has comments", change: func(d *desk) {
			d.edit("Devices/List.yaml", "GET", "GET # not POST")
			d.step()
			d.do("PATCH /requests/{id}", 1, `{"name":"All"}`)
		}, tree: strings.Replace(fleetTree, "List", "All", 1), file: "Devices/All.yaml",
			has: "method: GET # not POST\n"},
		{name: "a collection and a folder were changed whose files have comments", change: func(d *desk) {
			d.edit("collection.yaml", "name:", "# Ours\nname:")
			d.edit("Devices/folder.yaml", "name:", "# Ours\nname:")
			d.step()
			d.do("PATCH /collections/{id}", 1, `{"doc":"A note"}`)
			d.do("PATCH /collections/{id}", 2, `{"doc":"A note"}`)
			d.step()
			d.same("folder.yaml", d.files()["Devices/folder.yaml"], "# Ours\nname: Devices\norder: 1\ndoc: A note\n")
		}, tree: fleetTree, file: "collection.yaml", has: "# Ours\nname: Fleet\ndoc: A note\n"},
		{name: "the order changed on both sides, and the request on disk", change: func(d *desk) {
			d.edit("Devices/List.yaml", "/device/devices", "/x")
			d.do("POST /collections/move", 0, `{"request":1,"to":2,"at":1}`)
		}, tree: rows(post + " [1 List GET /x?sort={{sort}}]"), file: "Devices/List.yaml", has: "order: 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t)
			d.fleet()
			tt.change(d)
			d.step()
			d.step() // nothing is left to do
			d.same("the tree", d.tree(), tt.tree)
			d.same("the problems", strings.ReplaceAll(d.problems(), d.dir, "DIR"), tt.says)
			if strings.Contains(tt.says, "does not exist") {
				return
			}
			files := d.files()
			if !strings.Contains(files[tt.file], tt.has) {
				t.Errorf("%s has no %q: %q", tt.file, tt.has, files)
			}
			if _, there := files[tt.none]; there {
				t.Errorf("%s is still there", tt.none)
			}
			for name, text := range files {
				if strings.Contains(text, "pLaNtEd") || strings.Contains(name, ".spyglass-") {
					t.Errorf("%s has a secret, or is left over: %s", name, text)
				}
			}
			// secrets stay in the workspace when the file changes
			for id, field := range map[int64]string{1: `"value":"pLaNtEd"`, 2: `pLaNtEd`} {
				got := d.send("GET /requests/{id}", id, "")
				if !strings.Contains(tt.name, "changed one") && !strings.Contains(got, field) &&
					!strings.Contains(got, "/mine") && !strings.Contains(got, `"body":"new"`) {
					t.Errorf("request %d has lost its secret: %s", id, got)
				}
			}
		})
	}
}

func TestExamplesAreWrittenNextToTheirRequest(t *testing.T) {
	d := open(t)
	d.fleet()
	found := "name: Found\norder: 1\nstatus: 200\nbody: hi\n"
	d.put("Devices/List.examples/Found.yaml", found)
	d.step()
	d.same("an example from disk", d.send("GET /examples/{id}/body", 1, ""), `{"text":"hi"}`)
	d.do("PATCH /examples/{id}", 1, `{"name":"All"}`)
	d.put("Devices/List.examples/None.yaml", "name: None\norder: 2\nstatus: 404\nbody: none\n")
	d.step()
	d.step()
	files := d.files()
	var got []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.Contains(name, "examples/") {
			got = append(got, name+" "+strings.Split(files[name], "\n")[0])
		}
	}
	d.same("both changed examples", strings.Join(got, "\n"), "Devices/List.examples/All.yaml name: All\n"+
		"Devices/List.examples/Found.yaml name: Found\nDevices/List.examples/None.yaml name: None")
	d.do("PATCH /requests/{id}", 1, `{"name":"Renamed"}`)
	d.step()
	d.step()
	if files = d.files(); files["Devices/Renamed.examples/None.yaml"] == "" ||
		files["Devices/List.examples/None.yaml"] != "" {
		t.Errorf("the examples do not follow the name: %q", slices.Sorted(maps.Keys(files)))
	}
	d.remove("Devices/Renamed.examples")
	d.step()
	if got := d.send("GET /examples", 0, ""); !strings.Contains(got, `"total":0`) {
		t.Errorf("deleted examples are still there: %s", got)
	}
}

// save saves a request as the page does: when the request has changed since the page read it,
// the page saves a new request next to it.
func (d *desk) save(id int64, etag, path string) {
	d.caller.IfMatch = etag
	said := d.send("PATCH /requests/{id}", id, `{"draft":{"path":"`+path+`"}}`)
	if d.caller.IfMatch = ""; strings.HasPrefix(said, ": the saved request has changed") {
		d.do("POST /requests", 0, `{"collectionId":2,"draft":{"path":"`+path+`"}}`)
	} else if !strings.HasPrefix(said, "{") {
		d.t.Error(said)
	}
}

// etag returns the ETag of a request.
func (d *desk) etag(id int64) string {
	d.t.Helper()
	return resource.ETag([]byte(d.send("GET /requests/{id}", id, "")))
}

// TestConflictingChangesLoseNothing changes a request in the file and in the window
// during a sync.
func TestConflictingChangesLoseNothing(t *testing.T) {
	d := open(t)
	d.fleet()
	for round := range 40 {
		var running sync.WaitGroup
		etag := d.etag(1)
		outside, inside := fmt.Sprintf("/outside-%d", round), fmt.Sprintf("/inside-%d", round)
		running.Go(func() { d.step() })
		running.Go(func() {
			d.put("Devices/List.yaml", "name: List\norder: 1\nmethod: GET\npath: "+outside+"\n")
		})
		running.Go(func() { d.save(1, etag, inside) })
		running.Go(func() { d.step() })
		running.Wait()
		d.step()
		all := strings.Join(slices.Collect(maps.Values(d.files())), "\n")
		tree := d.tree()
		for _, path := range []string{outside, inside} {
			if !strings.Contains(all, "path: "+path+"\n") || !strings.Contains(tree, " "+path+"]") {
				t.Fatalf("round %d has lost %s:\n%s\n%s", round, path, tree, all)
			}
		}
	}
}

// TestFileSavedDuringASyncIsNotOverwritten replaces a file after Spyglass has listed it, or just
// before Spyglass replaces it.
func TestFileSavedDuringASyncIsNotOverwritten(t *testing.T) {
	for _, swaps := range []bool{false, true} {
		d := open(t)
		d.fleet()
		d.do("PATCH /requests/{id}", 1, `{"draft":{"path":"/mine"}}`)
		save := sync.OnceFunc(func() { d.edit("Devices/List.yaml", "/device/devices", "/theirs") })
		d.SetSwap(func(dir *os.File, a, b string) error {
			if !swaps {
				return errors.ErrUnsupported // as on other systems
			}
			save()
			return keep.Exchange(dir, a, b)
		})
		if !swaps {
			d.Workspace.Watch(func(int64, workspace.Kind) { save() })
			d.edit("Devices/POST -a.yaml", "/a", "/b") // after the workspace has taken over the file's change
		}
		d.step()
		d.step()
		if tree := d.tree(); !strings.Contains(tree, "/theirs") || !strings.Contains(tree, "/mine") {
			t.Errorf("with swaps %v, a version is lost: %s", swaps, tree)
		}
	}
}

// TestSuggestedRowsAreNotWrittenToFiles saves a request with all query parameters of the
// catalog, as the page does.
func TestSuggestedRowsAreNotWrittenToFiles(t *testing.T) {
	d := open(t)
	param := func(name, doc string, value any) resource.Param {
		schema := resource.Schema{Type: "string", Doc: doc, Default: value}
		return resource.Param{Name: name, In: "query", Schema: schema}
	}
	d.Keeper.Catalog = catalog.New([]resource.Endpoint{{Method: "GET", Path: "/device/devices",
		Params: []resource.Param{param("size", "Rows", 50), param("sort", "Order", "name"), param("filter", "", nil),
			param("fields", "", nil)}, Example: resource.Example{Query: [][2]string{{"filter", "name~web"}}}}})
	query := `[{"on":false,"key":"size","value":"50","doc":"Rows"},` +
		`{"on":true,"key":"sort","value":"-name","doc":"Order"},` +
		`{"on":false,"key":"filter","value":"name~web"},{"on":false,"key":"fields","value":"id"},` +
		`{"on":false,"key":"debug","value":""}]`
	d.do("POST /collections", 0, `{"name":"Fleet"}`)
	d.do("POST /requests", 0, `{"collectionId":1,"name":"List","draft":{"path":"/device/devices","query":`+query+`}}`)
	d.do("POST /collections/{id}/folder", 1, d.named(d.dir))
	d.step()
	const want = "name: List\norder: 1\nmethod: GET\npath: /device/devices\nquery:\n  - key: sort\n    value: -name\n" +
		"    doc: Order\n  - key: fields\n    value: id\n    disabled: true\n  - key: debug\n    disabled: true\n"
	d.same("the file", d.files()["List.yaml"], want)
	d.edit("List.yaml", "order: 1", "order: 1\ndoc: A note")
	d.step()
	if got := d.send("GET /requests/{id}", 1, ""); !strings.Contains(got, `"query":`+query) ||
		!strings.Contains(got, "A note") {
		t.Errorf("read back, the request is %s", got)
	}
	d.edit("List.yaml", "  - key: sort\n", "  - key: size\n    value: \"5\"\n  - key: sort\n")
	d.step()
	if got := d.send("GET /requests/{id}", 1, ""); strings.Count(got, `"size"`) != 1 {
		t.Errorf("with a row that the page offers in the file, the request is %s", got)
	}
	d.edit("List.yaml", "/device/devices", "/other")
	d.step()
	if got := d.send("GET /requests/{id}", 1, ""); strings.Contains(got, `"filter"`) {
		t.Errorf("a request of another endpoint has rows of the first one: %s", got)
	}
}

// TestUnrecordedFilesMatchTheirRequests starts with the files that a crash leaves behind: they are
// written, but the workspace has no record of them.
func TestUnrecordedFilesMatchTheirRequests(t *testing.T) {
	d := open(t)
	d.fleet()
	before := d.files()
	if _, err := d.ForgetDisk(t.Context(), 1, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := d.KeepOnDisk(t.Context(), 1, 1, d.dir); err != nil {
		t.Fatal(err)
	}
	was := d.Keeper
	d.Keeper = &keep.Keeper{Workspace: d.Workspace, Catalog: was.Catalog, Hub: was.Hub, Desktop: true, Log: was.Log}
	d.step()
	d.step()
	d.same("the tree", d.tree(), fleetTree)
	if got := d.files(); !maps.Equal(got, before) {
		t.Errorf("the files are %q", got)
	}
}

func TestChangeOnDiskIsDetected(t *testing.T) {
	d := open(t)
	d.fleet()
	d.Start()
	for len(d.changed) > 0 {
		<-d.changed
	}
	d.edit("Devices/List.yaml", "/device/devices", "/x")
	timeout := time.After(20 * time.Second)
	for !strings.Contains(d.tree(), "GET /x?") {
		select {
		case <-d.changed:
		case <-timeout:
			t.Fatal("the change is not seen within 20 s: " + d.tree())
		}
	}
}

func TestOnlyFoldersBelowTheBaseCanBeOpened(t *testing.T) {
	d := open(t)
	base, outside := t.TempDir(), t.TempDir()
	d.Below, d.Desktop = base, false
	d.do("POST /collections", 0, `{"name":"Fleet"}`)
	top := []byte("spyglass: 1\nname: X\n")
	if err := os.WriteFile(filepath.Join(outside, "collection.yaml"), top, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(base, "link")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	keep, open := "POST /collections/{id}/folder", "POST /collections/open"
	outOf := "dir: enter the path of a folder below " + base + ", such as fleet"
	for _, tt := range []struct{ do, dir, says string }{
		{keep, outside, outOf}, {open, outside, outOf}, {keep, "../x", outOf}, {keep, ".", outOf}, {keep, "", outOf},
		{open, "a/../..", outOf},
		{open, "~/x", "dir: " + base + "/~/x does not exist. Nothing changes until it is back"},
		{open, "link", "dir: " + base + "/link cannot be opened: path escapes from parent"},
		{keep, "link", "dir: " + base + "/link cannot be opened: path escapes from parent"},
	} {
		if got := d.send(tt.do, 1, d.named(tt.dir)); got != tt.says && tt.dir != "" {
			t.Errorf("%s %s says %s\nwant %s", tt.do, tt.dir, got, tt.says)
		}
	}
	d.caller.Access = &resource.Access{UserID: 2}
	const denied = ": Only an administrator can name a folder of the portal."
	d.same("another user", d.send(keep, 1, d.named("x")), denied)
	d.same("another user", d.send(open, 0, d.named("x")), denied)
	d.same("another user", d.send("GET /collections/folders", 0, ""), `{"items":[],"base":""}`)
	d.caller.Access = &resource.Access{UserID: 2, Admin: true}
	d.same("another administrator", d.send(keep, 1, d.named("x")), ": there is no collection 1")
	d.caller.Access = &resource.Access{UserID: 1, Admin: true}
	d.do(keep, 1, d.named("x/y"))
	if _, err := os.Stat(filepath.Join(base, "x", "y", "collection.yaml")); err != nil {
		t.Error(err)
	}
	d.Below = t.TempDir()
	d.step()
	d.same("another --collections", d.problems(), filepath.Join(base, "x/y")+" is not in use: it is not below "+d.Below+
		", the folder of --collections")
	d.Below = ""
	d.same("without --collections", d.send(keep, 1, d.named("x")), ": This portal does not keep collections in "+
		"folders. Start it with --collections and a folder.")
	d.Desktop, d.caller.Session.Window = true, false
	d.same("a browser beside the window", d.send(keep, 1, d.named(outside)),
		": Only the Spyglass window itself may do "+
			"this. Use the window.")
}
