package workspace

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"slices"
	"sync"

	// BSD-3: each response is compressed before the page is notified; five times
	// as fast as its gzip, and a fifth larger
	"github.com/klauspost/compress/s2"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// History is one request that was sent.
type History struct {
	ID         int64
	UserID     int64
	PortalID   int64
	At         resource.Millis
	Method     string
	Path       string // as typed
	URL        string // as sent, secrets masked
	Status     int64  // 0 without a response
	StatusText string
	MS         int64
	Bytes      int64
	Error      string
	Draft      Draft
	Kept       bool
	Pinned     bool
	PageSize   int64 // items per page, if all pages of a list were fetched; 0: one request
	Items      int64 // received items of all pages; incomplete if Error is set
	Total      int64 // total number of items; 0: unknown, or one request
	Stored     int64 // stored bytes, with the response; 0: stored by an earlier version
}

// Reply is the response to a request of the history.
type Reply struct {
	ID      int64 // of the history row
	UserID  int64
	Headers [][2]string
	Zipped  []byte // the body, S2
	Masked  bool   // secrets in the body are stars
}

const (
	historyRows resource.Name[*History] = "history"
	replyRows   resource.Name[*Reply]   = "reply"
)

// MaxZipped limits the bytes of a compressed response body in the history.
// Bodies over MaxPlain are not compressed at all.
const (
	MaxZipped = 5 << 18
	MaxPlain  = 16 << 20
)

// Histories declares /history. Sending creates rows; only pinned can be changed.
var Histories = resource.Resource[*History]{
	Name: historyRows, Label: "request", Path: "/history", Object: resource.Anyone, Owner: "userId",
	Doc: "A request that was sent.",
	Fields: []resource.Field[*History]{
		{Name: "id", At: func(h *History) any { return &h.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(h *History) any { return &h.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "portalId", At: func(h *History) any { return &h.PortalID }, Doc: "The portal it went to; 0 is the " +
			"built-in one", ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "at", At: func(h *History) any { return &h.At }, Doc: "When it was sent", ReadOnly: true, Index: true},
		{Name: "method", At: func(h *History) any { return &h.Method }, OneOf: allowed(Methods), Doc: "Of the request",
			ReadOnly: true},
		{Name: "path", At: func(h *History) any { return &h.Path }, Doc: "As typed, variables unresolved",
			ReadOnly: true},
		{Name: "url", At: func(h *History) any { return &h.URL }, Doc: "As sent, secrets masked", ReadOnly: true},
		{Name: "status", At: func(h *History) any { return &h.Status }, Doc: "0: no response",
			ReadOnly: true},
		{Name: "statusText", At: func(h *History) any { return &h.StatusText }, Doc: "The words of the status",
			ReadOnly: true},
		{Name: "ms", At: func(h *History) any { return &h.MS }, Doc: "From the first byte sent to the last byte read",
			ReadOnly: true},
		{Name: "bytes", At: func(h *History) any { return &h.Bytes }, Doc: "Size of the response body", ReadOnly: true},
		{Name: "error", At: func(h *History) any { return &h.Error }, Doc: "Why there was no response", ReadOnly: true},
		{Name: "draft", At: func(h *History) any { return &h.Draft }, Doc: "The request, variables unresolved",
			ReadOnly: true},
		{Name: "kept", At: func(h *History) any { return &h.Kept }, Doc: "Whether the response is stored",
			ReadOnly: true},
		{Name: "pinned", At: func(h *History) any { return &h.Pinned }, Doc: "It is never deleted automatically"},
		{Name: "pageSize", At: func(h *History) any { return &h.PageSize }, Doc: "Items of each page, where all " +
			"pages of a list were fetched; 0 for one request", ReadOnly: true},
		{Name: "items", At: func(h *History) any { return &h.Items }, Doc: "That came, where all pages of a list " +
			"were fetched; error says why they are not all", ReadOnly: true},
		{Name: "total", At: func(h *History) any { return &h.Total }, Doc: "Items that the list has in all; 0 when " +
			"it is unknown", ReadOnly: true},
		{Name: "stored", At: func(h *History) any { return &h.Stored }, Doc: "Bytes that it takes in the workspace, " +
			"with its response", ReadOnly: true, WriteOnly: true},
	},
	Without: []resource.Verb{resource.OnCreate, resource.OnReplace},
	Within:  here,
	Check: func(w *resource.Write, was, now *History) error {
		if was == nil || was.Pinned == now.Pinned {
			return nil
		}
		if err := learnAll(w.Context, w.Tx); err != nil { // words are indexed in the order of ids
			return err
		}
		return learn(w.Context, w.Tx, now)
	},
	Remove: func(w *resource.Write, h *History) error {
		if err := words.Delete(w.Context, w.Tx, h.ID); err != nil {
			return err
		}
		if err := deleteWays(w.Context, w.Tx, h.ID); err != nil {
			return err
		}
		if !h.Kept {
			return nil
		}
		return resource.DeleteAll(w.Context, w.Tx, replyRows, resource.Where{Field: "id", Op: "=", Value: h.ID})
	},
}

// replies is a table without endpoints: listing the history reads no bodies.
var replies = resource.Resource[*Reply]{
	Name: replyRows, Label: "response", Owner: "userId",
	Fields: []resource.Field[*Reply]{
		{Name: "id", At: func(r *Reply) any { return &r.ID }, ReadOnly: true},
		{Name: "userId", At: func(r *Reply) any { return &r.UserID }, ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "headers", At: func(r *Reply) any { return &r.Headers }, ReadOnly: true, WriteOnly: true},
		{Name: "masked", At: func(r *Reply) any { return &r.Masked }, ReadOnly: true, WriteOnly: true},
		{Name: "zipped", At: func(r *Reply) any { return &r.Zipped }, ReadOnly: true, WriteOnly: true},
	},
}

// AddToHistory adds a request to the history, with its response if r is not nil,
// sets h.ID, and deletes the oldest requests. If tabID is one of the user's tabs,
// that tab shows the response from then on.
func (w *Workspace) AddToHistory(ctx context.Context, h *History, r *Reply, tabID int64) error {
	h.Kept, h.Stored = r != nil, stored(h, r)
	var putBack func()
	err := w.db.Write(ctx, func(tx resource.Tx) (err error) {
		if putBack != nil {
			putBack()
		} else {
			putBack = w.pastOf(h.UserID)
		}
		h.ID = 0 // reset for a second run
		if err := resource.Put(ctx, tx, historyRows, h); err != nil {
			return err
		}
		if r != nil {
			r.ID, r.UserID = h.ID, h.UserID
			if err := resource.Put(ctx, tx, replyRows, r); err != nil {
				return err
			}
		}
		if err := updateTab(ctx, tx, h, tabID); err != nil {
			return err
		}
		return w.prune(ctx, tx, h)
	})
	if err != nil {
		w.recount(h.UserID)
		return err
	}
	w.learnSoon()
	w.changed(h.UserID, HistoryChanged)
	return nil
}

// recount makes the next write count the user's rows.
func (w *Workspace) recount(userID int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.past, userID)
}

func updateTab(ctx context.Context, tx resource.Tx, h *History, tabID int64) error {
	if tabID == 0 {
		return nil
	}
	tab, err := resource.Get(ctx, tx, tabRows, tabID)
	if fault.Is(err, fault.Unknown) || err == nil && tab.UserID != h.UserID {
		return nil // closed meanwhile
	}
	if err != nil {
		return err
	}
	tab.HistoryID = h.ID
	return resource.Put(ctx, tx, tabRows, tab)
}

// clearing returns the wrappers that make "delete all" delete the responses too,
// and every write recount the rows.
func (w *Workspace) clearing() map[resource.Verb]resource.Extra {
	counted := func(do func(handle) handle) resource.Extra {
		return wrapped(func(usual handle) handle {
			change := do(usual)
			return func(ctx context.Context, c *resource.Call) (any, error) {
				out, err := change(ctx, c)
				w.recount(c.Access.UserID)
				return out, err
			}
		})
	}
	return map[resource.Verb]resource.Extra{
		resource.OnPatch:  counted(w.pinning),
		resource.OnDelete: counted(w.removeHistory),
		resource.OnClear:  counted(func(handle) handle { return w.clearHistory }),
	}
}

func (w *Workspace) clearHistory(ctx context.Context, c *resource.Call) (any, error) {
	return resource.JSON("{}"), w.db.Write(ctx, func(tx resource.Tx) error {
		return forgetPast(ctx, tx, append(here(c), mine(c.Access.UserID))...)
	})
}

// forgetPast deletes requests with their responses and words.
func forgetPast(ctx context.Context, tx resource.Tx, which ...resource.Where) error {
	rows, err := resource.Find(ctx, tx, historyRows, which...)
	if err != nil {
		return err
	}
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
		if err := words.Delete(ctx, tx, ids[i]); err != nil {
			return err
		}
	}
	if err := resource.DeleteAll(ctx, tx, replyRows, resource.Where{Field: "id", Op: "in", Value: ids}); err != nil {
		return err
	}
	if err := deleteWays(ctx, tx, ids...); err != nil {
		return err
	}
	return resource.DeleteAll(ctx, tx, historyRows, which...)
}

// Recall returns a request of the user and its response. It returns fault.Unknown
// if there is no such request, or its response was not stored.
func (w *Workspace) Recall(ctx context.Context, userID, id int64) (*History, *Reply, error) {
	h, err := resource.Get(ctx, w.db, historyRows, id)
	if err == nil && h.UserID != userID {
		err = fault.New(fault.Unknown, "there is no request %d", id)
	}
	if err != nil {
		return nil, nil, err
	}
	if !h.Kept {
		return h, nil, fault.New(fault.Unknown, "the response to this request was not stored; send it again")
	}
	r, err := resource.Get(ctx, w.db, replyRows, id)
	return h, r, err
}

// Requests returns the user's requests with those ids, in the order they were
// sent. It returns fault.Unknown if one no longer exists.
func (w *Workspace) Requests(ctx context.Context, userID int64, ids []int64) ([]History, error) {
	rows, err := resource.Find(ctx, w.db, historyRows, mine(userID), resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(rows, func(h History) bool { return h.ID == id }) {
			return nil, fault.New(fault.Unknown, "request %d is no longer in the history", id)
		}
	}
	return rows, nil
}

// zippedBlock is smaller than a page of devices, so that its first block is
// compressed while the rest arrives.
const zippedBlock = 64 << 10

// zippers pools s2.Writers, because each has tables that are larger than a small
// body.
var zippers = sync.Pool{New: func() any {
	return s2.NewWriter(io.Discard, s2.WriterConcurrency(2), s2.WriterBlockSize(zippedBlock))
}}

// Zipper compresses a body in the background while a goroutine writes it. That
// goroutine ends it with Close.
type Zipper struct {
	out  *capped
	to   *s2.Writer // nil after Close
	size int64
}

// NewZipper returns a Zipper for one body.
func NewZipper() *Zipper {
	z := &Zipper{out: &capped{}, to: zippers.Get().(*s2.Writer)}
	z.out.Grow(8 << 10) // so that even an empty body is not nil
	z.to.Reset(z.out)
	return z
}

// Write compresses the next piece. It never fails: it ignores what exceeds the
// limit.
func (z *Zipper) Write(p []byte) (int, error) {
	if z.size += int64(len(p)); z.size <= MaxPlain {
		_, _ = z.to.Write(p) // only out can fail, and it stores the error
	}
	return len(p), nil
}

// Close ends the body. z may be nil or already closed.
func (z *Zipper) Close() {
	if z == nil || z.to == nil {
		return
	}
	_ = z.to.Close() // as in Write
	zippers.Put(z.to)
	z.to = nil
}

// Zipped closes the Zipper and returns the body for a Reply; nil if it is too
// large to store.
func (z *Zipper) Zipped() []byte {
	if z.Close(); z.out.full || z.size > MaxPlain {
		return nil
	}
	return z.out.Bytes()
}

// Unzip writes the body from a Zipper, decompressed.
func Unzip(zipped []byte, to io.Writer) error {
	z, err := unzipped(zipped)
	if err == nil {
		_, err = io.Copy(to, z)
	}
	return err
}

// unzipped returns a reader of the body from a Zipper. Older workspaces have
// gzip.
func unzipped(zipped []byte) (io.Reader, error) {
	if bytes.HasPrefix(zipped, []byte{0x1f, 0x8b}) {
		return gzip.NewReader(bytes.NewReader(zipped))
	}
	return s2.NewReader(bytes.NewReader(zipped), s2.ReaderAllocBlock(zippedBlock)), nil
}

// capped accepts MaxZipped bytes; further writes fail.
type capped struct {
	bytes.Buffer
	full bool
}

func (c *capped) Write(p []byte) (int, error) {
	if c.full = c.full || c.Len()+len(p) > MaxZipped; c.full {
		return 0, io.ErrShortWrite
	}
	return c.Buffer.Write(p)
}
