package store

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// granted adds to cond that a row belongs to the caller and is in the scope of
// the caller's role.
func (t *Table) granted(cond *condition, c *resource.Call, op resource.Operation, which life) error {
	if t.res.Owner != "" {
		cond.and(engine.Compare{Column: t.res.Owner, Op: "=", Value: c.Access.UserID})
	}
	g, err := t.grant(c.Access, op, which)
	cond.and(g.cond)
	cond.foreign = cond.foreign || g.foreign
	return err
}

// grant is the condition under which a caller may access a row.
type grant struct {
	cond    engine.Cond // nil for no condition
	foreign bool        // it depends on other tables too
}

func (t *Table) grant(who *resource.Access, op resource.Operation, which life) (grant, error) {
	if len(t.res.Scope) == 0 || who == nil {
		return grant{}, nil
	}
	all, groups := who.In(t.res.Object, op)
	if all {
		return grant{}, nil
	}
	either, foreign := make(engine.Any, len(t.res.Scope)), false
	for i, field := range t.res.Scope {
		var err error
		switch c := t.column(field); {
		case c.Kind == resource.KindIDs:
			either[i] = t.inGroups(field, groups, which)
		case field == engine.ID:
			either[i] = engine.Among{Column: field, IDs: groups}
		default:
			foreign = true
			if either[i], err = t.db.namesGranted(c.field.Refs, field, who, op); err != nil {
				return grant{}, err
			}
		}
	}
	return grant{either, foreign}, nil
}

// inGroups returns the condition that one of the ids of a column is among ids.
func (t *Table) inGroups(column string, ids []int64, which life) engine.Cond {
	in := engine.Holds{Column: column, IDs: ids}
	if which == alive {
		return in
	}
	// Deleted rows have no links, but their fields still hold the ids of their
	// groups.
	return engine.Any{in, engine.All{t.lives(gone), engine.Names{Column: column, IDs: ids}}}
}

// namesGranted returns the condition that a field names a row of another resource
// on which the caller may do op.
func (db *DB) namesGranted(name, field string, who *resource.Access, op resource.Operation) (engine.Cond, error) {
	other, err := db.table(name)
	if err != nil {
		return nil, err
	}
	if !other.scoped() {
		if who.May(other.right(op)) {
			return engine.Compare{Column: field, Op: ">", Value: int64(0)}, nil
		}
		return never, nil
	}
	g, err := other.grant(who, op, alive)
	return engine.In{Column: field, Table: other.table, Where: engine.All{other.live(), g.cond}}, err
}

func (t *Table) scoped() bool { return len(t.res.Scope) > 0 }

func (t *Table) right(op resource.Operation) resource.Right {
	return resource.Right{Object: t.res.Object, Area: t.res.Area, Op: op}
}

// below returns the id of the parent row in the path, if it exists at that place
// and the caller may do op on it.
func (db *DB) below(ctx context.Context, q querier, c *resource.Call, p resource.Parent,
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

// sees returns fault.Unknown unless the row exists below its parents in the path
// and the caller may do op on it.
func (t *Table) sees(ctx context.Context, q querier, c *resource.Call, id int64, op resource.Operation) error {
	cond := &condition{}
	cond.and(engine.HasID(id), t.live())
	for _, p := range t.res.Parents {
		if _, ok := c.Vars[p.Param]; ok {
			above, err := c.ID(p.Param)
			if err != nil {
				return err
			}
			cond.and(engine.Compare{Column: p.Field, Op: "=", Value: above})
		}
	}
	if err := t.granted(cond, c, op, alive); err != nil {
		return err
	}
	n, err := count(ctx, q, t.table, cond.all)
	if err == nil && n == 0 {
		err = t.unknown(id)
	}
	return err
}

// allows reports whether the row exists and who may do op on it.
func (t *Table) allows(ctx context.Context, q querier, who *resource.Access, id int64,
	op resource.Operation) (bool, error) {
	g, err := t.grant(who, op, alive)
	if err != nil {
		return false, err
	}
	n, err := count(ctx, q, t.table, engine.All{engine.HasID(id), t.live(), g.cond})
	return n > 0, err
}

func (t *Table) countByID(ctx context.Context, q querier, id int64) (int64, error) {
	return count(ctx, q, t.table, engine.All{engine.HasID(id), t.live()})
}
