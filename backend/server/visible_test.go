package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

// bound lists roles that may view one group and a few settings.
func bound(group string) map[string][]privilege {
	seen := func(op string) []privilege {
		return []privilege{{op, "deviceGroup", group}, {"read", "setting", "opsnotes"},
			{"read", "setting", "collectors"}, {"read", "setting", "datasources"}, {"read", "setting", "alerting"}}
	}
	return map[string][]privilege{"group reader": seen("read"),
		"group writer": append(seen("write"), privilege{"write", "setting", "opsnotes"})}
}

// sight is the part of the demo that a role limited to one group may view,
// computed from the administrator's responses.
type sight struct {
	devices, groups map[int64]bool
	hidden          map[string]bool // words that identify hidden devices, in lower case
}

func newSight(t *testing.T, admin *member, root string) *sight {
	t.Helper()
	var groups struct {
		Items []struct{ ID, ParentID int64 }
	}
	admin.read("/device/groups?size=1000&fields=id,parentId", &groups)
	top, err := strconv.ParseInt(root, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	out := &sight{devices: map[int64]bool{}, groups: map[int64]bool{top: true}, hidden: map[string]bool{}}
	for range groups.Items { // as many levels as the tree can have
		for _, g := range groups.Items {
			out.groups[g.ID] = out.groups[g.ID] || out.groups[g.ParentID]
		}
	}
	var devices struct {
		Items []struct {
			ID                              int64
			Name, DisplayName, HostGroupIDs string
		}
	}
	admin.read("/device/devices?size=1000&includeDeletedResources=true", &devices)
	for _, d := range devices.Items {
		if out.someGroup(d.HostGroupIDs) {
			out.devices[d.ID] = true
			continue
		}
		out.hidden[strings.ToLower(d.Name)], out.hidden[strings.ToLower(d.DisplayName)] = true, true
	}
	for _, d := range devices.Items { // a name that hidden and visible devices share reveals nothing
		if out.devices[d.ID] {
			delete(out.hidden, strings.ToLower(d.Name))
			delete(out.hidden, strings.ToLower(d.DisplayName))
		}
	}
	if len(out.devices) == 0 || len(out.hidden) == 0 {
		t.Fatalf("%d devices are seen, and %d names hidden", len(out.devices), len(out.hidden))
	}
	return out
}

func (s *sight) someGroup(ids string) bool {
	for id := range strings.SplitSeq(ids, ",") {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil && s.groups[n] {
			return true
		}
	}
	return false
}

var word = regexp.MustCompile(`[\w.-]*\w`)

// leak returns the first text in a response that refers to a hidden
// object.
func (s *sight) leak(text string) string {
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		if s.hidden[w] {
			return "the name " + w
		}
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	for d.More() { // a single value, or a value per line
		var value any
		if d.Decode(&value) != nil {
			return ""
		}
		if found := s.leakIn(value); found != "" {
			return found
		}
	}
	return ""
}

func (s *sight) leakIn(value any) string {
	found := ""
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			found = max(found, s.leakIn(one))
		}
	case map[string]any:
		for key, one := range v {
			found = max(found, s.leakIn(one), s.leakAt(v, key, fmt.Sprint(one)))
		}
	}
	return found
}

// leakAt judges a key by its name; 0 means no finding.
func (s *sight) leakAt(row map[string]any, key, text string) string {
	id, _ := strconv.ParseInt(text, 10, 64)
	kind := strings.ToLower(fmt.Sprint(row["monitorObjectType"]))
	switch {
	case id > 0 && (key == "deviceId" || key == "hostId" || key == "monitorObjectId" &&
		(kind == "device" || kind == "host")) && !s.devices[id],
		id > 0 && (key == "deviceGroupId" || key == "hostGroupId") && !s.groups[id],
		key == "hostGroupIds" && text != "" && !s.someGroup(text):
		return key + " " + text
	}
	return ""
}

// lists returns the endpoints that return a page of rows and whose examples have all
// ids.
func lists(endpoints []resource.Endpoint) []resource.Endpoint {
	return slices.DeleteFunc(slices.Clone(endpoints), func(e resource.Endpoint) bool {
		return e.Method != "GET" || e.Response == nil || !takes(&e, "filter") ||
			!slices.ContainsFunc(e.Response.Properties, func(k resource.Key) bool { return k.Name == "items" })
	})
}

func takes(e *resource.Endpoint, param string) bool {
	return slices.ContainsFunc(e.Params, func(p resource.Param) bool { return p.Name == param && p.In == "query" })
}

type page struct {
	Total int
	Items []struct{ ID any }
}

// all reads a complete list, and reports whether it could.
func (m *member) all(path, query string) (p page, r reply) {
	m.t.Helper()
	r = m.get(path + "?size=1000" + query)
	if r.status == 200 {
		if err := decode(r.text, &p); err != nil {
			m.t.Fatalf("%s returns %v: %v", path, r, err)
		}
	}
	return p, r
}

// TestRoleLimitedToAGroupSeesNothingElseInAnyResponse sends every kind of read request as a
// user who may view one group.
func TestRoleLimitedToAGroupSeesNothingElseInAnyResponse(t *testing.T) {
	t.Parallel()
	f := newFleet(t, bound)
	s := f.copy(t)
	admin, m := f.on(t, s, "administrator"), f.on(t, s, "group reader")
	seen := newSight(t, admin, f.group)
	for _, e := range s.Endpoints() {
		if e.Method == "GET" {
			if r := m.example(&e); r.status >= 500 || seen.leak(r.text) != "" {
				t.Errorf("%s shows %s: %v", e.ID(), seen.leak(r.text), r)
			}
		}
	}
	for _, e := range lists(s.Endpoints()) {
		for _, path := range seen.paths(&e) {
			ways(t, seen, admin, m, &e, path)
		}
	}
}

// paths returns the example's path, and paths below a few visible devices and groups.
func (s *sight) paths(e *resource.Endpoint) []string {
	out := []string{unnamedBy(orPath(e), "1")}
	for prefix, ids := range map[string]map[int64]bool{"/device/devices/{": s.devices, "/device/groups/{": s.groups} {
		_, rest, below := strings.Cut(e.Path, prefix)
		_, rest, _ = strings.Cut(rest, "}")
		if !below || strings.Contains(rest, "{") {
			continue
		}
		n := 0
		for id := range ids {
			if n++; n <= 3 {
				out = append(out, strings.TrimSuffix(prefix, "{")+fmt.Sprint(id)+rest)
			}
		}
	}
	return out
}

func orPath(e *resource.Endpoint) string {
	if e.Example.Path != "" {
		return e.Example.Path
	}
	return e.Path
}

// ways requests a list in several ways. None may return hidden rows, and
// requests that match every row must return the same total.
func ways(t *testing.T, seen *sight, admin, m *member, e *resource.Endpoint, path string) {
	t.Helper()
	plain, r := m.all(path, "")
	if leak := seen.leak(r.text); leak != "" {
		t.Errorf("%s of %s shows %s: %v", path, e.ID(), leak, r)
	}
	if r.status != 200 {
		return
	}
	if whole, _ := admin.all(path, ""); plain.Total > whole.Total || plain.Total != len(plain.Items) &&
		plain.Total <= 1000 {
		t.Errorf("%s: a total of %d, %d rows; the administrator has %d", path, plain.Total, len(plain.Items),
			whole.Total)
	}
	for _, query := range []string{
		"&sort=-id", "&sort=id&offset=0", "&fields=id", "&filter=" + url.QueryEscape(`id>0`), "&filter=" +
			url.QueryEscape(`id!:"0"`),
		"&filter=" + url.QueryEscape(`id!:-7||id:-7`), "&filter=" + url.QueryEscape(`id>0||id<1`),
	} {
		way, r := m.all(path, query)
		if leak := seen.leak(r.text); leak != "" || r.status >= 500 {
			t.Errorf("%s?%s shows %s: %v", path, query, leak, r)
		}
		if r.status == 200 && way.Total != plain.Total {
			t.Errorf("%s?%s counts %d, without it %d", path, query, way.Total, plain.Total)
		}
	}
	for _, p := range e.Params {
		if p.In == "query" && p.Schema.Type == "boolean" {
			if _, r := m.all(path, "&"+p.Name+"=true"); seen.leak(r.text) != "" {
				t.Errorf("%s with %s shows %s: %v", path, p.Name, seen.leak(r.text), r)
			}
		}
	}
	for name := range seen.hidden { // one name is enough, because the filter applies to visible rows only
		if _, r := m.all(path, "&filter="+url.QueryEscape(`_all~"`+name+`"`)); r.status == 200 &&
			!strings.Contains(r.text, `"total":0,`) && seen.leak(r.text) != "" {
			t.Errorf("%s: the filter finds %q: %v", path, name, r)
		}
		break
	}
}

// TestHiddenObjectsAreReportedAsNotFound sends each request once for a hidden row and
// once for a row that does not exist. The responses must be the same
// except for the id.
func TestHiddenObjectsAreReportedAsNotFound(t *testing.T) {
	t.Parallel()
	f := newFleet(t, bound)
	s := f.copy(t)
	admin, m := f.on(t, s, "administrator"), f.on(t, s, "group writer")
	endpoints := inOrder(s.Endpoints())
	compared := 0
	for _, list := range lists(endpoints) {
		path := unnamedBy(orPath(&list), "1")
		hidden, missing := outOfSight(admin, m, path)
		if hidden == "" {
			continue
		}
		for _, e := range endpoints {
			rest, below := strings.CutPrefix(e.Path, list.Path+"/{")
			if !below && e.Path != list.Path+"/batch" {
				continue
			}
			compared++
			_, rest, _ = strings.Cut(rest, "}")
			rest = deeper(&e, rest)
			get := func(id string) reply {
				if e.Path == list.Path+"/batch" {
					return m.send("POST", path+"/batch", "", fmt.Sprintf(`{"atomic":false,`+
						`"operations":[{"op":"patch","id":%s,"body":{}},{"op":"delete","id":%s}]}`, id, id))
				}
				body := ""
				if e.Body != nil {
					body = asJSON(t, e.Example.Body)
				}
				return m.send(e.Method, path+"/"+id+rest, "", body)
			}
			there, nowhere := get(hidden), get(missing)
			same := withoutID(there.text, hidden) == withoutID(nowhere.text, missing)
			if there.status != nowhere.status || !same || there.status < 400 && !strings.HasSuffix(e.Path, "/batch") {
				t.Errorf("%s\nout of sight (%s): %v\nnot there (%s): %v", e.ID(), hidden, there, missing, nowhere)
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d requests were compared only", compared)
	}
}

// withoutID removes an id from a response, with or without the letters before its
// number.
func withoutID(text, id string) string {
	number := regexp.MustCompile(`\d+$`).FindString(id)
	return regexp.MustCompile(`\b([A-Z]+_)?`+number+`\b`).ReplaceAllString(text, "ID")
}

// deeper completes the rest of a path with ids from the example.
func deeper(e *resource.Endpoint, rest string) string {
	template, real := strings.Split(e.Path, "/"), strings.Split(orPath(e), "/")
	n := strings.Count(rest, "/")
	if n == 0 || len(template) != len(real) {
		return unnamedBy(rest, "1")
	}
	return "/" + unnamedBy(strings.Join(real[len(real)-n:], "/"), "1")
}

// outOfSight returns the id of a row that the administrator can view and m cannot,
// and an unused id of the same form; both are empty where m can view all.
func outOfSight(admin, m *member, path string) (hidden, missing string) {
	m.t.Helper()
	whole, _ := admin.all(path, "")
	part, r := m.all(path, "")
	if r.status != 200 {
		return "", ""
	}
	for _, row := range whole.Items {
		if !slices.ContainsFunc(part.Items, func(have struct{ ID any }) bool {
			return fmt.Sprint(have.ID) == fmt.Sprint(row.ID)
		}) {
			hidden = fmt.Sprint(row.ID)
		}
	}
	if hidden == "" || hidden == "<nil>" {
		return "", ""
	}
	digits := regexp.MustCompile(`\d+$`)
	return hidden, digits.ReplaceAllString(hidden, "987654321")
}
