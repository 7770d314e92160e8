package explorer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"spyglass/backend/resource"
)

// store is a portal of things below /api/raw/, with versions, a recycle bin and lists
// below each thing. It records the writes it receives.
type store struct {
	mu     sync.Mutex
	things map[int64]map[string]any
	bin    map[int64]map[string]any
	next   int64
	below  func(w http.ResponseWriter, r *http.Request) // serves lists below a thing
	refuse int                                          // status of the response to every write; 0: accept them
	wrote  []string                                     // "PATCH /things/7 {…} if 3"
}

func newStore() *store {
	return &store{next: 7, bin: map[int64]map[string]any{}, things: map[int64]map[string]any{7: {
		"id": 7, "name": "seven", "note": "", "size": 5, "tags": []any{"a"}, "colour": "red", "numOfSubThings": 3,
		"version": 1,
	}}}
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/raw")
	parts := strings.Split(path, "/")
	if len(parts) == 4 && parts[1] == "things" {
		s.below(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var body map[string]any
	if r.Method != "GET" {
		_ = json.NewDecoder(r.Body).Decode(&body)
		text, _ := json.Marshal(body)
		line := fmt.Sprintf("%s %s", r.Method, r.URL.RequestURI()[len("/api/raw"):])
		if body != nil {
			line += " " + string(text)
		}
		if match := r.Header.Get("If-Match"); match != "" {
			line += " if " + match
		}
		s.wrote = append(s.wrote, line)
		if s.refuse != 0 {
			w.WriteHeader(s.refuse)
			return
		}
	}
	id := int64(0)
	if len(parts) > 2 {
		id, _ = strconv.ParseInt(parts[2], 10, 64)
	}
	thing := s.things[id]
	switch {
	case parts[1] == "recyclebin":
		thing = s.bin[id]
		s.things[id] = thing
		delete(s.bin, id)
	case r.Method == "POST":
		s.next++
		id, thing = s.next, map[string]any{"note": "", "size": 5, "version": 0}
	case thing == nil:
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Method == "DELETE":
		s.bin[id] = thing
		delete(s.things, id)
		return
	case r.Method == "PUT":
		thing = map[string]any{"note": "", "size": 5, "version": thing["version"]}
	}
	if r.Method != "GET" && parts[1] == "things" {
		for name, value := range body {
			thing[name] = value
		}
		version, _ := thing["version"].(int)
		thing["id"], thing["version"] = id, version+1
		s.things[id] = thing
	}
	w.Header().Set("ETag", fmt.Sprintf(`"v%v"`, thing["version"]))
	_ = json.NewEncoder(w).Encode(thing)
}

func (s *store) writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.wrote
	s.wrote = nil
	return out
}

func (s *store) set(id int64, name string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.things[id][name] = value
}

func (s *store) thing(id int64) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.things[id]
}

// storeEndpoints returns the catalog's endpoints for a store.
func storeEndpoints(bin bool) []resource.Endpoint {
	thing := &resource.Schema{Type: "object", Name: "thing", Properties: []resource.Key{
		{Name: "id", ReadOnly: true, Schema: resource.Integer("Set by the portal")},
		{Name: "name", Required: true, Schema: resource.Text("What it is called")},
		{Name: "note", Schema: resource.Text("Anything")},
		{Name: "numOfSubThings", ReadOnly: true,
			Schema: resource.Schema{Type: "integer", Counts: resource.Noun{One: "thing in it", Many: "things in it"}}},
		{Name: "size", Schema: resource.Schema{Type: "integer", Default: 5}},
		{Name: "tags", Schema: resource.Schema{Type: "array"}},
		{Name: "password", WriteOnly: true, Schema: resource.Schema{Type: "string", Format: "password"}},
	}}
	list := &resource.Schema{Type: "object", Properties: []resource.Key{{Name: "total", Schema: resource.Integer("")},
		{Name: "items", Schema: resource.Schema{Type: "array"}}}}
	systems := &resource.Schema{
		Type: "object", Properties: []resource.Key{list.Properties[0],
			{Name: "items", Schema: resource.List(resource.Schema{
				Type: "object", Properties: []resource.Key{{Name: "os", Schema: resource.Text("That it runs on")}}},
				"")}}}
	id := []resource.Param{{Name: "id", In: "path", Required: true, Schema: resource.Integer("Which")}}
	all := []resource.Endpoint{
		{Method: "GET", Path: "/raw/things/{id}", Params: id, Response: thing},
		{Method: "PUT", Path: "/raw/things/{id}", Params: id, Body: thing, Response: thing},
		{Method: "PATCH", Path: "/raw/things/{id}", Params: id, Body: thing, Response: thing},
		{Method: "DELETE", Path: "/raw/things/{id}", Params: id},
		{Method: "POST", Path: "/raw/things", Body: thing, Response: thing, Creates: true},
		{Method: "GET", Path: "/raw/things/{id}/parts", Noun: resource.Regular("spare part"), Params: id,
			Response: list},
		{Method: "GET", Path: "/raw/things/{id}/openAlerts", Summary: "What is wrong", Params: id, Response: list},
		{Method: "GET", Path: "/raw/things/{id}/installers", Summary: "List installers of a thing", Params: id,
			Response: systems},
	}
	if bin {
		all = append(all, resource.Endpoint{Method: "POST", Path: "/raw/recyclebin/{id}/restore", Params: id,
			Noun: resource.Regular("thing"), Response: thing})
	}
	return all
}

func storeFixture(t *testing.T, bin bool) (*fixture, *store) {
	t.Helper()
	h, s := buildWith(t, storeEndpoints(bin)), newStore()
	h.answerRaw(s.ServeHTTP)
	return h, s
}
