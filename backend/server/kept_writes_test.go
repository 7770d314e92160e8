package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

// createdOf returns the response of a POST as an object, and the path of the
// new row.
func createdOf(r reply, path string) (row map[string]any, at string) {
	row, _ = decoded(r.text).(map[string]any)
	return row, fmt.Sprint(path, "/", cmp.Or(row["id"], row["name"])) // the path of a property has its name
}

// bodyOf decodes the example body of an endpoint as a client does.
func bodyOf(t *testing.T, e *resource.Endpoint) map[string]any {
	t.Helper()
	text, err := json.Marshal(e.Example.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := decoded(string(text)).(map[string]any)
	return body
}

// creates reports whether an endpoint creates a row that has GET and DELETE at
// its path.
func creates(endpoints []resource.Endpoint, e *resource.Endpoint) bool {
	has := func(method string) bool {
		return slices.ContainsFunc(endpoints, func(o resource.Endpoint) bool {
			rest, below := strings.CutPrefix(o.Path, e.Path+"/{")
			return o.Method == method && below && !strings.Contains(rest, "/")
		})
	}
	return e.Method == http.MethodPost && e.Creates && has(http.MethodGet) && has(http.MethodDelete)
}

// notKeptOnCreate lists the published fields that the portal accepts and does not store when it
// creates a row, each with the reason, besides notKept.
var notKeptOnCreate = map[string]string{
	"Admin.password": "a password is never shown",
}

// TestPublishedCreateIsStoredOrRefused creates the example of each published
// model.
func TestPublishedCreateIsStoredOrRefused(t *testing.T) {
	writeAll(t, http.MethodPost, notKeptOnCreate, 100, (*writing).example)
}

// example creates the example of an endpoint, completed by the portal.
func (w *writing) example(e *resource.Endpoint, kind string) {
	t := w.m.t
	if !creates(w.endpoints, e) {
		return
	}
	path, body := unnamedBy(cmp.Or(e.Example.Path, e.Path), "1"), bodyOf(t, e)
	r := w.m.send(http.MethodPost, path, "", asJSON(t, body))
	_, at := createdOf(r, path)
	row, _ := decoded(w.m.get(at).text).(map[string]any)
	if r.status != 200 || row == nil || !w.remove(at) {
		t.Errorf("%s: its example cannot be created, read and deleted: %s", e.ID(), r)
		return
	}
	maps.DeleteFunc(body, func(key string, _ any) bool { return row[key] != nil })
	maps.Copy(body, row) // values that the portal fills in do not count as changed
	points, _ := body["dataPoints"].([]any)
	for _, point := range points { // the portal assigns new ids to the data points of a new data source
		maps.DeleteFunc(point.(map[string]any), func(key string, _ any) bool {
			return key == "id" || key == "dataSourceId"
		})
	}
	w.row(path, kind, body)
}

// notKeptOnPut lists the fields that a PUT does not store, each with the reason.
var notKeptOnPut = map[string]string{
	"SDT.dataSourceInstanceName":            idWins,
	"SDT.deviceDataSourceInstanceGroupName": idWins,
	"SDT.deviceGroupFullPath":               idWins,
}

// TestPublishedReplaceIsStoredOrRefused sends rows of the demo back unchanged.
func TestPublishedReplaceIsStoredOrRefused(t *testing.T) {
	writeAll(t, http.MethodPut, notKeptOnPut, 150, (*writing).existing)
}

// TestFailedCreateLeavesNothing makes one field at a time invalid in the example of
// every resource, and checks that no list gets a new row.
func TestFailedCreateLeavesNothing(t *testing.T) {
	t.Parallel()
	m, endpoints := newFleet(t, func(string) map[string][]privilege { return nil }).client(t)
	var lists []string
	for _, e := range inOrder(endpoints) {
		if e.Method == http.MethodGet && !strings.Contains(e.Path, "{") && e.Path != "/setting/accesslogs" {
			lists = append(lists, e.Path)
		}
	}
	totals := func() map[string]any {
		all := map[string]any{}
		for _, path := range lists {
			if page, ok := decoded(m.get(path + "?size=1").text).(map[string]any); ok && page["total"] != nil {
				all[path] = page["total"]
			}
		}
		return all
	}
	before, refused := totals(), 0
	for _, e := range inOrder(endpoints) {
		if !creates(endpoints, &e) {
			continue
		}
		path, body := unnamedBy(cmp.Or(e.Example.Path, e.Path), "1"), bodyOf(t, &e)
		own := func() string {
			return fmt.Sprint(decoded(m.get(path + "?size=1&fields=id").text).(map[string]any)["total"])
		}
		rows := own()
		for _, field := range e.Body.Properties {
			if field.ReadOnly {
				continue
			}
			for _, wrong := range []any{json.Number("987654321"), "no such thing \x01",
				[]any{map[string]any{"id": json.Number("987654321"), "type": "GROUP"}}} {
				sent := maps.Clone(body)
				sent[field.Name] = wrong
				r := m.send(http.MethodPost, path, "", asJSON(t, sent))
				if r.status == 200 {
					_, at := createdOf(r, path)
					if r := m.send(http.MethodDelete, at+"?deleteHard=true&deleteChildren=true", "",
						""); r.status != 200 {
						t.Errorf("DELETE %s: %s", at, r)
					}
				} else if refused++; r.status >= 500 {
					t.Errorf("POST %s %s: %s", path, asJSON(t, sent), r)
				}
				if now := own(); now != rows {
					t.Errorf("POST %s %s returns %d, and %s rows became %s", path, asJSON(t, sent), r.status, rows, now)
					rows = now
				}
			}
		}
	}
	if after := totals(); !maps.Equal(before, after) {
		t.Errorf("the lists had %v rows and have %v", before, after)
	}
	if refused < 100 {
		t.Errorf("%d bodies were refused only", refused)
	}
}
