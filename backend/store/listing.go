package store

import (
	"context"
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// listings are the endpoints of further lists of the same rows.
func (t *Table[T]) listings(read resource.Right, fails func(...resource.Failure) []resource.Failure) []resource.Endpoint {
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter is wrong; errorDetail names it"}
	one := t.res.Schema()
	var all []resource.Endpoint
	for _, l := range t.res.Lists {
		e := resource.Endpoint{
			Method: "GET", Path: l.Path, Category: l.Category, Summary: l.Summary, Doc: l.Doc,
			Right: read, Params: slices.Concat(t.pageParams(), t.res.Asks, l.Asks), Answer: ListSchema(one), Lines: &one, Errors: fails(wrong), Example: t.listExample(),
			Handle: func(ctx context.Context, c *resource.Call) (any, error) { return t.listThose(ctx, c, t.listed(l)) },
		}
		e.Example.Path = l.Path
		if l.Of != "" {
			e.Params = append(append(parentParams(l.Above), resource.Param{Name: l.Param, In: "path", Required: true, Schema: resource.Integer("Id of the " + l.Of), Example: l.Sample}), e.Params...)
			e.Errors = fails(wrong, resource.Failure{Kind: fault.Unknown, When: "there is no such " + l.Of + ", or it is not yours to see"})
			e.Example.Path = samplePath(l.Path, append(slices.Clip(l.Above), resource.Parent{Param: l.Param, Sample: l.Sample}))
		}
		all = append(all, e)
	}
	return all
}

// listed is the condition that a row belongs into the list, and is there for the caller.
func (t *Table[T]) listed(l resource.Listing) those {
	return func(ctx context.Context, q asker, c *resource.Call, op resource.Operation) (*condition, error) {
		cond := &condition{}
		cond.and(t.live())
		if l.Of == "" {
			return cond, t.granted(cond, c, op, alive)
		}
		for _, p := range l.Above {
			if _, err := t.db.below(ctx, q, c, p, resource.Read); err != nil {
				return nil, err
			}
		}
		id, err := t.db.below(ctx, q, c, resource.Parent{Of: l.Of, Param: l.Param}, resource.Read)
		if err != nil {
			return nil, err
		}
		if err := t.listedBy(ctx, q, cond, l, id); err != nil {
			return nil, err
		}
		return cond, t.granted(cond, c, op, alive)
	}
}

func (t *Table[T]) listedBy(ctx context.Context, q asker, cond *condition, l resource.Listing, id int64) error {
	if l.Where != nil {
		where, err := l.Where(ctx, q, id)
		if err != nil {
			return err
		}
		text, args, err := t.conditions(where)
		cond.and(text, args...)
		cond.foreign = true
		return err
	}
	field := t.column(l.Field)
	switch {
	case field == nil:
		return fmt.Errorf("%s has no field %q to list by", t.res.Name, l.Field)
	case field.link != "":
		cond.and(`"id" IN (SELECT "row" FROM `+field.link+` WHERE "ref" = ?)`, id)
	default:
		cond.and(quote(l.Field)+" = ?", id)
	}
	return nil
}
