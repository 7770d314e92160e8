package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/endpoint"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// get returns one row.
func (t *Table) get(ctx context.Context, c *resource.Call) (any, error) {
	fields := resource.ParseFields(c.Query)
	if err := t.knownFields(fields); err != nil {
		return nil, err
	}
	id, err := t.rowID(c)
	if err != nil {
		return nil, err
	}
	cond, err := t.visible(ctx, t.db, c, resource.Read)
	if err != nil {
		return nil, err
	}
	body, err := t.shownRow(ctx, t.db, c.Access, id, cond)
	if err != nil {
		return nil, err
	}
	tag := resource.ETag(body)
	if c.NotIf != "" && resource.MatchesETag(c.NotIf, tag) {
		return &resource.Response{ETag: tag, Same: true}, nil
	}
	if len(fields) > 0 {
		body = resource.SelectKeys(nil, body, fields)
	}
	return &resource.Response{ETag: tag, Body: resource.JSON(body)}, nil
}

// create adds a row and returns it.
func (t *Table) create(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.creation)
}

// step is one write, parsed and checked as far as possible without the rows;
// the rest runs inside the transaction.
type step func(ctx context.Context, tx *tx) (*resource.Response, error)

// run runs one write in its own transaction.
func (t *Table) run(ctx context.Context, c *resource.Call, prepare func(*resource.Call) (step, error)) (any, error) {
	do, err := prepare(c)
	if err != nil {
		return nil, err
	}
	var response *resource.Response
	err = t.db.write(ctx, func(tx *tx) error {
		response, err = do(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}

func (t *Table) creation(c *resource.Call) (step, error) {
	body, err := t.res.Read(c.Body, c.Lenient)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *tx) (*resource.Response, error) {
		if _, err := t.visible(ctx, tx, c, resource.Modify); err != nil { // checks that the parent exists
			return nil, err
		}
		row, err := t.res.Defaults()
		if err != nil {
			return nil, err
		}
		if err := t.res.Apply(body, row, true); err != nil {
			return nil, err
		}
		if err := t.adopt(c, row); err != nil {
			return nil, err
		}
		response, err := t.save(ctx, tx, c, "create", body, nil, row)
		if err == nil {
			response.Location = t.location(c) + "/" + t.id.Prefix + strconv.FormatInt(*t.idOf(row), 10)
		}
		return response, err
	}, nil
}

// adopt sets the parent and the owner of a new row.
func (t *Table) adopt(c *resource.Call, row any) error {
	for _, p := range t.res.Parents {
		id, err := c.ID(p.Param)
		if err != nil {
			return err
		}
		*t.column(p.Field).field.At(row).(*int64) = id
	}
	if t.res.Owner != "" {
		*t.column(t.res.Owner).field.At(row).(*int64) = c.Access.UserID
	}
	return nil
}

// location returns the path of the list, with its parameters filled in.
func (t *Table) location(c *resource.Call) string {
	path := t.res.Path
	for name, value := range c.Vars {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	return path
}

// save runs the rules, writes now and returns its JSON.
func (t *Table) save(ctx context.Context, tx *tx, c *resource.Call, action string, body *resource.Body, was,
	now any) (*resource.Response, error) {
	w := &resource.Write{Context: ctx, Call: c, Tx: tx, Given: body.Given, Body: body}
	if t.res.Check != nil {
		if err := tx.rule(func() error { return t.res.Check(w, was, now) }); err != nil {
			return nil, err
		}
	}
	if err := t.checkRefs(ctx, tx, c, was, now); err != nil {
		return nil, err
	}
	return t.record(ctx, tx, w, action, was, now, t.unseen(body)...)
}

// record writes now and everything that depends on it, and returns the JSON of
// the row. The audit log gets action, and the names of fields that the JSON does
// not contain.
func (t *Table) record(ctx context.Context, tx *tx, w *resource.Write, action string, was, now any,
	unseen ...string) (*resource.Response, error) {
	if t.res.Settle != nil {
		if err := tx.rule(func() error { return t.res.Settle(w, was, now) }); err != nil {
			return nil, err
		}
	}
	text, err := t.put(ctx, tx, now)
	if err == nil && was == nil && t.res.Numbered != nil {
		t.res.Numbered(now)
		text, err = t.put(ctx, tx, now)
	}
	if err != nil {
		return nil, err
	}
	if t.res.After != nil {
		if err := tx.rule(func() error { return t.res.After(w, was, now) }); err != nil {
			return nil, err
		}
	}
	var before []byte
	if was != nil {
		if before, err = t.shownAs(was); err != nil {
			return nil, err
		}
	}
	if err := t.audit(ctx, tx, w.Call, action, *t.idOf(now), before, text, unseen...); err != nil {
		return nil, err
	}
	shown, err := t.written(ctx, tx, w.Call.Access, now, text)
	if err != nil {
		return nil, err
	}
	return &resource.Response{ETag: resource.ETag(shown), Body: resource.JSON(shown)}, nil
}

// written returns a row that was just written, with its derived values.
func (t *Table) written(ctx context.Context, tx *tx, who *resource.Access, row any, body []byte) ([]byte, error) {
	p := &page{ids: []int64{*t.idOf(row)}, body: [][]byte{body}, from: [][]string{nil}}
	for _, name := range t.froms() {
		p.from[0] = append(p.from[0], storedText(t.column(name).field.At(row)))
	}
	derived, err := t.derive(ctx, tx, who, p, nil)
	if err != nil {
		return nil, err
	}
	return t.object(nil, body, derived, 0, nil), nil
}

// storedText returns a value in the form that a text column stores.
func storedText(at any) string {
	if ids, ok := at.(*resource.IDs); ok {
		return ids.String()
	}
	return fmt.Sprint(plain(at))
}

// replace handles PUT: fields that are not given get their defaults.
func (t *Table) replace(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.replacement)
}

func (t *Table) replacement(c *resource.Call) (step, error) {
	if t.res.PartialPut && c.Lenient {
		return t.patching(c)
	}
	return t.change(c, "replace", func(was any, body *resource.Body) (any, error) {
		now, err := t.res.Defaults()
		if err != nil {
			return now, err
		}
		for i := range t.columns {
			f := t.columns[i].field
			kept := f.ReadOnly || f.WriteOnly && f.Keeps == nil || t.columns[i].Kind == resource.KindPairs &&
				body.Given(f.Name)
			if kept {
				copyValue(f.At(now), f.At(was))
			}
		}
		return now, t.res.Apply(body, now, true)
	})
}

// patch handles PATCH: only the given fields change.
func (t *Table) patch(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.patching)
}

func (t *Table) patching(c *resource.Call) (step, error) {
	return t.change(c, "change", func(was any, body *resource.Body) (any, error) {
		now := t.copyOf(was)
		return now, t.res.Apply(body, now, false)
	})
}

func copyValue(to, from any) { reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem()) }

func (t *Table) change(c *resource.Call, action string,
	edit func(was any, body *resource.Body) (any, error)) (step, error) {
	body, err := t.res.Read(c.Body, c.Lenient)
	if err != nil {
		return nil, err
	}
	merge, err := t.opType(c)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *tx) (*resource.Response, error) {
		was, err := t.own(ctx, tx, c, resource.Modify)
		if err != nil {
			return nil, err
		}
		now, err := edit(was, body)
		if err != nil {
			return nil, err
		}
		if err := t.mergePairs(merge, was, now, body); err != nil {
			return nil, err
		}
		return t.save(ctx, tx, c, action, body, was, now)
	}, nil
}

// rowID returns the id of the row in the call.
func (t *Table) rowID(c *resource.Call) (int64, error) {
	if t.res.Single > 0 {
		return t.res.Single, nil
	}
	if prefix := t.id.Prefix; prefix != "" {
		bare := resource.Call{Vars: map[string]string{"id": strings.TrimPrefix(c.Vars["id"], prefix)}}
		return bare.ID("id")
	}
	return c.ID("id")
}

// own reads the row of the path, if the caller may do op on it. It returns
// fault.Denied if the caller may only view the row, and fault.Unknown if the
// caller may not view it either.
func (t *Table) own(ctx context.Context, tx *tx, c *resource.Call, op resource.Operation) (any, error) {
	return t.ownAs(ctx, tx, c, op, alive)
}

func (t *Table) ownAs(ctx context.Context, tx *tx, c *resource.Call, op resource.Operation,
	which life) (row any, err error) {
	id, err := t.rowID(c)
	if err != nil {
		return row, err
	}
	cond, err := t.visibleAs(ctx, tx, c, op, which)
	if err != nil {
		return row, err
	}
	row, err = t.load(ctx, tx, id, cond.all)
	if fault.Is(err, fault.Unknown) {
		seen, readErr := t.visibleAs(ctx, tx, c, resource.Read, which)
		if readErr == nil {
			_, readErr = t.load(ctx, tx, id, seen.all)
		}
		if readErr == nil {
			err = fault.New(fault.Denied, "your role can view this %s, but not edit it", t.res.Label)
		}
	}
	if err != nil || c.IfMatch == "" {
		return row, err
	}
	shown, err := t.shownRow(ctx, tx, c.Access, id, cond)
	if err == nil && !resource.MatchesETag(c.IfMatch, resource.ETag(shown)) {
		err = fault.New(fault.Changed, "the %s has changed since you read it; read it again", t.res.Label)
	}
	return row, err
}

func (t *Table) opType(c *resource.Call) (string, error) {
	op := c.Query.Get("opType")
	if !t.res.OpTypes || op == "" {
		return endpoint.Refresh, nil
	}
	if op != endpoint.Refresh && op != endpoint.Replace && op != endpoint.Add {
		return "", &fault.Error{Kind: fault.Invalid, Field: "opType", Message: "opType must be refresh, replace or add",
			Allowed: []any{endpoint.Refresh, endpoint.Replace, endpoint.Add}}
	}
	return op, nil
}

func (t *Table) mergePairs(op string, was, now any, body *resource.Body) error {
	if op == endpoint.Refresh {
		return nil
	}
	for i := range t.columns {
		f := t.columns[i].field
		given, ok := f.At(now).(*[]resource.Property)
		if !ok || f.ReadOnly || !body.Given(f.Name) {
			continue
		}
		merged := slices.Clone(*f.At(was).(*[]resource.Property))
		for _, p := range *given {
			k := slices.IndexFunc(merged, func(have resource.Property) bool {
				return strings.EqualFold(have.Name, p.Name)
			})
			switch {
			case k < 0:
				merged = append(merged, p)
			case op == endpoint.Replace:
				merged[k].Value, merged[k].Secret = p.Value, p.Secret
			}
		}
		if err := resource.CheckProperties(f.Name, merged); err != nil {
			return err
		}
		*given = merged
	}
	return nil
}
