// Package undo serves the endpoints that compare drafts with the current object, list
// what a deletion removes, and undo writes of the history.
//
// Package effect does the comparing. This one keeps an undo record of each write: in
// memory, and in the workspace unless it holds a secret.
//
// # Units
//
// Sizes are bytes; counts are objects.
//
// # Concurrency
//
// Writes is safe for concurrent use.
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

	"spyglass/app/document"
	"spyglass/app/explorer/effect"
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
		serve.Post("/changes", "Compare a PUT or PATCH with the current object", &send.OfDrafts, w.changes),
		serve.Post("/goes", "List what a DELETE removes", &send.OfDrafts, w.goes),
		serve.Call("POST", "/history/{id}/undo", "Undo a write, unless the object has changed since", w.undo),
		serve.Get("/undos", "List writes that can be undone", w.showUndos),
	}
}

// Says returns the effect of undoing a request of the history in one sentence; ""
// if it cannot be undone.
func (w *Writes) Says(historyID, userID int64) string {
	if way := w.undos.of(historyID, userID); way != nil {
		return way.Says()
	}
	return ""
}

// undo is the undo record of one write of the history. The newest are in memory,
// and in the workspace unless they contain secrets.
type undo struct {
	effect.Undo
	user    int64
	portal  int64
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

// maxUndos limits the undo records in memory.
const maxUndos = 200

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
			out = append(out, undoable{id, way.Says()})
		}
	}
	return &undoables{out}, nil
}

// Before reads the object that a request is about to change. It returns a
// function that stores the undo record after the response, and returns the effect
// of undoing.
func (w *Writes) Before(ctx context.Context,
	x *send.Exchange) func(ctx context.Context, doc *document.Document) string {
	before := effect.Fetch(w.FetchSmall).Look(ctx, x.Target, x.Out)
	return func(ctx context.Context, doc *document.Document) string { return w.offer(ctx, x, before, doc) }
}

// offer stores the undo record of a successful write and describes its effect.
func (w *Writes) offer(ctx context.Context, x *send.Exchange, before *payload.Object, doc *document.Document) string {
	if x.Out.Method == "GET" || x.Out.Endpoint == nil || x.History.Status/100 != 2 || x.History.ID == 0 {
		return ""
	}
	way := &undo{user: x.User, portal: x.History.PortalID, secrets: x.Secrets,
		Undo: effect.Undo{Target: x.Target, Out: x.Out, Before: before}}
	var body bytes.Buffer
	if x.Out.Method != "DELETE" && doc.Size() <= effect.MaxUndoable && doc.WriteText(&body) != nil {
		body.Reset()
	}
	way.Complete(ctx, w.FetchSmall, body.Bytes())
	says := way.Says()
	if says != "" {
		w.undos.keep(x.History.ID, way)
		w.keepWay(ctx, x, way)
	}
	return says
}

// undone is the result of an undo.
type undone struct {
	HistoryID int64  `json:"historyId" doc:"id of the history entry of the request that undid it"`
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
	if way.Target, err = w.Target(ctx, c); err != nil {
		return nil, err
	}
	out, err := way.Request(ctx, w.FetchSmall)
	if err != nil {
		return nil, err
	}
	draft := workspace.Draft{Method: out.Method, Path: way.Target.MaskedPath(out), Body: out.Body, Mode: "raw"}
	if out.Endpoint != nil {
		draft.Template = out.Endpoint.Path
	}
	x, err := w.ExchangeOf(c, way.Target, &send.Request{Draft: draft}, out, way.secrets...)
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
	return &undone{r.HistoryID, way.Undone()}, nil
}
