package store

import (
	"context"
	"encoding/json"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/sqlite"
)

// granted adds to cond that a row is the caller's own, and within what the role sees.
func (t *Table[T]) granted(cond *condition, c *resource.Call, op resource.Operation, which life) error {
	if t.res.Owner != "" {
		cond.and(sqlite.Is(t.res.Owner), c.Access.UserID)
	}
	g, err := t.grant(c.Access, op, which)
	if err != nil || g.all {
		return err
	}
	cond.and(g.text, g.args...)
	cond.foreign = cond.foreign || g.foreign
	return nil
}

// grant is the condition under which a caller may do something with a row.
type grant struct {
	all     bool // no condition
	foreign bool // it depends on other tables
	text    string
	args    []any
}

func (t *Table[T]) grant(who *resource.Access, op resource.Operation, which life) (grant, error) {
	if len(t.res.Scope) == 0 || who == nil {
		return grant{all: true}, nil
	}
	all, groups := who.In(t.res.Object, op)
	if all {
		return grant{all: true}, nil
	}
	ids, err := json.Marshal(slices.Concat([]int64{}, groups))
	if err != nil {
		return grant{}, err
	}
	g, either := grant{}, []string{}
	for _, field := range t.res.Scope {
		text, args := sqlite.Among("id"), []any{string(ids)}
		if c := t.column(field); c.link != "" {
			text, args = t.inGroups(c, string(ids), which)
		} else if field != "id" {
			g.foreign = true
			if text, args, err = t.db.namesGranted(c.field.Refs, field, who, op); err != nil {
				return grant{}, err
			}
		}
		either, g.args = append(either, text), append(g.args, args...)
	}
	g.text = sqlite.Any(either...)
	return g, nil
}

// inGroups returns the condition that one of the ids of a column is among ids.
func (t *Table[T]) inGroups(c *column[T], ids string, which life) (string, []any) {
	in := sqlite.LinkedAny(c.link)
	if which == alive {
		return in, []any{ids}
	}
	// Deleted rows have no links, but their fields still have the ids of their
	// groups.
	return sqlite.Any(in, sqlite.All(t.lives(gone), sqlite.NamesAny(c.Name))), []any{ids, ids}
}

// namesGranted returns the condition that a field names a row of another resource
// that the caller may do op with.
func (db *DB) namesGranted(name, field string, who *resource.Access, op resource.Operation) (string, []any, error) {
	other, err := db.table(name)
	if err != nil {
		return "", nil, err
	}
	if !other.scoped() {
		if who.May(other.right(op)) {
			return sqlite.Positive(field), nil, nil
		}
		return sqlite.Never, nil, nil
	}
	g, err := other.grant(who, op, alive)
	if g.all {
		g.text = sqlite.Always
	}
	return sqlite.InQuery(field, sqlite.SelectIDs(other.name(), sqlite.All(other.live(), g.text))), g.args, err
}

func (t *Table[T]) scoped() bool { return len(t.res.Scope) > 0 }

func (t *Table[T]) right(op resource.Operation) resource.Right {
	return resource.Right{Object: t.res.Object, Area: t.res.Area, Op: op}
}

// below returns the id of the parent in the path, which is there, in its own place,
// for a caller who may do op with it.
func (db *DB) below(ctx context.Context, q asker, c *resource.Call, p resource.Parent,
	op resource.Operation) (int64, error) {
	id, err := c.ID(p.Param)
	if err != nil {
		return 0, err
	}
	parent, err := db.table(p.Of)
	if err != nil {
		return 0, err
	}
	if err := parent.sees(ctx, q, c, id, resource.Read); err != nil || op == resource.Read {
		return id, err
	}
	err = parent.sees(ctx, q, c, id, op)
	if fault.Is(err, fault.Unknown) {
		err = fault.New(fault.Denied, "your role can view this %s, but not edit it", parent.label())
	}
	return id, err
}

// sees returns fault.Unknown unless the caller may do op with the row, below
// those of its parents that the path names.
func (t *Table[T]) sees(ctx context.Context, q asker, c *resource.Call, id int64, op resource.Operation) error {
	cond := &condition{}
	cond.and(sqlite.HasID, id)
	cond.and(t.live())
	for _, p := range t.res.Parents {
		if _, ok := c.Vars[p.Param]; ok {
			above, err := c.ID(p.Param)
			if err != nil {
				return err
			}
			cond.and(sqlite.Is(p.Field), above)
		}
	}
	if err := t.granted(cond, c, op, alive); err != nil {
		return err
	}
	n, err := t.count(ctx, q, cond)
	if err == nil && n == 0 {
		err = t.unknown(id)
	}
	return err
}

// allows reports whether the row is there for who to do op with.
func (t *Table[T]) allows(ctx context.Context, q asker, who *resource.Access, id int64,
	op resource.Operation) (bool, error) {
	g, err := t.grant(who, op, alive)
	if err != nil {
		return false, err
	}
	cond := &condition{}
	cond.and(sqlite.HasID, id)
	cond.and(t.live())
	if !g.all {
		cond.and(g.text, g.args...)
	}
	n, err := t.count(ctx, q, cond)
	return n > 0, err
}

func (t *Table[T]) count(ctx context.Context, q asker, cond *condition) (n int64, err error) {
	stmt, err := q.stmt(ctx, t.sql.Count(cond.text.String()))
	if err == nil {
		err = stmt.QueryRowContext(ctx, cond.args...).Scan(&n)
	}
	return n, err
}

func (t *Table[T]) countByID(ctx context.Context, q asker, id int64) (n int64, err error) {
	cond := &condition{}
	cond.and(sqlite.HasID, id)
	cond.and(t.live())
	return t.count(ctx, q, cond)
}
