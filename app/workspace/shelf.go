package workspace

import (
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// collectionEndpoints returns the endpoints of /collections and /requests that
// are not declared by a resource.
func (w *Workspace) collectionEndpoints() []resource.Endpoint {
	schema := moves.Schema()
	return []resource.Endpoint{
		{Method: "GET", Path: "/collections/tree", Summary: "All collections and requests, without drafts",
			Right: anyone, Response: declared(tree{}), Handle: w.tree},
		{Method: "POST", Path: "/collections/move", Summary: "Move a collection or a request", Right: anyone,
			Body: &schema, Response: declared(struct{}{}), Handle: w.move},
		{Method: "POST", Path: "/collections/{id}/duplicate", Summary: "Duplicate a collection with its contents",
			Right: anyone, Params: idParam, Response: declared(Planted{}), Handle: w.duplicate},
	}
}

// tree holds all collections and requests in their order, without drafts.
type tree struct {
	Folders  []treeFolder  `json:"folders"`
	Requests []treeRequest `json:"requests"`
}

type treeFolder struct {
	Doc      string `json:"doc"`
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	ParentID int64  `json:"parentId" doc:"0 for a collection"`
	Shared   bool   `json:"shared,omitempty" doc:"others may use it"`
	OwnerID  int64  `json:"ownerId,omitempty" doc:"another user who shares it; of the outermost only"`
	Owner    string `json:"owner,omitempty" doc:"the name of that user"`
	Locked   bool   `json:"locked,omitempty" doc:"what is in it may only be read"`
}

type treeRequest struct {
	CollectionID int64  `json:"collectionId"`
	ID           int64  `json:"id"`
	Method       string `json:"method" enum:"GET|POST|PUT|PATCH|DELETE"`
	Name         string `json:"name" doc:"empty follows method and path"`
	Path         string `json:"path"`
	Examples     int64  `json:"examples,omitempty" doc:"how many it has"`
}

func (w *Workspace) tree(ctx context.Context, c *resource.Call) (any, error) {
	s, err := readShelf(ctx, w.db, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	examples, err := w.db.CountBy(ctx, string(exampleRows), "requestId")
	if err != nil {
		return nil, err
	}
	shares, err := resource.Find(ctx, w.db, shareRows, mine(c.Access.UserID))
	if err != nil {
		return nil, err
	}
	out := &tree{Folders: []treeFolder{}, Requests: []treeRequest{}}
	shared := map[int64]bool{}
	for _, f := range shares {
		shared[f.CollectionID] = true
	}
	var walk func(parent int64)
	walk = func(parent int64) {
		for _, f := range s.folders[parent] {
			out.Folders = append(out.Folders,
				treeFolder{Doc: f.Doc, ID: f.ID, Name: f.Name, ParentID: f.ParentID, Shared: shared[f.ID]})
			for _, r := range s.requests[f.ID] {
				out.Requests = append(out.Requests,
					treeRequest{r.CollectionID, r.ID, r.Method, r.Name, r.Path, examples[r.ID]})
			}
			walk(f.ID)
		}
	}
	walk(0)
	return out, w.addShared(ctx, out, c.Access.UserID)
}

// addShared adds the collections that others share with a user.
func (w *Workspace) addShared(ctx context.Context, out *tree, userID int64) error {
	all, permits, err := w.sharedWithUser(ctx, userID)
	if err != nil {
		return err
	}
	var s *shelf
	owner := int64(0)
	var walk func(f *Collection, one treeFolder, around may)
	walk = func(f *Collection, one treeFolder, around may) {
		allowed := max(around, permits[f.ID])
		one.Doc, one.ID, one.Name, one.Locked = f.Doc, f.ID, f.Name, allowed != mayEdit
		out.Folders = append(out.Folders, one)
		for _, r := range s.requests[f.ID] {
			out.Requests = append(out.Requests,
				treeRequest{r.CollectionID, r.ID, r.Method, r.Name, w.sharing.Mask(r.Draft).Path, 0})
		}
		for i := range s.folders[f.ID] {
			walk(&s.folders[f.ID][i], treeFolder{ParentID: f.ID}, allowed)
		}
	}
	for i := range all {
		if f := &all[i]; f.UserID != owner {
			if s, err = readShelf(ctx, w.db, f.UserID); err != nil {
				return err
			}
			owner = f.UserID
		}
		walk(&all[i].Collection, treeFolder{OwnerID: owner, Owner: all[i].owner}, mayNothing)
	}
	return nil
}

func (w *Workspace) duplicate(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	folders, err := w.Folders(ctx, c.Access.UserID, id)
	if err != nil {
		return nil, err
	}
	was, err := resource.Get(ctx, w.db, collectionRows, id)
	if err != nil {
		return nil, err
	}
	folders[0].Name += " copy"
	if was.UserID != c.Access.UserID {
		was.ParentID = 0 // the copy is the caller's
	}
	return w.Plant(ctx, c.Access.UserID, was.ParentID, folders, nil)
}

// move is the body of /collections/move: exactly one of Folder and Request is
// set.
type move struct {
	Folder, Request, To, At int64
}

var moves = resource.Resource[*move]{Name: "move", Label: "move", Fields: []resource.Field[*move]{
	{Name: "folder", At: func(m *move) any { return &m.Folder }, Doc: "The collection to move; 0 for none"},
	{Name: "request", At: func(m *move) any { return &m.Request }, Doc: "The saved request to move; 0 for none"},
	{Name: "to", At: func(m *move) any { return &m.To }, Doc: "The target collection; 0 for none"},
	{Name: "at", At: func(m *move) any { return &m.At }, Doc: "Its position in the target, from 0"},
}}

func (w *Workspace) move(ctx context.Context, c *resource.Call) (any, error) {
	body, err := moves.Read(c.Body, c.Lenient)
	if err != nil {
		return nil, err
	}
	m := &move{}
	if err := moves.Apply(body, m, true); err != nil {
		return nil, err
	}
	if (m.Folder == 0) == (m.Request == 0) {
		return nil, fault.New(fault.Invalid, "specify either a collection or a request to move")
	}
	user := c.Access.UserID
	err = w.db.Write(ctx, func(tx resource.Tx) error {
		if err := inPlace(ctx, tx, user, m.Folder, m.To, "to"); err != nil {
			return err
		}
		s, err := readShelf(ctx, tx, user)
		if err != nil {
			return err
		}
		if m.Folder != 0 {
			return moveFolder(ctx, tx, user, s, m)
		}
		return moveRequest(ctx, tx, user, s, m)
	})
	if err != nil {
		return nil, err
	}
	w.changed(user, CollectionsChanged)
	w.sharedChanged(ctx, user)
	return resource.JSON("{}"), nil
}

func moveFolder(ctx context.Context, tx resource.Tx, user int64, s *shelf, m *move) error {
	row, err := resource.Get(ctx, tx, collectionRows, m.Folder)
	if err == nil && row.UserID != user {
		err = fault.New(fault.Unknown, "there is no collection %d", m.Folder)
	}
	if err != nil {
		return err
	}
	row.ParentID = m.To
	beside := slices.DeleteFunc(s.folders[m.To], func(c Collection) bool { return c.ID == m.Folder })
	for i, c := range slices.Insert(beside, within(m.At, len(beside)), *row) {
		if c.Position == int64(i)+1 && c.ID != m.Folder {
			continue
		}
		c.Position = int64(i) + 1
		if err := resource.Put(ctx, tx, collectionRows, &c); err != nil {
			return err
		}
	}
	return nil
}

func moveRequest(ctx context.Context, tx resource.Tx, user int64, s *shelf, m *move) error {
	if m.To == 0 {
		return fault.At("to", "a saved request must be in a collection")
	}
	row, err := resource.Get(ctx, tx, requestRows, m.Request)
	if err == nil && row.UserID != user {
		err = fault.New(fault.Unknown, "there is no saved request %d", m.Request)
	}
	if err != nil {
		return err
	}
	row.CollectionID = m.To
	beside := slices.DeleteFunc(s.requests[m.To], func(r Request) bool { return r.ID == m.Request })
	for i, r := range slices.Insert(beside, within(m.At, len(beside)), *row) {
		if r.Position == int64(i)+1 && r.ID != m.Request {
			continue
		}
		r.Position = int64(i) + 1
		if err := resource.Put(ctx, tx, requestRows, &r); err != nil {
			return err
		}
	}
	return nil
}

func within(at int64, length int) int { return int(min(max(at, 0), int64(length))) }
