package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Share lets other users of the portal use a collection with its contents.
type Share struct {
	ID           int64
	UserID       int64 // who shares it
	CollectionID int64
	With         string // a user; empty: all users
	WithID       int64  // 0: all users
	Edit         bool
}

const shareRows resource.Name[*Share] = "share"

const maxShares = 1_000 // per user

// Everyone is the user of changes that concern all users.
const Everyone int64 = 0

// Sharing connects the workspace with a portal that has several users.
type Sharing struct {
	UserID   func(ctx context.Context, name string) (int64, error) // fault.Unknown for none
	UserName func(ctx context.Context, id int64) (string, error)
	Users    func(ctx context.Context) ([]string, error) // names of users who can sign in, in order
	Audit    func(ctx context.Context, c *resource.Change) error

	Mask   func(d Draft) Draft      // without secrets
	Unmask func(d, was Draft) Draft // a changed draft with the secrets that it had
}

// Share lets users share collections. It is called before Endpoints.
func (w *Workspace) Share(s Sharing) { w.sharing = &s }

func (w *Workspace) shareTable() *resource.Resource[*Share] {
	return &resource.Resource[*Share]{
		Name: shareRows, Label: "shared collection", Path: "/shares", Object: resource.Anyone, Owner: "userId",
		Doc:     "A collection that other users of the portal may use, with what is in it.",
		Without: []resource.Verb{resource.OnClear, resource.OnReplace},
		Fields: []resource.Field[*Share]{
			{Name: "id", At: func(s *Share) any { return &s.ID }, Doc: "Set by the workspace", ReadOnly: true},
			{Name: "userId", At: func(s *Share) any { return &s.UserID }, Doc: "Id of who shares it", ReadOnly: true,
				WriteOnly: true, Index: true},
			{Name: "collectionId", At: func(s *Share) any { return &s.CollectionID }, Doc: "A collection or a folder " +
				"in one", Required: true, Index: true},
			{Name: "with", At: func(s *Share) any { return &s.With }, Doc: "Name of a user; empty: everybody",
				MaxLen: 255},
			{Name: "withId", At: func(s *Share) any { return &s.WithID }, Doc: "Id of that user", ReadOnly: true,
				WriteOnly: true, Index: true},
			{Name: "edit", At: func(s *Share) any { return &s.Edit }, Doc: "They may change it; else only read it"},
		},
		Unique: [][]string{{"collectionId", "withId"}},
		Check:  w.checkShare,
	}
}

func (w *Workspace) checkShare(write *resource.Write, was, now *Share) (err error) {
	if w.sharing == nil {
		return fault.New(fault.Denied, "Collections can be shared only in a portal that is served to several users.")
	}
	ctx, tx := write.Context, write.Tx
	if was == nil {
		if err := room(write, string(shareRows), now.UserID, maxShares, "shared collections"); err != nil {
			return err
		}
	}
	if now.CollectionID == 0 {
		return fault.At("collectionId", "select a collection")
	}
	if err := inPlace(ctx, tx, now.UserID, 0, now.CollectionID, "collectionId"); err != nil {
		return err
	}
	if now.With = strings.TrimSpace(now.With); now.With == "" {
		now.WithID = 0
		return nil
	}
	now.WithID, err = w.sharing.UserID(ctx, now.With)
	if fault.Is(err, fault.Unknown) {
		return fault.At("with", "there is no user “%s”", now.With)
	}
	if err == nil && now.WithID == now.UserID {
		return fault.At("with", "enter another user: the collection is yours already")
	}
	return err
}

// shareEndpoints returns the endpoints of sharing that are not declared by the resource.
func (w *Workspace) shareEndpoints() []resource.Endpoint {
	return []resource.Endpoint{{Method: "GET", Path: "/shares/users", Summary: "List users to share with",
		Right: anyone, Doc: "Names only, without the caller's: whoever may share may see them.",
		Response: declared(struct {
			Names []string `json:"names"`
		}{}), Handle: w.shareUsers}}
}

func (w *Workspace) shareUsers(ctx context.Context, c *resource.Call) (any, error) {
	out := struct {
		Names []string `json:"names"`
	}{[]string{}}
	if w.sharing == nil {
		return out, nil
	}
	names, err := w.sharing.Users(ctx)
	if err != nil {
		return nil, err
	}
	out.Names = append(out.Names, slices.DeleteFunc(names, func(name string) bool {
		return strings.EqualFold(name, c.Access.User)
	})...)
	return out, nil
}

// audited records who shares what with whom in the audit log.
func (w *Workspace) audited(endpoints []resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		do, method := endpoints[i].Handle, endpoints[i].Method
		if method == "GET" {
			continue
		}
		endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			var s *Share
			var err error
			if id, idErr := c.ID("id"); idErr == nil {
				if s, err = resource.Get(ctx, w.db, shareRows, id); err != nil {
					s = nil // do returns the error
				}
			}
			out, err := do(ctx, c)
			if err != nil || w.sharing == nil {
				return out, err
			}
			w.changed(Everyone, CollectionsChanged) // also those with whom it is no longer shared
			if method != "DELETE" {
				s = nil
				if response, ok := out.(*resource.Response); ok {
					var made struct{ ID int64 }
					if text, ok := response.Body.(resource.JSON); ok && json.Unmarshal(text, &made) == nil {
						s, err = resource.Get(ctx, w.db, shareRows, made.ID)
					}
				}
			}
			if err != nil || s == nil {
				return out, err
			}
			return out, w.audit(ctx, c, s, method == "DELETE")
		}
	}
	return endpoints
}

func (w *Workspace) audit(ctx context.Context, c *resource.Call, s *Share, ends bool) error {
	folder, err := resource.Get(ctx, w.db, collectionRows, s.CollectionID)
	if err != nil {
		return err
	}
	action, did, edits := "share", "Shared", ""
	if ends {
		action, did = "unshare", "Stopped sharing"
	} else if s.Edit {
		edits = ", who may edit it"
	}
	return w.sharing.Audit(ctx, &resource.Change{Call: c, Action: action, Object: string(collectionRows), ID: folder.ID,
		Title: fmt.Sprintf("%s the collection %d, \"%s\", with %s%s", did, folder.ID, folder.Name,
			cmp.Or(s.With, "everybody"), edits)})
}

// may is a right to a collection, the lowest first.
type may int

const (
	mayNothing may = iota
	mayRead
	mayEdit
)

// permission returns a user's permission for the contents of a collection, and its owner.
func permission(ctx context.Context, from resource.Reader, userID, id int64) (owner int64, most may, err error) {
	for range MaxDepth + 2 {
		if id == 0 {
			break
		}
		c, err := resource.Get(ctx, from, collectionRows, id)
		if fault.Is(err, fault.Unknown) || err == nil && c.Trashed != 0 {
			return 0, mayNothing, nil
		}
		if err != nil {
			return 0, mayNothing, err
		}
		if owner = c.UserID; owner == userID {
			return owner, mayEdit, nil
		}
		shares, err := resource.Find(ctx, from, shareRows, resource.Where{Field: "collectionId", Op: "=", Value: id})
		if err != nil {
			return 0, mayNothing, err
		}
		for _, s := range shares {
			if s.WithID == userID || s.WithID == 0 {
				most = max(most, s.may())
			}
		}
		id = c.ParentID
	}
	return owner, most, nil
}

func (s *Share) may() may {
	if s.Edit {
		return mayEdit
	}
	return mayRead
}

// about names the collections that a call reads or changes.
type about struct {
	self int64 // a collection that is itself read or changed
	in   int64 // the collection that the row is in
	to   int64 // the collection or folder that it moves to
	move bool
}

// target finds what a call touches; its zero value for rows that do not exist.
type target func(ctx context.Context, c *resource.Call, body map[string]json.RawMessage) (about, error)

// lent lets others call the endpoints of rows that are shared with them: in the name of
// the owner, for that row only. All other calls are about the caller's own rows.
func (w *Workspace) lent(endpoints []resource.Endpoint) []resource.Endpoint {
	by := map[string]target{
		"GET /requests/{id}": w.aboutRequest, "PATCH /requests/{id}": w.aboutRequest,
		"DELETE /requests/{id}": w.aboutRequest, "POST /requests": aboutNew("collectionId"),
		"GET /collections/{id}": w.aboutCollection, "PATCH /collections/{id}": w.aboutCollection,
		"DELETE /collections/{id}": w.aboutCollection, "POST /collections": aboutNew("parentId"),
		"POST /collections/move": w.aboutMove,
		"GET /examples":          w.aboutExamples, "GET /examples/{id}": w.aboutExample,
		"GET /examples/{id}/body": w.aboutExample,
	}
	for i := range endpoints {
		do, method, path := endpoints[i].Handle, endpoints[i].Method, endpoints[i].Path
		find := by[method+" "+path]
		if find == nil {
			continue
		}
		endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			if w.sharing == nil {
				return do(ctx, c)
			}
			var body map[string]json.RawMessage
			if len(c.Body) > 0 && json.Unmarshal(c.Body, &body) != nil {
				return do(ctx, c) // which refuses it
			}
			what, err := find(ctx, c, body)
			if err != nil {
				return nil, err
			}
			owner, err := w.lend(ctx, c, what, method != "GET")
			if err != nil {
				return nil, err
			}
			if owner == 0 {
				return do(ctx, c)
			}
			own, access := *c, *c.Access
			access.UserID, own.Access = owner, &access
			if strings.HasPrefix(path, "/requests") {
				return w.hidden(ctx, &own, body, do)
			}
			if body != nil { // exactly what was checked
				if own.Body, err = json.Marshal(body); err != nil {
					return nil, err
				}
			}
			return do(ctx, &own)
		}
	}
	return endpoints
}

// lend returns the owner on whose behalf a call runs; 0 for the caller.
func (w *Workspace) lend(ctx context.Context, c *resource.Call, what about, edits bool) (int64, error) {
	user := c.Access.UserID
	place := what.in
	if what.self != 0 && !edits {
		place = what.self
	}
	owner, allowed, err := permission(ctx, w.db, user, place)
	if err != nil || owner == user {
		return 0, err
	}
	if allowed == mayNothing {
		if what.self == 0 {
			return 0, nil
		}
		of, self, err := permission(ctx, w.db, user, what.self)
		if err == nil && of != user && self != mayNothing {
			err = fault.New(fault.Denied, "Only its owner can rename, move or delete a shared collection.")
		}
		return 0, err
	}
	if edits && allowed == mayRead {
		return 0, fault.New(fault.Denied, "This collection is shared with you for reading only. Duplicate it to "+
			"change a copy.")
	}
	if !what.move {
		return owner, nil
	}
	of, allowed, err := permission(ctx, w.db, user, what.to)
	if err == nil && (of != owner || allowed != mayEdit) {
		err = fault.New(fault.Denied, "You cannot move it out of what is shared with you.")
	}
	return owner, err
}

// hidden calls an endpoint of requests for another user than the owner. Neither sees the
// secrets of the other.
func (w *Workspace) hidden(ctx context.Context, own *resource.Call, body map[string]json.RawMessage,
	do handle) (any, error) {
	if body["draft"] != nil {
		d := emptyDraft
		if json.Unmarshal(body["draft"], &d) != nil {
			return do(ctx, own) // which refuses it
		}
		d = w.sharing.Mask(d)
		if id, err := own.ID("id"); err == nil {
			was, err := resource.Get(ctx, w.db, requestRows, id)
			if err != nil {
				return nil, err
			}
			d = w.sharing.Unmask(d, was.Draft)
		}
		text, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		body["draft"] = text
	}
	if body != nil { // exactly what was checked
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		own.Body = text
	}
	out, err := do(ctx, own)
	response, ok := out.(*resource.Response)
	if err != nil || !ok {
		return out, err
	}
	text, ok := response.Body.(resource.JSON)
	var row map[string]json.RawMessage
	var d Draft
	if !ok || json.Unmarshal(text, &row) != nil || row["draft"] == nil {
		return out, nil
	}
	if err := json.Unmarshal(row["draft"], &d); err != nil {
		return nil, err
	}
	d = w.sharing.Mask(d)
	if row["draft"], err = json.Marshal(d); err == nil {
		row["path"], err = json.Marshal(d.Path)
	}
	if err == nil {
		text, err = json.Marshal(row)
	}
	now := *response // with the ETag of the owner's row
	now.Body = text
	return &now, err
}

// number returns a number in a body, and whether there is one.
func number(body map[string]json.RawMessage, name string) (n int64, there bool) {
	text, there := body[name]
	if there && json.Unmarshal(text, &n) != nil {
		return -1, true
	}
	return n, there
}

func (w *Workspace) aboutRequest(ctx context.Context, c *resource.Call,
	body map[string]json.RawMessage) (about, error) {
	id, err := c.ID("id")
	if err != nil {
		return about{}, nil
	}
	in, err := w.collectionOf(ctx, id)
	to, move := number(body, "collectionId")
	return about{in: in, to: to, move: move}, err
}

// ofRequest is the filter of a list of the examples of one request.
var ofRequest = regexp.MustCompile(`^requestId:"?(\d+)"?$`)

// aboutExamples is about the examples of one request; other lists have the caller's own.
func (w *Workspace) aboutExamples(ctx context.Context, c *resource.Call, _ map[string]json.RawMessage) (about, error) {
	found := ofRequest.FindStringSubmatch(c.Query.Get("filter"))
	if found == nil {
		return about{}, nil
	}
	id, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return about{}, nil
	}
	return w.aboutKept(ctx, id)
}

// aboutExample is about an example: users who can view its request can view it.
func (w *Workspace) aboutExample(ctx context.Context, c *resource.Call, _ map[string]json.RawMessage) (about, error) {
	id, err := c.ID("id")
	if err != nil {
		return about{}, nil
	}
	e, err := resource.Get(ctx, w.db, exampleRows, id)
	if fault.Is(err, fault.Unknown) {
		return about{}, nil
	}
	if err != nil {
		return about{}, err
	}
	return w.aboutKept(ctx, e.RequestID)
}

// aboutKept is about a request that is not in the bin.
func (w *Workspace) aboutKept(ctx context.Context, request int64) (about, error) {
	r, err := resource.Get(ctx, w.db, requestRows, request)
	if fault.Is(err, fault.Unknown) || err == nil && r.Trashed != 0 {
		return about{}, nil
	}
	if err != nil {
		return about{}, err
	}
	return about{in: r.CollectionID}, nil
}

// collectionOf returns the collection of a request; 0 if there is none.
func (w *Workspace) collectionOf(ctx context.Context, request int64) (int64, error) {
	r, err := resource.Get(ctx, w.db, requestRows, request)
	if fault.Is(err, fault.Unknown) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return r.CollectionID, nil
}

func (w *Workspace) aboutCollection(ctx context.Context, c *resource.Call,
	body map[string]json.RawMessage) (about, error) {
	id, err := c.ID("id")
	if err != nil {
		return about{}, nil
	}
	in, err := w.above(ctx, id)
	to, move := number(body, "parentId")
	return about{self: id, in: in, to: to, move: move}, err
}

// above returns the collection that a collection is in; 0 if there is none.
func (w *Workspace) above(ctx context.Context, id int64) (int64, error) {
	c, err := resource.Get(ctx, w.db, collectionRows, id)
	if fault.Is(err, fault.Unknown) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return c.ParentID, nil
}

func aboutNew(field string) target {
	return func(_ context.Context, _ *resource.Call, body map[string]json.RawMessage) (about, error) {
		in, _ := number(body, field)
		return about{in: in}, nil
	}
}

func (w *Workspace) aboutMove(ctx context.Context, _ *resource.Call, body map[string]json.RawMessage) (about, error) {
	folder, _ := number(body, "folder")
	request, _ := number(body, "request")
	to, _ := number(body, "to")
	what := about{self: folder, to: to, move: true}
	var err error
	if folder != 0 {
		what.in, err = w.above(ctx, folder)
	} else {
		what.in, err = w.collectionOf(ctx, request)
	}
	return what, err
}

// sharedWith is a collection that another user shares.
type sharedWith struct {
	Collection
	owner string
}

// sharedWithUser returns the outermost collections that others share with a user, by the
// names of the owners, and what each share permits, by collection. It leaves out those of
// users who no longer exist.
func (w *Workspace) sharedWithUser(ctx context.Context, userID int64) (all []sharedWith, permits map[int64]may,
	err error) {
	if w.sharing == nil {
		return nil, nil, nil
	}
	shares, err := resource.Find(ctx, w.db, shareRows,
		resource.Where{Field: "withId", Op: "in", Value: []int64{0, userID}})
	if err != nil {
		return nil, nil, err
	}
	permits = map[int64]may{}
	names := map[int64]string{}
	for _, s := range shares {
		seen := permits[s.CollectionID] != mayNothing
		permits[s.CollectionID] = max(permits[s.CollectionID], s.may())
		if s.UserID == userID || seen {
			continue
		}
		_, allowed, err := permission(ctx, w.db, userID, s.CollectionID)
		if err != nil {
			return nil, nil, err
		}
		if allowed == mayNothing {
			continue // deleted
		}
		c, err := resource.Get(ctx, w.db, collectionRows, s.CollectionID)
		if err != nil {
			return nil, nil, err
		}
		if _, around, err := permission(ctx, w.db, userID, c.ParentID); err != nil || around != mayNothing {
			if err != nil {
				return nil, nil, err
			}
			continue // it is part of an outer folder
		}
		name, known := names[c.UserID]
		if !known {
			name, err = w.sharing.UserName(ctx, c.UserID)
			if err != nil && !fault.Is(err, fault.Unknown) {
				return nil, nil, err
			}
			names[c.UserID] = name
		}
		if name != "" {
			all = append(all, sharedWith{*c, name})
		}
	}
	slices.SortStableFunc(all, func(a, b sharedWith) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.UserID, b.UserID),
			cmp.Compare(a.Position, b.Position))
	})
	return all, permits, nil
}

// readable returns a saved request of the user, or a request that is shared with them, without
// its owner's secrets.
func (w *Workspace) readable(ctx context.Context, userID, id int64) (*Request, error) {
	r, err := resource.Get(ctx, w.db, requestRows, id)
	if err == nil && r.UserID == userID && r.Trashed == 0 {
		return r, nil
	}
	if err == nil && r.Trashed == 0 && w.sharing != nil {
		_, allowed, err := permission(ctx, w.db, userID, r.CollectionID)
		if err != nil {
			return nil, err
		}
		if allowed != mayNothing {
			r.Draft = w.sharing.Mask(r.Draft)
			return r, nil
		}
	}
	if err == nil {
		err = fault.New(fault.Unknown, "there is no saved request %d", id)
	}
	return nil, err
}

// sharedFolder returns a collection of another user with its contents, without secrets and
// examples.
func (w *Workspace) sharedFolder(ctx context.Context, userID int64, c *Collection) (*Folder, error) {
	allowed := mayNothing
	var err error
	if w.sharing != nil {
		_, allowed, err = permission(ctx, w.db, userID, c.ID)
	}
	if err == nil && allowed == mayNothing {
		err = fault.New(fault.Unknown, "there is no collection %d", c.ID)
	}
	if err != nil {
		return nil, err
	}
	s, err := readShelf(ctx, w.db, c.UserID)
	if err != nil {
		return nil, err
	}
	for _, requests := range s.requests {
		for i := range requests {
			requests[i].Draft = w.sharing.Mask(requests[i].Draft)
		}
	}
	folder := s.folder(c)
	return &folder, nil
}

// sharedChanged notifies all users if collections of a user are shared.
func (w *Workspace) sharedChanged(ctx context.Context, userID int64) {
	shares, err := resource.Find(ctx, w.db, shareRows, mine(userID), resource.Limit(1))
	if err != nil || len(shares) > 0 {
		w.changed(Everyone, CollectionsChanged)
	}
}
