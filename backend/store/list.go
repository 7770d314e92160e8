package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"spyglass/backend/endpoint"
	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// list returns one page in the envelope of the specification.
func (t *Table) list(ctx context.Context, c *resource.Call) (any, error) {
	which := alive
	if t.res.SoftBy != "" {
		deleted, err := c.Flag(endpoint.WithDeleted)
		if err != nil {
			return nil, err
		}
		if deleted {
			which = either
		}
	}
	return t.listAs(ctx, c, which)
}

func (t *Table) listAs(ctx context.Context, c *resource.Call, which life) (any, error) {
	return t.listThose(ctx, c, func(ctx context.Context, q querier, c *resource.Call,
		op resource.Operation) (*condition, error) {
		cond, err := t.visibleAs(ctx, q, c, op, which)
		if err != nil || t.res.Within == nil {
			return cond, err
		}
		within, err := t.conditions(t.res.Within(c))
		cond.and(within)
		return cond, err
	})
}

// those is a condition on the rows of a list.
type those func(ctx context.Context, q querier, c *resource.Call, op resource.Operation) (*condition, error)

func (t *Table) listThose(ctx context.Context, c *resource.Call, those those) (any, error) {
	q, err := resource.ParseQuery(c.Query, c.Lenient)
	if err != nil {
		return nil, err
	}
	if err := t.knownFields(q.Fields); err != nil {
		return nil, err
	}
	cond, err := those(ctx, t.db, c, resource.Read)
	if err != nil {
		return nil, err
	}
	var f *filter.Filter
	if q.Filter != "" {
		if f, err = filter.Parse(q.Filter, t.filterable(c.Lenient), t.db.dayZone(q.Filter)); err != nil {
			return nil, err
		}
	}
	f, possible := f.WithoutAbsent()
	if !possible {
		cond.and(never)
	}
	order, err := t.order(q.Sort)
	if err != nil {
		return nil, err
	}
	derived, err := t.derivedPairs(ctx, f)
	if err != nil {
		return nil, tooSlow(ctx, err)
	}
	base := slices.Clip(cond.all)
	t.filtered(cond, f, derived)
	if usual := t.res.Usual; usual != nil && !f.Names(usual.Field) {
		cond.and(engine.Compare{Column: usual.Field, Op: usual.Op, Value: usual.Value})
	}
	if c.Lines {
		return t.lines(ctx, c, cond, order, q.Fields), nil
	}
	json, err := t.answer(ctx, c.Access, question{cond, base, f, order, q})
	if err != nil {
		return nil, tooSlow(ctx, err)
	}
	return json, nil
}

// answer returns the page that a question requests, in its envelope.
func (t *Table) answer(ctx context.Context, who *resource.Access, q question) (resource.JSON, error) {
	if p, err := t.seek(ctx, q); err != nil {
		return nil, err
	} else if p != nil {
		s, err := t.envelope(ctx, who, p, q.query.Fields)
		return s.json, err
	}
	return t.page(ctx, who, q.cond, q.order, q.query, (q.f == nil || named(q.f)) && len(q.query.Sort) < 2)
}

// filterable returns the columns that a filter may name. It includes derived ones,
// so that a filter on a derived column that cannot be filtered gets an error that
// says so.
func (t *Table) filterable(lenient bool) []resource.Column {
	columns := append(t.res.Columns(), t.res.DerivedColumns()...)
	if lenient {
		columns = append(columns, t.res.AbsentColumns()...)
	}
	return columns
}

// tooSlow turns the error of a query that ran out of time into advice for the
// caller.
func tooSlow(ctx context.Context, err error) error {
	if ctx.Err() == context.DeadlineExceeded || class(err) == engine.Interrupted && ctx.Err() == nil {
		return errTooSlow(err)
	}
	return err
}

func errTooSlow(err error) error {
	return &fault.Error{Kind: fault.Invalid, Field: "filter", Message: "the query took too long; narrow the filter, " +
		"or sort by an indexed field", Err: err}
}

// visible returns the condition that a row is visible to this caller: it exists,
// is below the parent in the path, is in the groups of the role, and belongs to
// the caller if rows have owners.
func (t *Table) visible(ctx context.Context, q querier, c *resource.Call, op resource.Operation) (
	*condition, error) {
	return t.visibleAs(ctx, q, c, op, alive)
}

// visibleAs returns the condition of visible for existing rows, deleted ones, or
// both.
func (t *Table) visibleAs(ctx context.Context, q querier, c *resource.Call, op resource.Operation,
	which life) (*condition, error) {
	cond := &condition{}
	cond.and(t.lives(which))
	for _, p := range t.res.Parents {
		id, err := t.db.below(ctx, q, c, p, op)
		if err != nil {
			return nil, err
		}
		cond.and(engine.Compare{Column: p.Field, Op: "=", Value: id})
	}
	return cond, t.granted(cond, c, op, which)
}

func (t *Table) label() string { return t.res.FullNoun().One }

func (t *Table) knownFields(fields []string) error {
	for _, name := range fields {
		c := t.column(name)
		if c != nil && !c.Hidden || t.res.Keeps(name) ||
			slices.ContainsFunc(t.res.Derived, func(d resource.Derived) bool { return d.Name == name }) {
			continue
		}
		return fault.At("fields", "%s has no field %q%s", t.label(), name, resource.DidYouMean(name, t.shown()))
	}
	return nil
}

// shown returns the names that a query may use.
func (t *Table) shown() []string {
	var names []string
	for _, c := range t.columns {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	for _, d := range t.res.Derived {
		names = append(names, d.Name)
	}
	return append(names, t.res.KeptNames()...)
}

func (t *Table) order(keys []resource.Order) ([]engine.Order, error) {
	return t.orderBy(keys, engine.ID)
}

// orderBy sorts by the keys, and then by a unique column.
func (t *Table) orderBy(keys []resource.Order, unique string) (parts []engine.Order, err error) {
	for _, key := range keys {
		c := t.column(key.Field)
		if c == nil &&
			slices.ContainsFunc(t.res.Derived, func(d resource.Derived) bool { return d.Name == key.Field }) {
			return nil, fault.At("sort", "%s is calculated; lists cannot be sorted by it", key.Field)
		}
		if c == nil || c.Hidden {
			return nil, fault.At("sort", "%s has no field %q to sort by%s", t.label(), key.Field,
				resource.DidYouMean(key.Field, t.shown()))
		}
		if c.Kind == resource.KindPairs || c.Kind == resource.KindOther {
			return nil, fault.At("sort", "%s is a list or an object; lists cannot be sorted by it", key.Field)
		}
		parts = append(parts, engine.Order{Column: c.Name, Down: key.Down})
		if c.Name == unique {
			return parts, nil
		}
	}
	// ties sort in the direction of the last key, the same as in its index
	return append(parts, engine.Order{Column: unique, Down: len(keys) > 0 && keys[len(keys)-1].Down}), nil
}

// pageJSON adds to out {"total","searchId","items","data"} with n items, each added
// by item.
func pageJSON(out []byte, total int64, n int, item func(out []byte, i int) ([]byte, error)) (resource.JSON, error) {
	out = strconv.AppendInt(append(out, `{"total":`...), total, 10)
	out = append(out, `,"searchId":null,"items":[`...)
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = item(out, i); err != nil {
			return nil, err
		}
	}
	return append(out, `],"data":null}`...), nil
}

// envelope joins a page into {"total","searchId","items","data"}, and frees it.
func (t *Table) envelope(ctx context.Context, who *resource.Access, p *page, fields []string) (s sent, err error) {
	defer p.free()
	derived, err := t.derive(ctx, t.db, who, p, fields)
	if err != nil {
		return s, err
	}
	size := 64
	for i := range p.body {
		size += len(p.body[i]) + 64
		for _, values := range derived {
			if values != nil {
				size += len(values[i])
			}
		}
	}
	json, err := pageJSON(make([]byte, 0, size), p.total, len(p.body), func(out []byte, i int) ([]byte, error) {
		return t.object(out, p.body[i], derived, i, fields), nil
	})
	return sent{p, derived, slices.Clip(json)}, err // shared: whoever appends to it gets a copy
}

// derive computes the requested derived values, each for the whole page at once.
func (t *Table) derive(ctx context.Context, q querier, who *resource.Access, p *page,
	fields []string) ([][][]byte, error) {
	derived := make([][][]byte, len(t.res.Derived))
	from := 0
	for i, d := range t.res.Derived {
		rows := make([]resource.Row, len(p.ids))
		for k, id := range p.ids {
			rows[k].ID = id
			if d.From != "" {
				rows[k].From = p.from[k][from]
			}
		}
		if d.From != "" {
			from++
		}
		if len(fields) > 0 && !slices.Contains(fields, d.Name) || len(rows) == 0 {
			continue
		}
		if d.Whole && !seesAll(who) {
			derived[i] = slices.Repeat([][]byte{[]byte("0")}, len(rows))
			continue
		}
		var err error
		if derived[i], err = d.Of(ctx, q, rows); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", d.Name, t.res.Name, err)
		}
	}
	return derived, nil
}

func seesAll(who *resource.Access) bool {
	if who == nil {
		return true
	}
	all, _ := who.Groups(resource.Read)
	return all
}

// object appends one row to out: the whole row or the requested fields.
func (t *Table) object(out, body []byte, derived [][][]byte, row int, fields []string) []byte {
	open := len(out) + 1
	if len(fields) == 0 {
		out = append(out, body[:len(body)-1]...)
	} else {
		out = resource.SelectKeys(out, body, fields)
		out = out[:len(out)-1]
	}
	for i, d := range t.res.Derived {
		if derived[i] == nil {
			continue
		}
		if len(out) > open {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), d.Name...), `":`...), derived[i][row]...)
	}
	return append(out, '}')
}

// shownRow returns the JSON of one row with all its fields.
func (t *Table) shownRow(ctx context.Context, q querier, who *resource.Access, id int64,
	cond *condition) ([]byte, error) {
	p := &page{}
	defer p.free()
	if err := t.readRows(ctx, listReader{q.reader(), false}, p, engine.Select{Where: engine.All{engine.HasID(id),
		cond.all}}); err != nil {
		return nil, err
	}
	if len(p.ids) == 0 {
		return nil, t.unknown(id)
	}
	derived, err := t.derive(ctx, q, who, p, nil)
	if err != nil {
		return nil, err
	}
	return t.object(nil, p.body[0], derived, 0, nil), nil
}
