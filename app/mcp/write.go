package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/effect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// addWriting adds the tools that change the portal.
func (s *Server) addWriting(to *tools) {
	add(to, tool{
		name: "preview_change", title: "Preview a change", changes: true,
		about: "Prepare a POST, PUT, PATCH or DELETE without sending it. Returns what would change, field by field, " +
			"or what a DELETE would remove, and a handle. Show the preview to the user, and send it with " +
			"confirm_change only if they agree.",
		enums: map[string][]any{"method": methods[1:]},
	}, previewChange)
	add(to, tool{
		name: "confirm_change", title: "Send a previewed change", changes: true, writes: true, destroys: true,
		about: "Send the change of a preview, unless the object has changed since. Only call it after the user " +
			"agreed to the preview. Returns a handle to undo the change, where that is possible.",
	}, confirmChange)
	add(to, tool{
		name: "undo_change", title: "Undo a change", changes: true, writes: true, destroys: true,
		about: "Undo a change that confirm_change sent: restores the fields, deletes what was created, or restores " +
			"what was deleted. It refuses if the object has changed since.",
	}, undoChange)
}

type previewIn struct {
	Method     string         `json:"method" jsonschema:"PATCH changes some fields, PUT replaces all, POST creates or runs an action"`
	Path       string         `json:"path" jsonschema:"path of the endpoint, such as /device/devices/7"`
	PathParams map[string]any `json:"path_params,omitempty" jsonschema:"values of the {parameters} in the path"`
	Query      map[string]any `json:"query,omitempty" jsonschema:"query parameters"`
	Body       map[string]any `json:"body,omitempty" jsonschema:"JSON object to send, for POST, PUT and PATCH"`
}

// previewed is the result of preview_change.
type previewed struct {
	Handle  string               `json:"handle"`
	Expires int                  `json:"expires_in_seconds"`
	Request string               `json:"request"`
	Summary string               `json:"summary"`
	Object  string               `json:"object,omitempty"`
	Fields  []effect.FieldChange `json:"fields,omitempty"`
	Removes []effect.Below       `json:"removes_with_it,omitempty"`
	Bin     bool                 `json:"kept_in_recycle_bin,omitempty"`
	Body    any                  `json:"body,omitempty"`
	Notes   []string             `json:"notes,omitempty"`
}

func previewChange(ctx context.Context, c *toolCall, in *previewIn) (*result, error) {
	if !slices.Contains(methods[1:], any(in.Method)) {
		return nil, fault.At("method", "method must be POST, PUT, PATCH or DELETE; use call_endpoint to read")
	}
	body := ""
	if in.Body != nil && in.Method != http.MethodDelete {
		text, err := catalog.Marshal(in.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	out, err := c.request(in.Method, in.Path, in.PathParams, in.Query, body)
	if err != nil {
		return nil, err
	}
	if err := c.checkWrite(out); err != nil {
		return nil, err
	}
	p := &preview{out: out}
	shown := &previewed{Expires: int(previewTime.Seconds()),
		Request: out.Method + " " + strings.TrimPrefix(out.Masked(), c.target.URL)}
	switch out.Method {
	case http.MethodPut, http.MethodPatch:
		err = c.compare(ctx, p, shown)
	case http.MethodDelete:
		err = c.removal(ctx, p, shown)
	default:
		shown.Summary = out.Endpoint.Summary + ": sends the body as it is."
		if body != "" {
			shown.Body = json.RawMessage(outgoing.MaskBody(body, out.Endpoint))
		}
	}
	if err != nil {
		return nil, err
	}
	shown.Handle = c.handles.keep(&held{owner: c.caller.Owner, preview: p, bytes: len(body) + sizeOf(p.was),
		until: time.Now().Add(previewTime)})
	return &result{text: shown.Summary + " Nothing has been sent. To send it, call confirm_change with the handle.",
		data: shown}, nil
}

// checkWrite refuses a write that is not in the catalog, or whose response has a secret.
func (c *toolCall) checkWrite(out *outgoing.Request) error {
	if len(c.target.Catalog.Endpoints) == 0 {
		return noCatalog(c.target)
	}
	if out.Endpoint == nil {
		return fault.At("path", "there is no endpoint %s %s%s", out.Method, out.Path, c.near(out))
	}
	return c.checkSecrets(out)
}

// compare fills in the difference between the body of a PUT or PATCH and the object.
func (c *toolCall) compare(ctx context.Context, p *preview, shown *previewed) error {
	diff, err := c.effects().Changes(ctx, c.target, p.out)
	if fault.Is(err, fault.Unknown) {
		shown.Summary = p.out.Endpoint.Summary + "."
		shown.Body = json.RawMessage(outgoing.MaskBody(p.out.Body, p.out.Endpoint))
		shown.Notes = append(shown.Notes, "The current object cannot be read ("+fault.Of(err).Message+"), so there "+
			"is no comparison and no undo.")
		return nil
	}
	if err != nil {
		return err
	}
	p.was, shown.Object = diff.Was, diff.Name
	var names []string
	for _, f := range diff.Fields {
		switch f.Kind {
		case "set", "changed", "cleared":
			names = append(names, f.Name)
			shown.Fields = append(shown.Fields, f)
		case "readOnly":
			shown.Notes = append(shown.Notes, f.Name+" is read-only; the portal ignores it.")
		case "unknown":
			shown.Notes = append(shown.Notes, f.Name+" is not a field of this object.")
		}
	}
	noun := catalog.NounOf(p.out.Endpoint).One
	shown.Summary = strings.TrimSpace(fmt.Sprintf("Changes nothing of %s “%s”", noun, diff.Name)) + "."
	if len(names) > 0 {
		shown.Summary = fmt.Sprintf("Changes %s of %s.", payload.Listed(names),
			strings.TrimSpace(noun+" “"+diff.Name+"”"))
	}
	return nil
}

// removal fills in what a DELETE removes.
func (c *toolCall) removal(ctx context.Context, p *preview, shown *previewed) error {
	gone := c.effects().Goes(ctx, c.target, p.out)
	p.was, shown.Object, shown.Removes, shown.Bin = gone.Was, gone.Name, gone.Below, gone.Bin
	if gone.Late {
		shown.Notes = append(shown.Notes, "Counting took too long, so the list of what goes with it may be incomplete.")
	}
	var along []string
	for _, b := range gone.Below {
		along = append(along, fmt.Sprintf("%d %s", b.Count, b.Label))
	}
	name := p.out.Path
	if gone.Name != "" {
		name = "“" + gone.Name + "”"
	}
	shown.Summary = "Deletes " + strings.TrimSpace(gone.Noun+" "+name)
	if len(along) > 0 {
		shown.Summary += ", and with it " + words(along)
	}
	shown.Summary += "."
	if gone.Bin {
		shown.Summary += " The portal keeps it in the recycle bin."
	}
	return nil
}

type handleIn struct {
	Handle string `json:"handle" jsonschema:"handle that the tool before returned"`
}

// confirmed is the result of confirm_change and undo_change.
type confirmed struct {
	Status int    `json:"status"`
	Done   string `json:"done"`
	ID     string `json:"id,omitempty"`
	Object string `json:"object,omitempty"`
	Undo   string `json:"undo,omitempty"`
	Handle string `json:"undo_handle,omitempty"`
}

func confirmChange(ctx context.Context, c *toolCall, in *handleIn) (*result, error) {
	h := c.handles.find(c.caller.Owner, in.Handle, time.Now())
	if h == nil || h.preview == nil || c.handles.take(c.caller.Owner, in.Handle, time.Now()) == nil {
		return nil, fault.At("handle", "there is no preview with this handle: it was sent already, or is older than "+
			"%d minutes. Preview the change again", int(previewTime.Minutes()))
	}
	out := h.preview.out.By(h.preview.out.Method, h.preview.out.URL, h.preview.out.Body)
	if err := c.unchanged(ctx, h.preview, out); err != nil {
		return nil, err
	}
	response, body, err := c.write(ctx, out)
	if err != nil {
		return nil, err
	}
	way := &effect.Undo{Target: c.target, Out: out, Before: h.preview.was}
	way.Complete(ctx, c.fetch, body)
	done := &confirmed{Status: response.StatusCode, Done: out.Endpoint.Summary + " done."}
	if o := way.After; o != nil {
		done.ID, done.Object = o.ID(), o.Name()
	} else if way.Before != nil {
		done.ID, done.Object = way.Before.ID(), way.Before.Name()
	}
	text := fmt.Sprintf("%s %s returned %d.", out.Method, out.Path, response.StatusCode)
	if done.Undo = way.Says(); done.Undo != "" {
		done.Handle = c.handles.keep(&held{owner: c.caller.Owner, undo: way, until: time.Now().Add(undoTime),
			bytes: len(out.Body) + sizeOf(way.Before, way.After)})
		text += " undo_change with the handle " + done.Undo + "."
	} else {
		text += " It cannot be undone."
	}
	way.Target = withoutToken(c.target)
	return &result{text: text, data: done}, nil
}

// unchanged makes a write conditional on the object that the preview showed.
func (c *toolCall) unchanged(ctx context.Context, p *preview, out *outgoing.Request) error {
	switch {
	case p.was == nil:
		return nil
	case p.was.Etag != "":
		out.Headers = append(out.Headers, [2]string{"If-Match", p.was.Etag})
		return nil
	}
	now, err := c.effects().At(ctx, c.target, out)
	if err != nil {
		return err
	}
	if changed := payload.Differing(p.was, now, p.was.Keys); len(changed) > 0 {
		return fault.New(fault.Conflict, "The object has changed since the preview (%s), so nothing was sent. "+
			"Preview the change again", payload.Listed(changed))
	}
	return nil
}

// write sends a write.
func (c *toolCall) write(ctx context.Context, out *outgoing.Request) (*http.Response, []byte, error) {
	response, body, err := c.fetch(ctx, c.target, out)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode == http.StatusPreconditionFailed {
		return nil, nil, fault.New(fault.Conflict, "The object has changed in the meantime, so nothing was "+
			"changed. Read it again")
	}
	if response.StatusCode >= 300 {
		return nil, nil, c.refusal(out, response, body)
	}
	return response, body, nil
}

// withoutToken returns a portal for an undo record, which outlives the call.
func withoutToken(t *outgoing.Target) *outgoing.Target {
	kept := *t
	kept.Sign, kept.Secrets = nil, nil
	return &kept
}

func undoChange(ctx context.Context, c *toolCall, in *handleIn) (*result, error) {
	h := c.handles.find(c.caller.Owner, in.Handle, time.Now())
	if h == nil || h.undo == nil {
		return nil, fault.At("handle", "there is no change to undo with this handle: it was undone already, or is "+
			"older than a day")
	}
	way := *h.undo
	way.Target = c.target
	out, err := way.Request(ctx, c.fetch)
	if err != nil {
		return nil, err
	}
	response, _, err := c.write(ctx, out)
	if err != nil {
		return nil, err
	}
	c.handles.take(c.caller.Owner, in.Handle, time.Now())
	name := resource.Noun{}
	if out.Endpoint != nil {
		name = catalog.NounOf(out.Endpoint)
	}
	done := &confirmed{Status: response.StatusCode, Done: way.Undone() + "."}
	if way.Before != nil {
		done.Object = strings.TrimSpace(name.One + " “" + way.Before.Name() + "”")
	}
	return &result{text: done.Done, data: done}, nil
}
