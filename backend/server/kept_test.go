package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

// client is the administrator on the mount for published clients.
func (f *fleet) client(t *testing.T) (*member, []resource.Endpoint) {
	t.Helper()
	s := f.copy(t)
	m := f.on(t, s, "administrator")
	m.mount = strings.Replace(m.mount, "/api", "/santaba/rest", 1)
	return m, s.Endpoints()
}

func decoded(text string) (value any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	_ = d.Decode(&value) // nil, which satisfies no model
	return value
}

// TestEveryRowSatisfiesThePublishedModel reads all rows of every list of the
// demo as a strict client would: what the model requires is there.
func TestEveryRowSatisfiesThePublishedModel(t *testing.T) {
	t.Parallel()
	p := readPublished(t)
	p.whole = true
	m, endpoints := newFleet(t, func(string) map[string][]privilege { return nil }).client(t)
	wrong, rows := map[string]int{}, 0
	index := regexp.MustCompile(`\[\d+\]| is .*, want`)
	check := func(kind string, r reply) {
		value := decoded(r.text)
		if r.status != 200 {
			wrong[kind+" "+r.String()]++
			return
		}
		object, _ := value.(map[string]any)
		items, ok := object["items"].([]any)
		if !ok {
			items = []any{value}
		} else if of := p.types[kind]["items"].kind; of != "" {
			kind = strings.TrimSuffix(of, "[]")
		}
		for _, one := range items {
			rows++
			if found := p.wrong(kind, kind, one); found != "" {
				wrong[index.ReplaceAllString(found, "[] …")]++
			}
		}
	}
	for _, e := range inOrder(endpoints) {
		kind := p.answers[e.ID()[:4]+unnamed(e.Path)]
		if e.Method != http.MethodGet || kind == "" {
			continue
		}
		if _, lists := p.types[kind]["items"]; !lists || strings.HasSuffix(e.Path, "/data") {
			check(kind, m.example(&e))
			continue
		}
		path := unnamedBy(cmp.Or(e.Example.Path, e.Path), "1")
		for offset := 0; offset < 5000; offset += 1000 {
			r := m.get(fmt.Sprint(path, "?size=1000&offset=", offset))
			check(kind, r)
			if len(r.text) < 1000 {
				break
			}
		}
	}
	for _, found := range slices.Sorted(maps.Keys(wrong)) {
		t.Errorf("%s (%d times)", found, wrong[found])
	}
	if rows < 500 {
		t.Errorf("%d rows were read only", rows)
	}
}
