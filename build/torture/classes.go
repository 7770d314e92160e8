package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/url"
	"strings"
)

// classes are the ways of being hostile: with the body, the headers, the
// parameters and the path. Texts that recur in several are in hostileTexts.
var classes = []class{
	// bodies
	{name: "no JSON", do: body(" ", "{", "}", "{}{}", `{"a":`, `{"x":NaN}`, "'a'", "<xml/>", "\x00", "true false")},
	{name: "JSON of another type", do: body("null", "[]", `"x"`, "1", "true", "[{}]", "[[]]", "-0", "1e400", `[null]`)},
	{name: "repeated keys", do: body(`{"name":"a","name":"b"}`, `{"id":1,"id":1}`, `{"a":{"b":1,"b":2}}`,
		`{"Name":"a","name":"b"}`)},
	{name: "deep", do: func(a *attacker, _ *target, q *request) {
		n := 40 << a.random.IntN(12)
		q.body = []byte(a.one(strings.Repeat("[", n), strings.Repeat("[", n)+strings.Repeat("]", n),
			strings.Repeat(`{"a":`, n)+"1"+strings.Repeat("}", n)))
	}},
	{name: "no UTF-8", do: body("{\"name\":\"\xff\xfe\"}", "\xff\xfe{\x00}\x00", "\xef\xbb\xbf{}", `{"name":"\ud800"}`,
		"{\"\xc0\x80\":1}", "{\"name\":\"a\x00b\"}")},
	{name: "a wrong value for a key",
		do: withValue(func(a *attacker, t string) string { return a.one(wrongValues[t]...) })},
	{name: "a hostile text for a key",
		do: withValue(func(a *attacker, _ string) string { return string(asJSON(a.text())) })},
	{name: "a long text for a key", do: withValue(func(a *attacker, _ string) string {
		return `"` + strings.Repeat("x", 1<<(10+a.random.IntN(12))) + `"`
	})},
	{name: "large numbers", do: withValue(func(a *attacker, _ string) string {
		return a.one("9223372036854775808", "-9223372036854775809", "1e400", "1e-400", strings.Repeat("9", 5000), "0."+
			strings.Repeat("3", 5000))
	})},
	{name: "many keys or elements", do: func(a *attacker, t *target, q *request) {
		var b strings.Builder
		n := 10000
		if key := a.key(t); key != "" && a.random.IntN(2) == 0 {
			fmt.Fprintf(&b, `{%q:[`, key)
			b.WriteString(strings.Repeat(`{"name":"a","value":"b"},`, n) + `{}]}`)
		} else {
			for i := range n {
				fmt.Fprintf(&b, `%c"k%d":%d`, map[bool]rune{true: '{', false: ','}[i == 0], i, i)
			}
			b.WriteString("}")
		}
		q.body = []byte(b.String())
	}},
	{name: "another media type", do: func(a *attacker, _ *target, q *request) {
		q.header.Set("Content-Type", a.one("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; "+
			"boundary=x", "application/json; charset=utf-16", "x", ";;;"))
	}},
	{name: "a compressed body", do: func(_ *attacker, _ *target, q *request) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(make([]byte, 8<<20)) // a buffer takes all
		_ = w.Close()
		q.body = b.Bytes()
		q.header.Set("Content-Encoding", "gzip")
	}},

	// headers
	{name: "two senders", do: func(a *attacker, _ *target, q *request) {
		q.header.Add("Authorization", a.one("Bearer x", "LMv1 a:b:1", "Basic YTpi"))
	}},
	{name: "a bad sender", do: func(a *attacker, _ *target, q *request) {
		q.header.Set("Authorization", a.one("Bearer", "Bearer "+strings.Repeat("x", 30000), "LMv1 ::",
			"LMv1 a:b:9223372036854775808", "Basic !!", "x", "LMv1 "+strings.Repeat("é", 300)))
	}},
	{name: "a foreign page", do: header("Origin", "null", "http://evil.example", "http://127.0.0.1", "x")},
	{name: "a foreign fetch", do: header("Sec-Fetch-Site", "cross-site", "same-site", "x", "none, cross-site")},
	{name: "a foreign host", do: func(a *attacker, _ *target, q *request) {
		q.host = a.one("evil.example", "127.0.0.1", "localhost:1", "[::1]:80", "a.b.c.d:99999")
	}, cut: true},
	{name: "a condition", do: header("If-Match", "*", `"x"`, `W/"1"`, strings.Repeat(`"a",`, 5000), `"`, "\\")},
	{name: "another method", do: header("X-HTTP-Method-Override", "DELETE", "TRACE", "x")},
	{name: "a range", do: header("Range", "bytes=0-0,1-1,2-2", "bytes=9223372036854775807-", "bytes=-1", "x")},
	{name: "what is accepted", do: header("Accept", "x", strings.Repeat("a/b,", 5000), "text/html;q=9999",
		"*/*;q=NaN")},
	{name: "cookies", do: header("Cookie", strings.Repeat("a=b; ", 5000), "=", "a", "\"")},
	{name: "many headers", do: func(_ *attacker, _ *target, q *request) {
		for i := range 1000 {
			q.header.Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 50))
		}
	}, cut: true},

	// parameters and paths
	{name: "an unknown parameter", do: func(a *attacker, _ *target, q *request) {
		q.query = "nobody=" + url.QueryEscape(a.text())
	}},
	{name: "a repeated parameter", do: func(a *attacker, t *target, q *request) {
		name := a.param(t)
		q.query = strings.Repeat(name+"=1&", 2+a.random.IntN(2000))
	}},
	{name: "an empty parameter", do: func(a *attacker, t *target, q *request) {
		q.query = a.param(t) +
			a.one("", "=", "=&&&", "=%20")
	}},
	{name: "a hostile parameter", do: func(a *attacker, t *target, q *request) {
		q.query = a.param(t) + "=" +
			url.QueryEscape(a.text())
	}},
	{name: "a broken query", do: func(a *attacker, t *target, q *request) {
		q.query = a.one("%zz=1", "%", a.param(t)+"=%ff%fe", ";", "=&=&=", "a;b=c", "\x7f")
	}, cut: true},
	{name: "a large parameter", do: func(a *attacker, t *target, q *request) {
		q.query = a.param(t) + "=" + strings.Repeat("9", 1<<(4+a.random.IntN(11)))
	}},
	{name: "a filter", do: func(a *attacker, _ *target, q *request) {
		q.query = "filter=" +
			url.QueryEscape(a.one("id", "id>", "nobody:1", "rowid>0", `id:"\`, "(((((", `id:1`+
				strings.Repeat("||id:1", 3000), "name~"+string(asJSON(strings.Repeat("*", 2000))),
				strings.Repeat("(", 4000), `_all~"`+strings.Repeat("a", 3000)+`"`))
	}},
	{name: "sort and fields", do: func(a *attacker, _ *target, q *request) {
		q.query = a.one("sort=", "fields=") +
			url.QueryEscape(a.one("rowid", "body", "id;DROP TABLE device", strings.Repeat("id,", 5000), "-+id",
				"(SELECT 1)", "\xff"))
	}},
	{name: "a page", do: func(a *attacker, _ *target, q *request) {
		q.query = a.one("size=0", "size=-1", "size=1e3", "size=99999999999999999999", "offset=-1",
			"offset=9223372036854775807", "size=1000&offset=1000000000")
	}},
	{name: "an id", do: func(a *attacker, t *target, q *request) {
		id := a.one("0", "-1", "x", "1.0", "+1", "05", "9223372036854775808", "%00", "%ff", "1%20OR%201=1", "..%2f1",
			"%2e%2e", "1%0d%0aX:1", strings.Repeat("9", 4000), "%F0%9F%92%A5")
		q.path = withID(t.Path, id)
	}, cut: true},
	{name: "a path", do: func(a *attacker, _ *target, q *request) {
		q.path += a.one("/", "//", "/..", "/%2e%2e/%2e%2e/etc/passwd", "/"+strings.Repeat("a/", 2000), ".json", "%00",
			"/batch", "/*")
	}, cut: true},
}

// hostileTexts mean something to a database, a shell, a template, a page, a
// pattern or a file system, or are hard to show.
var hostileTexts = []string{
	"x' OR 1=1 --", `"; DROP TABLE device; --`, "$(id)", "`id`", "; rm -rf /", "| cat /etc/passwd", "-rf",
	"##snmp.community##", "{{$uuid}}", "{{a}}{{a}}{{a}}",
	"<script>alert(1)</script>", "javascript:alert(1)", "../../../../etc/passwd", `..\..\windows`, "\r\nX-Evil: 1",
	"%s%s%n", "=cmd|'/c calc'!A0", "\u202Egnp.exe", "\u2028", "\uFEFF", "\u0085",
	strings.Repeat("(.?){1000}", 100), strings.Repeat("(a+)+", 200) + "$", strings.Repeat("*", 3000),
	"https://169.254.169.254/latest/meta-data", "http://[::ffff:169.254.169.254]/", strings.Repeat("../", 1000),
	"NaN", "null", "\U0001F4A5", strings.Repeat("a\u0301", 1000), "2026-02-31", "-1,0,1", "1e400",
}

// wrongValues are wrong for a key of that type, in one way or another.
var wrongValues = map[string][]string{
	"string":  {"null", "{}", "-1", "[]", `"\u0000"`},
	"integer": {"{}", `"x"`, "-1", "1.5", "99999999999999999999", "null"},
	"number":  {"[]", `"NaN"`, "1e400", "null"},
	"boolean": {"{}", "-1", `"maybe"`, "null"},
	"array":   {"{}", "[null]", `[{"id":{}}]`, `["x"]`, "[[[[]]]]"},
	"object":  {"[]", `"x"`, `{"id":{}}`, `{"":null}`},
	"any":     {"null", "1e400", "[[]]"},
}

func (a *attacker) one(of ...string) string { return of[a.random.IntN(len(of))] }

func (a *attacker) text() string { return a.one(hostileTexts...) }

// key returns a random key of the endpoint's body; empty when it has none.
func (a *attacker) key(t *target) string {
	if t.Body == nil || len(t.Body.Properties) == 0 {
		return ""
	}
	return t.Body.Properties[a.random.IntN(len(t.Body.Properties))].Name
}

// param returns a query parameter of the endpoint.
func (a *attacker) param(t *target) string {
	names := []string{"size"}
	for _, p := range t.Params {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return a.one(names...)
}

func body(of ...string) func(*attacker, *target, *request) {
	return func(a *attacker, _ *target, q *request) {
		q.body = []byte(a.one(of...))
		q.header.Set("Content-Type", "application/json")
	}
}

func header(name string, of ...string) func(*attacker, *target, *request) {
	return func(a *attacker, _ *target, q *request) { q.header.Set(name, a.one(of...)) }
}

// withValue gives one key of a right body another value.
func withValue(value func(a *attacker, schemaType string) string) func(*attacker, *target, *request) {
	return func(a *attacker, t *target, q *request) {
		if t.Body == nil || len(t.Body.Properties) == 0 {
			return
		}
		key := t.Body.Properties[a.random.IntN(len(t.Body.Properties))]
		text := fmt.Sprintf("{%q:%s", key.Name, value(a, key.Schema.Type))
		if rest, ok := bytes.CutPrefix(bytes.TrimSpace(q.body), []byte("{")); ok && a.random.IntN(2) == 0 &&
			!bytes.Contains(rest, fmt.Appendf(nil, "%q:", key.Name)) && string(rest) != "}" {
			text += "," + strings.TrimSuffix(string(rest), "}")
		}
		q.body = []byte(text + "}")
		q.header.Set("Content-Type", "application/json")
	}
}

// withID puts an id into every place of a path for one.
func withID(path, id string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i] = id
		}
	}
	return strings.Join(segments, "/")
}
