package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// life selects existing or deleted rows, where deleted ones are kept.
type life int

const (
	alive life = iota
	gone
	either
)

// withDeleted is the list's query switch that shows deleted rows too.
const withDeleted = "includeDeletedResources"

// live is the condition that a row is not soft-deleted.
func (t *Table[T]) live() string { return t.lives(alive) }

func (t *Table[T]) lives(which life) string {
	switch {
	case t.res.SoftBy == "" && which == gone:
		return "0"
	case t.res.SoftBy == "" || which == either:
		return "1"
	case which == gone:
		return quote(t.res.SoftBy) + " > 0"
	}
	return quote(t.res.SoftBy) + " = 0"
}

// binEndpoints are the recycle bin: what was deleted, the way back, and the way out.
func (t *Table[T]) binEndpoints(read, write resource.Right, fails func(...resource.Failure) []resource.Failure) []resource.Endpoint {
	r, label := t.res, t.res.Label
	one := r.Schema()
	ids := []resource.Param{{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the deleted " + label), Example: r.Deleted}}
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter is wrong; errorDetail names it"}
	missing := resource.Failure{Kind: fault.Unknown, When: "there is no such " + label + " in the recycle bin, or it is not yours to see"}
	clash := resource.Failure{Kind: fault.Conflict, When: "its name was taken meanwhile"}
	stale := resource.Failure{Kind: fault.Changed, When: "If-Match was given, and the " + label + " has changed"}
	example := func(path string) resource.Example { return resource.Example{Path: r.Bin + path} }
	list := example("")
	list.Query = [][2]string{{"sort", "-" + r.SoftBy}}
	return []resource.Endpoint{
		{Method: "GET", Path: r.Bin, Summary: "List deleted " + plural(label), Doc: "Returns the " + plural(label) + " in the recycle bin that this account can see, one page at a time.",
			Right: read, Params: t.pageParams(), Answer: ListSchema(one), Lines: &one, Errors: fails(wrong), Example: list,
			Handle: func(ctx context.Context, c *resource.Call) (any, error) { return t.listAs(ctx, c, gone) }},
		{Method: "POST", Path: r.Bin + "/{id}/restore", Summary: "Restore a deleted " + label,
			Doc:   "Takes the " + label + " out of the recycle bin, back to where it was. What it referred to and is gone is left out; without any group it goes to the root group.",
			Right: write, Params: ids, Answer: &one, Tagged: true, Errors: fails(missing, clash, stale), Example: example(fmt.Sprintf("/%d/restore", r.Deleted)), Handle: t.restore},
		{Method: "DELETE", Path: r.Bin + "/{id}", Summary: "Remove a deleted " + label + " for good", Doc: "Removes the " + label + " from the recycle bin. It cannot be restored then.",
			Right: write, Params: ids, Errors: fails(missing, stale), Example: example(fmt.Sprint("/", r.Deleted+1)), Handle: t.purge},
		t.binBatch("batchrestore", "Restore many deleted "+plural(label), "Takes them out of the recycle bin, up to 1,000 at once, in one transaction. ", write, fails, "restore", t.restoring),
		t.binBatch("batchdelete", "Remove many deleted "+plural(label)+" for good", "Removes them from the recycle bin, up to 1,000 at once, in one transaction. ", write, fails, "purge", t.purging),
	}
}

// binBatch is the endpoint of one change of many deleted rows.
func (t *Table[T]) binBatch(
	name, summary, doc string, write resource.Right, fails func(...resource.Failure) []resource.Failure, op string, prepare func(*resource.Call) (step, error),
) resource.Endpoint {
	body, answer := t.idList("ids"), resource.ResultsSchema()
	body.Name = t.res.Schema().Name + "DeletedIDs"
	path := cmp.Or(t.res.Recycles, t.res.Bin) + "/" + name
	return resource.Endpoint{
		Method: "POST", Path: path, Summary: summary, Doc: doc + oneByOne, Right: write, Body: body, Answer: &answer,
		Errors:  fails(resource.Failure{Kind: fault.Invalid, When: "the list of ids is missing, empty or too long"}),
		Example: resource.Example{Path: path, Body: map[string]any{"ids": []string{fmt.Sprint(t.res.Deleted)}}}, Handle: t.many("ids", op, prepare),
	}
}

// restore brings a deleted row back.
func (t *Table[T]) restore(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.restoring)
}

// restoring is the step that brings back the row that the call names.
func (t *Table[T]) restoring(c *resource.Call) (step, error) {
	empty, err := t.res.Read([]byte("{}"), false)
	return func(ctx context.Context, tx *tx) (*resource.Answer, error) {
		was, err := t.ownAs(ctx, tx, c, resource.Modify, gone)
		if err != nil {
			return nil, err
		}
		if err := t.dropDeadRefs(ctx, tx, was); err != nil {
			return nil, err
		}
		now := t.copyOf(was)
		*t.deleted(now) = 0
		return t.save(ctx, tx, c, "restore", empty, was, now)
	}, err
}

// dropDeadRefs takes out of a row the ids of what is gone: the rules of the
// resource, or its defaults, say what stands there instead.
func (t *Table[T]) dropDeadRefs(ctx context.Context, tx *tx, row T) error {
	defaults, err := t.res.Defaults()
	if err != nil {
		return err
	}
	for i := range t.columns {
		f := t.columns[i].field
		if f.Refs == "" {
			continue
		}
		table, err := t.db.table(f.Refs)
		if err != nil {
			return err
		}
		there := func(id int64) bool {
			n, failed := table.countByID(ctx, tx, id)
			if failed != nil {
				err = failed
			}
			return n > 0
		}
		switch p := f.At(row).(type) {
		case *resource.IDs:
			*p = slices.DeleteFunc(slices.Clone(*p), func(id int64) bool { return !there(id) })
		case *int64:
			if *p > 0 && !there(*p) {
				copyValue(p, f.At(defaults))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// purge removes a deleted row for good.
func (t *Table[T]) purge(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.purging)
}

// purging is the step that removes the deleted row that the call names.
func (t *Table[T]) purging(c *resource.Call) (step, error) {
	return func(ctx context.Context, tx *tx) (*resource.Answer, error) {
		row, err := t.ownAs(ctx, tx, c, resource.Modify, gone)
		if err != nil {
			return nil, err
		}
		return &resource.Answer{Body: resource.JSON("{}")}, t.drop(ctx, tx, c, row, true)
	}, nil
}
