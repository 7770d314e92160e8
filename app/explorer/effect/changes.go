// Package effect compares a write with the current object, lists what a deletion
// removes, and finds the request that undoes a write.
//
// It reads with a Fetch and writes nothing: its callers send the write, and the Request
// of an Undo. The Explorer's drafts and the tools for agents share it.
//
// # Units
//
// Sizes are bytes; counts are objects.
//
// # Concurrency
//
// A Fetch is safe for concurrent use if its function is. An Undo belongs to one caller
// at a time. Lists below an object are counted on goroutines of their own, which end
// before the call returns.
//
// # Errors
//
// fault.Conflict: the object was changed since. fault.Unknown: the catalog has no GET
// for the object, or the portal does not have it.
package effect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Fetch sends a request to a portal and reads a response of limited size.
type Fetch func(ctx context.Context, t *outgoing.Target, out *outgoing.Request) (*http.Response, []byte, error)

// beforeTime limits how long reading an object may delay a write.
const beforeTime = 5 * time.Second

// At returns the object of a GET of the same path. It returns fault.Unknown if
// the catalog has no such GET, or the portal has no such object.
func (f Fetch) At(ctx context.Context, t *outgoing.Target, out *outgoing.Request) (*payload.Object, error) {
	twin := t.Catalog.Match("GET", out.Path)
	if out.Endpoint == nil || twin == nil || twin.Path != out.Endpoint.Path {
		return nil,
			fault.New(fault.Unknown, "the catalog has no GET for %s to read the current object", out.Path)
	}
	address, _, _ := strings.Cut(out.URL, "?")
	response, body, err := f(ctx, t, out.By("GET", address, ""))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, &fault.Error{Kind: fault.Unknown, Message: fmt.Sprintf("GET %s failed with %s", out.Path,
			response.Status), Detail: serve.Detail{Status: response.Status}}
	}
	o, ok := payload.ReadObject(body)
	if !ok {
		return nil, fault.New(fault.Unknown, "GET %s did not return a JSON object", out.Path)
	}
	o.Etag = response.Header.Get("ETag")
	return o, nil
}

// FieldChange is the effect of a write on one field.
type FieldChange struct {
	Name string `json:"name"`
	Kind string `json:"kind" enum:"set|changed|cleared|same|readOnly|unknown"`
	Was  string `json:"was" doc:"JSON, cut when long; empty for none"`
	Now  string `json:"now"`
}

// Differences lists the fields of an object that a write would change.
type Differences struct {
	Fields []FieldChange   `json:"fields"`
	Name   string          `json:"name"`
	Was    *payload.Object `json:"-"` // the object now
}

// Changes compares the body of a PUT or PATCH with the current object.
func (f Fetch) Changes(ctx context.Context, t *outgoing.Target, out *outgoing.Request) (*Differences, error) {
	given, ok := payload.ReadObject([]byte(out.Body))
	if !ok {
		return nil, fault.At("body", "the body is not a JSON object, so it cannot be compared")
	}
	was, err := f.At(ctx, t, out)
	if err != nil {
		return nil, err
	}
	return &Differences{compare(out.Endpoint, was, given), was.Name(), was}, nil
}

// compare returns the change of each field, in the body's order; fields that a
// PUT would clear come last.
func compare(e *resource.Endpoint, was, given *payload.Object) []FieldChange {
	declared := map[string]*resource.Key{}
	if e.Body != nil {
		for i := range e.Body.Properties {
			declared[e.Body.Properties[i].Name] = &e.Body.Properties[i]
		}
	}
	out := []FieldChange{}
	for _, name := range given.Keys {
		one := FieldChange{Name: name, Was: cut(was.Values[name]), Now: cut(given.Values[name])}
		key, known := declared[name]
		switch _, there := was.Values[name]; {
		case known && key.WriteOnly:
			one.Kind, one.Was, one.Now = "set", "", payload.Quoted(resource.Mask)
		case known && key.ReadOnly:
			one.Kind = "readOnly"
		case !known && len(declared) > 0:
			one.Kind = "unknown"
		case payload.AlikeJSON(was.Values[name], given.Values[name]):
			one.Kind = "same"
		case !there || isEmpty(was.Values[name]):
			one.Kind = "set"
		default:
			one.Kind = "changed"
		}
		out = append(out, one)
	}
	if e.Method != "PUT" || e.Body == nil {
		return out
	}
	for _, key := range e.Body.Properties {
		_, sent := given.Values[key.Name]
		value, there := was.Values[key.Name]
		if sent || !there || key.ReadOnly || key.WriteOnly || isEmpty(value) || isDefault(&key.Schema, value) {
			continue
		}
		out = append(out, FieldChange{Name: key.Name, Kind: "cleared", Was: cut(value), Now: defaultText(&key.Schema)})
	}
	return out
}

// maxShown limits the bytes of a value shown in a comparison.
const maxShown = 400

// cut returns a value for display, on one line and truncated.
func cut(value json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return ""
	}
	text := out.String()
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}

// isEmpty reports whether a value is null or empty.
func isEmpty(value json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "[]", "{}", "0", "false"}, cut(value))
}

func isDefault(s *resource.Schema, value json.RawMessage) bool {
	text, err := catalog.Marshal(s.Default)
	return err == nil && s.Default != nil && payload.AlikeJSON(text, value)
}

func defaultText(s *resource.Schema) string {
	text, err := catalog.Marshal(s.Default)
	if err != nil || s.Default == nil {
		return ""
	}
	return cut(text)
}
