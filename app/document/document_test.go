package document_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"spyglass/app/document"
)

// keep puts a body into a new store, in pieces of the given size, and in a file if
// it is longer than inMemory.
func keep(t testing.TB, text string, piece, inMemory int) *document.Document {
	t.Helper()
	s, err := document.NewStore(t.TempDir(), document.Limits{AtOnce: piece, InMemory: inMemory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	w := s.Create("application/json")
	for rest := []byte(text); len(rest) > 0; {
		n := min(piece, len(rest))
		if _, err := w.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	d, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func open(t testing.TB, text string) *document.Document { return keep(t, text, 1<<20, 1<<20) }

// draw formats rows as the page does.
func draw(t testing.TB, d *document.Document, from, count int) string {
	t.Helper()
	rows, _, err := d.Rows(from, count)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(line(r) + "\n")
	}
	return b.String()
}

func line(r document.TreeRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", r.Line, strings.Repeat("  ", r.Depth))
	if r.Key != nil {
		b.WriteString(*r.Key + ": ")
	}
	if r.Index != nil {
		fmt.Fprintf(&b, "%d ", *r.Index)
	}
	left := map[document.Kind]string{document.Object: "{", document.Array: "["}
	right := map[document.Kind]string{document.Object: "}", document.Array: "]"}
	switch {
	case r.Kind == document.End:
		b.WriteString(right[r.Of])
	case r.Kind == document.String:
		fmt.Fprintf(&b, "%q", *r.Text)
	case r.Text != nil:
		b.WriteString(*r.Text)
	case r.Open:
		fmt.Fprintf(&b, "%s (%d)", left[r.Kind], r.Count)
	default:
		fmt.Fprintf(&b, "%s (%d)", r.Preview, r.Count)
	}
	if r.Cut {
		b.WriteString(" cut")
	}
	if r.Hint != "" {
		b.WriteString(" " + r.Hint)
	}
	if r.Comma {
		b.WriteString(",")
	}
	return b.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestShortDocumentStartsExpandedSomeLevelsDeep(t *testing.T) {
	d := open(t, `{"a": 1.50, "b":[true,{"name":"x","c":{"d":{"e":{"f":null}}}}],"a":"\u00fc\n","z":{},"y":[]}`)
	same(t, draw(t, d, 0, 100), `1 { (5)
2   a: 1.50,
3   b: [ (2)
4     0 true,
5     1 { (2) x
6       name: "x",
7       c: { (1)
8         d: { e: {…} } (1)
13       }
14     }
15   ],
16   a: "ü\n",
17   z: {} (0),
18   y: [] (0)
19 }
`)
}

// devices returns a list of n devices in a portal's response format.
func devices(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"total":%d,"searchId":null,"items":[`, n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"displayName":"web-%d.fra","hostStatus":"dead","updatedOn":1795187021,`+
			`"groups":[1,2,3,4,5],"customProperties":[{"name":"location","value":"Frankfurt FR5, rack %d"},`+
			`{"name":"snmp.version","value":"v3"}]}`, i+1, i, i)
	}
	b.WriteString(`],"data":null}`)
	return b.String()
}

func TestLongListStartsWithItsFirstElementExpanded(t *testing.T) {
	d := open(t, devices(1000))
	same(t, draw(t, d, 0, 16), `1 { (4)
2   total: 1000,
3   searchId: null,
4   items: [ (1000)
5     0 { (6) web-0.fra
6       id: 1,
7       displayName: "web-0.fra",
8       hostStatus: "dead",
9       updatedOn: 1795187021,
10       groups: [ 1, 2, 3, 4, … ] (5),
17       customProperties: [ (2)
18         0 { name: "location", value: "Frankfurt FR5, rack 0" } (2),
22         1 { name: "snmp.version", value: "v3" } (2)
26       ]
27     },
28     1 { id: 2, displayName: "web-1.fra", hostStatus: "dead", updatedOn: 1795187021, … } (6),
`)
	same(t, draw(t, d, 1012, 9), `22959     998 { id: 999, displayName: "web-998.fra", hostStatus: "dead", updatedOn: 1795187021, … } (6),
22982     999 { id: 1000, displayName: "web-999.fra", hostStatus: "dead", updatedOn: 1795187021, … } (6)
23005   ],
23006   data: null
23007 }
`)
}

func TestTextIsShownUnchanged(t *testing.T) {
	long := strings.Repeat("ü", 2001)
	for _, tt := range []struct{ body, want string }{
		{`12345678901234567890123`, "1 12345678901234567890123\n"},
		{`-1e400`, "1 -1e400\n"},
		{` "a" `, "1 \"a\"\n"},
		{`"\ud83d\ude00 \ud83d x \ude00"`, "1 \"😀 \ufffd x \ufffd\"\n"},
		{"\"\xff\xc3\"", "1 \"\ufffd\ufffd\"\n"},
		{`"` + long + `"`, "1 \"" + long[:4000] + "\" cut\n"},
		{strings.Repeat("9", 2500), "1 " + strings.Repeat("9", 2000) + " cut\n"},
		{`[]`, "1 [] (0)\n"},
		{`{}`, "1 {} (0)\n"},
	} {
		same(t, draw(t, open(t, tt.body), 0, 10), tt.want)
	}
}

func TestInvalidJSONReportsThePosition(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	for _, tt := range []struct{ body, problem string }{
		{``, `the body is empty`},
		{"  \n", `the body is empty`},
		{`{"a":1`, `the body is not JSON: it ends at byte 6, where a comma or a closing bracket is missing`},
		{`<html>`, `the body is not JSON: expected a value at byte 0, found <`},
		{`{"a":01}`, `the body is not JSON: expected no digit after a leading 0 at byte 6, found 1`},
		{`[1,]`, `the body is not JSON: expected a value at byte 3, found ]`},
		{`{"a":1,}`, `the body is not JSON: expected a key in double quotes at byte 7, found }`},
		{`[1}`, `the body is not JSON: expected a comma or a closing bracket at byte 2, found }`},
		{`nul`, `the body is not JSON: it ends at byte 3, where true, false or null is missing`},
		{`1 2`, `the body is not JSON: expected nothing after the value at byte 2, found 2`},
		{"\"a\x01\"", `the body is not JSON: expected the rest of a text at byte 2, found the byte 0x01`},
		{`"\x"`, `the body is not JSON: expected one of "\/bfnrtu after \ at byte 2, found x`},
		{`"\u12g4"`, `the body is not JSON: expected four hex digits after \u at byte 5, found g`},
		{deep, `the JSON is nested more than 10000 levels deep at byte 10000, too deep to show as a tree`},
	} {
		d := open(t, tt.body)
		ok, problem := d.JSON()
		rows, total, err := d.Rows(0, 10)
		if ok || problem != tt.problem || len(rows) != 0 || total != 0 || err != nil {
			t.Errorf("%.20q: JSON() is %v, %q; rows %v %d %v; want %q", tt.body, ok, problem, rows, total, err,
				tt.problem)
		}
		if got := d.OpenAll(); got != 0 {
			t.Errorf("%.20q: OpenAll is %d", tt.body, got)
		}
	}
}

func TestDeepestJSONCanBeExpanded(t *testing.T) {
	body := strings.Repeat("[", 9999) + `{"x":7}` + strings.Repeat("]", 9999)
	d := open(t, body)
	if got := d.OpenAll(); got != 20001 {
		t.Errorf("%d rows, want 20001", got)
	}
	rows, _, _ := d.Rows(10000, 1)
	if got := line(rows[0]); strings.TrimLeft(got, "10 ") != "x: 7" {
		t.Errorf("row is %q", got)
	}
	if path, err := d.Path(rows[0].Node); err != nil || path != "$"+strings.Repeat("[0]", 9999)+".x" {
		t.Errorf("path is %.40s… %v", path, err)
	}
}

func TestCollapsingKeepsTheStateOfDescendants(t *testing.T) {
	d := open(t, `{"a":{"b":{"c":{"d":{"e":[1,2]}}}},"z":1}`)
	d.CloseAll()
	a := int64(strings.Index(`{"a":{`, `{"a":{`) + 5)
	closed := "1 { (2)\n2   a: { b: {…} } (1),\n14   z: 1\n15 }\n"
	same(t, draw(t, d, 0, 20), closed)
	if n, err := d.Toggle(a, true, true); n != 15 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	all := draw(t, d, 0, 20)
	if n, _ := d.Toggle(a, false, false); n != 4 {
		t.Errorf("%d rows, want 4", n)
	}
	same(t, draw(t, d, 0, 20), closed)
	d.Toggle(a, true, false)
	same(t, draw(t, d, 0, 20), all)
	d.Toggle(a, false, true)
	d.Toggle(a, true, false)
	same(t, draw(t, d, 0, 20), "1 { (2)\n2   a: { (1)\n3     b: { c: {…} } (1)\n13   },\n14   z: 1\n15 }\n")
	d.Toggle(0, false, false)
	same(t, draw(t, d, 0, 20), "1 { a: {…}, z: 1 } (2)\n")
	for _, node := range []int64{-1, 1, 2, 6, 4000, int64(len(`{"a":{"b":{"c":{"d":{"e":[`))} {
		if _, err := d.Toggle(node, true, false); err == nil {
			t.Errorf("node %d can be toggled", node)
		}
	}
}

func TestPathValueAndKey(t *testing.T) {
	body := `{"items":[{"displayName":"a\"b\u00e9"},[1, {"x" : 2}]],` +
		`"odd key":{"it's\\\n\u0001":12345678901234567890},"":true,"9a":null,"näme":"x"}`
	d := open(t, body)
	for _, tt := range []struct{ at, path, key, value string }{
		{`{"items"`, `$`, ``, body},
		{`"a\"`, `$.items[0].displayName`, `displayName`, `a"bé`},
		{`[1, `, `$.items[1]`, ``, `[1, {"x" : 2}]`},
		{`2}]`, `$.items[1][1].x`, `x`, `2`},
		{`123`, `$['odd key']['it\'s\\\n\u0001']`, "it's\\\n\x01", `12345678901234567890`},
		{`true`, `$['']`, ``, `true`},
		{`null`, `$['9a']`, `9a`, `null`},
		{`"x"}`, `$.näme`, `näme`, `x`},
	} {
		node := int64(strings.Index(body, tt.at))
		path, err := d.Path(node)
		key, _ := d.Key(node)
		var value bytes.Buffer
		if err2 := d.Value(node, &value); err != nil || err2 != nil || path != tt.path || key != tt.key ||
			value.String() != tt.value {
			t.Errorf("%s: %s %q %q %v %v, want %s %q %q", tt.at, path, key, value.String(), err, err2, tt.path,
				tt.key, tt.value)
		}
	}
}

func TestLongTextIsCopiedInFull(t *testing.T) {
	text := strings.Repeat(`x\u00fc\ud83d\ude00ü😀\n`, 50_000)
	want := strings.Repeat("xü😀ü😀\n", 50_000)
	d := keep(t, `["`+text+`"]`, 4096, 1000)
	var got bytes.Buffer
	if err := d.Value(1, &got); err != nil || got.String() != want {
		t.Errorf("%d bytes, %v, want %d", got.Len(), err, len(want))
	}
}

func TestBodyIsReadUnchanged(t *testing.T) {
	body := devices(10)
	for _, inMemory := range []int{10, 1 << 20} {
		d := keep(t, body, 100, inMemory)
		var all bytes.Buffer
		n, err := io.Copy(&all, readerOf(d))
		if err != nil || n != d.Size() || all.String() != body {
			t.Errorf("WriteTo wrote %d bytes, %v", n, err)
		}
		if part, err := d.Raw(7, 5); err != nil || string(part) != body[7:12] {
			t.Errorf("Raw is %q, %v", part, err)
		}
		if part, err := d.Raw(d.Size()-3, 50); err != nil || string(part) != body[len(body)-3:] {
			t.Errorf("Raw at the end is %q, %v", part, err)
		}
		if _, err := d.Raw(d.Size()+1, 1); err == nil {
			t.Error("Raw reads behind the end")
		}
	}
}

// readerOf returns the output of WriteTo as a reader.
func readerOf(d *document.Document) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := d.WriteTo(w)
		w.CloseWithError(err)
	}()
	return r
}
