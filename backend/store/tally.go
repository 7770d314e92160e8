package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"spyglass/backend/resource"
)

// Tally implements resource.Counter.
func (db *DB) Tally(ctx context.Context, name string, by []resource.By, where ...resource.Where) ([]resource.Tally, error) {
	t, err := db.table(name)
	if err != nil {
		return nil, err
	}
	return t.tally(ctx, db, by, where)
}

func (t *Table[T]) tally(ctx context.Context, q asker, by []resource.By, where []resource.Where) ([]resource.Tally, error) {
	columns, joins, args := make([]string, len(by)), "", []any{}
	for i, b := range by {
		c := t.column(b.Field)
		switch {
		case c == nil:
			return nil, fmt.Errorf("%s has no field %q", t.res.Name, b.Field)
		case b.Within != nil && c.link != "":
			pairs, err := pairsOf(b.Within)
			if err != nil {
				return nil, err
			}
			columns[i] = fmt.Sprintf("w%d.key", i)
			joins += fmt.Sprintf(` JOIN (SELECT DISTINCT p.value->>0 AS key, l."row" AS of FROM json_each(?) p JOIN %s l ON l."ref" = p.value->>1) w%d ON w%d.of = "id"`, c.link, i, i)
			args = append(args, pairs)
		case b.Step > 0:
			columns[i] = fmt.Sprintf("%s / %d", quote(b.Field), b.Step)
		default:
			columns[i] = quote(b.Field)
		}
	}
	text, more, err := t.conditions(where)
	if err != nil {
		return nil, err
	}
	list := strings.Join(columns, ", ")
	stmt, err := q.stmt(ctx, "SELECT "+list+", count(*) FROM "+t.name()+joins+" WHERE "+text+" GROUP BY "+list)
	if err != nil {
		return nil, err
	}
	found, err := stmt.QueryContext(ctx, append(args, more...)...)
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
	return out, found.Err()
}

// pairsOf is [[key, id], …] as JSON.
func pairsOf(within map[int64][]int64) (string, error) {
	pairs := [][2]int64{}
	for key, ids := range within {
		for _, id := range ids {
			pairs = append(pairs, [2]int64{key, id})
		}
	}
	text, err := json.Marshal(pairs)
	return string(text), err
}

// Counts are how many rows each table has, by its name, deleted ones among them.
func (db *DB) Counts(ctx context.Context) (map[string]int64, error) {
	db.mu.RLock()
	names := make(map[string]string, len(db.tables))
	for name, t := range db.tables {
		names[name] = t.name()
	}
	db.mu.RUnlock()
	counts := make(map[string]int64, len(names))
	for name, table := range names {
		var n int64
		if err := db.read.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			return nil, err
		}
		counts[name] = n
	}
	return counts, nil
}
