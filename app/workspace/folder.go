package workspace

import (
	"cmp"
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Folder is a collection with its contents, without ids.
type Folder struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc,omitempty"`
	Folders  []Folder `json:"folders,omitempty"`
	Requests []Saved  `json:"requests,omitempty"`
}

// Saved is a saved request without ids.
type Saved struct {
	Name  string `json:"name"`
	Doc   string `json:"doc,omitempty"`
	Draft Draft  `json:"draft"`

	Examples []SavedExample `json:"examples,omitempty"`
}

// Planted lists the collections and variables that Plant has created.
type Planted struct {
	Collections []int64 `json:"collections" doc:"the outermost"`
	Variables   []int64 `json:"variables"`
	Requests    int     `json:"requests"`

	Environments []int64 `json:"environments"`
}

// shelf holds a user's collections and requests, in their order.
type shelf struct {
	folders  map[int64][]Collection   // by parent
	requests map[int64][]Request      // by collection
	examples map[int64][]SavedExample // by request; nil until readExamples
}

func readShelf(ctx context.Context, from resource.Reader, userID int64) (*shelf, error) {
	alive := resource.Where{Field: "trashed", Op: "=", Value: int64(0)}
	folders, err := resource.Find(ctx, from, collectionRows, mine(userID), alive)
	if err != nil {
		return nil, err
	}
	requests, err := resource.Find(ctx, from, requestRows, mine(userID), alive)
	if err != nil {
		return nil, err
	}
	s := &shelf{folders: map[int64][]Collection{}, requests: map[int64][]Request{}}
	slices.SortStableFunc(folders, func(a, b Collection) int { return cmp.Compare(a.Position, b.Position) })
	slices.SortStableFunc(requests, func(a, b Request) int { return cmp.Compare(a.Position, b.Position) })
	for _, c := range folders {
		s.folders[c.ParentID] = append(s.folders[c.ParentID], c)
	}
	for _, r := range requests {
		s.requests[r.CollectionID] = append(s.requests[r.CollectionID], r)
	}
	return s, nil
}

// readExamples reads all examples with their bodies.
func (s *shelf) readExamples(ctx context.Context, from resource.Reader, userID int64) (err error) {
	var ids []int64
	for _, all := range s.requests {
		for i := range all {
			ids = append(ids, all[i].ID)
		}
	}
	s.examples, err = savedExamples(ctx, from, userID, ids)
	return err
}

func (s *shelf) folder(c *Collection) Folder {
	f := Folder{Name: c.Name, Doc: c.Doc}
	for _, inside := range s.folders[c.ID] {
		f.Folders = append(f.Folders, s.folder(&inside))
	}
	for _, r := range s.requests[c.ID] {
		f.Requests = append(f.Requests, Saved{Name: r.Name, Doc: r.Doc, Draft: r.Draft, Examples: s.examples[r.ID]})
	}
	return f
}

// Folders returns the user's collections with those ids and their contents, or
// all if there are no ids. Those with ids may be shared with the user.
func (w *Workspace) Folders(ctx context.Context, userID int64, ids ...int64) ([]Folder, error) {
	s, err := readShelf(ctx, w.db, userID)
	if err == nil {
		err = s.readExamples(ctx, w.db, userID)
	}
	if err != nil {
		return nil, err
	}
	out := []Folder{}
	if len(ids) == 0 {
		for _, c := range s.folders[0] {
			out = append(out, s.folder(&c))
		}
		return out, nil
	}
	for _, id := range ids {
		c, err := resource.Get(ctx, w.db, collectionRows, id)
		if err == nil && c.UserID != userID {
			folder, err := w.sharedFolder(ctx, userID, c)
			if err != nil {
				return nil, err
			}
			out = append(out, *folder)
			continue
		}
		if err == nil && c.Trashed != 0 {
			err = fault.New(fault.Unknown, "there is no collection %d", id)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s.folder(c))
	}
	return out, nil
}

// SavedRequests returns saved requests with those ids, in that order. They are the user's,
// or shared with the user.
func (w *Workspace) SavedRequests(ctx context.Context, userID int64, ids []int64) ([]Saved, error) {
	out := make([]Saved, len(ids))
	for i, id := range ids {
		r, err := w.readable(ctx, userID, id)
		if err != nil {
			return nil, err
		}
		out[i] = Saved{Name: r.Name, Doc: r.Doc, Draft: r.Draft}
	}
	return out, nil
}

// WithExamples adds the examples of the user's saved requests with those ids.
func (w *Workspace) WithExamples(ctx context.Context, userID int64, ids []int64, saved []Saved) error {
	all, err := savedExamples(ctx, w.db, userID, ids)
	for i, id := range ids {
		saved[i].Examples = all[id]
	}
	return err
}

// Set is an environment to plant, with its variables.
type Set struct {
	Name      string
	PortalID  int64
	Variables []Variable
}

// Plant creates folders below a collection of the user, or at the top level for
// 0. It adds variables, each at its PortalID, unless the user already has one
// with that name there. It adds environments, or to those of the same names, and
// makes the first one active if none is. It writes all or nothing.
func (w *Workspace) Plant(ctx context.Context, userID, parentID int64, folders []Folder,
	variables []Variable, environments ...Set) (*Planted, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	out := &Planted{}
	p := &planting{ctx: ctx, userID: userID, out: out}
	err := w.db.Write(ctx, func(tx resource.Tx) error {
		// reset for a second run
		*out = Planted{Collections: []int64{}, Variables: []int64{}, Environments: []int64{}}
		if err := inPlace(ctx, tx, userID, 0, parentID, "parentId"); err != nil {
			return err
		}
		p.tx, p.secrets = tx, map[string]string{}
		if err := p.roomFor(folders); err != nil {
			return err
		}
		last, err := lastPosition(ctx, tx, userID, parentID)
		if err != nil {
			return err
		}
		for i := range folders {
			id, err := p.folder(&folders[i], parentID, last+int64(i)+1, 1)
			if err != nil {
				return err
			}
			out.Collections = append(out.Collections, id)
		}
		if err := p.variables(variables); err != nil {
			return err
		}
		return p.environments(environments)
	})
	if err != nil {
		return nil, err
	}
	for key, value := range p.secrets {
		w.keep(key, value)
	}
	w.changed(userID, CollectionsChanged)
	if len(out.Environments) > 0 {
		w.changed(userID, EnvironmentsChanged)
	}
	if len(out.Variables) > 0 {
		w.changed(userID, VariablesChanged)
	}
	return out, nil
}

func lastPosition(ctx context.Context, from resource.Reader, userID, parentID int64) (last int64, err error) {
	beside, err := resource.Find(ctx, from, collectionRows, mine(userID),
		resource.Where{Field: "parentId", Op: "=", Value: parentID})
	for _, c := range beside {
		last = max(last, c.Position)
	}
	return last, err
}

// planting is a Plant in progress.
type planting struct {
	ctx     context.Context
	tx      resource.Tx
	userID  int64
	out     *Planted
	secrets map[string]string // by their keys in the keyring
}

// roomFor refuses what would exceed a limit.
func (p *planting) roomFor(folders []Folder) error {
	more, requests := count(folders)
	for _, limit := range []struct {
		name       string
		more, most int64
		what       string
	}{{string(collectionRows), more, maxCollections, "collections"},
		{string(requestRows), requests, maxRequests, "requests"}} {
		counts, err := p.tx.CountBy(p.ctx, limit.name, "userId")
		if err != nil {
			return err
		}
		if counts[p.userID]+limit.more > limit.most {
			return fault.New(fault.Conflict, "there would be more than %d %s; delete some first", limit.most,
				limit.what)
		}
	}
	return nil
}

func count(folders []Folder) (all, requests int64) {
	for _, f := range folders {
		inside, more := count(f.Folders)
		all, requests = all+1+inside, requests+more+int64(len(f.Requests))
	}
	return all, requests
}

func (p *planting) folder(f *Folder, parentID, position int64, depth int) (int64, error) {
	if depth > MaxDepth {
		return 0, fault.New(fault.Invalid, "folders are nested more than %d levels deep", MaxDepth)
	}
	c := &Collection{UserID: p.userID, ParentID: parentID, Position: position, Name: f.Name, Doc: f.Doc}
	if err := resource.Put(p.ctx, p.tx, collectionRows, c); err != nil {
		return 0, err
	}
	for i := range f.Folders {
		if _, err := p.folder(&f.Folders[i], c.ID, int64(i)+1, depth+1); err != nil {
			return 0, err
		}
	}
	for i, s := range f.Requests {
		if err := s.Draft.Check("draft"); err != nil {
			return 0, err
		}
		r := &Request{UserID: p.userID, CollectionID: c.ID, Position: int64(i) + 1, Name: s.Name, Doc: s.Doc,
			Method: s.Draft.Method, Path: s.Draft.Path, Draft: s.Draft}
		if err := resource.Put(p.ctx, p.tx, requestRows, r); err != nil {
			return 0, err
		}
		if err := plantExamples(p.ctx, p.tx, r, s.Examples); err != nil {
			return 0, err
		}
		p.out.Requests++
	}
	return c.ID, nil
}

func (p *planting) environments(sets []Set) error {
	counts, err := p.tx.CountBy(p.ctx, string(environmentRows), "userId")
	if err == nil && counts[p.userID]+int64(len(sets)) > maxEnvironments {
		err = fault.New(fault.Conflict, "there would be more than %d environments; delete some first", maxEnvironments)
	}
	for i := range sets {
		if err == nil {
			err = p.environment(&sets[i])
		}
	}
	return err
}

func (p *planting) environment(s *Set) error {
	beside, err := environmentsAt(p.ctx, p.tx, p.userID, s.PortalID)
	if err != nil {
		return err
	}
	e := &Environment{UserID: p.userID, PortalID: s.PortalID, Name: s.Name}
	e.Active = !slices.ContainsFunc(beside, func(other Environment) bool { return other.Active })
	if i := slices.IndexFunc(beside, func(other Environment) bool { return other.Name == s.Name }); i >= 0 {
		e = &beside[i]
	} else if err := resource.Put(p.ctx, p.tx, environmentRows, e); err != nil {
		return err
	} else {
		p.out.Environments = append(p.out.Environments, e.ID)
	}
	own := slices.Clone(s.Variables)
	for i := range own {
		own[i].Scope, own[i].EnvironmentID, own[i].PortalID = ScopeEnvironment, e.ID, e.PortalID
	}
	before := p.out.Variables
	if err := p.variables(own); err != nil {
		return err
	}
	if slices.Contains(p.out.Environments, e.ID) {
		p.out.Variables = before // they go with it
	}
	return nil
}

func (p *planting) variables(variables []Variable) error {
	have, err := resource.Find(p.ctx, p.tx, variableRows, mine(p.userID))
	if err != nil {
		return err
	}
	for _, v := range variables {
		if !variableName.MatchString(v.Name) || slices.ContainsFunc(have, func(h Variable) bool {
			return h.Name == v.Name && h.EnvironmentID == v.EnvironmentID &&
				(h.PortalID == v.PortalID || h.PortalID == everywhere)
		}) {
			continue
		}
		v.ID, v.UserID = 0, p.userID
		if v.Scope == "" {
			v.Scope = "portal"
		}
		if v.Scope == "global" {
			v.PortalID = everywhere
		}
		secret := v.Value
		if v.Secret && secret != "" {
			v.Value = resource.Mask
		}
		if err := resource.Put(p.ctx, p.tx, variableRows, &v); err != nil {
			return err
		}
		if v.Secret && secret != "" {
			p.secrets[v.key()] = secret
		}
		have = append(have, v)
		p.out.Variables = append(p.out.Variables, v.ID)
	}
	return nil
}
