package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"spyglass/app/exchange"
	"spyglass/app/workspace"
)

// reading is a file of another program with the expected result.
type reading struct {
	name, text, label, want string
	variables, notes        []string
	environments            []string // "Staging: host=x, key*="
}

func (tt *reading) run(t *testing.T) {
	t.Helper()
	found, err := exchange.Read(t.Context(), &exchange.File{Name: tt.name, Text: []byte(tt.text),
		Bases: []string{"http://127.0.0.1:8443/api"}})
	if err != nil {
		t.Fatal(err)
	}
	var variables []string
	for _, v := range found.Variables {
		variables = append(variables, v.Name+map[bool]string{true: "*"}[v.Secret]+"="+v.Value)
	}
	var environments []string
	for _, e := range found.Environments {
		var list []string
		for _, v := range e.Variables {
			list = append(list, v.Name+map[bool]string{true: "*"}[v.Secret]+"="+v.Value)
		}
		environments = append(environments, e.Name+": "+strings.Join(list, ", "))
	}
	if !slices.Equal(environments, tt.environments) {
		t.Errorf("environments\n got %q\nwant %q", environments, tt.environments)
	}
	if found.Format.Label != tt.label {
		t.Errorf("it was taken for %s", found.Format.Label)
	}
	if got := lines(found.Folders, ""); got != tt.want {
		t.Errorf("got\n%s\nwant\n%s", got, tt.want)
	}
	if !slices.Equal(variables, tt.variables) {
		t.Errorf("variables\n got %q\nwant %q", variables, tt.variables)
	}
	if !slices.Equal(found.Notes, tt.notes) {
		t.Errorf("notes\n got %s\nwant %s", strings.Join(found.Notes, "\n"), strings.Join(tt.notes, "\n"))
	}
	if strings.Contains(text(t, found.Folders)+text(t, found.Variables), "pLaNtEd") {
		t.Error("a credential came along")
	}
}

func TestPostmanEnvironmentsAreImported(t *testing.T) {
	tt := reading{
		name: "Office.postman_environment.json", label: "Postman environment",
		text: `{"id":"1","name":"Office","values":[{"key":"site id","value":"4","type":"default",` +
			`"enabled":true},{"key":"url","value":"{{scheme}}://h","enabled":true},{"key":"scheme","value":"https"},` +
			`{"key":"off","value":"1","enabled":false},{"key":"key","value":"","type":"secret","enabled":true}],` +
			`"_postman_variable_scope":"environment"}`,
		environments: []string{"Office: site_id=4, url=https://h, scheme=https, key*="},
		notes:        []string{"The values of secrets are not in the file; enter them under Tools, Variables: key."},
	}
	tt.run(t)
}

func TestInvalidVariableNamesAreReplacedEverywhere(t *testing.T) {
	tt := reading{
		name: "x.json", label: "Postman collection v2.1",
		text: `{"info":{"name":"X"},"variable":[{"key":"site id","value":"4"}],"item":[{"name":"One",` +
			`"request":{"method":"POST","url":"{{host}}/a/{{site id}}?b={{ site id }}",` +
			`"header":[{"key":"X-{{site id}}","value":"{{other name}}"}],"body":{"mode":"raw",` +
			`"raw":"{\"a\": {{site id}}}"}}}]}`,
		want: "X\n  One: POST /a/{{site_id}} | b={{site_id}} | X-{{site_id}}={{other name}}" +
			" | {\"a\": {{site_id}}}\n",
		variables: []string{"site_id=4"},
		notes:     []string{"The address {{host}} was not imported: requests go to the portal of their tab."},
	}
	tt.run(t)
}

func TestOnlyAPICallsOfABrowserHARAreImported(t *testing.T) {
	entry := func(kind, url string) string {
		return `{"_resourceType":"` + kind + `","request":{"method":"GET","url":"` + url + `"}}`
	}
	tt := reading{
		name: "Monday.har", label: "HAR 1.2",
		text: `{"log":{"entries":[` + entry("document", "http://127.0.0.1:8443/") + "," +
			entry("script", "http://127.0.0.1:8443/a.js") + "," +
			entry("fetch", "http://127.0.0.1:8443/api/setting/version") + "," +
			entry("xhr", "http://127.0.0.1:8443/api/alert/alerts") + `]}}`,
		want: "Monday\n  : GET /setting/version | | | \n  : GET /alert/alerts | | | \n",
		notes: []string{"2 requests for pages, scripts, styles, images and the like: not imported.",
			"Responses and cookies in the file were not imported."},
	}
	tt.run(t)
}

func TestLossesOfPostmanFoldersAreReported(t *testing.T) {
	tt := reading{
		name: "x.json", label: "Postman collection v2.1",
		text: `{"info":{"name":"X"},"auth":{"type":"noauth"},"item":[{"name":"F","auth":{"type":"bearer",` +
			`"bearer":[{"key":"token","value":"pLaNtEd"}]},"event":[{"listen":"test"}],"item":[{"name":"One",` +
			`"request":{"method":"GET","url":"/a","auth":{"type":"noauth"}}}]}]}`,
		want: "X\n  F\n    One: GET /a | | | \n",
		notes: []string{
			"The authorization of folders was not imported: the portal's sign-in is used.",
			"The scripts of folders were not imported.",
		},
	}
	tt.run(t)
}

func TestQuotedAmpersandInAURLBelongsToTheValue(t *testing.T) {
	found, err := exchange.Read(t.Context(), &exchange.File{Name: "a.postman_collection.json", Text: []byte(
		`{"info":{"name":"a","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},` +
			`"item":[{"name":"x","request":{"method":"GET",` +
			`"url":"https://h.example/api/device/devices?size=2&filter=displayName~\"a b&c\"&x=1"}}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := workspace.Rows{row("size", "2"), row("filter", `displayName~"a b&c"`), row("x", "1")}
	if got := found.Folders[0].Requests[0].Draft.Query; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
