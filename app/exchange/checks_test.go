package exchange_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spyglass/app/exchange"
	"spyglass/app/expect"
	"spyglass/app/workspace"
)

// checksOf returns the checks of the first request of a file, one per line, and the notes.
func checksOf(t *testing.T, name, text string) (lines, notes []string) {
	t.Helper()
	found, err := exchange.Read(t.Context(), &exchange.File{Name: name, Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	folder := found.Folders[0]
	for len(folder.Requests) == 0 {
		folder = folder.Folders[0]
	}
	for _, c := range folder.Requests[0].Draft.Checks {
		line := fmt.Sprintf("%s %s %s %s", c.Kind, c.Target, c.Op, c.Value)
		if !c.On {
			line = "- " + line
		}
		lines = append(lines, line)
	}
	return lines, found.Notes
}

// postmanTests returns a collection with one request that has a test script.
func postmanTests(t *testing.T, script string) string {
	t.Helper()
	lines, err := json.Marshal(strings.Split(script, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return `{"info":{"name":"A"},"item":[{"name":"One","request":{"method":"GET","url":{"raw":"/x"}},"event":[` +
		`{"listen":"prerequest","script":{"exec":[""]}},{"listen":"test","script":{"exec":` + string(lines) + `}}]}]}`
}

func TestPostmanTestsBecomeChecks(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{`pm.test("Status code is 200", function () {
    pm.response.to.have.status(200);
});`, "status  is 200"},
		{`pm.test('OK', () => { pm.response.to.be.ok })`, "status  is 2xx"},
		{`pm.test("x", () => pm.response.to.be.notFound);`, "status  is 404"},
		{`pm.test("x", function(){ pm.response.to.not.have.status(500); pm.response.to.be.json; });`,
			"status  isNot 500\nheader Content-Type contains json"},
		{`pm.response.to.have.header("Content-Type");
pm.response.to.have.header('X-A', "b, c")
pm.response.to.not.have.header("Server")`, "header Content-Type exists \nheader X-A is b, c\nheader Server absent "},
		{`pm.expect(pm.response.code).to.be.oneOf([200, 201])`, "status  oneOf 200, 201"},
		{`pm.expect(pm.response.responseTime).to.be.below(500); // fast
/* small */ pm.expect(pm.response.responseSize).to.be.at.most(1000)`, "time  below 500\nsize  atMost 1000"},
		{`pm.expect(pm.response.headers.get("ETag")).to.include('W/')`, "header ETag contains W/"},
		{`const body = pm.response.json();
pm.test("values", () => {
  pm.expect(body.total).to.be.above(0);
  pm.expect(body.items[0]["display name"]).to.eql("it's");
  pm.expect(body.items[0].up).to.be.true;
  pm.expect(body.items[0].gone).to.be.undefined;
  pm.expect(body.items[0].id).to.be.a("number");
  pm.expect(body.items[0]).to.have.property("name", 'web');
  pm.expect(body.items[0]).to.not.have.property("password");
  pm.expect(body.items).to.have.lengthOf(3);
  pm.expect(body.items[0].name)
    .to.match(/^web-\d+\/x$/i);
  pm.expect(body.owner).to.deep.equal({"id": 7});
  pm.expect(body.total).to.not.be.above(9);
  pm.expect(body.id).to.eql(pm.environment.get("deviceId"));
  pm.expect(pm.response.json().searchId).to.be.null;
});`, `json $.total above 0
json $.items[0]["display name"] is it's
json $.items[0].up is true
json $.items[0].gone absent ` + `
json $.items[0].id type number
json $.items[0].name is web
json $.items[0].password absent ` + `
json .items | length is 3
json $.items[0].name matches (?i)^web-\d+/x$
json $.owner is {"id": 7}
json $.total atMost 9
json $.id is {{deviceId}}
json $.searchId is null`},
	} {
		t.Run(tt.script, func(t *testing.T) {
			got, notes := checksOf(t, "a.json", postmanTests(t, tt.script))
			if text := strings.Join(got, "\n"); text != tt.want || len(notes) > 0 {
				t.Errorf("got\n%s\nwant\n%s\nnotes %q", text, tt.want, notes)
			}
		})
	}
}

func TestUnsupportedPostmanTestsAreReported(t *testing.T) {
	got, notes := checksOf(t, "a.json", postmanTests(t, `pm.test("mixed", function () {
    pm.response.to.have.status("OK");
    pm.response.to.have.status(200);
    pm.expect(pm.response.code).to.contain(2);
    pm.environment.set("id", pm.response.json().id);
    pm.expect(body.id).to.eql(7);
    pm.expect(pm.response.json().name).to.eql(names[0]);
});`))
	if !reflect.DeepEqual(got, []string{"status  is 200"}) {
		t.Errorf("got %q", got)
	}
	want := []string{
		`A test of “One” was not imported: pm.response.to.have.status("OK")`,
		`A test of “One” was not imported: pm.expect(pm.response.code).to.contain(2)`,
		`A test of “One” was not imported: pm.environment.set("id", pm.response.json().id)`,
		`A test of “One” was not imported: pm.expect(body.id).to.eql(7)`,
		`A test of “One” was not imported: pm.expect(pm.response.json().name).to.eql(names[0])`,
	}
	if !reflect.DeepEqual(notes, want) {
		t.Errorf("the notes are\n%s", strings.Join(notes, "\n"))
	}
	if got, notes = checksOf(t, "a.json", postmanTests(t, strings.Repeat("pm.response.to.be.ok\n", 150)+
		strings.Repeat("odd()\n", 30))); len(got) != 100 || len(notes) != 2 ||
		notes[1] != "A test of “One” was not imported: odd()" && notes[0] != "A test of “One” was not imported: odd()" {
		t.Errorf("%d checks, and the notes %q", len(got), notes)
	}
	if got, notes = checksOf(t, "a.json", postmanTests(t, strings.Repeat("pm.response.to.be.ok\n", 9000))); len(got) !=
		0 || len(notes) != 1 {
		t.Errorf("a script of 180 KB gives %d checks and %q", len(got), notes)
	}
}

func TestBrunoAssertionsBecomeChecks(t *testing.T) {
	text := `meta {
  name: One
}

get {
  url: /x
}

assert {
  res.status: eq 200
  res.body.items[0].id: gte 7
  ~res.body.name: eq "web"
  res.headers.content-type: contains json
  res.responseTime: lt 500
  res.body: isJson
  res.body.items: length 3
  res.body.up: isTrue
  res.status: in 200, 201
  res.body.total: 5
  res.body.name: startsWith w
}

tests {
  test("again", function () {
    expect(res.getStatus()).to.equal(200);
    expect(res.body.id).to.be.at.least(1);
    expect(res.getHeader("etag")).to.exist;
  });
}
`
	got, notes := checksOf(t, "a.bru", text)
	want := []string{"status  is 200", "json $.items[0].id atLeast 7", "- json $.name is web",
		"header content-type contains json", "time  below 500", "json $ exists ", "json .items | length is 3",
		"json $.up is true", "status  oneOf 200, 201", "json $.total is 5", "status  is 200", "json $.id atLeast 1",
		"header etag exists "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(notes) != 1 || notes[0] != "A test of “One” was not imported: res.body.name: startsWith w" {
		t.Errorf("the notes are %q", notes)
	}
}

func TestChecksSurviveAnExport(t *testing.T) {
	checks := []expect.Check{
		{On: true, Kind: "status", Op: "is", Value: "200"}, {On: true, Kind: "status", Op: "is", Value: "2xx"},
		{On: true, Kind: "status", Op: "oneOf", Value: "200, 204"},
		{On: true, Kind: "header", Target: "Content-Type", Op: "contains", Value: `a "b"`},
		{On: true, Kind: "header", Target: "ETag", Op: "exists"},
		{On: true, Kind: "json", Target: "$.items[0].id", Op: "is", Value: "7"},
		{On: true, Kind: "json", Target: "$.name", Op: "isNot", Value: "{{name}}"},
		{On: true, Kind: "json", Target: "$.name", Op: "matches", Value: `^a/b$`},
		{On: true, Kind: "json", Target: "$.gone", Op: "absent"},
		{On: true, Kind: "json", Target: "$.id", Op: "type", Value: "number"},
		{On: true, Kind: "time", Op: "below", Value: "500"}, {On: true, Kind: "size", Op: "atMost", Value: "9"},
	}
	draft := workspace.Draft{Method: "GET", Path: "/x", Mode: "form", Checks: append(checks,
		expect.Check{Kind: "status", Op: "is", Value: "1"},
		expect.Check{On: true, Kind: "schema", Op: "declared"},
		expect.Check{On: true, Kind: "json", Target: ".items | length", Op: "is", Value: "1"})}
	bundle := &exchange.Bundle{Name: "A", BaseURL: "http://127.0.0.1/api",
		Folders: []workspace.Folder{{Name: "A", Requests: []workspace.Saved{{Name: "One", Draft: draft}}}}}
	for _, tt := range []struct {
		format *exchange.Format
		want   []expect.Check
	}{{&exchange.Spyglass, draft.Checks}, {&exchange.Postman, checks}} {
		text, err := exchange.Write(t.Context(), tt.format, bundle)
		if err != nil {
			t.Fatal(err)
		}
		found, err := exchange.Read(t.Context(), &exchange.File{Name: "a.json", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		folder := found.Folders[0]
		for len(folder.Requests) == 0 {
			folder = folder.Folders[0]
		}
		if got := folder.Requests[0].Draft.Checks; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got\n%v\nwant\n%v\n%s", tt.format.Label, got, tt.want, text)
		}
	}
}
