package store

import (
	"context"

	"spyglass/backend/endpoint"
	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// view serves the endpoints of computed rows. The engine filters and sorts them, so
// that filter and sort mean the same as in a table.
type view struct {
	db    *DB
	views *resource.UntypedView
	table *Table // the declaration; the table does not exist
	plain *Table // its columns that can be filtered and sorted
}

// ViewEndpoints returns the endpoints of a view.
func ViewEndpoints[T any](db *DB, v *resource.View[T]) []resource.Endpoint {
	return viewEndpoints(db, v.Untyped())
}

func viewEndpoints(db *DB, v *resource.UntypedView) []resource.Endpoint {
	t := &Table{db: db, res: &v.Untyped, id: &v.Fields[0]}
	for i, c := range v.Columns() {
		t.columns = append(t.columns, column{Column: c, field: &v.Fields[i]})
	}
	plain := &Table{db: db, res: t.res, id: t.id}
	for _, c := range t.columns {
		if c.Kind != resource.KindIDs && c.Kind != resource.KindPairs && c.Kind != resource.KindOther {
			plain.columns = append(plain.columns, c)
		}
	}
	plain.declare()
	w := &view{db, v, t, plain}
	return endpoint.OfView(v, endpoint.Handlers{DB: db, List: w.list, Get: w.get, Replace: w.change(true),
		Patch: w.change(false)})
}

// rows returns all rows of the path, for a caller who may do op on its parents.
func (w *view) rows(ctx context.Context, q querier, c *resource.Call, op resource.Operation) ([]any, error) {
	for _, p := range w.views.Parents {
		if _, err := w.db.below(ctx, q, c, p, op); err != nil {
			return nil, err
		}
	}
	return w.views.Rows(ctx, q, c)
}

func (w *view) list(ctx context.Context, c *resource.Call) (any, error) {
	q, err := resource.ParseQuery(c.Query, c.Lenient)
	if err != nil {
		return nil, err
	}
	if err := w.table.knownFields(q.Fields); err != nil {
		return nil, err
	}
	cond, order, err := w.question(q)
	if err != nil {
		return nil, err
	}
	rows, err := w.rows(ctx, w.db, c, resource.Read)
	if err != nil {
		return nil, err
	}
	places, err := w.choose(ctx, rows, cond, order)
	if err != nil {
		return nil, tooSlow(ctx, err)
	}
	shown := resource.PageOf(q, places)
	return pageJSON(nil, int64(len(places)), len(shown), func(out []byte, i int) ([]byte, error) {
		if len(q.Fields) == 0 {
			return w.views.AppendJSON(out, rows[shown[i]])
		}
		body, err := w.views.AppendJSON(nil, rows[shown[i]])
		return resource.SelectKeys(out, body, q.Fields), err
	})
}

// question returns the condition and the order of a list.
func (w *view) question(q resource.Query) (engine.Cond, []engine.Order, error) {
	columns := make([]resource.Column, len(w.plain.columns))
	for i, c := range w.plain.columns {
		columns[i] = c.Column
	}
	f, err := filter.Parse(q.Filter, columns, w.db.dayZone(q.Filter))
	if err != nil {
		return nil, nil, err
	}
	cond := &condition{}
	w.plain.filtered(cond, f, nil)
	if len(q.Sort) == 0 {
		return cond.all, []engine.Order{{Column: engine.Place}}, nil
	}
	order, err := w.plain.orderBy(q.Sort, engine.Place)
	return cond.all, order, err
}

// choose returns the indexes of the rows that meet the condition, in order.
func (w *view) choose(ctx context.Context, rows []any, where engine.Cond, order []engine.Order) ([]int, error) {
	text := []byte{'['}
	for i := range rows {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = w.views.AppendJSON(text, rows[i]); err != nil {
			return nil, err
		}
	}
	return w.db.base.Arrange(ctx, w.plain.table, append(text, ']'), where, order)
}

// one returns the row of the path.
func (w *view) one(ctx context.Context, q querier, c *resource.Call, op resource.Operation) (none any, err error) {
	var id int64
	if w.views.Single == 0 {
		if id, err = w.table.rowID(c); err != nil {
			return none, err
		}
	}
	rows, err := w.rows(ctx, q, c, op)
	if err != nil {
		return none, err
	}
	for _, row := range rows {
		if w.views.Single > 0 || *w.table.idOf(row) == id {
			return row, nil
		}
	}
	return none, w.table.unknown(id)
}

func (w *view) get(ctx context.Context, c *resource.Call) (any, error) {
	fields := resource.ParseFields(c.Query)
	if err := w.table.knownFields(fields); err != nil {
		return nil, err
	}
	row, err := w.one(ctx, w.db, c, resource.Read)
	if err != nil {
		return nil, err
	}
	response, err := w.shown(row)
	if err != nil {
		return nil, err
	}
	if c.NotIf != "" && resource.MatchesETag(c.NotIf, response.ETag) {
		return &resource.Response{ETag: response.ETag, Same: true}, nil
	}
	if len(fields) > 0 {
		response.Body = resource.JSON(resource.SelectKeys(nil, response.Body.(resource.JSON), fields))
	}
	return response, nil
}

func (w *view) shown(row any) (*resource.Response, error) {
	body, err := w.views.AppendJSON(nil, row)
	return &resource.Response{ETag: resource.ETag(body), Body: resource.JSON(body)}, err
}

// change handles PUT, if whole is set, and PATCH.
func (w *view) change(whole bool) func(context.Context, *resource.Call) (any, error) {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		body, err := w.views.Read(c.Body, c.Lenient)
		if err != nil {
			return nil, err
		}
		var response *resource.Response
		err = w.db.write(ctx, func(tx *tx) error {
			was, err := w.one(ctx, tx, c, resource.Modify)
			if err != nil {
				return err
			}
			if err := w.unchanged(c, was); err != nil {
				return err
			}
			now, err := w.edited(was, body, whole)
			if err != nil {
				return err
			}
			save := &resource.Write{Context: ctx, Call: c, Tx: tx, Given: body.Given, Body: body}
			if err := tx.rule(func() error { return w.views.Save(save, was, now) }); err != nil {
				return err
			}
			if now, err = w.one(ctx, tx, c, resource.Modify); err != nil {
				return err
			}
			if err := w.audit(ctx, tx, c, was, now, whole); err != nil {
				return err
			}
			response, err = w.shown(now)
			return err
		})
		if err != nil {
			return nil, err
		}
		return response, nil
	}
}

func (w *view) unchanged(c *resource.Call, was any) error {
	if c.IfMatch == "" {
		return nil
	}
	shown, err := w.shown(was)
	if err == nil && !resource.MatchesETag(c.IfMatch, shown.ETag) {
		err = fault.New(fault.Changed, "the %s has changed since you read it; read it again", w.views.FullNoun().One)
	}
	return err
}

// edited returns the row with the changes of the body; with whole, missing fields
// get their defaults.
func (w *view) edited(was any, body *resource.Body, whole bool) (any, error) {
	now := w.table.copyOf(was)
	if !whole {
		return now, w.views.Apply(body, now, false)
	}
	now, err := w.views.Defaults()
	if err != nil {
		return now, err
	}
	for _, c := range w.table.columns {
		if c.field.ReadOnly {
			copyValue(c.field.At(now), c.field.At(was))
		}
	}
	return now, w.views.Apply(body, now, true)
}

// audit records the change in the audit log as a change of the requested row.
func (w *view) audit(ctx context.Context, tx *tx, c *resource.Call, was, now any, whole bool) error {
	before, err := w.views.AppendJSON(nil, was)
	if err != nil {
		return err
	}
	after, err := w.views.AppendJSON(nil, now)
	if err != nil {
		return err
	}
	action := "change"
	if whole {
		action = "replace"
	}
	id := w.views.Single
	if id == 0 {
		id = *w.table.idOf(now)
	}
	return w.table.audit(ctx, tx, c, action, id, before, after)
}
