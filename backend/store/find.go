package store

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"spyglass/backend/resource"
	"spyglass/backend/store/sqlite"
)

// query reads whole rows, by id.
func (t *Table[T]) query(ctx context.Context, q asker, where string, args ...any) ([]T, error) {
	stmt, err := q.stmt(ctx, t.sql.Rows(where))
	if err != nil {
		return nil, err
	}
	found, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var list []T
	for found.Next() {
		row := t.res.New()
		if err := t.scan(found.Scan, row); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, found.Err()
}

func (t *Table[T]) getRow(ctx context.Context, q asker, id int64, row any) error {
	found, err := t.load(ctx, q, id, t.live())
	if err == nil {
		copyValue(row, found)
	}
	return err
}

func (t *Table[T]) findRows(ctx context.Context, q asker, list any, where []resource.Where) error {
	text, args, err := t.conditions(where)
	if err != nil {
		return err
	}
	found, err := t.query(ctx, q, text, args...)
	rows := reflect.ValueOf(list).Elem()
	for _, row := range found {
		rows.Set(reflect.Append(rows, reflect.ValueOf(row).Elem()))
	}
	return err
}

// conditions returns the text after WHERE, before any order; a limit is applied
// by choosing the ids.
func (t *Table[T]) conditions(where []resource.Where) (string, []any, error) {
	which := alive
	if slices.ContainsFunc(where, func(w resource.Where) bool { return w.Op == resource.OpGone }) {
		which = gone
	}
	parts, args, limit := []string{t.lives(which)}, []any{}, any(nil)
	for _, w := range where {
		c := t.column(w.Field)
		switch {
		case w.Op == resource.OpGone:
		case w.Op == resource.OpLimit:
			limit = w.Value
		case w.Op == resource.OpEither:
			text, more, err := t.either(w.Value.([]resource.Where))
			if err != nil {
				return "", nil, err
			}
			parts, args = append(parts, text), append(args, more...)
		case w.Op == resource.OpSeenBy:
			seen := w.Value.(resource.Seen)
			g, err := t.grant(seen.Access, seen.Op, which)
			if err != nil {
				return "", nil, err
			}
			if !g.all {
				parts, args = append(parts, g.text), append(args, g.args...)
			}
		case c == nil:
			return "", nil, fmt.Errorf("%s has no field %q", t.res.Name, w.Field)
		case w.Op == "has any" && c.link != "":
			ids, err := json.Marshal(w.Value)
			if err != nil {
				return "", nil, err
			}
			parts, args = append(parts, sqlite.LinkedAny(c.link)), append(args, string(ids))
		case w.Op == "in":
			ids, err := json.Marshal(w.Value)
			if err != nil {
				return "", nil, err
			}
			parts, args = append(parts, sqlite.Among(w.Field)), append(args, string(ids))
		case w.Op == resource.OpOf:
			text, more, err := t.db.named(c.field.Refs, w.Value.([]resource.Where))
			if err != nil {
				return "", nil, err
			}
			parts, args = append(parts, sqlite.InQuery(w.Field, text)), append(args, more...)
		case slices.Contains([]string{"=", "!=", "<", ">", "<=", ">="}, w.Op):
			parts, args = append(parts, sqlite.Compare(w.Field, c.Kind, w.Op)), append(args, w.Value)
		default:
			return "", nil, fmt.Errorf("%s: no operator %q on %s", t.res.Name, w.Op, w.Field)
		}
	}
	text := sqlite.All(parts...)
	if limit != nil {
		text, args = sqlite.First(t.name(), text), append(args, limit)
	}
	return text, args, nil
}

// IDs implements resource.LiveDB.
func (db *DB) IDs(ctx context.Context, name string, where ...resource.Where) ([]int64, error) {
	text, args, err := db.named(name, where)
	if err != nil {
		return nil, err
	}
	stmt, err := db.stmt(ctx, text)
	if err != nil {
		return nil, err
	}
	found, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	return scanAll[int64](found)
}

// either returns the condition that one of them is met.
func (t *Table[T]) either(where []resource.Where) (string, []any, error) {
	var texts []string
	var args []any
	for _, w := range where {
		text, more, err := t.conditions([]resource.Where{w})
		if err != nil {
			return "", nil, err
		}
		texts, args = append(texts, text), append(args, more...)
	}
	return sqlite.Any(texts...), args, nil
}

// named returns the ids of the rows of a resource that meet all of where.
func (db *DB) named(name string, where []resource.Where) (string, []any, error) {
	other, err := db.table(name)
	if err != nil {
		return "", nil, err
	}
	text, args, err := other.conditions(where)
	return sqlite.SelectIDs(other.name(), text), args, err
}

func (t *Table[T]) countBy(ctx context.Context, q asker, field string) (map[int64]int64, error) {
	c := t.column(field)
	if c == nil {
		return nil, fmt.Errorf("%s has no field %q", t.res.Name, field)
	}
	query := t.sql.CountBy(field, t.live())
	if c.link != "" {
		query = sqlite.CountLinks(c.link)
	}
	return counts(ctx, q, query)
}

// Sum adds up a field of numbers over all rows that match.
func (t *Table[T]) Sum(ctx context.Context, in resource.Tx, field string,
	where ...resource.Where) (sum int64, err error) {
	tx, err := own(in)
	if err != nil {
		return 0, err
	}
	if t.column(field) == nil {
		return 0, fmt.Errorf("%s has no field %q", t.res.Name, field)
	}
	text, args, err := t.conditions(where)
	if err != nil {
		return 0, err
	}
	stmt, err := tx.stmt(ctx, t.sql.Sum(field, text))
	if err == nil {
		err = stmt.QueryRowContext(ctx, args...).Scan(&sum)
	}
	return sum, err
}

func (t *Table[T]) countWithin(ctx context.Context, q asker, field string,
	within map[int64][]int64) (map[int64]int64, error) {
	c := t.column(field)
	if c == nil || c.link == "" {
		return nil, fmt.Errorf("%s has no field of ids %q", t.res.Name, field)
	}
	tallies, err := t.tally(ctx, q, []resource.By{{Field: field, Within: within}}, nil)
	if err != nil {
		return nil, err
	}
	counts := make(map[int64]int64, len(tallies))
	for _, one := range tallies {
		counts[one.Of[0].(int64)] = one.Count
	}
	return counts, nil
}

func counts(ctx context.Context, q asker, query string, args ...any) (map[int64]int64, error) {
	stmt, err := q.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	found, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	out := map[int64]int64{}
	for found.Next() {
		var key, n int64
		if err := found.Scan(&key, &n); err != nil {
			return nil, err
		}
		out[key] = n
	}
	return out, found.Err()
}
