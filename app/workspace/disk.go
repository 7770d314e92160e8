package workspace

import (
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// DiskFolder is a folder on disk that is synced with a collection.
type DiskFolder struct {
	ID           int64
	UserID       int64
	CollectionID int64
	Dir          string // an absolute path
}

// DiskFile is a file or folder on disk as it was when it last matched its row. What
// differs from it now has changed since.
type DiskFile struct {
	ID           int64
	UserID       int64
	DiskFolderID int64
	Folder       bool   // the row is a collection
	RowID        int64  // of the collection or request
	Path         string // with slashes, below the DiskFolder: of the file or folder
	Name         string // of the row, which the path follows
	Position     int64  // in the file
	File         string // hash of the file; of a folder, of its folder.yaml, empty without one
	Row          string // hash of the row
	Examples     string // hash of the files of a request's examples
	ExampleRows  string // hash of their rows
}

const (
	diskFolderRows resource.Name[*DiskFolder] = "diskFolder"
	diskFileRows   resource.Name[*DiskFile]   = "diskFile"
)

// maxDiskFolders limits the collections that a user keeps in folders.
const maxDiskFolders = 100

// diskFolders and diskFiles are tables without endpoints: app/explorer/keep has them.
var diskFolders = resource.Resource[*DiskFolder]{
	Name: diskFolderRows, Label: "folder of a collection", Owner: "userId",
	Fields: []resource.Field[*DiskFolder]{
		{Name: "id", At: func(f *DiskFolder) any { return &f.ID }, ReadOnly: true},
		{Name: "userId", At: func(f *DiskFolder) any { return &f.UserID }, ReadOnly: true, WriteOnly: true,
			Index: true},
		{Name: "collectionId", At: func(f *DiskFolder) any { return &f.CollectionID }, ReadOnly: true},
		{Name: "dir", At: func(f *DiskFolder) any { return &f.Dir }, ReadOnly: true},
	},
	Unique: [][]string{{"userId", "collectionId"}},
}

var diskFiles = resource.Resource[*DiskFile]{
	Name: diskFileRows, Label: "file of a collection", Owner: "userId",
	Fields: []resource.Field[*DiskFile]{
		{Name: "id", At: func(f *DiskFile) any { return &f.ID }, ReadOnly: true},
		{Name: "userId", At: func(f *DiskFile) any { return &f.UserID }, ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "diskFolderId", At: func(f *DiskFile) any { return &f.DiskFolderID }, ReadOnly: true, Index: true},
		{Name: "folder", At: func(f *DiskFile) any { return &f.Folder }, ReadOnly: true},
		{Name: "rowId", At: func(f *DiskFile) any { return &f.RowID }, ReadOnly: true},
		{Name: "path", At: func(f *DiskFile) any { return &f.Path }, ReadOnly: true},
		{Name: "name", At: func(f *DiskFile) any { return &f.Name }, ReadOnly: true},
		{Name: "position", At: func(f *DiskFile) any { return &f.Position }, ReadOnly: true},
		{Name: "file", At: func(f *DiskFile) any { return &f.File }, ReadOnly: true},
		{Name: "row", At: func(f *DiskFile) any { return &f.Row }, ReadOnly: true},
		{Name: "examples", At: func(f *DiskFile) any { return &f.Examples }, ReadOnly: true},
		{Name: "exampleRows", At: func(f *DiskFile) any { return &f.ExampleRows }, ReadOnly: true},
	},
}

// DiskFolders returns the folders of all users.
func (w *Workspace) DiskFolders(ctx context.Context) ([]DiskFolder, error) {
	return resource.Find(ctx, w.db, diskFolderRows)
}

// KeepOnDisk records that a folder is synced with a collection of the user. No other
// collection may use the folder.
func (w *Workspace) KeepOnDisk(ctx context.Context, userID, collectionID int64, dir string) (*DiskFolder, error) {
	f := &DiskFolder{UserID: userID, CollectionID: collectionID, Dir: dir}
	err := w.db.Write(ctx, func(tx resource.Tx) error {
		f.ID = 0 // reset for a second run
		c, err := resource.Get(ctx, tx, collectionRows, collectionID)
		if err == nil && (c.UserID != userID || c.Trashed != 0) || fault.Is(err, fault.Unknown) {
			return fault.New(fault.Unknown, "there is no collection %d", collectionID)
		}
		if err != nil {
			return err
		}
		if c.ParentID != 0 {
			return fault.New(fault.Conflict, "“%s” is inside another collection. Keep the outermost one in a folder",
				c.Name)
		}
		all, err := resource.Find(ctx, tx, diskFolderRows)
		if err != nil {
			return err
		}
		mine := 0
		for _, other := range all {
			if other.UserID == userID {
				mine++
			}
			switch {
			case other.UserID == userID && other.CollectionID == collectionID:
				return fault.New(fault.Conflict, "“%s” is already kept in %s", c.Name, other.Dir)
			case other.Dir == dir:
				if err := w.giveUp(ctx, tx, &other); err != nil {
					return err
				}
			case mine >= maxDiskFolders:
				return fault.New(fault.Conflict, "there are already %d collections in folders", maxDiskFolders)
			}
		}
		return resource.Put(ctx, tx, diskFolderRows, f)
	})
	return f, err
}

// giveUp frees the folder of a collection that was deleted.
func (w *Workspace) giveUp(ctx context.Context, tx resource.Tx, f *DiskFolder) error {
	c, err := resource.Get(ctx, tx, collectionRows, f.CollectionID)
	if err == nil && c.Trashed == 0 {
		return fault.At("dir", "another collection is already kept in this folder")
	}
	if err != nil && !fault.Is(err, fault.Unknown) {
		return err
	}
	return forgetDisk(ctx, tx, f)
}

// ForgetDisk ends the sync of a user's collection with a folder. The files stay.
func (w *Workspace) ForgetDisk(ctx context.Context, userID, collectionID int64) (*DiskFolder, error) {
	var gone DiskFolder
	err := w.db.Write(ctx, func(tx resource.Tx) error {
		found, err := resource.Find(ctx, tx, diskFolderRows, mine(userID),
			resource.Where{Field: "collectionId", Op: "=", Value: collectionID})
		if err == nil && len(found) == 0 {
			err = fault.New(fault.Unknown, "this collection is not kept in a folder")
		}
		if err != nil {
			return err
		}
		gone = found[0]
		return forgetDisk(ctx, tx, &gone)
	})
	return &gone, err
}

func forgetDisk(ctx context.Context, tx resource.Tx, f *DiskFolder) error {
	if err := resource.DeleteAll(ctx, tx, diskFileRows,
		resource.Where{Field: "diskFolderId", Op: "=", Value: f.ID}); err != nil {
		return err
	}
	return resource.Delete(ctx, tx, diskFolderRows, f.ID)
}

// OnDisk is a collection that is synced with a folder: its rows in the workspace, and the rows
// that matched the files.
type OnDisk struct {
	Root        *Collection                // nil if it was deleted
	Collections map[int64]*Collection      // those that are not deleted, without the root, by id
	Requests    map[int64]*Request         // by id
	Examples    map[int64][]RequestExample // by request, without bodies
	Files       []DiskFile
}

// OnDisk reads the collection of a folder.
func (w *Workspace) OnDisk(ctx context.Context, f *DiskFolder) (*OnDisk, error) {
	out := &OnDisk{Collections: map[int64]*Collection{}, Requests: map[int64]*Request{},
		Examples: map[int64][]RequestExample{}}
	var err error
	out.Files, err = resource.Find(ctx, w.db, diskFileRows,
		resource.Where{Field: "diskFolderId", Op: "=", Value: f.ID})
	if err != nil {
		return nil, err
	}
	s, err := readShelf(ctx, w.db, f.UserID)
	if err != nil {
		return nil, err
	}
	root, err := resource.Get(ctx, w.db, collectionRows, f.CollectionID)
	if fault.Is(err, fault.Unknown) || err == nil && root.Trashed != 0 {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Root = root
	own, err := resource.Find(ctx, w.db, diskFolderRows, mine(f.UserID))
	if err != nil {
		return nil, err
	}
	var ids []int64
	var walk func(parent int64)
	walk = func(parent int64) {
		for _, r := range s.requests[parent] {
			out.Requests[r.ID], ids = &r, append(ids, r.ID)
		}
		for _, c := range s.folders[parent] {
			if !slices.ContainsFunc(own, func(o DiskFolder) bool { return o.CollectionID == c.ID }) {
				out.Collections[c.ID] = &c
				walk(c.ID)
			}
		}
	}
	walk(root.ID)
	examples, err := examplesOf(ctx, w.db, f.UserID, ids...)
	for _, e := range examples {
		out.Examples[e.RequestID] = append(out.Examples[e.RequestID], e)
	}
	return out, err
}

// SavedExamples returns the examples of a request of the user with their bodies.
func (w *Workspace) SavedExamples(ctx context.Context, userID, requestID int64) ([]SavedExample, error) {
	all, err := savedExamples(ctx, w.db, userID, []int64{requestID})
	return all[requestID], err
}

// DiskTx changes a collection that is kept in a folder, and what matched the files.
type DiskTx struct {
	ctx    context.Context
	tx     resource.Tx
	folder *DiskFolder

	shown, examples bool // whether the user sees that something changed
}

// WriteOnDisk runs do in a transaction. It may run it twice.
func (w *Workspace) WriteOnDisk(ctx context.Context, f *DiskFolder, do func(tx *DiskTx) error) error {
	var t *DiskTx
	err := w.db.Write(ctx, func(tx resource.Tx) error {
		t = &DiskTx{ctx: ctx, tx: tx, folder: f}
		if _, err := resource.Get(ctx, tx, diskFolderRows, f.ID); err != nil {
			return err // it is no longer synced with the folder
		}
		return do(t)
	})
	if err != nil {
		return err
	}
	if t.shown {
		w.changed(f.UserID, CollectionsChanged)
		w.sharedChanged(ctx, f.UserID)
	}
	if t.examples {
		w.changed(f.UserID, ExamplesChanged)
	}
	return nil
}

// Request returns a request of the user, even if it is deleted and can be restored; nil
// if there is none.
func (t *DiskTx) Request(id int64) (*Request, error) {
	r, err := resource.Get(t.ctx, t.tx, requestRows, id)
	if fault.Is(err, fault.Unknown) || err == nil && r.UserID != t.folder.UserID {
		return nil, nil
	}
	return r, err
}

// Collection returns a collection of the user like Request.
func (t *DiskTx) Collection(id int64) (*Collection, error) {
	c, err := resource.Get(t.ctx, t.tx, collectionRows, id)
	if fault.Is(err, fault.Unknown) || err == nil && c.UserID != t.folder.UserID {
		return nil, nil
	}
	return c, err
}

// PutRequest writes a request; with the id 0 it is a new one.
func (t *DiskTx) PutRequest(r *Request) error {
	if r.ID == 0 {
		if err := t.room(string(requestRows), maxRequests, "requests"); err != nil {
			return err
		}
	}
	r.UserID, r.Method, r.Path, t.shown = t.folder.UserID, r.Draft.Method, r.Draft.Path, true
	return resource.Put(t.ctx, t.tx, requestRows, r)
}

// PutCollection writes a collection; with the id 0 it is a new one.
func (t *DiskTx) PutCollection(c *Collection) error {
	if c.ID == 0 {
		if err := t.room(string(collectionRows), maxCollections, "collections"); err != nil {
			return err
		}
	}
	c.UserID, t.shown = t.folder.UserID, true
	return resource.Put(t.ctx, t.tx, collectionRows, c)
}

func (t *DiskTx) room(rows string, most int64, what string) error {
	counts, err := t.tx.CountBy(t.ctx, rows, "userId")
	if err == nil && counts[t.folder.UserID] >= most {
		err = fault.New(fault.Conflict, "there are already %d %s; delete some first", most, what)
	}
	return err
}

// PutExamples replaces the examples of a request, and returns the new rows.
func (t *DiskTx) PutExamples(r *Request, examples []SavedExample) ([]RequestExample, error) {
	t.examples = true
	err := forgetExamples(t.ctx, t.tx, *r)
	if err == nil {
		err = plantExamples(t.ctx, t.tx, r, examples)
	}
	if err != nil {
		return nil, err
	}
	return t.Examples(r.ID)
}

// Examples returns the examples of a request, without bodies.
func (t *DiskTx) Examples(requestID int64) ([]RequestExample, error) {
	return examplesOf(t.ctx, t.tx, t.folder.UserID, requestID)
}

// PutFile records that a file matches its row.
func (t *DiskTx) PutFile(f *DiskFile) error {
	f.UserID, f.DiskFolderID = t.folder.UserID, t.folder.ID
	return resource.Put(t.ctx, t.tx, diskFileRows, f)
}

// DeleteFile forgets a file.
func (t *DiskTx) DeleteFile(f *DiskFile) error {
	return resource.Delete(t.ctx, t.tx, diskFileRows, f.ID)
}
