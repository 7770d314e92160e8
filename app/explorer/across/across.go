// Package across compares a list of two portals, and creates in one of them what it
// lacks.
//
// Items are matched by a field that is unique in both lists, because ids differ. Only
// fields that a body may set are compared: neither those that the portal sets, nor
// secrets. Ids of other objects are compared by the names of the objects. What is created
// is a run of writes like any other, which the history can undo.
//
// # Units
//
// Limits are items, and objects of one run.
//
// # Concurrency
//
// Lists is safe for concurrent use. A comparison stays on the goroutine of its request; a
// creation is a run of package run. Both end with their request.
//
// # Errors
//
// fault.Invalid names the field of the request. fault.TooLarge: a list is too long to
// compare. fault.Conflict: no field identifies the items. fault.Denied: the portal in which
// to create is read-only. An object that cannot be created is a result with a problem; the
// others are created nevertheless.
package across

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/pages"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/run"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Lists compares lists of two portals.
type Lists struct {
	*send.Sender
	Pager  *pages.Pager
	Runner *run.Runner
}

// Limits.
const (
	maxItems  = 10_000 // of each list
	maxCreate = 500    // objects at a time
	maxText   = 300    // characters of a value in a difference
)

// Endpoints returns the endpoints of lists of two portals.
func (l *Lists) Endpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Post("/lists/compare", "Compare a list with that of another portal", &compareRequests, l.compare),
		serve.Post("/lists/create", "Create the objects that a portal lacks", &createRequests, l.create),
	}
}

// compareRequest is the body of /lists/compare.
type compareRequest struct {
	SendID string
	Draft  workspace.Draft
	Other  int64
	Key    string
}

var compareRequests = resource.Resource[*compareRequest]{Name: "listComparison", Label: "comparison",
	Fields: []resource.Field[*compareRequest]{
		{Name: "sendId", At: func(r *compareRequest) any { return &r.SendID }, Doc: "Id in progress events",
			MaxLen: 100},
		{Name: "draft", At: func(r *compareRequest) any { return &r.Draft }, Doc: "The GET of a list", Required: true},
		{Name: "other", At: func(r *compareRequest) any { return &r.Other }, Doc: "The other portal; 0 is the " +
			"built-in one"},
		{Name: "key", At: func(r *compareRequest) any { return &r.Key }, Doc: "The field that matches items; empty: " +
			"the best of those that can", MaxLen: 255},
	}}

// ListRow is one object of the lists.
type ListRow struct {
	Kind        string           `json:"kind" enum:"here|there|different|same"`
	Key         string           `json:"key" doc:"the value of the key"`
	Name        string           `json:"name"`
	Differences []ListDifference `json:"differences"`
	Body        string           `json:"body" doc:"what creates it in the other portal; empty unless it is only here"`
	Left        []string         `json:"left" doc:"what the body leaves out, and why"`
	Needs       []Need           `json:"needs" doc:"what has to be created before it"`
}

// ListDifference is one field of an object that differs.
type ListDifference struct {
	Field string `json:"field"`
	Here  string `json:"here" doc:"JSON, cut when long; empty for none"`
	There string `json:"there"`
}

// Need is a field of a body that refers to another object of the list, which the other
// portal does not have yet.
type Need struct {
	Field string `json:"field"`
	Key   string `json:"key" doc:"of the other object"`
}

// compared is the response to /lists/compare.
type compared struct {
	Key       string    `json:"key" doc:"the field that matches items; empty for two empty lists"`
	Keys      []string  `json:"keys" doc:"the fields that can: unique in both lists"`
	Create    string    `json:"create" doc:"the path of the POST that creates objects; empty: there is none"`
	Rows      []ListRow `json:"rows"`
	Here      int       `json:"here" doc:"only in this portal"`
	There     int       `json:"there" doc:"only in the other one"`
	Different int       `json:"different"`
	Same      int       `json:"same"`
}

// compare compares a list of the portal of the call with that of another portal.
func (l *Lists) compare(ctx context.Context, c *resource.Call, in *compareRequest) (*compared, error) {
	if in.Other == workspace.PortalID(c) {
		return nil, fault.At("other", "choose another portal than the one of the tab")
	}
	whole := in.Draft
	whole.Query = slices.DeleteFunc(slices.Clone(whole.Query), func(r workspace.Row) bool { return r.Key == "fields" })
	m := &mapping{Lists: l, sendID: in.SendID}
	var err error
	if m.here, err = l.side(ctx, c, in.SendID, &whole); err != nil {
		return nil, err
	}
	if m.there, err = l.side(ctx, at(c, in.Other), in.SendID, &whole); err != nil {
		return nil, err
	}
	out := &compared{Rows: []ListRow{}, Keys: keysOf(m.here.objects, m.there.objects)}
	if out.Key, err = m.chosen(in.Key, out.Keys); err != nil {
		return nil, err
	}
	if m.learn(out.Key) {
		out.Create = m.there.Out.Path
	}
	return out, m.pair(ctx, out)
}

// at returns the same call about another portal.
func at(c *resource.Call, portal int64) *resource.Call {
	other := *c
	other.Query = url.Values{"portal": {strconv.FormatInt(portal, 10)}}
	return &other
}

// side is the list of one portal.
type side struct {
	*send.Exchange
	call    *resource.Call
	objects []*payload.Object
}

// side reads a list of one portal, with the variables of that portal.
func (l *Lists) side(ctx context.Context, c *resource.Call, sendID string, draft *workspace.Draft) (*side, error) {
	items, x, err := l.Pager.Items(ctx, c, &send.Request{SendID: sendID, Draft: *draft}, maxItems)
	if err != nil {
		return nil, l.named(ctx, c, err)
	}
	out := &side{Exchange: x, call: c, objects: make([]*payload.Object, len(items))}
	post := creator(x)
	for i, item := range items {
		one, ok := payload.ReadObject([]byte(outgoing.MaskBody(string(item), post)))
		if !ok {
			return nil, fault.New(fault.Conflict, "the items of %s are not objects", x.Target.Name)
		}
		out.objects[i] = one
	}
	return out, nil
}

// named adds the portal to an error about a variable, which may exist in the other one.
func (l *Lists) named(ctx context.Context, c *resource.Call, err error) error {
	known := fault.Of(err)
	if known.Kind != fault.Invalid {
		return err
	}
	t, wrong := l.Target(ctx, c)
	if wrong != nil {
		return err
	}
	copied := *known
	copied.Message = t.Name + ": " + known.Message
	return &copied
}

// creator returns the POST that creates objects of a list; nil if there is none.
func creator(x *send.Exchange) *resource.Endpoint {
	post := x.Target.Catalog.Match("POST", x.Out.Path)
	if post == nil || post.Body == nil || strings.Contains(post.Path, "{") {
		return nil
	}
	return post
}

// preferred lists fields that identify objects beyond one portal, the best first.
var preferred = []string{"fullPath", "name", "displayName", "username", "title", "label", "key", "uuid"}

// keysOf returns the fields that are unique in both lists: first those that identify
// objects beyond a portal, and the id last.
func keysOf(lists ...[]*payload.Object) []string {
	keys := []string{}
	for _, list := range lists {
		if len(list) == 0 {
			continue
		}
		for _, name := range list[0].Keys {
			if !slices.Contains(keys, name) && !slices.ContainsFunc(lists, func(all []*payload.Object) bool {
				return !unique(all, name)
			}) {
				keys = append(keys, name)
			}
		}
	}
	rank := func(name string) int {
		if name == "id" {
			return 2 * len(preferred)
		}
		if i := slices.Index(preferred, name); i >= 0 {
			return i
		}
		return len(preferred)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return keys
}

// unique reports whether a field identifies every object of a list.
func unique(list []*payload.Object, name string) bool {
	seen := map[string]bool{}
	for _, o := range list {
		text, ok := keyText(o, name)
		if !ok || seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}

// keyText returns a text or a number of an object; false if it has no such field.
func keyText(o *payload.Object, name string) (string, bool) {
	var v any
	if json.Unmarshal(o.Values[name], &v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return v, v != resource.Mask
	case float64:
		return string(o.Values[name]), true
	}
	return "", false
}

// chosen returns the field that matches items.
func (m *mapping) chosen(key string, keys []string) (string, error) {
	switch {
	case len(m.here.objects) == 0 && len(m.there.objects) == 0:
		return "", nil
	case len(keys) == 0:
		return "", fault.New(fault.Conflict, "no field identifies the items of both lists")
	case key == "":
		return keys[0], nil
	case !slices.Contains(keys, key):
		return "", fault.At("key", "%q is not unique in both lists; choose another field", key)
	}
	return key, nil
}

// pair matches the objects of both lists, and describes each.
func (m *mapping) pair(ctx context.Context, out *compared) error {
	others := map[string]*payload.Object{}
	for _, o := range m.there.objects {
		key, _ := keyText(o, out.Key)
		others[key] = o
	}
	for _, o := range m.here.objects {
		key, _ := keyText(o, out.Key)
		row := newRow("here", key, o)
		if twin := others[key]; twin != nil {
			delete(others, key)
			row.Kind, row.Differences = "same", m.differences(ctx, o, twin)
			if len(row.Differences) > 0 {
				row.Kind = "different"
			}
		} else if out.Create != "" {
			row.Body, row.Left, row.Needs = m.body(ctx, o)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		out.add(row)
	}
	for _, o := range m.there.objects {
		key, _ := keyText(o, out.Key)
		if others[key] != nil {
			out.add(newRow("there", key, o))
		}
	}
	return nil
}

func newRow(kind, key string, o *payload.Object) ListRow {
	return ListRow{Kind: kind, Key: key, Name: o.Name(), Differences: []ListDifference{}, Left: []string{},
		Needs: []Need{}}
}

func (c *compared) add(row ListRow) {
	c.Rows = append(c.Rows, row)
	switch row.Kind {
	case "here":
		c.Here++
	case "there":
		c.There++
	case "different":
		c.Different++
	default:
		c.Same++
	}
}

// differences compares the fields of two objects.
func (m *mapping) differences(ctx context.Context, here, there *payload.Object) []ListDifference {
	out := []ListDifference{}
	mine, theirs := m.shown(ctx, here, false), m.shown(ctx, there, true)
	for _, name := range sortedKeys(mine, theirs) {
		if x, y := textOf(mine, name), textOf(theirs, name); x != y {
			out = append(out, ListDifference{name, cut(x), cut(y)})
		}
	}
	return out
}

// textOf returns a field as JSON with its keys in order, so that equal values are equal
// texts; "" if there is none.
func textOf(fields map[string]any, name string) string {
	v, ok := fields[name]
	if !ok {
		return ""
	}
	return encoded(v)
}

func sortedKeys(maps ...map[string]any) []string {
	var keys []string
	for _, one := range maps {
		for key := range one {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

func encoded(v any) string {
	text, err := catalog.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

func cut(text string) string {
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText]) + "…"
	}
	return text
}
