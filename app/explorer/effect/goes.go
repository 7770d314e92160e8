package effect

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Limits of listing what a deletion removes.
const (
	lookTime = 2 * time.Second
	atOnce   = 4
)

// Below counts one kind of dependents that are deleted with an object.
type Below struct {
	Label string `json:"label" doc:"plural of its kind, or singular for one"`
	Count int64  `json:"count"`
}

// Gone lists the objects that a DELETE removes.
type Gone struct {
	Below []Below `json:"below"`
	Bin   bool    `json:"bin" doc:"the portal keeps it in a recycle bin"`
	Late  bool    `json:"late" doc:"counting took too long"`
	Name  string  `json:"name"`
	Noun  string  `json:"noun" doc:"its kind, such as maintenance window; empty if unknown"`
	Path  string  `json:"path" doc:"path of the request, with its query"`

	Was *payload.Object `json:"-"` // the object; nil if it cannot be read
}

// Goes returns what a DELETE would remove: the object's kind and name, its
// address as sent, and the number of items in the lists below it. It omits lists
// that cannot be counted in time.
func (f Fetch) Goes(ctx context.Context, t *outgoing.Target, out *outgoing.Request) *Gone {
	response := &Gone{Path: t.MaskedPath(out), Below: []Below{}}
	if out.Endpoint == nil {
		return response
	}
	response.Noun = catalog.NounOf(out.Endpoint).One
	response.Bin = t.Catalog.Restore(out.Endpoint) != nil && !strings.Contains(out.URL, "deleteHard=true")
	timed, stop := context.WithTimeout(ctx, lookTime)
	defer stop()
	var found []Below
	if was, err := f.At(timed, t, out); err == nil {
		response.Name, response.Was = was.Name(), was
		found = counted(was, t.Catalog.Match("GET", out.Path).Response)
	}
	lists := t.Catalog.Below(out.Endpoint)
	results := make([]*Below, len(lists))
	var looking service.Parts
	places := make(chan struct{}, atOnce)
	for i, list := range lists {
		looking.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			results[i] = f.countList(timed, t, out, list)
		})
	}
	looking.Wait()
	for _, one := range results {
		if one != nil && one.Count > 0 && !slices.ContainsFunc(found, one.same) {
			found = append(found, *one)
		}
	}
	response.Late = timed.Err() != nil && ctx.Err() == nil
	if len(found) > 0 {
		response.Below = found
	}
	return response
}

// counted returns the fields of an object with the number of its children, with
// the catalog's words: "devices in it".
func counted(o *payload.Object, s *resource.Schema) []Below {
	var out []Below
	for _, key := range o.Keys {
		_, field := catalog.Property(s, key)
		noun := catalog.Counted(key, field)
		var n int64
		if noun.One == "" || json.Unmarshal(o.Values[key], &n) != nil || n <= 0 {
			continue
		}
		if one := (Below{Label: noun.For(n), Count: n}); !slices.ContainsFunc(out, one.same) {
			out = append(out, one)
		}
	}
	return out
}

// same reports whether f counts the same objects as b, under another name.
func (b *Below) same(f Below) bool {
	return f.Label == b.Label || f.Count == b.Count && strings.HasPrefix(f.Label, b.Label+" ")
}

// countList returns the total of a list below the object; nil if it has none.
func (f Fetch) countList(ctx context.Context, t *outgoing.Target, out *outgoing.Request,
	list *resource.Endpoint) *Below {
	address, _, _ := strings.Cut(out.URL, "?")
	rest := strings.TrimPrefix(list.Path, out.Endpoint.Path)
	if slices.ContainsFunc(list.Params, func(p resource.Param) bool { return p.Name == "size" }) {
		rest += "?size=1"
	}
	one := out.By("GET", address+rest, "")
	one.Endpoint = list
	response, body, err := f(ctx, t, one)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil
	}
	got, err := payload.ReadPage(body)
	if err != nil || got.Total == nil {
		return nil
	}
	n := max(*got.Total, -*got.Total)
	return &Below{Label: catalog.NounOf(list).For(n), Count: n}
}
