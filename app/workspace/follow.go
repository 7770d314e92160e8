package workspace

import (
	"context"
	"reflect"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// following is the body of /variables/{id}/follow.
type following struct{ From string }

var followings = resource.Resource[*following]{Name: "follow", Label: "former name",
	Fields: []resource.Field[*following]{
		{Name: "from", At: func(f *following) any { return &f.From }, Doc: "The variable's former name",
			Required: true,
			MaxLen:   100},
	}}

// followed records the rows that one rename changed, before and after, so that
// it can be undone.
type followed struct {
	UserID, VariableID int64
	Requests           [][2]Request
	Extractors         [][2]Extractor
}

// followEndpoints returns the endpoints that rename a variable in all saved
// requests and extractors that use it, or undo that.
func (w *Workspace) followEndpoints() []resource.Endpoint {
	schema := followings.Schema()
	return []resource.Endpoint{
		{Method: "POST", Path: "/variables/{id}/follow", Summary: "Rename a variable where it is used", Right: anyone,
			Params: idParam, Body: &schema, Response: declared(renamed{}), Handle: w.follow,
			Doc: "Replaces the former name by the current one in saved requests and extractors. For two minutes " +
				"DELETE undoes it."},
		{Method: "DELETE", Path: "/variables/{id}/follow", Summary: "Undo renaming a variable where it is used",
			Right: anyone, Params: idParam, Response: declared(renamed{}), Handle: w.unfollow},
	}
}

// renamed holds the numbers of objects that a rename changed.
type renamed struct {
	Extractors int `json:"extractors"`
	Requests   int `json:"requests"`
}

func (w *Workspace) follow(ctx context.Context, c *resource.Call) (any, error) {
	body, err := followings.Read(c.Body, c.Lenient)
	if err != nil {
		return nil, err
	}
	in := &following{}
	if err := followings.Apply(body, in, true); err != nil {
		return nil, err
	}
	v := w.ownVariable(ctx, c)
	if v == nil {
		return nil, fault.New(fault.Unknown, "this variable no longer exists")
	}
	var f *followed
	err = w.db.Write(ctx, func(tx resource.Tx) error {
		f = &followed{UserID: v.UserID, VariableID: v.ID}
		return f.rename(ctx, tx, in.From, v.Name)
	})
	if err != nil {
		return nil, err
	}
	w.renames.put(ctx, f.UserID, f.VariableID, *f)
	w.notifyRenamed(f)
	return &renamed{len(f.Extractors), len(f.Requests)}, nil
}

// rename replaces the former name in every request and extractor of the user.
func (f *followed) rename(ctx context.Context, tx resource.Tx, from, to string) error {
	for last := int64(0); ; {
		rows, err := resource.Find(ctx, tx, requestRows, mine(f.UserID),
			resource.Where{Field: "id", Op: ">", Value: last}, resource.Limit(usesAtOnce))
		if err != nil {
			return err
		}
		for _, was := range rows {
			last = was.ID
			now := was
			if !now.Draft.rename(from, to) {
				continue
			}
			now.Path = now.Draft.Path
			f.Requests = append(f.Requests, [2]Request{was, now})
			if err := resource.Put(ctx, tx, requestRows, &now); err != nil {
				return err
			}
		}
		if len(rows) < usesAtOnce {
			break
		}
	}
	rows, err := resource.Find(ctx, tx, extractorRows, mine(f.UserID),
		resource.Where{Field: "variable", Op: "=", Value: from})
	for _, was := range rows {
		now := was
		now.Variable = to
		f.Extractors = append(f.Extractors, [2]Extractor{was, now})
		if err == nil {
			err = resource.Put(ctx, tx, extractorRows, &now)
		}
	}
	return err
}

// rename replaces the name of a variable in the draft, and reports whether the
// draft uses it.
func (d *Draft) rename(from, to string) (found bool) {
	renamed := func(text string) string {
		return variableReference.ReplaceAllStringFunc(text, func(reference string) string {
			if variableReference.FindStringSubmatch(reference)[1] != from {
				return reference
			}
			found = true
			return "{{" + to + "}}"
		})
	}
	d.Path, d.Body = renamed(d.Path), renamed(d.Body)
	for _, rows := range []*Rows{&d.PathParams, &d.Query, &d.Headers} {
		all := make(Rows, len(*rows)) // undo needs the original rows
		for i, r := range *rows {
			r.Key, r.Value = renamed(r.Key), renamed(r.Value)
			all[i] = r
		}
		*rows = all
	}
	return found
}

// unfollow restores the objects that have not been changed since.
func (w *Workspace) unfollow(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	was, ok, err := w.renames.take(ctx, c.Access.UserID, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.Unknown, "renaming this variable can no longer be undone")
	}
	f := &was
	var requests, extractors int
	err = w.db.Write(ctx, func(tx resource.Tx) error {
		if requests,
			err = putBack(ctx, tx, requestRows, f.Requests, func(r *Request) int64 { return r.ID }); err == nil {
			extractors, err = putBack(ctx, tx, extractorRows, f.Extractors, func(x *Extractor) int64 { return x.ID })
		}
		return err
	})
	if err != nil {
		w.renames.put(ctx, f.UserID, f.VariableID, *f)
		return nil, err
	}
	w.notifyRenamed(f)
	return &renamed{extractors, requests}, nil
}

// putBack restores rows that have not changed since the rename, and counts them.
func putBack[T any](ctx context.Context, tx resource.Tx, name resource.Name[*T], rows [][2]T,
	id func(*T) int64) (n int, err error) {
	for i := range rows {
		was, became := &rows[i][0], &rows[i][1]
		now, err := resource.Get(ctx, tx, name, id(became))
		if fault.Is(err, fault.Unknown) || err == nil && !reflect.DeepEqual(now, became) {
			continue
		}
		if err == nil {
			err = resource.Put(ctx, tx, name, was)
		}
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func (w *Workspace) notifyRenamed(f *followed) {
	if len(f.Requests) > 0 {
		w.changed(f.UserID, CollectionsChanged)
	}
	if len(f.Extractors) > 0 {
		w.changed(f.UserID, ExtractorsChanged)
	}
}
