package store

import (
	"context"
	"fmt"
	"strings"

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
			Right: read, Params: t.pageParams(), Answer: ListSchema(one), Lines: &one, Errors: fails(wrong), Example: t.listExample(),
			Handle: func(ctx context.Context, c *resource.Call) (any, error) { return t.listThose(ctx, c, t.listed(l)) },
		}
		e.Example.Path = l.Path
		if l.Of != "" {
			e.Params = append([]resource.Param{{Name: l.Param, In: "path", Required: true, Schema: resource.Integer("Id of the " + l.Of), Example: l.Sample}}, e.Params...)
			e.Errors = fails(wrong, resource.Failure{Kind: fault.Unknown, When: "there is no such " + l.Of + ", or it is not yours to see"})
			e.Example.Path = strings.ReplaceAll(l.Path, "{"+l.Param+"}", fmt.Sprint(l.Sample))
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
		id, err := c.ID(l.Param)
		if err != nil {
			return nil, err
		}
		of, err := t.db.table(l.Of)
		if err != nil {
			return nil, err
		}
		if err := of.sees(ctx, q, c, id); err != nil {
			return nil, err
		}
		field := t.column(l.Field)
		if field == nil {
			return nil, fmt.Errorf("%s has no field %q to list by", t.res.Name, l.Field)
		}
		if field.link != "" {
			cond.and(`"id" IN (SELECT "row" FROM `+field.link+` WHERE "ref" = ?)`, id)
		} else {
			cond.and(quote(l.Field)+" = ?", id)
		}
		return cond, t.granted(cond, c, op, alive)
	}
}

// sees is fault.Unknown unless the row is there for the caller.
func (t *Table[T]) sees(ctx context.Context, q asker, c *resource.Call, id int64) error {
	cond := &condition{}
	cond.and(`"id" = ?`, id)
	cond.and(t.live())
	if err := t.granted(cond, c, resource.Read, alive); err != nil {
		return err
	}
	stmt, err := q.stmt(ctx, "SELECT count(*) FROM "+t.name()+" WHERE "+cond.text.String())
	if err != nil {
		return err
	}
	var n int64
	if err := stmt.QueryRowContext(ctx, cond.args...).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return t.unknown(id)
	}
	return nil
}
