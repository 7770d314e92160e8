package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/fault"
)

// Limits of reading lists.
const (
	usualItems = 100
	mostItems  = 500
	pageSize   = 250
	mostValue  = 2_000 // bytes of a value in an object that is too long
)

type callIn struct {
	Path       string         `json:"path" jsonschema:"path of the endpoint, such as /device/devices/7 or /device/devices/{id}"`
	PathParams map[string]any `json:"path_params,omitempty" jsonschema:"values of the {parameters} in the path"`
	Query      map[string]any `json:"query,omitempty" jsonschema:"query parameters, such as filter, fields, sort, size and offset"`
}

func callEndpoint(ctx context.Context, c *toolCall, in *callIn) (*result, error) {
	out, err := c.readable(in.Path, in.PathParams, in.Query)
	if err != nil {
		return nil, err
	}
	response, body, err := c.send(ctx, out)
	if err != nil {
		return nil, err
	}
	data := map[string]any{"status": response.StatusCode, "path": out.Path}
	shown, note := bounded(response, masked(body))
	data["body"] = shown
	text := fmt.Sprintf("GET %s returned %d.", out.Path, response.StatusCode)
	if note != "" {
		data["note"] = note
		text += " " + note
	}
	return &result{text: text, data: data}, nil
}

// readable returns a GET, unless its response has a secret.
func (c *toolCall) readable(path string, params, query map[string]any) (*outgoing.Request, error) {
	out, err := c.request(http.MethodGet, path, params, query, "")
	if err != nil {
		return nil, err
	}
	return out, c.checkSecrets(out)
}

// checkSecrets refuses requests whose response has a secret that is shown only once.
func (c *toolCall) checkSecrets(out *outgoing.Request) error {
	if outgoing.GivesSecrets(out.Endpoint) {
		return fault.New(fault.Denied, "The response of %s has a secret that is shown once, and agents must not see "+
			"it, so nothing was sent. Ask a person to do this in Spyglass", out.Endpoint.ID())
	}
	return nil
}

// bounded returns a body for the result, and what is missing in it and how to get it.
func bounded(response *http.Response, body []byte) (shown any, note string) {
	kind := response.Header.Get("Content-Type")
	if !strings.Contains(kind, "json") || !json.Valid(body) {
		if strings.HasPrefix(kind, "text/") || kind == "" {
			return cutText(string(body))
		}
		return nil, fmt.Sprintf("The response is a file (%s, %d bytes), which this tool does not return.",
			kind, len(body))
	}
	if len(body) <= maxOutput {
		return json.RawMessage(body), ""
	}
	if page, err := payload.ReadPage(body); err == nil {
		items := fitting(page.Items)
		return map[string]any{"items": items, "total": page.Total}, fmt.Sprintf("Only the first %d of the %d items "+
			"of this page fit into the result. Use fields to return fewer fields, a narrower filter, or size and "+
			"offset.",
			len(items), len(page.Items))
	}
	o, ok := payload.ReadObject(body)
	if !ok {
		return cutText(string(body))
	}
	var left []string
	short := map[string]json.RawMessage{}
	total := 0
	for _, key := range o.Keys {
		value := o.Values[key]
		if total += len(key) + len(value); len(value) > mostValue || total > maxOutput {
			left = append(left, key)
			total -= len(value)
			continue
		}
		short[key] = value
	}
	return short, "These fields are too long for the result: " + shorten(strings.Join(left, ", "), 500) +
		". Read them one at a time with fields=NAME."
}

func cutText(text string) (string, string) {
	if len(text) <= maxOutput {
		return text, ""
	}
	return strings.ToValidUTF8(text[:maxOutput], ""), fmt.Sprintf("Only the first %d of %d bytes are shown. Request "+
		"less, for example a shorter period.", maxOutput, len(text))
}

// fitting returns as many of the first items as fit into a result.
func fitting(items []json.RawMessage) []json.RawMessage {
	size := 0
	for i, item := range items {
		if size += len(item) + 1; size > maxOutput {
			return items[:i]
		}
	}
	return items
}

type listIn struct {
	Path       string         `json:"path" jsonschema:"path of the list, such as /device/devices"`
	PathParams map[string]any `json:"path_params,omitempty" jsonschema:"values of the {parameters} in the path"`
	Query      map[string]any `json:"query,omitempty" jsonschema:"filter, fields, sort and other parameters; not size"`
	MaxItems   int            `json:"max_items,omitempty" jsonschema:"how many items to return at most, 100 by default"`
}

func listItems(ctx context.Context, c *toolCall, in *listIn) (*result, error) {
	out, err := c.readable(in.Path, in.PathParams, in.Query)
	if err != nil {
		return nil, err
	}
	if e := out.Endpoint; e != nil && e.Response != nil {
		if _, items := catalog.Property(e.Response, "items"); items == nil {
			return nil, fault.At("path", "GET %s is not a list; use call_endpoint", out.Path)
		}
	}
	most := min(cmp.Or(in.MaxItems, usualItems), mostItems)
	at := payload.PagedOf(out.URL)
	first := at.Offset
	items := []json.RawMessage{}
	var total *int64
	note := ""
	for len(items) < most {
		at.Size = int64(min(pageSize, most-len(items)))
		page := out.By(http.MethodGet, at.At(first+int64(len(items))), "")
		_, body, err := c.send(ctx, page)
		if err != nil && len(items) > 0 {
			note = "The list ends early: " + strings.TrimSuffix(fault.Of(err).Message, ".") + "."
			break
		}
		if err != nil {
			return nil, err
		}
		got, err := payload.ReadPage(masked(body))
		if err != nil {
			return nil, fault.At("path", "GET %s is not a list; use call_endpoint", out.Path)
		}
		items, total = append(items, got.Items[:min(len(got.Items), int(at.Size))]...), got.Total
		if int64(len(got.Items)) < at.Size || total != nil && *total >= 0 && first+int64(len(items)) >= *total {
			break
		}
	}
	fit := fitting(items)
	next := first + int64(len(fit))
	data := map[string]any{"items": fit, "returned": len(fit)}
	text := amount(len(fit), "item") + " returned."
	if total != nil && *total >= 0 {
		data["total"] = *total
		text = fmt.Sprintf("%d of %s returned.", len(fit), amount(int(*total), "item"))
		if next < *total {
			data["next_offset"] = next
			text += fmt.Sprintf(" For more, call again with offset=%d in query, or narrow the filter.", next)
		}
	}
	if len(fit) < len(items) {
		note += " The result is full: use fields to return fewer fields of each item."
	}
	return &result{text: strings.TrimSpace(text + " " + strings.TrimSpace(note)), data: data}, nil
}

// page reads one page of a list into typed items.
func page[T any](ctx context.Context, c *toolCall, path string, query url.Values) (items []T, total int64, err error) {
	var in struct {
		Items []T
		Total int64
	}
	err = c.get(ctx, path, query, &in)
	return in.Items, in.Total, err
}

// query returns a query of names and values.
func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

// quote returns a text as a value of a filter.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `*`, `\*`).Replace(text) + `"`
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
