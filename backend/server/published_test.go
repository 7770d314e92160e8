package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

// published describes the published API for a typed client: the response and the body
// of each operation, and the type of each key.
type published struct {
	// "GET /device/devices" without parameter names, to "DevicePaginationResponse"
	answers map[string]string
	bodies  map[string]string                    // "POST /device/devices" without parameter names, to "Device"
	types   map[string]map[string]publishedField // "Device" to "hostGroupIds"
	whole   bool                                 // required keys must be present
}

// publishedField is a key of a model. In a model with subtypes, only some of them may require the key
// or allow writing it; the fields list their names.
type publishedField struct {
	kind               string // "string", "Role[]"
	required, writable subtypes
}

// subtypes is the set of subtypes for which a statement is true: all or some.
type subtypes struct {
	all  bool
	some []string
}

func (s subtypes) hold(object map[string]any) bool {
	name := func(key string) string { text, _ := object[key].(string); return strings.ReplaceAll(text, " ", "_") }
	return s.all || slices.Contains(s.some, name("type")) || slices.Contains(s.some, name("name"))
}

func readPublished(t *testing.T) *published {
	t.Helper()
	p := &published{answers: map[string]string{}, bodies: map[string]string{},
		types: map[string]map[string]publishedField{}}
	for _, row := range readRows(t, "testdata/published.tsv") {
		method, path, _ := strings.Cut(row[0], " ")
		if len(row) > 2 {
			p.answers[method+" "+unnamed(renamed(path))] = row[2]
		}
		if len(row) > 3 {
			p.bodies[method+" "+unnamed(renamed(path))] = row[3]
		}
	}
	for _, row := range readRows(t, "testdata/published-types.tsv") {
		if p.types[row[0]] == nil {
			p.types[row[0]] = map[string]publishedField{}
		}
		f := publishedField{kind: row[2]}
		for _, flag := range strings.Fields(strings.Join(row[3:], " ")) {
			word, some, _ := strings.Cut(flag, ":")
			s := subtypes{all: some == "", some: strings.Split(some, "|")}
			if word == "required" {
				f.required = s
			} else {
				f.writable = s
			}
		}
		p.types[row[0]][row[1]] = f
	}
	return p
}

// each yields the endpoints that the published API also has, in the order of inOrder,
// each with its model from models, which is answers or bodies.
func (p *published) each(endpoints []resource.Endpoint,
	models map[string]string) iter.Seq2[*resource.Endpoint, string] {
	return func(yield func(*resource.Endpoint, string) bool) {
		for _, e := range inOrder(endpoints) {
			if kind := models[e.Method+" "+unnamed(e.Path)]; kind != "" && !yield(&e, kind) {
				return
			}
		}
	}
}

func readRows(t *testing.T, path string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		rows = append(rows, strings.Split(strings.TrimSpace(string(line)), "\t"))
	}
	return rows
}

// wrong returns the first value that a client with these types cannot decode. A
// missing key decodes as its zero value, and null fits every type.
func (p *published) wrong(at, kind string, value any) string {
	if value == nil {
		return ""
	}
	if of, ok := strings.CutSuffix(kind, "[]"); ok {
		list, ok := value.([]any)
		if !ok {
			return fmt.Sprintf("%s is %v, want a list", at, value)
		}
		for i, one := range list {
			if found := p.wrong(fmt.Sprintf("%s[%d]", at, i), of, one); found != "" {
				return found
			}
		}
		return ""
	}
	if of, ok := strings.CutPrefix(kind, "map<"); ok {
		kind, of = "object", strings.TrimSuffix(of, ">")
		if object, ok := value.(map[string]any); ok {
			return p.wrongIn(at, object, func(string) string { return of })
		}
	}
	if keys := p.types[kind]; keys != nil {
		if object, ok := value.(map[string]any); ok {
			found := p.wrongIn(at, object, func(key string) string { return keys[key].kind })
			return max(found, p.missing(at, keys, object))
		}
		return fmt.Sprintf("%s is %v, want an object", at, value)
	}
	if !decodes(kind, value) {
		return fmt.Sprintf("%s is %v, want %s", at, value, kind)
	}
	return ""
}

// missing returns a key that the model requires and the object does not have.
func (p *published) missing(at string, keys map[string]publishedField, object map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if p.whole && keys[key].required.hold(object) && object[key] == nil {
			return fmt.Sprintf("%s.%s is missing", at, key)
		}
	}
	return ""
}

func (p *published) wrongIn(at string, object map[string]any, kind func(key string) string) (found string) {
	for key, value := range object {
		found = max(found, p.wrong(at+"."+key, kind(key), value))
	}
	return found
}

// decodes reports whether a typed client accepts a value for a type.
func decodes(kind string, value any) bool {
	if all, ok := strings.CutPrefix(kind, "one of "); ok { // a key of the object selects its type
		return slices.Contains(strings.Split(all, "|"), fmt.Sprint(value))
	}
	switch kind {
	case "string", "string:date-time", "string:byte":
		_, ok := value.(string)
		return ok
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "int32", "int64":
		n, ok := value.(json.Number)
		whole, err := n.Int64()
		return ok && err == nil && (kind == "int64" || whole >= math.MinInt32 && whole <= math.MaxInt32)
	case "double":
		_, ok := value.(json.Number)
		return ok
	}
	return true // objects without a known model
}

// TestPublishedClientsDecodeEveryResponse sends each example to the mount for
// published clients and decodes the response with the published
// types.
func TestPublishedClientsDecodeEveryResponse(t *testing.T) {
	t.Parallel()
	p := readPublished(t)
	m, endpoints := newFleet(t, func(string) map[string][]privilege { return nil }).client(t)
	tried := 0
	for e, kind := range p.each(endpoints, p.answers) {
		r := m.example(e)
		value := decoded(r.text)
		if value == nil || r.status != 200 && r.status != 202 {
			t.Errorf("%s returns %v, want 200", e.ID(), r)
			continue
		}
		tried++
		if found := p.wrong(kind, kind, value); found != "" {
			t.Errorf("%s: %s", e.ID(), found)
		}
	}
	if tried < 50 {
		t.Errorf("only %d responses were decoded", tried)
	}
}
