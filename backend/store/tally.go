package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// Tally implements resource.Counter.
func (db *DB) Tally(ctx context.Context, name string, by []resource.By,
	where ...resource.Where) ([]resource.Tally, error) {
	t, err := db.table(name)
	if err != nil {
		return nil, err
	}
	return t.tally(ctx, db, by, where)
}

// Tally implements resource.Counter.
func (t *tx) Tally(ctx context.Context, name string, by []resource.By,
	where ...resource.Where) ([]resource.Tally, error) {
	table, err := t.db.table(name)
	if err != nil {
		return nil, err
	}
	return table.tally(ctx, t, by, where)
}

func (t *Table) tally(ctx context.Context, q querier, by []resource.By,
	where []resource.Where) ([]resource.Tally, error) {
	groups := make([]engine.By, len(by))
	for i, b := range by {
		if t.column(b.Field) == nil {
			return nil, fmt.Errorf("%s has no field %q", t.res.Name, b.Field)
		}
		groups[i] = engine.By{Column: b.Field, Step: b.Step}
	}
	cond, err := t.conditions(where)
	if err != nil {
		return nil, err
	}
	found, err := q.reader().Tally(ctx, engine.Tally{Table: t.table, By: groups, Where: cond})
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var out []resource.Tally
	for found.Next() {
		one := resource.Tally{Of: make([]any, len(by))}
		into := make([]any, 0, len(by)+1)
		for i := range one.Of {
			into = append(into, &one.Of[i])
		}
		if err := found.Scan(append(into, &one.Count)...); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	for i, b := range by {
		if b.Within != nil {
			if out, err = spread(out, i, b.Within); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// spread counts the rows of each list of ids once under every key of one of its
// ids. There are far fewer distinct lists than rows, so one pass over the table
// is enough.
func spread(lists []resource.Tally, at int, within map[int64][]int64) ([]resource.Tally, error) {
	keys := map[int64][]int64{} // by id
	for _, key := range slices.Sorted(maps.Keys(within)) {
		for _, id := range within[key] {
			keys[id] = append(keys[id], key)
		}
	}
	var out []resource.Tally
	place := map[string]int{}
	for _, list := range lists {
		ids, err := resource.ParseIDs(list.Of[at].(string))
		if err != nil {
			return nil, err
		}
		counted := map[int64]bool{}
		for _, id := range ids {
			for _, key := range keys[id] {
				if counted[key] {
					continue
				}
				counted[key] = true
				of := slices.Clone(list.Of)
				of[at] = key
				name := fmt.Sprintf("%q", of)
				if i, known := place[name]; known {
					out[i].Count += list.Count
					continue
				}
				place[name] = len(out)
				out = append(out, resource.Tally{Of: of, Count: list.Count})
			}
		}
	}
	return out, nil
}

// Counts returns the number of rows of each table, including deleted ones, by
// name.
func (db *DB) Counts(ctx context.Context) (map[string]int64, error) {
	db.mu.RLock()
	tables := maps.Clone(db.tables)
	db.mu.RUnlock()
	counts := make(map[string]int64, len(tables))
	for name, t := range tables {
		n, err := count(ctx, db, t.table, nil)
		if err != nil {
			return nil, err
		}
		counts[name] = n
	}
	return counts, nil
}
