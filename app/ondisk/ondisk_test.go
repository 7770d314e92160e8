package ondisk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"spyglass/app/expect"
	"spyglass/app/ondisk"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// put writes files below a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// documented is the request in build/docs/collections.md.
var documented = ondisk.Request{Name: "Create a device", Order: 2, Draft: workspace.Draft{
	Method: "POST", Path: "/device/devices", Template: "/device/devices", Mode: "form",
	Query:   workspace.Rows{{On: true, Key: "fields", Value: "id,name"}, {Key: "debug", Value: "1"}},
	Headers: workspace.Rows{{On: true, Key: "X-Site", Value: "{{site}}"}}, PathParams: workspace.Rows{},
	Body:   "{\n  \"name\": \"web-01.example.net\",\n  \"displayName\": \"Web 01\"\n}",
	Checks: []expect.Check{{On: true, Kind: "status", Op: "is", Value: "201"}},
}}

func TestDocumentedFilesRoundTrip(t *testing.T) {
	page, err := os.ReadFile("../../build/docs/collections.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		examples = append(examples, m[1])
	}
	if len(examples) != 4 {
		t.Fatalf("the page has %d examples", len(examples))
	}
	collection := ondisk.Collection{Spyglass: 1, Name: "Fleet", Doc: "Requests about devices.",
		Variables: map[string]string{"pageSize": "50"}}
	folder := ondisk.Folder{Name: "Devices", Order: 1}
	example := ondisk.Example{Order: 1, SavedExample: workspace.SavedExample{Name: "Found", Status: 200,
		StatusText: "OK", Headers: [][2]string{{"ETag", "1"}}, Body: "{\n  \"total\": 1\n}"}}
	for i, write := range []func() ([]byte, error){
		func() ([]byte, error) { return ondisk.EncodeCollection(collection, nil) },
		func() ([]byte, error) { return ondisk.EncodeFolder(folder, nil) },
		func() ([]byte, error) { return ondisk.EncodeRequest(documented, nil) },
		func() ([]byte, error) { return ondisk.EncodeExample(example, nil) },
	} {
		if text, err := write(); err != nil || string(text) != examples[i] {
			t.Errorf("writes %v\n%s\nthe page has\n%s", err, text, examples[i])
		}
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"collection.yaml": examples[0], "Devices/folder.yaml": examples[1],
		"Devices/Create a device.yaml":                examples[2],
		"Devices/Create a device.examples/Found.yaml": examples[3],
		"Devices/first.yaml":                          "method: GET\npath: /a\norder: 1\n",
		"docker-compose.yaml":                         "services: {}\n", "README.md": "# x",
		".git/a.yaml":         "method: GET",
		"node_modules/a.yaml": "method: GET", "other/collection.yaml": "spyglass: 9"})
	got, variables, err := ondisk.Read(t.Context(), dir)
	want := workspace.Folder{Name: "Fleet", Doc: "Requests about devices.", Folders: []workspace.Folder{{
		Name: "Devices", Requests: []workspace.Saved{
			{Draft: workspace.Draft{Method: "GET", Path: "/a", Mode: "form", PathParams: workspace.Rows{},
				Query: workspace.Rows{}, Headers: workspace.Rows{}}},
			{Name: "Create a device", Draft: documented.Draft,
				Examples: []workspace.SavedExample{example.SavedExample}},
		}}}}
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(variables, collection.Variables) {
		t.Errorf("reads %v %v, %v\nwant  %v", got, variables, err, want)
	}
}

// hostile lists texts that YAML could parse as another type.
var hostile = []string{"", "yes", "null", "~", "1_000", "0x1F", "2026-11-26", "- a", "a: b", "#", " lead", "trail ",
	"\n", "\n\n", "a\n", "\na", "a\n\n", " a\nb", "\ta\nb", "a \nb", "a\r\nb\r\n", "\r", "a\tb\n", "{{x}}", "[", "*a",
	"&a", "!x", "%", "@", "`", "'", `"`, "a\x01b", "\x7f", "\u0085", "\u2028x\n", "\ufeffx\ny", "日本\n語 🙂", "---",
	"a\n---\nb", "a\n=======\nb\n", "<<<<<<< ours\n", "...", "key: |\n  x\n", strings.Repeat("x", 2000), "a\n  b\n c",
	"\\n", "\u200b", "<<", "=", "1e3", "0o7", ".inf", "a #b\nc", "  \n  x"}

func TestEveryTextRoundTrips(t *testing.T) {
	for _, text := range hostile {
		want := ondisk.Request{Name: "x", Doc: text, Draft: workspace.Draft{Method: "POST", Path: text,
			Template: text, Mode: "raw", Body: text, Timeout: 7, PathParams: workspace.Rows{},
			Query: workspace.Rows{{Key: text, Value: text, Doc: text}}, Headers: workspace.Rows{},
			Checks: []expect.Check{{Kind: text, Target: text, Op: text, Value: text}}}}
		if len(text) > 100 || text == "" {
			want.Draft.Checks = nil
		}
		file, err := ondisk.EncodeRequest(want, nil)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, err := ondisk.DecodeRequest("a.yaml", file)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%q is read as %+v, %v from\n%s", text, got, err, file)
		}
		// as Git for Windows checks the file out
		windows := []byte(strings.ReplaceAll(string(file), "\n", "\r\n"))
		if got, err = ondisk.DecodeRequest("a.yaml", windows); err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%q with CRLF is read as %+v, %v from\n%s", text, got, err, file)
		}
	}
}

// edited is a request file that a person wrote by hand.
const edited = `# Owned by the network team.

method: GET
# Only for the lab
path: "/a" # not /b
query: # in this order
  # the page
  - key: size
    value: 50 # all of them
  - key: sort
    value: name
    # - key: filter
# Below all rows
name: List # the name
checks:
  - kind: status # fast
    op: is
    value: "200"
# the end
`

// loose has blank lines between its parts and in a text.
const loose = `# top

name: List

method: GET
path: /a


query:
  - key: size
    value: 50

  # by name
  - key: sort
    value: name

body: |
  a


  b
`

func TestChangeKeepsTheCommentsOfAFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		file   string
		change func(r *ondisk.Request)
		was    string // text that the change replaces
		by     string
	}{
		{"nothing", edited, func(*ondisk.Request) {}, "", ""},
		{"a value", edited, func(r *ondisk.Request) { r.Draft.Path = "/c" }, `"/a" #`, "/c #"},
		{"a row", edited, func(r *ondisk.Request) { r.Draft.Query[0].Value = "7" }, `50 #`, `"7" #`},
		{"the key of a row", edited, func(r *ondisk.Request) { r.Draft.Query[0].Key = "limit" }, "key: size",
			"key: limit"},
		{"a row is switched off", edited, func(r *ondisk.Request) { r.Draft.Query[1].On = false },
			"value: name\n", "value: name\n    disabled: true\n"},
		{"a row before others", edited, func(r *ondisk.Request) {
			r.Draft.Query = append(workspace.Rows{{On: true, Key: "new"}}, r.Draft.Query...)
		}, "  # the page", "  - key: new\n  # the page"},
		{"a row that is gone", edited, func(r *ondisk.Request) { r.Draft.Query = r.Draft.Query[1:] },
			"  # the page\n  - key: size\n    value: 50 # all of them\n", ""},
		{"a row that is gone, and a changed one", edited, func(r *ondisk.Request) {
			r.Draft.Query = r.Draft.Query[1:]
			r.Draft.Query[0].Value = "id"
		}, "  # the page\n  - key: size\n    value: 50 # all of them\n  - key: sort\n    value: name\n",
			"  - key: sort\n    value: id\n"},
		{"a new key", edited, func(r *ondisk.Request) { r.Draft.Body, r.Draft.Timeout = "a\nb", 5 },
			"# Below all rows", "body: |-\n  a\n  b\ntimeout: 5\n# Below all rows"},
		{"a key that is gone", edited, func(r *ondisk.Request) { r.Name = "" },
			"# Below all rows\nname: List # the name\n", ""},
		{"a comment below a key that is gone", "method: GET\npath: /a\ntimeout: 5\n# below\n\nname: x\n",
			func(r *ondisk.Request) { r.Draft.Timeout = 0 }, "timeout: 5\n", ""},
		{"a comment below the first key", "timeout: 5\n# below\n\nmethod: GET\n",
			func(r *ondisk.Request) { r.Draft.Timeout = 0 }, "timeout: 5\n", ""},
		{"a block", "method: GET\nbody: |- # why\n  a\n# end\n", func(r *ondisk.Request) { r.Draft.Body = "a\nb" },
			"  a\n", "  a\n  b\n"},
		{"a text that needs quotes", "method: GET\nbody: a # why\n",
			func(r *ondisk.Request) { r.Draft.Body = "\u2028" }, "body: a", `body: "\L"`},
		{"short forms", "method: GET\nquery: [{key: a, value: b}] # why\n", func(*ondisk.Request) {},
			"query: [{key: a, value: b}] # why", "query:\n  # why\n  - key: a\n    value: b"},
		{"blank lines", loose, func(r *ondisk.Request) { r.Draft.Path = "/c" }, "/a", "/c"},
		{"blank lines before what changes", loose, func(r *ondisk.Request) { r.Draft.Body = "a\n\n\nc\n" },
			"  b\n", "  c\n"},
		{"a blank line in a text that is gone", loose, func(r *ondisk.Request) { r.Draft.Body = "a\nb\n" },
			"  a\n\n\n  b\n", "  a\n  b\n"},
		{"blank lines around a row that is gone", loose, func(r *ondisk.Request) { r.Draft.Query = r.Draft.Query[1:] },
			"  - key: size\n    value: 50\n\n", ""},
		{"blank lines around a new key", loose, func(r *ondisk.Request) { r.Draft.Timeout = 5 },
			"  b\n", "  b\ntimeout: 5\n"},
		{"another line end", "# top\r\n\r\nmethod: GET # why\r\npath: /a\r\n",
			func(r *ondisk.Request) { r.Draft.Path = "/b" }, "", ""},
	} {
		r, err := ondisk.DecodeRequest("a.yaml", []byte(tt.file))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		tt.change(r)
		want := strings.Replace(tt.file, tt.was, tt.by, 1)
		if strings.Contains(tt.file, "\r") {
			want = "# top\n\nmethod: GET # why\npath: /b\n"
		}
		got, err := ondisk.EncodeRequest(*r, []byte(tt.file))
		if err != nil || string(got) != want {
			t.Errorf("%s: writes %v\n%s\nwant\n%s", tt.name, err, got, want)
			continue
		}
		if again, err := ondisk.EncodeRequest(*r, got); err != nil || string(again) != want {
			t.Errorf("%s: the second time, it writes %v\n%s", tt.name, err, again)
		}
	}
	collection, err := ondisk.EncodeCollection(ondisk.Collection{Name: "B", Variables: map[string]string{"a": "2"}},
		[]byte("spyglass: 1\nname: A # ours\nvariables:\n  # how many\n  a: 1\n"))
	if want := "spyglass: 1\nname: B # ours\nvariables:\n  # how many\n  a: \"2\"\n"; err != nil ||
		string(collection) != want {
		t.Errorf("a collection is written as %v\n%s", err, collection)
	}
}

func FuzzDecodeRequest(f *testing.F) {
	for _, text := range hostile {
		f.Add([]byte("method: GET\nbody: " + text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := ondisk.DecodeRequest("a.yaml", file)
		if err != nil || r == nil {
			return
		}
		text, err := ondisk.EncodeRequest(*r, nil)
		if fault.Is(err, fault.TooLarge) {
			return
		}
		if err != nil {
			t.Fatalf("%q cannot be written again: %v", file, err)
		}
		kept, err := ondisk.EncodeRequest(*r, file)
		if err != nil {
			t.Fatalf("%q cannot be changed: %v", file, err)
		}
		for _, text := range [][]byte{text, kept} {
			if again, err := ondisk.DecodeRequest("a.yaml", text); err != nil || !reflect.DeepEqual(again, r) {
				t.Fatalf("%q becomes %+v, %v, was %+v", file, again, err, r)
			}
		}
	})
}

func TestInvalidFileIsRefusedWithTheLine(t *testing.T) {
	for _, tt := range []struct{ text, says string }{
		{"name: A\n<<<<<<< HEAD\nmethod: GET\n=======\nmethod: PUT\n>>>>>>> topic\n",
			"a.yaml, line 2: there is an unresolved conflict of git. Resolve it in an editor"},
		{"method: GET\npath: 'x\n", "a.yaml, line 2: found unexpected end of stream"},
		{"method: GET\npth: /a\n", "a.yaml, line 2: unknown key “pth”"},
		{"method: GET\nquery: 5\n", "a.yaml, line 2: the value has the wrong type"},
		{"method: GET\nmethod: PUT\n", `a.yaml, line 2: mapping key "method" already defined at line 1`},
		{"method: LOOK\n", "a.yaml: the method must be one of GET, POST, PUT, PATCH, DELETE"},
		{"method: GET\npath: &a /x\nbody: *a\n", "a.yaml, line 3: references (*a) are not supported; repeat the text"},
		{"method: GET\n---\nmethod: PUT\n", "a.yaml has several documents, separated by ---; a file has one"},
		{"method: GET\nname: \"a\\nb\"\n", "a.yaml: the name must be one line without control characters"},
		{"method: GET\nname: " + strings.Repeat("x", 256), "a.yaml: the name has more than 255 characters"},
		{"method: GET\nbody: \xff", "a.yaml is not a text in UTF-8"},
		{"- GET", "a.yaml must have lines such as “name: …”"},
		{"", "a.yaml must have lines such as “name: …”"},
		{"method: GET\nbody: " + strings.Repeat("x", ondisk.MaxFile), "a.yaml has more than 1 MiB, which is too " +
			"large for a file of a collection"},
	} {
		if _, err := ondisk.DecodeRequest("a.yaml", []byte(tt.text)); err == nil || fault.Of(err).Message != tt.says {
			t.Errorf("%.60q says %v, want %s", tt.text, err, tt.says)
		}
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"collection.yaml": "spyglass: 2\nname: x\n"})
	if _, _, err := ondisk.Read(t.Context(), dir); fmt.Sprint(err) !=
		"collection.yaml has the format 2; this version of Spyglass reads format 1" {
		t.Errorf("a newer format says %v", err)
	}
}

func TestFileNamesAreValidOnEverySystem(t *testing.T) {
	for name, want := range map[string]string{
		"List devices": "List devices", "GET /a/{id}?x=1": "GET -a-{id}-x=1", "a\tb\nc": "a-b-c", "": "Untitled",
		"...": "Untitled", ".git": "git", "--help": "help", "con": "_con", "COM1.txt": "_COM1.txt",
		"Auxiliary": "Auxiliary", "trailing. ": "trailing", "folder": "_folder", "Collection": "_Collection",
		"x.examples": "_x.examples",
		"x.yaml":     "_x.yaml", "../../etc/passwd": "etc-passwd", "A\u030a": "Å", "a\u200bb": "ab",
		strings.Repeat("é", 80): strings.Repeat("é", 50),
	} {
		if got := ondisk.FileName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	names := ondisk.Names{}
	for _, want := range []string{"A.yaml", "a 2.yaml", "A 3.yaml", "Å.yaml", "å 2.yaml"} {
		base, _, _ := strings.Cut(strings.TrimSuffix(want, ".yaml"), " ")
		if got := names.New(base, ondisk.Ext); got != want {
			t.Errorf("%q becomes %q, want %q", base, got, want)
		}
	}
	for _, tt := range []struct {
		file, name string
		fits       bool
	}{{"x/A b.yaml", "A b", true}, {"A b 2.yaml", "A b", true}, {"A b c.yaml", "A b", false}, {"A.yaml", "B", false}} {
		if got := ondisk.Fits(tt.file, tt.name, ondisk.Ext); got != tt.fits {
			t.Errorf("%s fits %q: %v", tt.file, tt.name, got)
		}
	}
}

func TestSymlinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, outside, map[string]string{"secret.yaml": "method: GET\npath: /secret\n"})
	put(t, dir, map[string]string{"collection.yaml": "spyglass: 1\nname: x\n", "a.yaml": "method: GET\npath: /a\n"})
	for link, to := range map[string]string{"folder": outside, "b.yaml": filepath.Join(outside, "secret.yaml"),
		"c.yaml": "a.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	got, _, err := ondisk.Read(t.Context(), dir)
	if err != nil || len(got.Folders) != 0 || len(got.Requests) != 1 {
		t.Errorf("reads %+v, %v", got, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	beside := "../" + filepath.Base(outside) + "/secret.yaml"
	for _, name := range []string{"b.yaml", "c.yaml", "folder/secret.yaml", beside} {
		if text, err := ondisk.ReadFile(root, name); err == nil {
			t.Errorf("%s is read as %s", name, text)
		}
	}
}

func TestScanReadsOnlyChangedFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"collection.yaml": "spyglass: 1\nname: x\n", "a.yaml": "method: GET\n",
		"big.yaml": strings.Repeat("x", ondisk.MaxFile+1)})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var s ondisk.Scanner
	first, err := s.Scan(t.Context(), root)
	if err != nil || len(first.Files) != 2 || !first.Unknown["big.yaml"] || len(first.Problems) != 1 {
		t.Fatalf("scans %+v, %v", first, err)
	}
	// The size is the same, and so is the modification time, because the write follows at once.
	info, err := root.Stat("a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"a.yaml": "method: PUT\n"})
	if err := root.Chtimes("a.yaml", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	second, err := s.Scan(t.Context(), root)
	if err != nil || second.Files["a.yaml"] == first.Files["a.yaml"] {
		t.Errorf("a change is not seen: %+v, %v", second, err)
	}
}
