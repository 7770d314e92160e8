package explorer_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

const listed = `{"total":3,"items":[{"id":12345678901234567890,"name":"=1+1","tags":{"a":1},"up":true},{"id":7,` +
	`"name":"web, \"b\"","up":null},{"id":9,"name":"a|b"}]}`

// table stores a body as a document, and returns a function that requests parts of it.
func table(t *testing.T, body string) func(what string) answer {
	h := build(t)
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	})
	doc := h.send(1, draft("GET", "/raw/x")).Document
	return func(what string) answer { return h.call(1, "GET /explorer/documents/"+doc+"/"+what, "") }
}

func draft(method, path string) string {
	return `{"method":"` + method + `","path":"` + path + `"}`
}

func TestTableIsReadInWindows(t *testing.T) {
	get := table(t, listed)
	for _, tt := range []struct {
		what string
		code int
		want string
	}{
		{"columns", 200, `{"shape":"items","total":3,"columns":[{"id":"id","kind":"number","count":3},{"id":"name",` +
			`"kind":"string","count":3},{"id":"tags","kind":"object","count":1},{"id":"up","kind":"boolean",` +
			`"count":2}],"whole":true,"more":0}`},
		{"columns?nested=true&look=1", 200, `{"shape":"items","total":3,"columns":[{"id":"id","kind":"number",` +
			`"count":1},{"id":"name","kind":"string","count":1},{"id":"tags.a","kind":"number","count":1},{"id":"up",` +
			`"kind":"boolean","count":1}],"whole":false,"more":0}`},
		{"table?column=id&column=tags.a&from=0&count=2&sort=name&desc=true", 200,
			`{"rows":[{"index":1,"node":87,"cells":[{"node":93,"kind":"number","text":"7"},null]},{"index":2,` +
				`"node":126,"cells":[{"node":132,"kind":"number","text":"9"},null]}],"total":3}`},
		{"table?column=id&desc=perhaps", 400, `{"errorMessage":"desc must be true or false","errorCode":1400,` +
			`"errorDetail":{"field":"desc","reason":"desc must be true or false","allowed":[true,false]}}`},
		{"export?format=pdf", 400, `{"errorMessage":"format must be csv, tsv, markdown or xlsx","errorCode":1400,` +
			`"errorDetail":{"field":"format","reason":"format must be csv, tsv, markdown or xlsx"}}`},
		{"export?format=xlsx&clip=true", 400, `{"errorMessage":"Excel cannot be copied as text; save it as a file",` +
			`"errorCode":1400,"errorDetail":{"field":"format","reason":"Excel cannot be copied as text; save it as ` +
			`a file"}}`},
		{"export?format=markdown&clip=true&column=name&from=1&count=2", 200, "| name |\n| --- |\n| web, \"b\" |\n| " +
			"a\\|b |\n"},
		{"series?time=id&line=id", 200, `{"title":"","unit":"","sets":[{"name":"","time":[],"lines":[{"name":"id",` +
			`"values":[],"min":null,"max":null,"last":null,"count":0,"gaps":0}]}],"thin":false,"more":0}`},
		{"series?points=1", 400, `{"errorMessage":"points must be from 2 to 20000","errorCode":1400,` +
			`"errorDetail":{"field":"points","reason":"points must be from 2 to 20000"}}`},
	} {
		if a := get(tt.what); a.status != tt.code || strings.TrimSuffix(a.body, "\n") != strings.TrimSuffix(
			tt.want, "\n") {
			t.Errorf("%s: got %d %s\nwant %d %s", tt.what, a.status, a.body, tt.code, tt.want)
		}
	}
}

func TestTableIsSavedInFull(t *testing.T) {
	get := table(t, listed)
	a := get("export?format=csv&name=" + url.QueryEscape(`..\device/"devices"`+"\r\n"))
	if got, want := a.header.Get("Content-Disposition"), `attachment; filename=device-devices.csv`; got != want {
		t.Errorf("the file is offered as %q, want %q", got, want)
	}
	got, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	want := [][]string{{"id", "name", "tags", "up"}, {"12345678901234567890", "'=1+1", `{"a":1}`, "true"},
		{"7", `web, "b"`, "", ""}, {"9", "a|b", "", ""}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	book, err := excelize.OpenReader(strings.NewReader(get("export?format=xlsx&column=id&column=name&sort=id").body))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("Sheet1")
	if want := [][]string{{"id", "name"}, {"7", `web, "b"`}, {"9", "a|b"},
		{"12345678901234567890", "=1+1"}}; err != nil || !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q, %v, want %q", rows, err, want)
	}
}

func TestTableTooLargeForTheClipboardIsSavedToAFile(t *testing.T) {
	get := table(t, `["`+strings.Repeat("x", 3<<20)+`","`+strings.Repeat("y", 2<<20)+`"]`)
	if a := get("export?format=csv&clip=true"); a.status != 400 ||
		!strings.Contains(a.body, "as CSV, this is more than 4 MiB, too much for the clipboard; save it as a file") {
		t.Errorf("%d %.200s", a.status, a.body)
	}
	if a := get("export?format=csv"); a.status != 200 || len(a.body) < 5<<20 {
		t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
	if a := get("export?format=csv&clip=true&from=1"); a.status != 200 || len(a.body) < 2<<20 {
		t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
}
