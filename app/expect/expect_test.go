package expect_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"spyglass/app/expect"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// values holds the matches of the queries that the tests use.
var values = map[string]expect.Value{
	"$.name":  {Kind: "string", Text: "web-01"},
	"$.total": {Kind: "number", Text: "1204"},
	"$.big":   {Kind: "number", Text: "9007199254740993"},
	"$.share": {Kind: "number", Text: "0.50"},
	"$.up":    {Kind: "boolean", Text: "true"},
	"$.none":  {Kind: "null", Text: "null"},
	"$.tags":  {Kind: "array", Text: `["a", 2, {"k": null}]`},
	"$.owner": {Kind: "object", Text: `{"id": 7, "name": "Kim"}`},
	"$.long":  {Kind: "string", Text: "x", Large: true},
}

func response() *expect.Response {
	return &expect.Response{
		Status: 201, MS: 480, Bytes: 1000,
		Headers: [][2]string{{"Content-Type", "application/json"}, {"Vary", "Origin"}, {"Vary", "Accept"}},
		Query: func(_ context.Context, query string) (expect.Value, int, error) {
			if query == "$[" {
				return expect.Value{}, 0, fault.At("checks", "expected ] at the end")
			}
			v, ok := values[query]
			if !ok {
				return v, 0, nil
			}
			return v, 1, nil
		},
	}
}

func TestChecksPassFailOrReportAnError(t *testing.T) {
	for _, tt := range []struct {
		check string // kind, target, operator and value, separated by |
		want  string // passed, expected, actual and problem, separated by |
	}{
		{`status||is|201`, `true|201|201|`},
		{`status||is|2XX`, `true|2XX|201|`},
		{`status||is|200`, `false|200|201|`},
		{`status||isNot|4xx`, `true|is not 4xx|201|`},
		{`status||isNot|2xx`, `false|is not 2xx|201|`},
		{`status||oneOf|200, 201`, `true|is one of 200, 201|201|`},
		{`status||oneOf|200, 204`, `false|is one of 200, 204|201|`},
		{`status||below|300`, `true|is below 300|201|`},
		{`status||below|high`, `false|is below high|201|“high” is not a number`},

		{`header|content-type|contains|json`, `true|contains json|application/json|`},
		{`header|Vary|is|Origin, Accept`, `true|Origin, Accept|Origin, Accept|`},
		{`header|Vary|matches|^Or.*t$`, `true|matches ^Or.*t$|Origin, Accept|`},
		{`header|Vary|matches|(x`, `false|matches (x|Origin, Accept|“(x” is not a valid pattern: missing closing )`},
		{`header|Vary|matches|(.?){1000}`, `false|matches (.?){1000}|Origin, Accept|“(.?){1000}” is not a valid ` +
			`pattern: with its repetitions it is too large; repeat less often`},
		{`header|ETag|exists|`, `false|exists|nothing|`},
		{`header|ETag|absent|`, `true|does not exist|nothing|`},
		{`header|Vary|absent|`, `false|does not exist|Origin, Accept|`},
		{`header|ETag|isNot|x`, `false|is not x|nothing|`},
		{`header| |exists|`, `false|exists||enter the name`},

		{`json|$.name|is|web-01`, `true|web-01|web-01|`},
		{`json|$.name|is|"web-01"`, `true|"web-01"|web-01|`},
		{`json|$.name|is|web`, `false|web|web-01|`},
		{`json|$.total|is| 1204.0`, `true| 1204.0|1204|`},
		{`json|$.total|is|"1204"`, `false|"1204"|1204|`},
		{`json|$.big|is|9007199254740992`, `false|9007199254740992|9007199254740993|`},
		{`json|$.share|is|0.5`, `true|0.5|0.50|`},
		{`json|$.share|atLeast|0.5`, `true|is at least 0.5|0.50|`},
		{`json|$.total|above|1204`, `false|is above 1204|1204|`},
		{`json|$.name|above|3`, `false|is above 3|web-01|`},
		{`json|$.up|is|true`, `true|true|true|`},
		{`json|$.none|is|null`, `true|null|null|`},
		{`json|$.none|exists|`, `true|exists|null|`},
		{`json|$.tags|contains|2`, `true|contains 2|["a", 2, {"k": null}]|`},
		{`json|$.tags|contains|b`, `false|contains b|["a", 2, {"k": null}]|`},
		{`json|$.tags|lacks|b`, `true|does not contain b|["a", 2, {"k": null}]|`},
		{`json|$.tags|is|["a",2,{"k":null}]`, `true|["a",2,{"k":null}]|["a", 2, {"k": null}]|`},
		{`json|$.owner|is|{"name":"Kim","id":7}`, `true|{"name":"Kim","id":7}|{"id": 7, "name": "Kim"}|`},
		{`json|$.owner|is|{"name":"Kim","id":8}`, `false|{"name":"Kim","id":8}|{"id": 7, "name": "Kim"}|`},
		{`json|$.owner|contains|name`, `true|contains name|{"id": 7, "name": "Kim"}|`},
		{`json|$.total|type|integer`, `true|has the type integer|1204|`},
		{`json|$.share|type|integer`, `false|has the type integer|0.50|`},
		{`json|$.share|type|float`, `false|has the type float|0.50|“float” is not a type; use one of string, number, ` +
			`integer, boolean, null, object, array`},
		{`json|$.gone|is|1`, `false|1|nothing|`},
		{`json|$.gone|absent|`, `true|does not exist|nothing|`},
		{`json|$[|exists|`, `false|exists|nothing|expected ] at the end`},
		{`json|$.long|is|x`, `false|x|x|the value has more than 64 KiB, too much to compare`},
		{`json|$.long|type|string`, `true|has the type string|x|`},

		{`time||below|500`, `true|is below 500|480|`},
		{`time||below|480`, `false|is below 480|480|`},
		{`size||atMost|1000`, `true|is at most 1000|1000|`},
		{`size||above|1000`, `false|is above 1000|1000|`},
		{`schema||declared|`, `false|matches the schema in the catalog|nothing|the catalog declares no JSON response ` +
			`for this request`},

		{`colour||is|red`, `false|||this version of Spyglass has no checks of the kind “colour”`},
		{`time||matches|x`, `false|||choose an operator: a check of the kind Time has none of the name “matches”`},
	} {
		t.Run(tt.check, func(t *testing.T) {
			parts := strings.SplitN(tt.check, "|", 4)
			if len(parts) == 4 && strings.Count(tt.check, "|") > 3 {
				t.Fatal("one bar too many")
			}
			c := expect.Check{On: true, Kind: parts[0], Target: parts[1], Op: parts[2], Value: parts[3]}
			r := expect.Run(t.Context(), response(), c, c.Value)
			got := fmt.Sprintf("%t|%s|%s|%s", r.Passed, r.Expected, r.Actual, r.Problem)
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if r.Check != c {
				t.Errorf("the check became %v", r.Check)
			}
		})
	}
}

func TestCheckHasAReadableName(t *testing.T) {
	for _, tt := range []struct {
		check expect.Check
		want  string
	}{
		{expect.Check{Kind: "status", Op: "is", Value: "200"}, "Status is 200"},
		{expect.Check{Kind: "json", Target: "$.total", Op: "atLeast", Value: "{{n}}"},
			"JSON value $.total is at least {{n}}"},
		{expect.Check{Kind: "header", Target: "ETag", Op: "exists", Value: "x"}, "Header ETag exists"},
		{expect.Check{Kind: "time", Op: "below", Value: "500"}, "Time is below 500 ms"},
		{expect.Check{Kind: "schema", Op: "declared"}, "Body matches the schema in the catalog"},
	} {
		if r := expect.Run(t.Context(), response(), tt.check, "7"); r.Label != tt.want {
			t.Errorf("got %q, want %q", r.Label, tt.want)
		}
	}
}

// device is a schema that uses every keyword a check supports.
var device = resource.Schema{Type: "object", Properties: []resource.Key{
	{Name: "id", Required: true, Schema: resource.Integer("")},
	{Name: "name", Required: true, Schema: resource.Schema{Type: "string", MaxLen: 6}},
	{Name: "status", Shown: true, Schema: resource.Schema{Type: "string", Enum: []any{"ok", "dead"}}},
	{Name: "password", Required: true, WriteOnly: true, Schema: resource.Text("")},
	{Name: "port", Schema: resource.Schema{Type: "integer", Min: new(int64), Max: most(65_535), Nullable: true}},
	{Name: "seen", Required: true, Sparse: true, Schema: resource.Schema{Type: "number"}},
	{Name: "tags", Schema: resource.List(resource.Schema{AnyOf: []resource.Schema{resource.Text(""),
		resource.Boolean("")}}, "")},
	{Name: "at", Schema: resource.Schema{Type: "array", Length: 2, Items: &resource.Schema{Type: "number"}}},
	{Name: "any", Schema: resource.Schema{Type: "any"}},
}}

func most(n int64) *int64 { return &n }

func TestBodyIsValidatedAgainstItsSchema(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{"id":1,"name":"web-01","status":"ok","extra":[]}`, ""},
		{`{"id":1.0,"name":"web-01","status":"ok","port":null,"tags":["a",true],"at":[1,2.5],"any":[{}]}`, ""},
		{`[]`, "$ is array, not object"},
		{`{"id":"1","name":"web-01","status":"ok"}`, "$.id is string, not integer"},
		{`{"id":1.5,"status":"ok"}`, "$.id is number, not integer\n$ lacks name"},
		{`{"id":1,"name":"web-001"}`, "$.name has 7 characters, more than 6\n$ lacks status"},
		{`{"id":1,"name":null,"status":"up"}`, "$.name is null, not string\n" +
			`$.status is "up", which is not one of the declared values`},
		{`{"id":1,"name":"a","status":"ok","port":-1}`, "$.port is -1, less than 0"},
		{`{"id":1,"name":"a","status":"ok","port":65536}`, "$.port is 65536, more than 65535"},
		{`{"id":1,"name":"a","status":"ok","tags":["x",1]}`, "$.tags[1] is none of the 2 declared forms"},
		{`{"id":1,"name":"a","status":"ok","at":[1]}`, "$.at has 1 items, not 2"},
		{`{"id":1,`, "the body is not valid JSON at byte 8: expected a key in double quotes"},
	} {
		t.Run(tt.body, func(t *testing.T) {
			r := response()
			r.Schema, r.Body = &device, func() ([]byte, error) { return []byte(tt.body), nil }
			got := expect.Run(t.Context(), r, expect.Check{Kind: "schema", Op: "declared"}, "")
			want := tt.want
			if want == "" {
				want = "matches"
			}
			if got.Passed != (tt.want == "") || got.Problem != "" ||
				!strings.HasPrefix(got.Actual, want[:min(len(want), 45)]) {
				t.Errorf("got %t %q %q, want %q", got.Passed, got.Actual, got.Problem, tt.want)
			}
		})
	}
}

func TestSchemaCheckHandlesPartialAndUnreadableBodies(t *testing.T) {
	check := expect.Check{Kind: "schema", Op: "declared"}
	r := response()
	r.Schema, r.Partial = &device, true
	r.Body = func() ([]byte, error) { return []byte(`{"id":1}`), nil }
	if got := expect.Run(t.Context(), r, check, ""); !got.Passed {
		t.Errorf("selected fields: %q", got.Actual)
	}
	r.Body = func() ([]byte, error) { return nil, errors.New("it is too large") }
	if got := expect.Run(t.Context(), r, check, ""); got.Passed || got.Problem == "" {
		t.Errorf("a body that cannot be read gives %v", got)
	}
	r.Status = 404
	if got := expect.Run(t.Context(), r, check, ""); got.Passed ||
		got.Actual != "status 404, for which the catalog declares no schema" {
		t.Errorf("an error gives %v", got)
	}
	items := device
	list := resource.List(items, "")
	r = response()
	r.Schema = &list
	r.Body = func() ([]byte, error) { return []byte("[" + strings.Repeat("1,", 999) + "1]"), nil }
	if got := expect.Run(t.Context(), r, check, ""); strings.Count(got.Actual, "\n") != 20 ||
		!strings.HasSuffix(got.Actual, "\n…") {
		t.Errorf("a thousand differences give %q", got.Actual)
	}
}

func TestChecksHaveLimits(t *testing.T) {
	for _, tt := range []struct {
		checks []expect.Check
		want   string
	}{
		{make([]expect.Check, 100), ""},
		{make([]expect.Check, 101), "a request can have at most 100 checks, not 101"},
		{[]expect.Check{{Kind: strings.Repeat("x", 101)}},
			"the kind and the operator of a check have at most 100 bytes"},
		{[]expect.Check{{Target: strings.Repeat("x", 4097)}}, "the target of a check has at most 4096 bytes"},
		{[]expect.Check{{Value: strings.Repeat("x", 65_537)}}, "the value of a check has at most 64 KiB"},
	} {
		err := expect.Verify("draft.checks", tt.checks)
		if tt.want == "" && err != nil || tt.want != "" && fault.Of(err).Message != tt.want {
			t.Errorf("%d checks: %v, want %q", len(tt.checks), err, tt.want)
		}
	}
	long := expect.Run(t.Context(), response(), expect.Check{Kind: "json", Target: "$.name", Op: "is"},
		strings.Repeat("ü", 3000))
	if n := len([]rune(long.Expected)); n != 2001 {
		t.Errorf("the expected value is shown with %d characters", n)
	}
}
