package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"spyglass/app/exchange"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

func row(key, value string) workspace.Row { return workspace.Row{On: true, Key: key, Value: value} }

// bundle returns a bundle whose drafts together use every field.
func bundle() *exchange.Bundle {
	off := workspace.Row{Key: "offset", Value: "0", Doc: "Items to skip"}
	return &exchange.Bundle{
		Name: "Everything", BaseURL: "http://127.0.0.1:8443/api",
		Variables: []exchange.Variable{{Name: "pageSize", Value: "50"}},
		Folders: []workspace.Folder{{
			Name: "Fleet", Doc: "What we watch",
			Folders: []workspace.Folder{{Name: "Writes", Requests: []workspace.Saved{
				{Name: "Add one", Doc: "It is checked at once",
					Draft: workspace.Draft{Method: "POST", Path: "/device/devices", Body: "{ \"a\" : 1.0," +
						"\n\"ü\": \"{{x}}\" }", Mode: "form", Headers: workspace.Rows{row("X-Version", "3")}}},
			}}},
			Requests: []workspace.Saved{
				{Draft: workspace.Draft{Method: "GET", Path: "/device/devices/{id}/{{part}}", Mode: "form",
					PathParams: workspace.Rows{{On: true, Key: "id", Value: "42", Doc: "Which"}}}},
				{Name: "List", Draft: workspace.Draft{Method: "GET", Path: "/device/devices", Mode: "form",
					Query: workspace.Rows{row("size", "{{pageSize}}"), row("filter", `name~"a&b=c" d`),
						row("size", ""), off}}},
			},
		}},
	}
}

func TestSpyglassFormatRoundTripsEverything(t *testing.T) {
	b := bundle()
	b.Folders[0].Requests[0].Draft.Mode = "raw"
	b.Folders[0].Requests[0].Draft.Template = "/device/devices/{id}/x"
	b.Folders[0].Requests[0].Examples = examples
	found := again(t, &exchange.Spyglass, b)
	if text(t, found.Folders) != text(t, b.Folders) || !reflect.DeepEqual(found.Variables, b.Variables) ||
		len(found.Notes) > 0 {
		t.Errorf("got  %+v\nwant %+v", found, b)
	}
}

var examples = []workspace.SavedExample{
	{Name: "Found", Status: 200, StatusText: "OK", Headers: [][2]string{{"Content-Type", "application/json"},
		{"X-A", ""}}, Body: "{\n \"id\": 7 }"}, {Name: "Gone", Status: 404}}

func TestPostmanExportKeepsRequestsAndFolders(t *testing.T) {
	b := bundle()
	b.Folders[0].Requests[0].Examples = examples
	found := again(t, &exchange.Postman, b)
	if text(t, found.Folders) != text(t, b.Folders) {
		t.Errorf("got  %s\nwant %s", text(t, found.Folders), text(t, b.Folders))
	}
	if !reflect.DeepEqual(found.Variables, b.Variables) || len(found.Notes) > 0 {
		t.Errorf("variables %v, notes %q", found.Variables, found.Notes)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func again(t *testing.T, f *exchange.Format, b *exchange.Bundle) *exchange.Found {
	t.Helper()
	text, err := f.Write(b)
	if err != nil {
		t.Fatal(err)
	}
	found, err := exchange.Read(t.Context(), &exchange.File{Name: "x." + f.Ext, Text: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if found.Format != f {
		t.Errorf("it was taken for %s", found.Format.Label)
	}
	return found
}

// lines returns the requests of folders as text.
func lines(folders []workspace.Folder, indent string) string {
	var out strings.Builder
	for _, f := range folders {
		fmt.Fprintf(&out, "%s%s\n%s", indent, f.Name, lines(f.Folders, indent+"  "))
		for _, r := range f.Requests {
			d := r.Draft
			fmt.Fprintf(&out, "%s  %s: %s %s", indent, r.Name, d.Method, d.Path)
			for _, rows := range []workspace.Rows{d.PathParams, d.Query, d.Headers} {
				for _, p := range rows {
					fmt.Fprintf(&out, " %s%s=%s", map[bool]string{false: "-"}[p.On], p.Key, p.Value)
				}
				out.WriteString(" |")
			}
			fmt.Fprintf(&out, " %s\n", d.Body)
		}
	}
	return out.String()
}

func TestInvalidExamplesAreSkipped(t *testing.T) {
	long := strings.Repeat("x", workspace.MaxExampleBody+1)
	for _, tt := range []struct{ response, want string }{
		{`"none"`, ""}, {`null`, ""},
		{`[1, {"name": 2}, {"name": "a\nb", "code": 200, "header": null, "body": null}]`, "a b"},
		{`[{"name": "long", "body": "` + long + `"}, {"name": "short", "body": "x"}]`, "short"},
		{`[` + strings.Repeat(`{"name": "x"},`, 30) + `{"name": "last"}]`, strings.Repeat("x", 20)},
	} {
		file := `{"info":{"name":"Mine"},"item":[{"name":"One","request":"/x","response":` + tt.response + `}]}`
		found, err := exchange.Read(t.Context(), &exchange.File{Name: "a.json", Text: []byte(file)})
		if err != nil {
			t.Errorf("%.100s: %v", tt.response, err)
			continue
		}
		got := ""
		for _, e := range found.Folders[0].Requests[0].Examples {
			got += e.Name
		}
		if got != tt.want {
			t.Errorf("%.100s: got %q, want %q", tt.response, got, tt.want)
		}
	}
}

const postmanFile = `{"info":{"name":"Mine","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
"auth":{"type":"bearer","bearer":[{"key":"token","value":"pLaNtEd"}]},"event":[{"listen":"test"}],
"variable":[{"key":"site","value":7},{"key":"baseUrl","value":"https://x"}],
"item":[{"name":"Folder","item":[{"name":"deep","event":[{}],"request":{"method":"PUT","url":{"raw":"https://acme.example/santaba/rest/device/devices/:id?x=1","path":["a"],"query":[{"key":"x","value":"1"},{"key":"y","value":null,"disabled":true}],"variable":[{"key":"id","value":"9"}]},
 "header":[{"key":"Authorization","value":"Bearer pLaNtEd"},{"key":"X-A","value":"b","disabled":true}],"body":{"mode":"raw","raw":"{}"}}}]},
 {"name":"text","request":"{{host}}/setting/version?a=b%20c"},
 {"name":"form","request":{"method":"POST","auth":{"type":"basic"},"url":"/alert/alerts","header":"X-B: c\n","body":{"mode":"formdata","formdata":[]}}},
 {"name":"head","request":{"method":"HEAD","url":"/x"}},{"name":"parts","request":{"url":{"protocol":"https","host":["acme","example"],"path":["a",{"value":"b"}]}}}]}`

const harText = `{"log":{"version":"1.2","entries":[{"request":{"method":"POST",` +
	`"url":"http://127.0.0.1:8443/api/device/devices?a=1","headers":[{"name":":authority","value":"x"},` +
	`{"name":"Cookie","value":"pLaNtEd"},{"name":"X-A","value":"b"}],"postData":{"mimeType":"application/json",` +
	`"text":"{}"}},"response":{"status":200}}]}}`

const openAPIText = `openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: https://pets.example/v1}]
paths:
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}, example: 7}]
    get: {summary: One pet, tags: [pets], parameters: [{name: deep, in: query, schema: {type: boolean, default: false}}], responses: {default: {description: x}}}
    put: {tags: [pets], operationId: putPet, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}, responses: {default: {description: x}}}
components: {schemas: {Pet: {type: object, properties: {name: {type: string, example: Rex}, mother: {$ref: '#/components/schemas/Pet'}, legs: {type: integer}}}}}
`

func TestFilesOfOtherProgramsAreImported(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		notes            []string
	}{
		{"mine.json", postmanFile, `Mine
  Folder
    deep: PUT /device/devices/{id} id=9 | x=1 -y= | -X-A=b | {}
  text: GET /setting/version | a=b c | | 
  form: POST /alert/alerts | | X-B=c | 
  parts: GET /a/b | | | 
`, []string{
			"The collection's authorization was not imported: the portal's sign-in is used.",
			"The collection's scripts were not imported.",
			"The addresses https://acme.example, {{host}} were not imported: requests go to the portal of their tab.",
			"1 request with an Authorization header: it was not imported, the portal's sign-in is used.",
			"1 request with scripts: they were not imported.",
			"1 request whose body is a form or a file: the body was not imported.",
			"1 request with authorization: it was not imported, the portal's sign-in is used.",
			"1 request with another method than GET, POST, PUT, PATCH, DELETE: not imported.",
		}},
		{"Tuesday.har", harText, "Tuesday\n  : POST /device/devices | a=1 | X-A=b | {}\n",
			[]string{"Responses and cookies in the file were not imported."}},
		{"pets.yaml", openAPIText, `Pets
  pets
    One pet: GET /pets/{petId} petId=7 | -deep=false | | 
    putPet: PUT /pets/{petId} petId=7 | | | {
  "legs": 0,
  "name": "Rex"
}
`, []string{"The server https://pets.example/v1 was not imported: requests go to the portal of their tab."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := exchange.Read(t.Context(), &exchange.File{Name: tt.name, Text: []byte(tt.text),
				Bases: []string{"http://127.0.0.1:8443/api"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(found.Folders, ""); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if !slices.Equal(found.Notes, tt.notes) {
				t.Errorf("notes\n got %q\nwant %q", found.Notes, tt.notes)
			}
			if strings.Contains(fmt.Sprint(found), "pLaNtEd") {
				t.Error("a credential came along")
			}
		})
	}
}

// The page refuses such files when it imports only variables.
func TestEnvironmentsOfOtherProgramsAreImported(t *testing.T) {
	for _, tt := range []struct{ text, format string }{
		{"type: environment.insomnia.rest/5.0\nname: x\nenvironments: {name: Base, data: {region: eu}}\n", "insomnia"},
		{`{"_type":"export","__export_format":4,"resources":[]}`, "insomnia"},
		{"vars {\n  a: 1\n}", "bruno"},
		{"opencollection: 1.0.0\nname: dev\nvariables:\n  - name: a", "opencollection"},
		{`{"name":"Office","values":[{"key":"site","value":"7"}]}`, "postman-environment"},
	} {
		found, err := exchange.Read(t.Context(), &exchange.File{Text: []byte(tt.text)})
		if err != nil || found.Format.ID != tt.format ||
			found.Format.Variables != (tt.format == "postman-environment") {
			t.Errorf("%s\nwas read as %+v, %v; want %s", tt.text, found, err, tt.format)
		}
	}
}

func TestUnreadableFilesAreReported(t *testing.T) {
	deep := strings.Repeat(`{"name":"x","item":[`, 50) + strings.Repeat(`]}`, 50)
	for _, tt := range []struct{ name, text, want string }{
		{"a.json", "", "a.json is empty"},
		{"a.zip", "PK\x03\x04abc", "a.zip is a compressed archive; unpack it and select the file inside"},
		{"a.bin", "a\x00b", "a.bin is not a text file"},
		{"a.json", "\xff\xfe", "a.json is not a text file"},
		{"a.json", "{\n\"info\":{},\n\"item\":[}", "a.json is not valid JSON: line 3: invalid character '}' looking " +
			"for beginning of value"},
		{"a.json", strings.Repeat("[", 20_000),
			"a.json has an unknown format. You can import files of these formats: Spyglass, Postman v2.1, Insomnia, " +
				"Yaak, Bruno, HAR, OpenAPI 3, Swagger 2.0, cURL"},
		{"a.json", `{"a":` + strings.Repeat("[", 20_000), "a.json is nested more than 200 deep"},
		{"a.json", `{"info":{},"item":[` + deep + `]}`, "folders in a.json are nested more than 20 levels deep"},
		{"a.json", `{"info":{},"item":{"a":1}}`,
			"a.json cannot be read: item is a object where something else belongs"},
		{"a.json", `{"info":{},"item":[{"request":{"method":5}}]}`, "a.json cannot be read: item.request.method is a " +
			"number where something else belongs"},
		{"a.json", `{"spyglass":2}`,
			"a.json is from a newer version of Spyglass (format 2); this version reads format 1"},
		{"a.json", `{"spyglass":1,"collections":[{"name":"x","requests":[{"name":"y","draft":{"method":"FETCH"}}]}]}`,
			`in a.json the request "y" is wrong: the method must be one of GET, POST, PUT, PATCH, DELETE`},
		{"a.json", `{"log":[]}`, "a.json cannot be read: log is a array where something else belongs"},
		{"a.json", `{"folders_order":[],"requests":[]}`, "a.json is a Postman collection of version 1; export it " +
			"from Postman as version 2.1"},
		{"a.json", `{"swagger":"2.0"}`, "a.json describes no paths"},
		{"a.yaml", "openapi: 3.0.0\ninfo: {title: x, version: '1'}\npaths: {}\n", "a.yaml describes no paths"},
		{"a.yaml", "openapi: [\n", "a.yaml is not valid YAML: error converting YAML to JSON: yaml: line 1: did not " +
			"find expected node content"},
		{"a.yaml", "openapi: 3.0.0\nx: " + strings.Repeat("[", 300), "a.yaml is nested more than 200 deep"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			_, err := exchange.Read(t.Context(), &exchange.File{Name: tt.name, Text: []byte(tt.text)})
			if err == nil || fault.Of(err).Kind != fault.Invalid || fault.Of(err).Message != tt.want {
				t.Errorf("the error is %v", err)
			}
		})
	}
	for _, text := range []string{
		"openapi: 3.0.0\ninfo: {title: x, version: '1'}\npaths: {/a: {$ref: 'file:///etc/passwd'}}\n",
		"openapi: 3.0.0\npaths: 7\n",
	} {
		if _, err := exchange.Read(t.Context(), &exchange.File{Text: []byte(text)}); !fault.Is(err, fault.Invalid) ||
			!strings.HasPrefix(fault.Of(err).Message, "the text is not a valid OpenAPI 3") {
			t.Errorf("%.80q: the error is %v", text, err)
		}
	}
}

func TestRecursiveSchemaHasNoExample(t *testing.T) {
	found, err := exchange.Read(t.Context(), &exchange.File{Text: []byte("openapi: 3.0.0\ninfo: {title: x, version: " +
		"'1'}\npaths: {/a: {get: {responses: {}, requestBody: {content: {application/json: {schema: {$ref: " +
		"'#/components/schemas/A'}}}}}}}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/A'}}}\n")})
	if err != nil || lines(found.Folders, "") != "x\n  Other\n    : GET /a | | | \n" {
		t.Errorf("%v\n%s", err, lines(found.Folders, ""))
	}
}

func TestExportedOpenAPIIsValid(t *testing.T) {
	b := bundle()
	same := workspace.Saved{Name: "Other", Draft: workspace.Draft{Method: "GET", Path: "/device/devices/{{deviceId}" +
		"}/{x}", Query: workspace.Rows{row("more", "1")}}}
	odd := workspace.Saved{Draft: workspace.Draft{Method: "POST", Path: "odd{path}/{{a}}{{a}}/{", Body: "no json"}}
	b.Folders = append(b.Folders, workspace.Folder{Name: "More", Requests: []workspace.Saved{same, odd, odd}})
	text, err := exchange.OpenAPI.Write(b)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err == nil {
		err = doc.Validate(context.Background())
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var paths []string
	for path := range doc.Paths.Map() {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if want := []string{"/device/devices", "/device/devices/{id}/{part}", "/odd{path}/{a}{a2}/%7B"}; !slices.Equal(
		paths, want) {
		t.Errorf("the paths are %q, want %q", paths, want)
	}
	found, err := exchange.Read(t.Context(), &exchange.File{Text: text})
	if err != nil || !strings.Contains(lines(found.Folders, ""), "GET /device/devices/{id}/{part} id=42 part= | "+
		"-more=1 | | ") {
		t.Errorf("read again: %v\n%s", err, lines(found.Folders, ""))
	}
}

func TestHistoryIsExportedAsHAR(t *testing.T) {
	sent := &exchange.Sent{
		At: time.UnixMilli(1_790_000_000_123), Method: "GET", URL: "http://h/api/a?q=%22x%22",
		Headers: [][2]string{{"X-A", "b"}},
		Status:  200, StatusText: "OK", MS: 12, Bytes: 2, Response: [][2]string{{"Content-Type", "application/json"}},
		Text: []byte("{}"), Kept: true,
	}
	var out bytes.Buffer
	err := exchange.WriteHAR(&out, "0.1", func(yield func(*exchange.Sent, error) bool) {
		_ = yield(sent, nil) &&
			yield(&exchange.Sent{Method: "POST", URL: "http://h/b", Body: "{}", Error: "refused"}, nil) &&
			yield(&exchange.Sent{Method: "PUT", URL: "http://h/c", Headers: [][2]string{{"content-type", "text/plain"}},
				Body: "x", Status: 200, Text: []byte("\x89PNG\xff"), Kept: true}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"log":{"version":"1.2","creator":{"name":"Spyglass","version":"0.1"},"entries":[
{"startedDateTime":"2026-09-21T14:13:20.123Z","time":12,"request":{"method":"GET","url":"http://h/api/a?q=%22x%22","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"X-A","value":"b"}],"queryString":[{"name":"q","value":"\"x\""}],"headersSize":-1,"bodySize":0},"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"size":2,"mimeType":"application/json","text":"{}"},"redirectURL":"","headersSize":-1,"bodySize":2},"cache":{},"timings":{"send":0,"wait":12,"receive":0}},
`
	if got := out.String(); !strings.HasPrefix(got, want) || !json.Valid(out.Bytes()) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, part := range []string{`"postData":{"mimeType":"application/json","text":"{}"}`,
		`"postData":{"mimeType":"text/plain","text":"x"}`, `"content":{"size":0,"mimeType":"","text":"iVBOR/8=",` +
			`"encoding":"base64"}`} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%s is not in\n%s", part, out.String())
		}
	}
	found, err := exchange.Read(t.Context(), &exchange.File{Text: out.Bytes()})
	if err != nil || lines(found.Folders, "") != "Recorded requests\n  : GET /a | q=\"x\" | X-A=b | \n"+
		"  : POST /b | | | {}\n  : PUT /c | | content-type=text/plain | x\n" {
		t.Errorf("read again: %v\n%s", err, lines(found.Folders, ""))
	}
	again, err := exchange.ReadHAR(t.Context(), &exchange.File{Text: out.Bytes()})
	if err != nil || len(again) != 3 || !reflect.DeepEqual(&again[0], &exchange.Sent{At: sent.At.UTC(), Method: "GET",
		URL: sent.URL, Headers: sent.Headers, Status: 200, StatusText: "OK", MS: 12, Bytes: 2, Response: sent.Response,
		Text: []byte("{}"), Kept: true}) {
		t.Errorf("read again with responses: %v\n%+v", err, again)
	}
	if len(again) == 3 && (again[1].Error != "refused" || string(again[2].Text) != "\x89PNG\xff") {
		t.Errorf("read again with responses: %+v", again[1:])
	}
}

func TestBuiltInVariablesAreConvertedToPostmanNames(t *testing.T) {
	draft := workspace.Draft{Method: "POST", Path: "/a", Body: `{"id":"{{$uuid}}","at":{{$now}},"since":{{$now-1h}},` +
		`"by":{{$userId}}}`}
	text, err := exchange.Postman.Write(
		&exchange.Bundle{Name: "B", UserID: 7,
			Folders: []workspace.Folder{{Name: "B", Requests: []workspace.Saved{{Draft: draft}}}}})
	if want := `{\"id\":\"{{$guid}}\",\"at\":{{$timestamp}},\"since\":{{$now-1h}},\"by\":7}`; err != nil ||
		!strings.Contains(string(text), want) {
		t.Errorf("got %v %s", err, text)
	}
	text = []byte(strings.Replace(string(text), `\"by\":7`, `\"by\":{{$randomInt}},\"r\":\"{{$randomUUID}}\"`, 1))
	found, err := exchange.Read(t.Context(), &exchange.File{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := found.Folders[0].Requests[0].Draft.Body,
		`{"id":"{{$uuid}}","at":{{$now}},"since":{{$now-1h}},"by":{{$randomInt}},"r":"{{$uuid}}"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := "Nothing fills in {{$randomInt}} here: add variables in place of Postman's own."; !slices.Contains(
		found.Notes, want) {
		t.Errorf("noted %q", found.Notes)
	}
}

func TestImportNotesAreLimited(t *testing.T) {
	var har, insomnia strings.Builder
	for i := range 150 {
		fmt.Fprintf(&har, `,{"request":{"method":"GET","url":"http://h%d.example/a"}}`, i)
		fmt.Fprintf(&insomnia, `,{"_id":"r%d","_type":"request","parentId":"w","url":"/a/{{ _.x | filter%d }}"}`, i, i)
	}
	read := func(text string) []string {
		found, err := exchange.Read(t.Context(), &exchange.File{Text: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return found.Notes
	}
	notes := read(`{"log":{"entries":[` + har.String()[1:] + `]}}`)
	if want := "The addresses http://h0.example, http://h1.example, http://h2.example, http://h3.example, " +
		"http://h4.example, http://h5.example, … were not imported: requests go to the portal of their tab."; len(
		notes) != 2 || notes[0] != want {
		t.Errorf("%d notes, the first is %q", len(notes), notes[0])
	}
	notes = read(`{"__export_format":4,"resources":[{"_id":"w","_type":"workspace"}` + insomnia.String() + `]}`)
	if last := notes[len(notes)-1]; len(notes) != 101 || last != "And 50 more notes like these." {
		t.Errorf("%d notes, the last is %q", len(notes), last)
	}
}
