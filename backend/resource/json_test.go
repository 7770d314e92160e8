package resource_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

func TestParseJSON(t *testing.T) {
	for _, tt := range []struct {
		body string
		want resource.Node
	}{
		{`null`, resource.Node{Kind: 'n', Raw: []byte(`null`)}},
		{` true `, resource.Node{Kind: 't', Pos: 1, Raw: []byte(`true`)}},
		{`-12.50e+3`, resource.Node{Kind: '0', Text: `-12.50e+3`, Raw: []byte(`-12.50e+3`)}},
		{`"a\"\\\/\b\f\n\r\té🙂\u0000"`, resource.Node{Kind: '"', Text: "a\"\\/\b\f\n\r\té🙂\x00",
			Raw: []byte(`"a\"\\\/\b\f\n\r\té🙂\u0000"`)}},
		{`"\u00e9\ud83d\ude42"`, resource.Node{Kind: '"', Text: "é🙂", Raw: []byte(`"\u00e9\ud83d\ude42"`)}},
		{`[]`, resource.Node{Kind: '[', Raw: []byte(`[]`)}},
		{`{ }`, resource.Node{Kind: '{', Raw: []byte(`{ }`)}},
		{`{"a":[1, false],"A":{}}`, resource.Node{Kind: '{', Raw: []byte(`{"a":[1, false],"A":{}}`),
			Keys: []string{"a", "A"}, Items: []resource.Node{
				{Kind: '[', Pos: 5, Raw: []byte(`[1, false]`), Items: []resource.Node{
					{Kind: '0', Pos: 6, Text: "1", Raw: []byte(`1`)},
					{Kind: 'f', Pos: 9, Raw: []byte(`false`)},
				}},
				{Kind: '{', Pos: 20, Raw: []byte(`{}`)},
			}}},
	} {
		t.Run(tt.body, func(t *testing.T) {
			got, err := resource.ParseJSON([]byte(tt.body))
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestParseJSONErrors(t *testing.T) {
	for _, tt := range []struct{ body, err string }{
		{"\"\xff\"", `the body is not valid UTF-8`},
		{``, `the body is not valid JSON at byte 0: expected a value, but the body ends`},
		{`  `, `the body is not valid JSON at byte 2: expected a value, but the body ends`},
		{`{} {}`, `the body is not valid JSON at byte 3: there is more data after the JSON value`},
		{`'a'`, `the body is not valid JSON at byte 0: a value cannot begin with '\''`},
		{`é`, `the body is not valid JSON at byte 0: a value cannot begin with 'é'`},
		{`NaN`, `the body is not valid JSON at byte 0: a value cannot begin with 'N'`},
		{`nul`, `the body is not valid JSON at byte 0: expected null`},
		{`nulls`, `the body is not valid JSON at byte 4: there is more data after the JSON value`},
		{`+1`, `the body is not valid JSON at byte 0: a value cannot begin with '+'`},
		{`-`, `the body is not valid JSON at byte 1: expected a digit`},
		{`01`, `the body is not valid JSON at byte 1: there is more data after the JSON value`},
		{`1.`, `the body is not valid JSON at byte 2: expected a digit after the point`},
		{`1e+`, `the body is not valid JSON at byte 3: expected a digit in the exponent`},
		{`[1,]`, `the body is not valid JSON at byte 3: a value cannot begin with ']'`},
		{`[1 2]`, `the body is not valid JSON at byte 3: expected , or ] in an array`},
		{`[`, `the body is not valid JSON at byte 1: expected a value, but the body ends`},
		{`{"a":1,}`, `the body is not valid JSON at byte 7: expected a key in double quotes`},
		{`{a:1}`, `the body is not valid JSON at byte 1: expected a key in double quotes`},
		{`{"a" 1}`, `the body is not valid JSON at byte 5: expected : after the key "a"`},
		{`{"a":1 "b":2}`, `the body is not valid JSON at byte 7: expected , or } in an object`},
		{`{"a":1,"\u0061":2}`, `the body is not valid JSON at byte 15: the key "a" is there twice`},
		{`{"x":{"a":1,"a":2}}`, `the body is not valid JSON at byte 15: the key "a" is there twice`},
		{`{"a\u0007":1}`, `the body is not valid JSON at byte 10: a key contains a control character`},
		{"{\"a\x7f\":1}", `the body is not valid JSON at byte 5: a key contains a control character`},
		{`"a`, `the body is not valid JSON at byte 2: a string is not closed`},
		{`"a\`, `the body is not valid JSON at byte 3: a string is not closed`},
		{"\"a\nb\"", `the body is not valid JSON at byte 2: a string contains a raw control character; write it as ` +
			`\u000a`},
		{`"\x41"`, `the body is not valid JSON at byte 2: there is no escape of \ and 'x'`},
		{`"\é"`, `the body is not valid JSON at byte 2: there is no escape of \ and 'é'`},
		{`"\u00g0"`, `the body is not valid JSON at byte 3: \u needs four hexadecimal digits`},
		{`"\u+123"`, `the body is not valid JSON at byte 3: \u needs four hexadecimal digits`},
		{`"\u00`, `the body is not valid JSON at byte 3: \u needs four hexadecimal digits`},
		{`"\ud83d"`, `the body is not valid JSON at byte 7: the surrogate pair is incomplete`},
		{`"\ud83d\u0041"`, `the body is not valid JSON at byte 13: the surrogate pair is incomplete`},
		{`"\ude42\ud83d"`, `the body is not valid JSON at byte 13: the surrogate pair is incomplete`},
		{strings.Repeat(`[`, 40), `the body is not valid JSON at byte 32: it is nested deeper than 32 levels`},
	} {
		t.Run(tt.body, func(t *testing.T) {
			_, err := resource.ParseJSON([]byte(tt.body))
			if f := fault.Of(err); f.Kind != fault.Invalid || f.Message != tt.err {
				t.Errorf("got %v, want %s", err, tt.err)
			}
		})
	}
}

func TestNestingIsLimitedTo32Levels(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := resource.ParseJSON(nest(32)); err != nil {
		t.Error(err)
	}
	if _, err := resource.ParseJSON(nest(33)); !fault.Is(err, fault.Invalid) {
		t.Errorf("33 levels: %v, want invalid", err)
	}
}

func TestBodyIsLimitedTo100000Values(t *testing.T) {
	list := func(n int) []byte { return []byte("[" + strings.Repeat("0,", n-2) + "0]") } // and the list itself
	if _, err := resource.ParseJSON(list(100_000)); err != nil {
		t.Error(err)
	}
	_, err := resource.ParseJSON(list(100_001))
	if want := "the body is not valid JSON at byte 199999: it contains more than 100000 values"; fault.Of(
		err).Message != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// stricter reports whether a body that encoding/json accepts breaks a rule that only
// ParseJSON has.
func stricter(body []byte) bool {
	if !utf8.Valid(body) || bytes.Contains(bytes.ToLower(body), []byte(`\ud`)) { // may be an incomplete surrogate pair
		return true
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	type level struct {
		keys map[string]bool // nil in an array
		key  bool            // a key comes next
	}
	var stack []level
	for tokens := 0; ; tokens++ {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if tokens > 100_000 { // brackets are tokens too, so that near the limit both results are possible
			return true
		}
		if top := len(stack) - 1; top >= 0 && stack[top].keys != nil {
			if name, ok := token.(string); ok && stack[top].key {
				if stack[top].keys[name] || len(name) > 256 ||
					strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
					return true
				}
				stack[top].keys[name], stack[top].key = true, false
				continue
			}
			stack[top].key = true
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, level{map[string]bool{}, true})
		case json.Delim('['):
			stack = append(stack, level{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 32 {
			return true
		}
	}
}

// plain returns a node as encoding/json would decode it, with numbers as json.Number.
func plain(n resource.Node) any {
	switch n.Kind {
	case '{':
		m := map[string]any{}
		for i, key := range n.Keys {
			m[key] = plain(n.Items[i])
		}
		return m
	case '[':
		list := []any{}
		for _, item := range n.Items {
			list = append(list, plain(item))
		}
		return list
	case '"':
		return n.Text
	case '0':
		return json.Number(n.Text)
	case 't', 'f':
		return n.Kind == 't'
	}
	return nil
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e3,true,false,null,"x\n\u00e9\ud83d\ude42"],"b":{}}`, `{"a":1,"a":2}`, `"\ud83d"`, ` [ ] `, `01`,
		`{"\u0001":1}`,
		strings.Repeat(`[`, 33) + strings.Repeat(`]`, 33), `{"a":1}}`, "\"\xff\"", `"\u+041"`, `1e`, `--1`, "\"\t\"",
		`{"` + strings.Repeat("k", 257) + `":0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		node, err := resource.ParseJSON(body)
		valid := json.Valid(body)
		switch {
		case err != nil && (!valid || stricter(body)):
			return
		case err != nil:
			t.Fatalf("%q is valid, but: %v", body, err)
		case !valid:
			t.Fatalf("%q is not valid, but was read as %+v", body, node)
		}
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := plain(node); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q was read as %#v, want %#v", body, got, want)
		}
	})
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "web-01", "\"\\/<>&\b\f\n\r\t\x00\x1f\x7f", "é🙂\u2028", "a\xffb\xe2\x82"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := resource.AppendString([]byte("x"), s)
		var theirs string
		if err := json.Unmarshal(out[1:], &theirs); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		ours, err := resource.ParseJSON(out[1:])
		want := string([]rune(s)) // each invalid byte becomes U+FFFD
		if err != nil || theirs != want || ours.Text != want {
			t.Fatalf("%q became %s, read again as %q and %q (%v)", s, out, theirs, ours.Text, err)
		}
	})
}

// compact returns v as this package writes JSON: without spaces, with keys in order.
func compact(v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		out := []byte{'{'}
		for key, item := range v {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(resource.AppendString(out, key), ':'), compact(item)...)
		}
		return append(out, '}')
	case []any:
		out := []byte{'['}
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, compact(item)...)
		}
		return append(out, ']')
	case string:
		return resource.AppendString(nil, v)
	}
	out, _ := json.Marshal(v)
	return out
}

// FuzzFindKey makes objects out of any JSON. Declared keys are plain names, so
// the outermost object has plain names too; nested values are arbitrary.
func FuzzFindKey(f *testing.F) {
	for _, seed := range []string{
		`[1]`, `["a\"b,}]{[:","x"]`, `[{"a":1,"k0":[]},[],{},"",null,true,-1.5e300]`, `[[[["]"]]]]`,
		`["\\","\\\""]`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var items []any
		if json.Unmarshal(body, &items) != nil || len(items) > 26 {
			return
		}
		object := []byte{'{'}
		want := map[string]any{}
		names := []string{"missing"}
		for i, item := range items {
			key := "k" + string(rune('a'+i))
			if i > 0 {
				object = append(object, ',')
			}
			object = append(append(resource.AppendString(object, key), ':'), compact(item)...)
			names = append([]string{key}, names...)
			want[key] = item
		}
		object = append(object, '}')
		for key, item := range want {
			var got any
			if err := json.Unmarshal(resource.FindKey(object, key), &got); err != nil || !reflect.DeepEqual(got, item) {
				t.Fatalf("%s in %s is %v %v, want %v", key, object, got, err, item)
			}
		}
		if got := resource.FindKey(object, "missing"); got != nil {
			t.Fatalf("missing in %s is %s", object, got)
		}
		var selected map[string]any
		all := resource.SelectKeys(nil, object, names)
		if err := json.Unmarshal(all, &selected); err != nil || !reflect.DeepEqual(selected, want) {
			t.Fatalf("all keys of %s are %s (%v)", object, all, err)
		}
		if len(items) > 0 {
			one := string(resource.SelectKeys([]byte("x"), object, []string{"ka"}))
			if want := `x{"ka":` + string(resource.FindKey(object, "ka")) + `}`; one != want {
				t.Fatalf("selected %s, want %s", one, want)
			}
		}
	})
}

func TestPickKeysFollowsTheOrderOfTheNames(t *testing.T) {
	object := []byte(`{"id":7,"name":"a\"},b","groups":[{"id":8}],"up":true}`)
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"up", "id"}, `{"up":true,"id":7}`},
		{[]string{"groups", "nope", "name"}, `{"groups":[{"id":8}],"name":"a\"},b"}`},
		{[]string{"nope"}, `{}`},
		{nil, `{}`},
	} {
		if got := string(resource.SelectKeys(nil, object, tt.names)); got != tt.want {
			t.Errorf("%v gives %s, want %s", tt.names, got, tt.want)
		}
	}
	if got := resource.FindKey([]byte(`{}`), "id"); got != nil {
		t.Errorf("the empty object has id %s", got)
	}
}

func TestFindKeyAllocatesNothing(t *testing.T) {
	object := []byte(`{"id":7,"name":"web","up":true}`)
	if n := testing.AllocsPerRun(100, func() { resource.FindKey(object, "up") }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestAppendJSONWritesTheWholeRow(t *testing.T) {
	row := sample{
		ID: 7, Name: "web \"1\"", Load: 1.5, Up: true, Groups: resource.IDs{1, 12}, CreatedOn: 1769853600,
		DeletedOn: 1769853600123,
		Props: []resource.Property{{Name: "site", Value: "Oslo"}, {Name: "snmp.community", Value: "public"},
			{Name: "db.pass"}},
		Password: "hash", Roles: []roleRef{{ID: 2}, {Name: "R&D, > 90 <%>"}},
	}
	const want = `{"id":7,"name":"web \"1\"","status":"","load":1.5,"up":true,"size":0,"groupIds":"1,12",` +
		`"createdOn":1769853600,"deletedOn":1769853600123,` +
		`"props":[{"name":"site","value":"Oslo"},{"name":"snmp.community","value":"********"},{"name":"db.pass",` +
		`"value":""}],"roles":[{"id":2},{"name":"R&D, > 90 <%>"}]}`
	got, err := samples.AppendJSON([]byte("["), &row)
	if err != nil || string(got) != "["+want {
		t.Errorf("got  %s %v\nwant [%s", got, err, want)
	}
	if row.Props[1].Value != "public" {
		t.Errorf("masking changed the row: %+v", row.Props)
	}
}

func TestNaNIsWrittenAsNull(t *testing.T) {
	for _, load := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		got, err := samples.AppendJSON(nil, &sample{Load: load})
		if err != nil || string(resource.FindKey(got, "load")) != "null" || !json.Valid(got) {
			t.Errorf("%v gives %s %v", load, got, err)
		}
	}
}
