package document_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"spyglass/app/document"
	"spyglass/app/document/query"
	"spyglass/backend/fault"
)

func newStore(t *testing.T, limits document.Limits) *document.Store {
	t.Helper()
	s, err := document.NewStore(t.TempDir(), limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// matchesOf runs a query over a body and returns the matches unchanged, one per line.
func matchesOf(t *testing.T, body, src string) string {
	t.Helper()
	q, err := query.Parse(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	s := newStore(t, document.Limits{})
	result, n, err := s.Filter(t.Context(), put(t, s, body), q)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	var out strings.Builder
	if _, err := result.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	var matches []json.RawMessage
	if err := json.Unmarshal([]byte(out.String()), &matches); err != nil || len(matches) != n {
		t.Fatalf("%s: %d matches in %s: %v", src, n, out.String(), err)
	}
	lines := make([]string, n)
	for i, m := range matches {
		lines[i] = string(m)
	}
	return strings.Join(lines, " ; ")
}

const rfcStore = `{ "store": { "book": [
 { "category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95 },
 { "category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99 },
 { "category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99 },
 { "category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings", "isbn": "0-395-19395-8", "price": 22.99 }
], "bicycle": { "color": "red", "price": 399 } } }`

const (
	rfcNames  = `{"o":{"j j":{"k.k":3}},"'":{"@":2}}`
	rfcObject = `{"o":{"j":1,"k":2},"a":[5,3]}`
	rfcLong   = `{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}`
	rfcFilter = `{"a":[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],"o":{"p":1,"q":2,"r":3,"s":5,` +
		`"t":{"u":6}},"e":"f"}`
	rfcParts = `{"obj":{"x":"y"},"arr":[2,3]}`
	rfcNull  = `{"a":null,"b":[null],"c":[{}],"null":1}`
	letters  = `["a","b","c","d","e","f","g"]`
)

// The examples of RFC 9535, with their results in its order.
func TestExamplesOfTheRFC(t *testing.T) {
	authors := `"Nigel Rees" ; "Evelyn Waugh" ; "Herman Melville" ; "J. R. R. Tolkien"`
	for _, tt := range []struct{ body, query, want string }{
		{rfcStore, `$.store.book[*].author`, authors},
		{rfcStore, `$..author`, authors},
		{rfcStore, `$.store..price`, `8.95 ; 12.99 ; 8.99 ; 22.99 ; 399`},
		{rfcStore, `$..book[2].author`, `"Herman Melville"`},
		{rfcStore, `$..book[2].publisher`, ``},
		{rfcStore, `$..book[-1].title`, `"The Lord of the Rings"`},
		{rfcStore, `$..book[0,1].title`, `"Sayings of the Century" ; "Sword of Honour"`},
		{rfcStore, `$..book[:2].title`, `"Sayings of the Century" ; "Sword of Honour"`},
		{rfcStore, `$..book[?@.isbn].title`, `"Moby Dick" ; "The Lord of the Rings"`},
		{rfcStore, `$..book[?@.price<10].title`, `"Sayings of the Century" ; "Moby Dick"`},
		{rfcNames, `$.o['j j']`, `{"k.k":3}`},
		{rfcNames, `$.o['j j']['k.k']`, `3`},
		{rfcNames, `$.o["j j"]["k.k"]`, `3`},
		{rfcNames, `$["'"]["@"]`, `2`},
		{rfcObject, `$[*]`, `{"j":1,"k":2} ; [5,3]`},
		{rfcObject, `$.o[*]`, `1 ; 2`},
		{rfcObject, `$.o[*, *]`, `1 ; 2 ; 1 ; 2`},
		{rfcObject, `$.a[*]`, `5 ; 3`},
		{`["a","b"]`, `$[1]`, `"b"`},
		{`["a","b"]`, `$[-2]`, `"a"`},
		{letters, `$[1:3]`, `"b" ; "c"`},
		{letters, `$[5:]`, `"f" ; "g"`},
		{letters, `$[1:5:2]`, `"b" ; "d"`},
		{letters, `$[5:1:-2]`, `"f" ; "d"`},
		{letters, `$[::-1]`, `"g" ; "f" ; "e" ; "d" ; "c" ; "b" ; "a"`},
		{letters, `$[-2:]`, `"f" ; "g"`},
		{letters, `$[::0]`, ``},
		{rfcParts + ``, `$[?$.absent1 == $.absent2]`, `{"x":"y"} ; [2,3]`},
		{rfcParts, `$[?$.absent1 <= $.absent2]`, `{"x":"y"} ; [2,3]`},
		{rfcParts, `$[?$.absent == 'g']`, ``},
		{rfcParts, `$[?$.absent1 != $.absent2]`, ``},
		{rfcParts, `$[?1 <= 2]`, `{"x":"y"} ; [2,3]`},
		{rfcParts, `$[?13 == '13']`, ``},
		{rfcParts, `$[?'a' <= 'b']`, `{"x":"y"} ; [2,3]`},
		{rfcParts, `$[?$.obj == $.arr]`, ``},
		{rfcParts, `$[?$.obj == $.obj]`, `{"x":"y"} ; [2,3]`},
		{rfcParts, `$[?$.obj <= $.arr]`, ``},
		{rfcParts, `$[?1 <= $.arr]`, ``},
		{rfcParts, `$[?$.arr >= $.arr]`, `{"x":"y"} ; [2,3]`},
		{rfcParts, `$[?true <= true]`, `{"x":"y"} ; [2,3]`},
		{rfcParts, `$[?true > true]`, ``},
		{rfcFilter, `$.a[?@.b == 'kilo']`, `{"b":"kilo"}`},
		{rfcFilter, `$.a[?(@.b == 'kilo')]`, `{"b":"kilo"}`},
		{rfcFilter, `$.a[?@>3.5]`, `5 ; 4 ; 6`},
		{rfcFilter, `$.a[?@.b]`, `{"b":"j"} ; {"b":"k"} ; {"b":{}} ; {"b":"kilo"}`},
		{rfcFilter, `$[?@.*]`, `[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}] ; {"p":1,"q":2,"r":3,"s":5,` +
			`"t":{"u":6}}`},
		{rfcFilter, `$[?@[?@.b]]`, `[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`},
		{rfcFilter, `$.o[?@<3, ?@<3]`, `1 ; 2 ; 1 ; 2`},
		{rfcFilter, `$.a[?@<2 || @.b == "k"]`, `1 ; {"b":"k"}`},
		{rfcFilter, `$.a[?match(@.b, "[jk]")]`, `{"b":"j"} ; {"b":"k"}`},
		{rfcFilter, `$.a[?search(@.b, "[jk]")]`, `{"b":"j"} ; {"b":"k"} ; {"b":"kilo"}`},
		{rfcFilter, `$.o[?@>1 && @<4]`, `2 ; 3`},
		{rfcFilter, `$.o[?@.u || @.x]`, `{"u":6}`},
		{rfcFilter, `$.a[?@.b == $.x]`, `3 ; 5 ; 1 ; 2 ; 4 ; 6`},
		{rfcFilter, `$.a[?@ == @]`, `3 ; 5 ; 1 ; 2 ; 4 ; 6 ; {"b":"j"} ; {"b":"k"} ; {"b":{}} ; {"b":"kilo"}`},
		{rfcFilter, `$.a[?!@.b]`, `3 ; 5 ; 1 ; 2 ; 4 ; 6`},
		{rfcFilter, `$.a[?length(@.b) == 4]`, `{"b":"kilo"}`},
		{rfcFilter, `$[?count(@.*) > 5]`, `[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`},
		{rfcFilter, `$[?value(@..u) == 6]`, `{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}}`},
		{rfcLong, `$..j`, `1 ; 4`},
		{rfcLong, `$..[0]`, `5 ; {"j":4}`},
		{rfcLong, `$..[*]`, `{"j":1,"k":2} ; [5,3,[{"j":4},{"k":6}]] ; 1 ; 2 ; 5 ; 3 ; [{"j":4},` +
			`{"k":6}] ; {"j":4} ; {"k":6} ; 4 ; 6`},
		{rfcLong, `$..o`, `{"j":1,"k":2}`},
		{rfcLong, `$.o..[*, *]`, `1 ; 2 ; 1 ; 2`},
		{rfcLong, `$.a..[0, 1]`, `5 ; 3 ; {"j":4} ; {"k":6}`},
		{rfcNull, `$.a`, `null`},
		{rfcNull, `$.a[0]`, ``},
		{rfcNull, `$.b[?@==null]`, `null`},
		{rfcNull, `$.c[?@.d==null]`, ``},
		{rfcNull, `$.null`, `1`},
	} {
		if got := matchesOf(t, tt.body, tt.query); got != tt.want {
			t.Errorf("%s of %s\n got %s\nwant %s", tt.query, tt.body, got, tt.want)
		}
	}
}

func TestCommonJQFilters(t *testing.T) {
	const body = `{"total":3,"items":[{"id":9007199254740993,"displayName":"web-01","hostStatus":"dead","tags":["a",` +
		`"b"],"x":null},{"id":2,"displayName":"db-01","hostStatus":"normal","tags":[],"a b":1},{"id":3,` +
		`"displayName":"web-02","hostStatus":"dead","tags":["c"]}]}`
	for query, want := range map[string]string{
		`.total`:              `3`,
		`.items[].id`:         `9007199254740993 ; 2 ; 3`,
		`.items[0].id`:        `9007199254740993`,
		`.items[-1]["id"]`:    `3`,
		`.items.[1]."a b"`:    `1`,
		`.items[1:] | .[].id`: `2 ; 3`,
		`.items[1:][].id`:     `2 ; 3`,
		`.items[] | select(.hostStatus == "dead") | .displayName`:     `"web-01" ; "web-02"`,
		`.items[] | select(.id > 2 and .id < 9007199254740993) | .id`: `3`,
		`.items[] | select(.id == 9007199254740992) | .id`:            ``,
		`.items[] | select(.id == 9007199254740993) | .id`:            `9007199254740993`,
		`.items[] | select(.displayName | test("^web")) | .id`:        `9007199254740993 ; 3`,
		`.items[] | select(.displayName | startswith("db")) | .id`:    `2`,
		`.items[] | select((.tags | length) > 1) | .id`:               `9007199254740993`,
		`.items[] | select(.tags | length == 0) | .id`:                `2`,
		`.items[] | select(.tags | contains("c")) | .id`:              `3`,
		`.items[] | select(has("x")) | .id`:                           `9007199254740993`,
		`.items[] | select(.x == null) | .id`:                         `9007199254740993 ; 2 ; 3`,
		`.items[] | select(.["a b"]) | .id`:                           `2`,
		`.items[] | select(.hostStatus == "dead" | not) | .id`:        `2`,
		`.items | map(.id)`:                             `9007199254740993 ; 2 ; 3`,
		`.items | map(select(.id < 9) | .id)`:           `2 ; 3`,
		`.items | map(.tags[]) | map(select(. == "c"))`: `"c"`,
		`.items | map(select(.id < 9)) | .[] | .id`:     `2 ; 3`,
		`.items | map({id}) `:                           `{"id": 9007199254740993} ; {"id": 2} ; {"id": 3}`,
		`.items | length`:                               `3`,
		`.items[1] | keys`:                              `["a b", "displayName", "hostStatus", "id", "tags"]`,
		`.items[].tags | length`:                        `2 ; 0 ; 1`,
		`.items[] | {id, n: .displayName}`: `{"id": 9007199254740993, "n": "web-01"} ; {"id": 2,` +
			` "n": "db-01"} ; {"id": 3, "n": "web-02"}`,
		`.items[1] | {"a b", y: .z}`: `{"a b": 1, "y": null}`,
		`.. | .displayName?`:         `"web-01" ; "db-01" ; "web-02"`,
		`$.items[*] | select(.id == 2)`: `{"id":2,"displayName":"db-01","hostStatus":"normal",` +
			`"tags":[],"a b":1}`,
	} {
		if got := matchesOf(t, body, query); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

func TestMatchesKeepTheOriginalBytes(t *testing.T) {
	const body = `{"items":[ {"n":1.10e2,"n":12345678901234567890,"s":"\u00e9\/"},{"n" : 0.000,"s":"é/"} ]}`
	for query, want := range map[string]string{
		`$.items[*].n`:                               `1.10e2 ; 12345678901234567890 ; 0.000`,
		`$.items[?@.s == "é/"].s`:                    `"\u00e9\/" ; "é/"`,
		`$.items[?@.n == 12345678901234567890].s`:    `"\u00e9\/"`,
		`$.items[?@.n == 12345678901234567891].s`:    ``,
		`$.items[?@.n == 0].s`:                       `"é/"`,
		`$.items[?@.n >= 1.234567890123456789e19].n`: `1.10e2 ; 12345678901234567890`,
	} {
		if got := matchesOf(t, body, query); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

func TestMatchesKeepTheirPathsInTheBody(t *testing.T) {
	s := newStore(t, document.Limits{})
	q, _ := query.Parse(`$.items[?@.id > 1]`)
	body := put(t, s, `{"items":[{"id":1},{"id":2,"a":{"b":[7]}}]}`)
	result, _, err := s.Filter(t.Context(), body, q)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := result.Rows(0, 20)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if r.Kind == document.End {
			continue
		}
		path, err := result.Path(r.Node)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, path)
	}
	if want := "$ $.items[1] $.items[1].id $.items[1].a $.items[1].a.b $.items[1].a.b[0]"; strings.Join(
		got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.Drop(body.ID)
	if path, err := result.Path(rows[1].Node); path != "$[0]" || err != nil {
		t.Errorf("without the body: %s, %v", path, err)
	}
}

func TestFilterGivesTheSameForLargeAndSmallBodies(t *testing.T) {
	s := newStore(t, document.Limits{InMemory: 1 << 10})
	body := put(t, s, devices(20_000))
	for src, want := range map[string]int{`$.items[*]`: 20_000, `$.items[-1].id`: 1, `$.items[10000:10003].id`: 3,
		`$..id`: 20_000, `.items[] | select(.id >= 19990)`: 0} {
		q, err := query.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		_, n, err := s.Filter(t.Context(), body, q)
		if err != nil || want != 0 && n != want {
			t.Errorf("%s: %d matches, %v; want %d", src, n, err, want)
		}
	}
}

func TestFilterCanBeCancelledAndNeedsJSON(t *testing.T) {
	s := newStore(t, document.Limits{})
	q, _ := query.Parse(`$..id`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Filter(ctx, put(t, s, devices(20_000)), q); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, _, err := s.Filter(t.Context(), put(t, s, `{"a":`), q)
	if f := fault.Of(err); err == nil || f.Field != "query" ||
		f.Message != "only JSON can be filtered: the body is not JSON: it ends at byte 5, where a value is missing" {
		t.Errorf("broken: %v", err)
	}
}

func TestFilterHandlesTenThousandLevels(t *testing.T) {
	const levels = 9_999
	body := strings.Repeat(`{"a":`, levels) + "7" + strings.Repeat("}", levels)
	if got := matchesOf(t, body, `$..a[?@ == 7]`); got != "7" {
		t.Errorf("got %s", got)
	}
}

func TestFirstReturnsOnlyTheFirstMatch(t *testing.T) {
	long := strings.Repeat("é", 40)
	body := `{"a":[7,"x\u0041\n",{"b":1},null,true,-0.5,"` + long + `"],"c":{"d":[]}}`
	s := newStore(t, document.Limits{})
	doc := put(t, s, body)
	for _, tt := range []struct {
		query, text string
		kind        document.Kind
		count       int
		more        bool
	}{
		{"$.a[*]", "7", document.Number, 7, false},
		{"$.a[1]", "xA\n", document.String, 1, false},
		{"$.a[2]", `{"b":1}`, document.Object, 1, false},
		{"$.a[3]", "null", document.Null, 1, false},
		{"$.a[4]", "true", document.Bool, 1, false},
		{"$.a[5]", "-0.5", document.Number, 1, false},
		{"$.a[6]", long[:20], document.String, 1, true},
		{"$.c.d", "[]", document.Array, 1, false},
		{"$.e", "", "", 0, false},
		{"$", body[:20], document.Object, 1, true},
		{".a | length", "7", document.Number, 1, false},
		{".c | {d}", `{"d": []}`, document.Object, 1, false},
	} {
		q, err := query.Parse(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		got, count, err := doc.First(t.Context(), q, 20)
		if want := (document.Match{Kind: tt.kind, Text: tt.text, More: tt.more}); got != want || count != tt.count ||
			err != nil {
			t.Errorf("%s: got %+v of %d, %v; want %+v of %d", tt.query, got, count, err, want, tt.count)
		}
	}
	q, err := query.Parse("$")
	if _, _, no := put(t, s, "not JSON").First(t.Context(), q, 20); err != nil || !fault.Is(no, fault.Invalid) {
		t.Errorf("a body that is not JSON: %v, %v", no, err)
	}
}
