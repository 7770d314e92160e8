package workspace

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Collection is a folder of saved requests; one without a parent is a top-level
// collection.
type Collection struct {
	ID       int64
	UserID   int64
	ParentID int64
	Position int64
	Name     string
	Doc      string
	Trashed  resource.Millis
}

// Request is a saved request.
type Request struct {
	ID           int64
	UserID       int64
	CollectionID int64
	Position     int64
	Name         string
	Doc          string
	Method       string
	Path         string
	Draft        Draft
	Trashed      resource.Millis
}

const (
	collectionRows resource.Name[*Collection] = "collection"
	requestRows    resource.Name[*Request]    = "request"
)

// Limits for each user.
const (
	maxCollections = 5_000
	maxRequests    = 50_000
	MaxDepth       = 20
)

// kept is the time within which deleted requests and collections can be restored.
const kept = 24 * time.Hour

// Collections declares /collections.
var Collections = resource.Resource[*Collection]{
	Name: collectionRows, Label: "collection", Path: "/collections", Object: resource.Anyone, Owner: "userId",
	Doc: "A folder of saved requests.",
	Fields: []resource.Field[*Collection]{
		{Name: "id", At: func(c *Collection) any { return &c.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(c *Collection) any { return &c.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "parentId", At: func(c *Collection) any { return &c.ParentID }, Doc: "Its parent collection; 0 for " +
			"none"},
		{Name: "position", At: func(c *Collection) any { return &c.Position }, Doc: "From top to bottom among its " +
			"neighbours; ties by id"},
		{Name: "name", At: func(c *Collection) any { return &c.Name }, Doc: "Any text", Required: true, MaxLen: 255},
		{Name: "doc", At: func(c *Collection) any { return &c.Doc }, Doc: "A note", MaxLen: 65_536},
		{Name: "trashed", At: func(c *Collection) any { return &c.Trashed }, Doc: "When it was deleted; 0 brings " +
			"it back"},
	},
	Check: func(w *resource.Write, was, now *Collection) error {
		if was == nil {
			if err := room(w, string(collectionRows), now.UserID, maxCollections, "collections"); err != nil {
				return err
			}
			if err := now.last(w); err != nil {
				return err
			}
		}
		if was != nil && was.ParentID == now.ParentID {
			return nil
		}
		return inPlace(w.Context, w.Tx, now.UserID, now.ID, now.ParentID, "parentId")
	},
	Remove: func(w *resource.Write, c *Collection) error {
		return emptyCollection(w.Context, w.Tx, c.ID)
	},
}

// Requests declares /requests.
var Requests = resource.Resource[*Request]{
	Name: requestRows, Label: "saved request", Path: "/requests", Object: resource.Anyone, Owner: "userId",
	Doc: "A saved request in a collection.",
	Fields: []resource.Field[*Request]{
		{Name: "id", At: func(r *Request) any { return &r.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(r *Request) any { return &r.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "collectionId", At: func(r *Request) any { return &r.CollectionID }, Doc: "Its collection",
			Required: true, Index: true},
		{Name: "position", At: func(r *Request) any { return &r.Position }, Doc: "From top to bottom among its " +
			"neighbours; ties by id"},
		{Name: "name", At: func(r *Request) any { return &r.Name }, Doc: "Name; empty: method and path",
			MaxLen: 255},
		{Name: "doc", At: func(r *Request) any { return &r.Doc }, Doc: "A note", MaxLen: 65_536},
		{Name: "method", At: func(r *Request) any { return &r.Method }, Doc: "The draft's", ReadOnly: true,
			OneOf: allowed(Methods)},
		{Name: "path", At: func(r *Request) any { return &r.Path }, Doc: "The draft's", ReadOnly: true,
			MaxLen: 1 << 20},
		{Name: "draft", At: func(r *Request) any { return &r.Draft }, Doc: "The request", Default: emptyDraft},
		{Name: "trashed", At: func(r *Request) any { return &r.Trashed }, Doc: "When it was deleted; 0 restores it"},
	},
	Check: func(w *resource.Write, was, now *Request) error {
		if was == nil {
			if err := room(w, string(requestRows), now.UserID, maxRequests, "requests"); err != nil {
				return err
			}
			if err := now.last(w); err != nil {
				return err
			}
		}
		if was == nil || was.CollectionID != now.CollectionID {
			if now.CollectionID == 0 {
				return fault.At("collectionId", "a saved request must be in a collection")
			}
			if err := inPlace(w.Context, w.Tx, now.UserID, 0, now.CollectionID, "collectionId"); err != nil {
				return err
			}
		}
		if err := now.Draft.Check("draft"); err != nil {
			return err
		}
		now.Method, now.Path = now.Draft.Method, now.Draft.Path
		return nil
	},
	Remove: func(w *resource.Write, r *Request) error { return forgetExamples(w.Context, w.Tx, *r) },
}

func room(w *resource.Write, name string, userID, most int64, what string) error {
	counts, err := w.Tx.CountBy(w.Context, name, "userId")
	if err == nil && counts[userID] >= most {
		err = fault.New(fault.Conflict, "there are already %d %s; delete some first", most, what)
	}
	return err
}

// last adds a new collection without a position after its siblings.
func (c *Collection) last(w *resource.Write) error {
	if c.Position != 0 {
		return nil
	}
	last, err := lastPosition(w.Context, w.Tx, c.UserID, c.ParentID)
	c.Position = last + 1
	return err
}

// last adds a new request without a position after its siblings.
func (r *Request) last(w *resource.Write) error {
	if r.Position != 0 {
		return nil
	}
	beside, err := resource.Find(w.Context, w.Tx, requestRows,
		resource.Where{Field: "collectionId", Op: "=", Value: r.CollectionID})
	for _, b := range beside {
		r.Position = max(r.Position, b.Position)
	}
	r.Position++
	return err
}

// inPlace refuses a parent that belongs to another user, is inside the row
// itself, or is too deep.
func inPlace(ctx context.Context, from resource.Reader, userID, id, parentID int64, field string) error {
	for depth := 1; parentID != 0; depth++ {
		if parentID == id && id != 0 {
			return fault.At(field, "a collection cannot be inside itself")
		}
		if depth > MaxDepth {
			return fault.At(field, "collections can be nested at most 20 levels deep")
		}
		parent, err := resource.Get(ctx, from, collectionRows, parentID)
		if err == nil && parent.UserID != userID || fault.Is(err, fault.Unknown) {
			return fault.At(field, "this collection no longer exists")
		}
		if err != nil {
			return err
		}
		parentID = parent.ParentID
	}
	return nil
}

// emptyCollection deletes the contents of a collection.
func emptyCollection(ctx context.Context, tx resource.Tx, id int64) error {
	if err := forgetRequests(ctx, tx, resource.Where{Field: "collectionId", Op: "=", Value: id}); err != nil {
		return err
	}
	err := resource.DeleteAll(ctx, tx, shareRows, resource.Where{Field: "collectionId", Op: "=", Value: id})
	if err != nil {
		return err
	}
	inside, err := resource.Find(ctx, tx, collectionRows, resource.Where{Field: "parentId", Op: "=", Value: id})
	if err != nil {
		return err
	}
	for _, c := range inside {
		if err := emptyCollection(ctx, tx, c.ID); err != nil {
			return err
		}
		if err := resource.Delete(ctx, tx, collectionRows, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// forgetRequests deletes requests with their examples.
func forgetRequests(ctx context.Context, tx resource.Tx, which ...resource.Where) error {
	rows, err := resource.Find(ctx, tx, requestRows, which...)
	if err != nil {
		return err
	}
	if err := forgetExamples(ctx, tx, rows...); err != nil {
		return err
	}
	return resource.DeleteAll(ctx, tx, requestRows, which...)
}

// emptyTrash permanently deletes what was deleted before that time.
func (w *Workspace) emptyTrash(ctx context.Context, before resource.Millis) error {
	old := []resource.Where{{Field: "trashed", Op: ">", Value: int64(0)},
		{Field: "trashed", Op: "<", Value: int64(before)}}
	gone, err := resource.Find(ctx, w.db, collectionRows, old...)
	if err != nil {
		return err
	}
	requests, err := resource.Find(ctx, w.db, requestRows, append(old, resource.Limit(1))...)
	if err != nil || len(gone)+len(requests) == 0 {
		return err
	}
	return w.db.Write(ctx, func(tx resource.Tx) error {
		for _, c := range gone {
			if err := emptyCollection(ctx, tx, c.ID); err != nil {
				return err
			}
		}
		if err := resource.DeleteAll(ctx, tx, collectionRows, old...); err != nil {
			return err
		}
		return forgetRequests(ctx, tx, old...)
	})
}
