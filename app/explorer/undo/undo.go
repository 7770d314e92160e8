// Package undo compares a write with the current object, lists what a deletion
// removes, and undoes writes.
//
// Before a PUT, PATCH or DELETE the object is fetched, and after a write an undo
// record is kept: in memory, and in the workspace unless it holds a secret.
// Undoing sends another request, unless the object has changed since.
//
// # Units
//
// Sizes are bytes; counts are objects.
//
// # Concurrency
//
// Writes is safe for concurrent use. Lists below an object are counted on
// goroutines of their own, which end before the call returns.
//
// # Errors
//
// fault.Conflict: the object was changed since, or the portal refused the undo.
// fault.Unknown: the request can no longer be undone, or the catalog has no GET
// for the object. Failing to read the object does not prevent a write.
package undo

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"spyglass/app/document"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Writes compares, explains and undoes writes.
type Writes struct {
	*send.Sender
	undos undos
}

// Endpoints returns the endpoints of writes.
func (w *Writes) Endpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Post("/changes", "Compare a PUT or PATCH with the current object", &draftRequests, w.changes),
		serve.Post("/goes", "List what a DELETE removes", &draftRequests, w.goes),
		serve.Call("POST", "/history/{id}/undo", "Undo a write, unless the object has changed since", w.undo),
		serve.Get("/undos", "List writes that can be undone", w.showUndos),
	}
}

// Says returns the effect of undoing a request of the history in one sentence; ""
// if it cannot be undone.
func (w *Writes) Says(historyID, userID int64) string {
	if way := w.undos.of(historyID, userID); way != nil {
		return way.says()
	}
	return ""
}

// undo is the undo record of one write: the object before and after it. The
// newest are in memory, and in the workspace unless they contain secrets.
type undo struct {
	user   int64
	portal int64
	target *outgoing.Target
	out    *outgoing.Request
	before *payload.Object // nil for a POST
	after  *payload.Object // nil for a DELETE

	secrets []string // that the write sent
}

// undos holds the undo records by history id.
type undos struct {
	mu      sync.Mutex
	ways    map[int64]*undo
	ids     []int64 // oldest first
	revived map[home]bool
}

// home is the user and portal whose undo records are read from the workspace
// together.
type home struct{ user, portal int64 }

// Limits of undo records.
const (
	maxUndos    = 200
	maxUndoable = 1 << 20 // bytes of one object
	beforeTime  = 5 * time.Second
)

func (u *undos) keep(id int64, way *undo) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ways == nil {
		u.ways = map[int64]*undo{}
	}
	u.ways[id] = way
	u.ids = append(u.ids, id)
	slices.Sort(u.ids)
	if len(u.ids) > maxUndos {
		delete(u.ways, u.ids[0])
		u.ids = u.ids[1:]
	}
}

func (u *undos) of(id, user int64) *undo {
	u.mu.Lock()
	defer u.mu.Unlock()
	if way := u.ways[id]; way != nil && way.user == user {
		return way
	}
	return nil
}

func (u *undos) forget(id int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.ways, id)
}

// undoable is a write that can be undone.
type undoable struct {
	HistoryID int64  `json:"historyId"`
	Undo      string `json:"undo" doc:"effect of the undo"`
}

type undoables struct {
	Items []undoable `json:"items"`
}

// showUndos lists the writes to the portal that can be undone, newest first.
func (w *Writes) showUndos(ctx context.Context, c *resource.Call) (*undoables, error) {
	if err := w.revive(ctx, c); err != nil {
		return nil, err
	}
	u := &w.undos
	u.mu.Lock()
	defer u.mu.Unlock()
	out := []undoable{}
	for _, id := range slices.Backward(u.ids) {
		if way := u.ways[id]; way != nil && way.user == c.Access.UserID && way.portal == workspace.PortalID(c) {
			out = append(out, undoable{id, way.says()})
		}
	}
	return &undoables{out}, nil
}

// look returns the object that a write is about to change; nil if the catalog has
// no GET for it.
func (w *Writes) look(ctx context.Context, x *send.Exchange) *payload.Object {
	if x.Out.Endpoint == nil || !slices.Contains([]string{"PUT", "PATCH", "DELETE"}, x.Out.Method) {
		return nil
	}
	timed, stop := context.WithTimeout(ctx, beforeTime)
	defer stop()
	was, err := w.at(timed, x.Target, x.Out)
	if err != nil {
		return nil
	}
	return was
}

// Before reads the object that a request is about to change. It returns a
// function that stores the undo record after the response, and returns the effect
// of undoing.
func (w *Writes) Before(ctx context.Context,
	x *send.Exchange) func(ctx context.Context, doc *document.Document) string {
	before := w.look(ctx, x)
	return func(ctx context.Context, doc *document.Document) string { return w.offer(ctx, x, before, doc) }
}

// offer stores the undo record of a successful write and describes its effect.
func (w *Writes) offer(ctx context.Context, x *send.Exchange, before *payload.Object, doc *document.Document) string {
	if x.Out.Method == "GET" || x.Out.Endpoint == nil || x.History.Status/100 != 2 || x.History.ID == 0 {
		return ""
	}
	way := &undo{user: x.User, portal: x.History.PortalID, target: x.Target, out: x.Out, before: before,
		secrets: x.Secrets}
	if x.Out.Method != "DELETE" && doc.Size() <= maxUndoable {
		var body bytes.Buffer
		if err := doc.WriteText(&body); err == nil {
			way.after, _ = payload.ReadObject(body.Bytes())
		}
	}
	if (x.Out.Method == "PUT" || x.Out.Method == "PATCH") && way.before != nil && !way.before.Like(way.after) {
		timed, stop := context.WithTimeout(ctx, beforeTime)
		defer stop()
		way.after, _ = w.at(timed, x.Target, x.Out)
	}
	says := way.says()
	if says != "" {
		w.undos.keep(x.History.ID, way)
		w.keepWay(ctx, x, way)
	}
	return says
}

// says describes the effect of the undo in one sentence; "" if there is none.
func (u *undo) says() string {
	switch u.out.Method {
	case "PUT", "PATCH":
		if fields := u.restored(); len(fields) > 0 {
			return "will restore " + payload.Listed(fields)
		}
	case "POST":
		if u.created() != nil {
			return "will delete " + quotedName(u.after)
		}
	case "DELETE":
		switch {
		case u.before == nil:
		case u.restore() != nil:
			return "will restore " + quotedName(u.before) + " from the recycle bin"
		case u.collection() != nil:
			return "will recreate " + quotedName(u.before) + " with a new id"
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
func (u *undo) restored() []string {
	if u.before == nil || u.after == nil {
		return nil
	}
	return payload.Differing(u.before, u.after, writable(u.out.Endpoint))
}

// created returns the DELETE for the object that a POST created.
func (u *undo) created() *resource.Endpoint {
	if u.after == nil || len(u.after.Values["id"]) == 0 || !u.out.Endpoint.Creates {
		return nil
	}
	return u.target.Catalog.Match("DELETE", u.out.Path+"/"+outgoing.Segment(u.after.ID()))
}

func (u *undo) restore() *resource.Endpoint {
	if strings.Contains(u.out.URL, "deleteHard=true") {
		return nil
	}
	return u.target.Catalog.Restore(u.out.Endpoint)
}

// collection returns the POST that recreates what a DELETE removed.
func (u *undo) collection() *resource.Endpoint {
	at := strings.LastIndexByte(u.out.Path, '/')
	e := u.target.Catalog.Match("POST", u.out.Path[:max(at, 0)])
	if e == nil || !e.Creates {
		return nil
	}
	return e
}

// request returns the write that undoes the recorded one. It returns
// fault.Conflict if the object has changed since.
func (u *undo) request(ctx context.Context, w *Writes) (*outgoing.Request, error) {
	address, _, _ := strings.Cut(u.out.URL, "?")
	switch u.out.Method {
	case "POST":
		made := u.created()
		out := u.out.By("DELETE", address+"/"+outgoing.Segment(u.after.ID()), "")
		out.Endpoint, out.Path = made, u.out.Path+"/"+outgoing.Segment(u.after.ID())
		return out, u.unchanged(ctx, w, out, writable(u.out.Endpoint))
	case "DELETE":
		return u.bringBack(ctx, w, address)
	}
	method, twin, body := u.putsBack()
	out := u.out.By(method, address, body)
	out.Endpoint = twin
	return out, u.unchanged(ctx, w, out, writable(u.out.Endpoint))
}

// putsBack returns the write that undoes a PUT or PATCH.
func (u *undo) putsBack() (method string, twin *resource.Endpoint, body string) {
	twin = u.target.Catalog.Match("PATCH", u.out.Path)
	if twin == nil || twin.Path != u.out.Endpoint.Path {
		return "PUT", u.out.Endpoint, u.before.Body(writable(u.out.Endpoint))
	}
	return "PATCH", twin, u.before.Body(u.restored())
}

// bringBack returns the write that undoes a deletion.
func (u *undo) bringBack(ctx context.Context, w *Writes, address string) (*outgoing.Request, error) {
	if _, err := w.at(ctx, u.target, u.out); err == nil {
		return nil, fault.New(fault.Conflict, "%s exists again, so there is nothing to undo", quotedName(u.before))
	}
	if restore := u.restore(); restore != nil {
		base, _ := strings.CutSuffix(address, u.out.Path)
		path := strings.Replace(restore.Path, "{id}", outgoing.Segment(u.before.ID()), 1)
		out := u.out.By("POST", base+path, "{}")
		out.Endpoint, out.Path = restore, path
		return out, nil
	}
	make := u.collection()
	path := u.out.Path[:strings.LastIndexByte(u.out.Path, '/')]
	out := u.out.By("POST", address[:strings.LastIndexByte(address, '/')], u.before.Body(writable(make)))
	out.Endpoint, out.Path = make, path
	return out, nil
}

// unchanged returns fault.Conflict if the object has changed since the write, and
// makes the undo conditional (ETag) if the portal has versions.
func (u *undo) unchanged(ctx context.Context, w *Writes, out *outgoing.Request, fields []string) error {
	now, err := w.at(ctx, u.target, out)
	if err != nil {
		return &fault.Error{Kind: fault.Conflict, Message: "the object cannot be read, so the change was not " +
			"undone: " + fault.Of(err).Message, Err: err}
	}
	if changed := payload.Differing(u.after, now, fields); len(changed) > 0 {
		return fault.New(fault.Conflict, "%s has changed since (%s); undoing would overwrite that, so nothing was sent",
			quotedName(now), payload.Listed(changed))
	}
	if now.Etag != "" {
		out.Headers = append(out.Headers, [2]string{"If-Match", now.Etag})
	}
	return nil
}

// undone is the result of an undo.
type undone struct {
	HistoryID int64  `json:"historyId" doc:"of the request that undid it"`
	Message   string `json:"message"`
}

// undo undoes a write of the history.
func (w *Writes) undo(ctx context.Context, c *resource.Call) (*undone, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	if err := w.revive(ctx, c); err != nil {
		return nil, err
	}
	way := w.undos.of(id, c.Access.UserID)
	if way == nil || way.portal != workspace.PortalID(c) {
		return nil, fault.New(fault.Unknown, "this request can no longer be undone")
	}
	if way.target, err = w.Target(ctx, c); err != nil {
		return nil, err
	}
	out, err := way.request(ctx, w)
	if err != nil {
		return nil, err
	}
	draft := workspace.Draft{Method: out.Method, Path: way.target.MaskedPath(out), Body: out.Body, Mode: "raw"}
	if out.Endpoint != nil {
		draft.Template = out.Endpoint.Path
	}
	x, err := w.ExchangeOf(c, way.target, &send.Request{Draft: draft}, out, way.secrets...)
	if err != nil {
		return nil, err
	}
	life, done, err := w.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	r, err := x.Run(life)
	if err != nil {
		return nil, err
	}
	if r.Status/100 != 2 {
		message := "the portal responded with " + strings.TrimSpace(fmt.Sprint(r.Status, " ", r.StatusText))
		if r.Error != nil && r.Error.Message != "" {
			message += ": " + r.Error.Message
		}
		if r.Status == http.StatusPreconditionFailed {
			message = "someone else changed it at the same time"
		}
		return nil, fault.New(fault.Conflict, "not undone: %s", message)
	}
	w.undos.forget(id)
	if err := w.Workspace.DeleteWay(life, id); err != nil {
		w.Log.ErrorContext(ctx, "a write that was undone will be offered again", "err", err)
	}
	w.Hub.Notify(way.user, fmt.Sprint("undone ", id),
		stream.UndoneEvent{HistoryID: id})
	return &undone{r.HistoryID, way.undone()}, nil
}

// undone describes the effect of an undo.
func (u *undo) undone() string {
	switch {
	case u.out.Method == "POST":
		return "Deleted " + quotedName(u.after)
	case u.out.Method == "DELETE" && u.restore() != nil:
		return "Restored " + quotedName(u.before)
	case u.out.Method == "DELETE":
		return "Recreated " + quotedName(u.before) + " with a new id"
	}
	return "Restored " + payload.Listed(u.restored()) + " of " + quotedName(u.before)
}
