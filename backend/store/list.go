package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

// totals keeps how many rows meet a condition, until the table changes.
type totals struct {
	mu  sync.Mutex
	all map[string]total
}

type total struct{ state, n uint64 }

const maxTotals = 1000

func (t *totals) get(key string, state uint64) (int64, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	have, ok := t.all[key]
	return int64(have.n), ok && have.state == state
}

func (t *totals) put(key string, state uint64, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil || len(t.all) >= maxTotals {
		t.all = map[string]total{}
	}
	t.all[key] = total{state, uint64(n)}
}

// list answers one page as the envelope of the specification.
func (t *Table[T]) list(ctx context.Context, c *resource.Call) (any, error) {
	q, err := resource.ParseQuery(c.Query, c.Lenient)
	if err != nil {
		return nil, err
	}
	if err := t.knownFields(q.Fields); err != nil {
		return nil, err
	}
	cond, err := t.visible(ctx, t.db, c, resource.Read)
	if err != nil {
		return nil, err
	}
	f, err := filter.Parse(q.Filter, t.res.Columns(), t.db.zone)
	if err != nil {
		return nil, err
	}
	t.filtered(cond, f)
	order, err := t.order(q.Sort)
	if err != nil {
		return nil, err
	}
	page, err := t.page(ctx, cond, order, q, f == nil && len(q.Sort) < 2)
	if err != nil {
		return nil, tooSlow(ctx, err)
	}
	return t.envelope(ctx, page, q.Fields)
}

// tooSlow turns a question that ran out of time into what the caller can do.
func tooSlow(ctx context.Context, err error) error {
	if ctx.Err() == context.DeadlineExceeded || code(err)&0xff == codeInterrupt && ctx.Err() == nil {
		return &fault.Error{Kind: fault.Invalid, Field: "filter", Message: "the question took longer than it may; narrow the filter or sort by an indexed field", Err: err}
	}
	return err
}

// page is what was read of a list.
type page struct {
	total int64
	ids   []int64
	body  [][]byte
	from  [][]string // per derived field that reads a column
}

// visible is the condition that a row is there for this caller: not deleted,
// below the path's parent, within the role's groups, one's own.
func (t *Table[T]) visible(ctx context.Context, q asker, c *resource.Call, op resource.Operation) (*condition, error) {
	cond := &condition{}
	cond.and(t.live())
	if p := t.res.Parent; p != nil {
		id, err := c.ID(p.Param)
		if err != nil {
			return nil, err
		}
		parent, err := t.db.table(p.Of)
		if err != nil {
			return nil, err
		}
		n, err := parent.countByID(ctx, q, id)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fault.New(fault.Unknown, "there is no %s %d", parent.label(), id)
		}
		cond.and(quote(p.Field)+" = ?", id)
	}
	if t.res.Owner != "" {
		cond.and(quote(t.res.Owner)+" = ?", c.Access.UserID)
	}
	if t.res.Scope == "" || c.Access == nil {
		return cond, nil
	}
	all, groups := c.Access.Groups(op)
	if all {
		return cond, nil
	}
	ids, err := json.Marshal(slices.Concat([]int64{}, groups))
	if err != nil {
		return nil, err
	}
	if t.res.Scope == "id" {
		cond.and(`"id" IN (SELECT value FROM json_each(?))`, string(ids))
		return cond, nil
	}
	cond.and(`"id" IN (SELECT "row" FROM `+t.column(t.res.Scope).link+` WHERE "ref" IN (SELECT value FROM json_each(?)))`, string(ids))
	return cond, nil
}

func (t *Table[T]) label() string { return t.res.Label }

func (t *Table[T]) countByID(ctx context.Context, q asker, id int64) (n int64, err error) {
	stmt, err := q.stmt(ctx, "SELECT count(*) FROM "+t.name()+` WHERE "id" = ? AND `+t.live())
	if err == nil {
		err = stmt.QueryRowContext(ctx, id).Scan(&n)
	}
	return n, err
}

func (t *Table[T]) knownFields(fields []string) error {
	for _, name := range fields {
		c := t.column(name)
		if c != nil && !c.Hidden || slices.ContainsFunc(t.res.Derived, func(d resource.Derived) bool { return d.Name == name }) {
			continue
		}
		return fault.At("fields", "%s has no field %q%s", t.res.Label, name, resource.DidYouMean(name, t.shown()))
	}
	return nil
}

// shown are the names a question may use.
func (t *Table[T]) shown() []string {
	var names []string
	for _, c := range t.columns {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	for _, d := range t.res.Derived {
		names = append(names, d.Name)
	}
	return names
}

func (t *Table[T]) order(keys []resource.Order) (string, error) {
	var parts []string
	for _, key := range keys {
		c := t.column(key.Field)
		if c == nil || c.Hidden {
			return "", fault.At("sort", "%s has no field %q to sort by%s", t.res.Label, key.Field, resource.DidYouMean(key.Field, t.shown()))
		}
		if c.Kind == resource.KindPairs || c.Kind == resource.KindOther {
			return "", fault.At("sort", "%s is a list or an object; it cannot be sorted by", key.Field)
		}
		part := quote(c.Name) + collation(c.Kind)
		if key.Down {
			part += " DESC"
		}
		parts = append(parts, part)
		if c.Name == "id" {
			return strings.Join(parts, ", "), nil
		}
	}
	return strings.Join(append(parts, `"id"`), ", "), nil
}

// page reads rows and total of one state of the table: it tries without a
// transaction, and takes one only when a commit came in between.
func (t *Table[T]) page(ctx context.Context, cond *condition, order string, q resource.Query, keep bool) (*page, error) {
	for range 3 {
		state := t.lock.now()
		p, err := t.readPage(ctx, t.asks(keep, t.db.read.QueryContext), cond, order, q, state)
		if err != nil || settled(state) && t.lock.now() == state {
			return p, err
		}
	}
	tx, err := t.db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	return t.readPage(ctx, tx.QueryContext, cond, order, q, 1)
}

// ask runs one question.
type ask func(ctx context.Context, query string, args ...any) (*sql.Rows, error)

// asks prepares the questions that come again and again; filters come in too
// many shapes to be kept.
func (t *Table[T]) asks(keep bool, direct ask) ask {
	if !keep {
		return direct
	}
	return func(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
		stmt, err := t.db.stmt(ctx, query)
		if err != nil {
			return nil, err
		}
		return stmt.QueryContext(ctx, args...)
	}
}

// readPage reads the rows and the total; state is even when totals of it may be kept.
func (t *Table[T]) readPage(ctx context.Context, ask ask, cond *condition, order string, q resource.Query, state uint64) (*page, error) {
	p := &page{}
	where := cond.text.String()
	found, err := ask(ctx, "SELECT "+t.pageColumns()+" FROM "+t.name()+" WHERE "+where+" ORDER BY "+order+" LIMIT ? OFFSET ?",
		append(slices.Clip(cond.args), q.Size, q.Offset)...)
	if err != nil {
		return nil, err
	}
	if err := t.scanPage(found, p); err != nil {
		return nil, err
	}
	if n := int64(len(p.ids)); n < q.Size && (n > 0 || q.Offset == 0) {
		p.total = q.Offset + n
		return p, nil
	}
	key := where
	if len(cond.args) > 0 {
		key += fmt.Sprintf("%q", cond.args)
	}
	if n, ok := t.totals.get(key, state); ok && settled(state) {
		p.total = n
		return p, nil
	}
	if found, err = ask(ctx, "SELECT count(*) FROM "+t.name()+" WHERE "+where, cond.args...); err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		if err := found.Scan(&p.total); err != nil {
			return nil, err
		}
	}
	if settled(state) && t.lock.now() == state {
		t.totals.put(key, state, p.total)
	}
	return p, found.Err()
}

func (t *Table[T]) pageColumns() string {
	columns := `"id", "body"`
	for _, name := range t.froms() {
		columns += ", " + quote(name)
	}
	return columns
}

// froms are the columns that derived values read.
func (t *Table[T]) froms() []string {
	var names []string
	for _, d := range t.res.Derived {
		if d.From != "" {
			names = append(names, d.From)
		}
	}
	return names
}

func (t *Table[T]) scanPage(found *sql.Rows, p *page) error {
	defer found.Close()
	froms := len(t.froms())
	for found.Next() {
		var id int64
		var body sql.RawBytes
		from := make([]string, froms)
		dest := []any{&id, &body}
		for i := range from {
			dest = append(dest, &from[i])
		}
		if err := found.Scan(dest...); err != nil {
			return err
		}
		p.ids, p.body, p.from = append(p.ids, id), append(p.body, slices.Clone(body)), append(p.from, from)
	}
	return found.Err()
}

// envelope joins a page into {"total","searchId","items","data"}.
func (t *Table[T]) envelope(ctx context.Context, p *page, fields []string) (any, error) {
	derived, err := t.derive(ctx, t.db, p, fields)
	if err != nil {
		return nil, err
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
	out := append(make([]byte, 0, size), `{"total":`...)
	out = append(strconv.AppendInt(out, p.total, 10), `,"searchId":null,"items":[`...)
	for i := range p.body {
		if i > 0 {
			out = append(out, ',')
		}
		out = t.object(out, p.body[i], derived, i, fields)
	}
	return resource.JSON(append(out, `],"data":null}`...)), nil
}

// derive computes the derived values that are asked for, one call each for the whole page.
func (t *Table[T]) derive(ctx context.Context, q asker, p *page, fields []string) ([][][]byte, error) {
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
		var err error
		if derived[i], err = d.Of(ctx, q, rows); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", d.Name, t.res.Name, err)
		}
	}
	return derived, nil
}

// object adds one row to out: all of it, or the fields asked for.
func (t *Table[T]) object(out, body []byte, derived [][][]byte, row int, fields []string) []byte {
	open := len(out) + 1
	if len(fields) == 0 {
		out = append(out, body[:len(body)-1]...)
	} else {
		out = resource.PickKeys(out, body, fields)
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

// shownRow is one row as it is shown, whole.
func (t *Table[T]) shownRow(ctx context.Context, q asker, id int64, cond *condition) ([]byte, error) {
	stmt, err := q.stmt(ctx, "SELECT "+t.pageColumns()+" FROM "+t.name()+` WHERE "id" = ? AND `+cond.text.String())
	if err != nil {
		return nil, err
	}
	found, err := stmt.QueryContext(ctx, append([]any{id}, cond.args...)...)
	if err != nil {
		return nil, err
	}
	p := &page{}
	if err := t.scanPage(found, p); err != nil {
		return nil, err
	}
	if len(p.ids) == 0 {
		return nil, t.unknown(id)
	}
	derived, err := t.derive(ctx, q, p, nil)
	if err != nil {
		return nil, err
	}
	return t.object(nil, p.body[0], derived, 0, nil), nil
}
