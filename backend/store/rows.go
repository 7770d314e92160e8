package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"spyglass/backend/endpoint"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/sqlite"
)

// put writes row: a new one when its id is 0, or when none has its id. It
// returns the row as it is shown, without its derived values.
func (t *Table[T]) put(ctx context.Context, tx *tx, row T) (body []byte, err error) {
	tx.touched[&t.lock]++
	id := t.idOf(row)
	fresh := *id == 0 || *id >= t.next // no row has had an id from next on
	if *id == 0 {
		*id = t.next
		if t.db.twice {
			tx.given = append(tx.given, id)
		}
	}
	t.mirror.newest.Store(max(t.next, *id))
	tx.note(&t.lock, *id)
	args, err := t.args(row)
	if err != nil {
		return nil, err
	}
	body = args[len(args)-1].([]byte)
	if !fresh {
		if fresh, err = t.update(ctx, tx, row, append(args, *id)); err != nil {
			return nil, t.taken(ctx, tx, row, err)
		}
	}
	t.next = max(t.next, *id+1)
	t.changed(tx, *id)
	if fresh {
		if _, err := tx.exec(ctx, t.sql.Insert, args...); err != nil {
			return nil, t.taken(ctx, tx, row, err)
		}
		return body, t.link(ctx, tx, row)
	}
	if err := t.unlink(ctx, tx, *id); err != nil {
		return nil, err
	}
	return body, t.link(ctx, tx, row)
}

// update writes over the row that has the id, and reports whether there is none.
// A row that was there and stays is the rule, and the only case in which the
// list keeps its members.
func (t *Table[T]) update(ctx context.Context, tx *tx, row T, args []any) (missing bool, err error) {
	n, err := tx.exec(ctx, t.sql.UpdateWhere(t.live()), args...)
	if err == nil && n == 0 {
		if t.res.SoftBy != "" {
			n, err = tx.exec(ctx, t.sql.Update, args...)
		}
		tx.touched[&t.members]++
	}
	if *t.deleted(row) > 0 {
		tx.touched[&t.members]++
	}
	return n == 0, err
}

func (t *Table[T]) link(ctx context.Context, tx *tx, row T) error {
	if *t.deleted(row) > 0 {
		return nil
	}
	for i := range t.columns {
		ids, ok := t.columns[i].field.At(row).(*resource.IDs)
		if !ok {
			continue
		}
		for _, ref := range *ids {
			if _, err := tx.exec(ctx, sqlite.InsertLink(t.columns[i].link), ref, *t.idOf(row)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Table[T]) unlink(ctx context.Context, tx *tx, id int64) error {
	for _, c := range t.columns {
		if c.link == "" {
			continue
		}
		if _, err := tx.exec(ctx, sqlite.DeleteLinks(c.link), id); err != nil {
			return err
		}
	}
	return nil
}

// taken turns a broken unique index into a sentence that names the fields.
func (t *Table[T]) taken(ctx context.Context, tx *tx, row T, err error) error {
	if !sqlite.Taken(err) {
		return err
	}
	for _, set := range t.res.Unique {
		where, args, words := []string{sqlite.OtherID, t.live()}, []any{*t.idOf(row)}, []string{}
		for _, name := range set {
			c := t.column(name)
			value := fmt.Sprint(plain(c.field.At(row)))
			where, args = append(where, sqlite.Compare(name, c.Kind, "=")), append(args, plain(c.field.At(row)))
			if name != t.res.Owner && !c.Hidden {
				words = append(words, name+" "+fault.Quote(value))
			}
		}
		stmt, failed := tx.stmt(ctx, t.sql.Count(sqlite.All(where...)))
		if failed != nil {
			return errors.Join(err, failed)
		}
		var n int
		if failed := stmt.QueryRowContext(ctx, args...).Scan(&n); failed != nil {
			return errors.Join(err, failed)
		}
		if n > 0 {
			return &fault.Error{Kind: fault.Conflict, Field: set[len(set)-1], Err: err,
				Message: fmt.Sprintf("there is already %s with the %s", endpoint.Article(t.res.Label),
					strings.Join(words, " and the "))}
		}
	}
	return err
}

// plain returns the value that a scalar field points at.
func plain(at any) any {
	switch p := at.(type) {
	case *int64:
		return *p
	case *string:
		return *p
	case *bool:
		return *p
	}
	return nil
}

func (t *Table[T]) remove(ctx context.Context, tx *tx, id int64) error {
	tx.touched[&t.lock]++
	tx.note(&t.lock, id)
	if err := t.unlink(ctx, tx, id); err != nil {
		return err
	}
	tx.touched[&t.members]++
	t.changed(tx, id)
	n, err := tx.exec(ctx, t.sql.Delete, id)
	if err == nil && n == 0 {
		err = t.unknown(id)
	}
	if err != nil {
		return err
	}
	return tx.cascade(ctx, string(t.res.Name), id)
}

// exec runs a prepared statement of the writer and counts the rows it changed.
func (t *tx) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	stmt, err := t.stmt(ctx, statement)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (t *Table[T]) putRow(ctx context.Context, tx *tx, row any) error {
	id := t.idOf(row.(T))
	fresh := *id == 0
	body, err := t.put(ctx, tx, row.(T))
	if err != nil {
		return err
	}
	return t.wrote(ctx, tx, *id, fresh, body)
}

func (t *Table[T]) deleteRow(ctx context.Context, tx *tx, id int64) error {
	if err := t.remove(ctx, tx, id); err != nil {
		return err
	}
	return t.wrote(ctx, tx, id, false, nil)
}

func (t *Table[T]) deleteRows(ctx context.Context, tx *tx, where []resource.Where) error {
	text, args, err := t.conditions(where)
	if err != nil {
		return err
	}
	n, err := t.removeAll(ctx, tx, text, args...)
	if err == nil && n > 0 && tx.inside == 0 { // how many, without reading which
		tx.along = map[string]int{t.res.Label: int(n)}
		err = t.wrote(ctx, tx, 0, false, nil)
	}
	return err
}

func (t *Table[T]) removeAll(ctx context.Context, tx *tx, text string, args ...any) (int64, error) {
	if len(t.db.dependents(string(t.res.Name))) > 0 {
		return t.removeEach(ctx, tx, text, args...)
	}
	tx.touched[&t.lock]++
	tx.touched[&t.members]++
	for _, c := range t.columns {
		if c.link == "" {
			continue
		}
		if _, err := tx.exec(ctx, sqlite.DeleteLinksOf(c.link, t.name(), text), args...); err != nil {
			return 0, err
		}
	}
	n, err := tx.exec(ctx, t.sql.DeleteWhere(text), args...)
	if n > 0 {
		t.changed(tx, 0)
	}
	return n, err
}
