package effect

import (
	"context"
	"slices"
	"strings"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Undo is the undo record of one write: the request, and the object before and
// after it.
type Undo struct {
	Target *outgoing.Target
	Out    *outgoing.Request
	Before *payload.Object // nil for a POST
	After  *payload.Object // nil for a DELETE
}

// MaxUndoable limits the bytes of an object that an Undo holds.
const MaxUndoable = 1 << 20

// Look returns the object that a write is about to change; nil if the catalog has
// no GET for it.
func (f Fetch) Look(ctx context.Context, t *outgoing.Target, out *outgoing.Request) *payload.Object {
	if out.Endpoint == nil || !slices.Contains([]string{"PUT", "PATCH", "DELETE"}, out.Method) {
		return nil
	}
	timed, stop := context.WithTimeout(ctx, beforeTime)
	defer stop()
	was, err := f.At(timed, t, out)
	if err != nil {
		return nil
	}
	return was
}

// Complete sets After of a successful write from the body of its response, or
// from the object itself if the response was not the whole object.
func (u *Undo) Complete(ctx context.Context, f Fetch, body []byte) {
	if u.Out.Method != "DELETE" && len(body) > 0 {
		u.After, _ = payload.ReadObject(body)
	}
	if (u.Out.Method == "PUT" || u.Out.Method == "PATCH") && u.Before != nil && !u.Before.Like(u.After) {
		timed, stop := context.WithTimeout(ctx, beforeTime)
		defer stop()
		u.After, _ = f.At(timed, u.Target, u.Out)
	}
}

// Sends returns the body of the write that undoes.
func (u *Undo) Sends() string {
	switch {
	case u.Out.Method == "PUT" || u.Out.Method == "PATCH":
		_, _, body := u.putsBack()
		return body
	case u.Out.Method == "DELETE" && u.restore() == nil:
		return u.Before.Body(writable(u.collection()))
	}
	return ""
}

// Says describes the effect of the undo in one sentence; "" if there is none.
func (u *Undo) Says() string {
	switch u.Out.Method {
	case "PUT", "PATCH":
		if fields := u.restored(); len(fields) > 0 {
			return "will restore " + payload.Listed(fields)
		}
	case "POST":
		if u.created() != nil {
			return "will delete " + quotedName(u.After)
		}
	case "DELETE":
		switch {
		case u.Before == nil:
		case u.restore() != nil:
			return "will restore " + quotedName(u.Before) + " from the recycle bin"
		case u.collection() != nil:
			return "will recreate " + quotedName(u.Before) + " with a new id"
		}
	}
	return ""
}

func quotedName(o *payload.Object) string { return "“" + o.Name() + "”" }

// writable returns the fields that a body of e may set.
func writable(e *resource.Endpoint) []string {
	var out []string
	if e == nil || e.Body == nil {
		return nil
	}
	for _, key := range e.Body.Properties {
		if !key.ReadOnly && !key.WriteOnly {
			out = append(out, key.Name)
		}
	}
	return out
}

// restored returns the writable fields that the write changed.
func (u *Undo) restored() []string {
	if u.Before == nil || u.After == nil {
		return nil
	}
	return payload.Differing(u.Before, u.After, writable(u.Out.Endpoint))
}

// created returns the DELETE for the object that a POST created.
func (u *Undo) created() *resource.Endpoint {
	if u.After == nil || len(u.After.Values["id"]) == 0 || !u.Out.Endpoint.Creates {
		return nil
	}
	return u.Target.Catalog.Match("DELETE", u.Out.Path+"/"+outgoing.Segment(u.After.ID()))
}

func (u *Undo) restore() *resource.Endpoint {
	if strings.Contains(u.Out.URL, "deleteHard=true") {
		return nil
	}
	return u.Target.Catalog.Restore(u.Out.Endpoint)
}

// collection returns the POST that recreates what a DELETE removed.
func (u *Undo) collection() *resource.Endpoint {
	at := strings.LastIndexByte(u.Out.Path, '/')
	e := u.Target.Catalog.Match("POST", u.Out.Path[:max(at, 0)])
	if e == nil || !e.Creates {
		return nil
	}
	return e
}

// Request returns the write that undoes the recorded one. It returns
// fault.Conflict if the object has changed since.
func (u *Undo) Request(ctx context.Context, f Fetch) (*outgoing.Request, error) {
	address, _, _ := strings.Cut(u.Out.URL, "?")
	switch u.Out.Method {
	case "POST":
		made := u.created()
		out := u.Out.By("DELETE", address+"/"+outgoing.Segment(u.After.ID()), "")
		out.Endpoint, out.Path = made, u.Out.Path+"/"+outgoing.Segment(u.After.ID())
		return out, u.unchanged(ctx, f, out, writable(u.Out.Endpoint))
	case "DELETE":
		return u.bringBack(ctx, f, address)
	}
	method, twin, body := u.putsBack()
	out := u.Out.By(method, address, body)
	out.Endpoint = twin
	return out, u.unchanged(ctx, f, out, writable(u.Out.Endpoint))
}

// putsBack returns the write that undoes a PUT or PATCH.
func (u *Undo) putsBack() (method string, twin *resource.Endpoint, body string) {
	twin = u.Target.Catalog.Match("PATCH", u.Out.Path)
	if twin == nil || twin.Path != u.Out.Endpoint.Path {
		return "PUT", u.Out.Endpoint, u.Before.Body(writable(u.Out.Endpoint))
	}
	return "PATCH", twin, u.Before.Body(u.restored())
}

// bringBack returns the write that undoes a deletion.
func (u *Undo) bringBack(ctx context.Context, f Fetch, address string) (*outgoing.Request, error) {
	if _, err := f.At(ctx, u.Target, u.Out); err == nil {
		return nil, fault.New(fault.Conflict, "%s exists again, so there is nothing to undo", quotedName(u.Before))
	}
	if restore := u.restore(); restore != nil {
		base, _ := strings.CutSuffix(address, u.Out.Path)
		path := strings.Replace(restore.Path, "{id}", outgoing.Segment(u.Before.ID()), 1)
		out := u.Out.By("POST", base+path, "{}")
		out.Endpoint, out.Path = restore, path
		return out, nil
	}
	make := u.collection()
	path := u.Out.Path[:strings.LastIndexByte(u.Out.Path, '/')]
	out := u.Out.By("POST", address[:strings.LastIndexByte(address, '/')], u.Before.Body(writable(make)))
	out.Endpoint, out.Path = make, path
	return out, nil
}

// unchanged returns fault.Conflict if the object has changed since the write, and
// makes the undo conditional (ETag) if the portal has versions.
func (u *Undo) unchanged(ctx context.Context, f Fetch, out *outgoing.Request, fields []string) error {
	now, err := f.At(ctx, u.Target, out)
	if err != nil {
		return &fault.Error{Kind: fault.Conflict, Message: "the object cannot be read, so the change was not " +
			"undone: " + fault.Of(err).Message, Err: err}
	}
	if changed := payload.Differing(u.After, now, fields); len(changed) > 0 {
		return fault.New(fault.Conflict, "%s has changed since (%s); undoing would overwrite that, so nothing was sent",
			quotedName(now), payload.Listed(changed))
	}
	if now.Etag != "" {
		out.Headers = append(out.Headers, [2]string{"If-Match", now.Etag})
	}
	return nil
}

// Undone describes the effect of an undo.
func (u *Undo) Undone() string {
	switch {
	case u.Out.Method == "POST":
		return "Deleted " + quotedName(u.After)
	case u.Out.Method == "DELETE" && u.restore() != nil:
		return "Restored " + quotedName(u.Before)
	case u.Out.Method == "DELETE":
		return "Recreated " + quotedName(u.Before) + " with a new id"
	}
	return "Restored " + payload.Listed(u.restored()) + " of " + quotedName(u.Before)
}
