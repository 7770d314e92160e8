package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// maxBatch limits the writes of one batch, because other writes wait until the
// batch is done.
const maxBatch = 1000

// operation is the savepoint of one operation of a batch.
const operation = "operation"

// batch handles many writes in one transaction.
func (t *Table) batch(ctx context.Context, c *resource.Call) (any, error) {
	nodes, atomic, err := readBatch(c)
	if err != nil {
		return nil, err
	}
	results, parsed := resource.Results{}, make([]resource.Result, len(nodes))
	steps := make([]step, len(nodes))
	for i, node := range nodes { // do slow or fallible work before the transaction
		steps[i], parsed[i].Fault = t.prepare(c, node, &parsed[i])
	}
	err = t.db.write(ctx, func(tx *tx) error {
		results = resource.Results{Results: slices.Clone(parsed)}
		for i := range steps {
			r := &results.Results[i]
			if steps[i] != nil {
				if err := t.attempt(ctx, tx, steps[i], r); err != nil {
					return err
				}
			}
			if r.Fault == nil {
				results.Succeeded++
			} else {
				results.Failed++
			}
		}
		if atomic && results.Failed > 0 {
			return results.Refused()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &results, nil
}

// attempt runs one operation in a savepoint, so that a failed one changes
// nothing. An error ends the whole batch.
func (t *Table) attempt(ctx context.Context, tx *tx, do step, r *resource.Result) error {
	if err := tx.w.base.Savepoint(operation); err != nil {
		return err
	}
	response, err := do(ctx, tx)
	if err == nil {
		r.OK = true
		if r.ID == 0 {
			r.ID, _ = strconv.ParseInt(response.Location[strings.LastIndexByte(response.Location, '/')+1:], 10, 64)
		}
		r.ETag = response.ETag
		return tx.w.base.Release(operation)
	}
	f := fault.Of(full(err))
	if f.Kind == fault.Internal || f.Kind == fault.Full {
		return err
	}
	r.Fault = f
	tx.along = nil
	tx.memos = nil // they may depend on the changes that are rolled back
	if err := tx.w.base.RollbackTo(operation); err != nil {
		return err
	}
	return tx.w.base.Release(operation)
}

// readBatch reads the list of operations from the body.
func readBatch(c *resource.Call) (nodes []resource.Node, atomic bool, err error) {
	body, err := resource.ParseObject(c.Body, "the body")
	if err != nil {
		return nil, false, err
	}
	atomic = true
	for i, key := range body.Keys {
		value := body.Items[i]
		switch {
		case key == "operations" && value.Kind == '[':
			nodes = value.Items
		case key == "operations":
			return nil, false, fault.At(key, "operations must be a list")
		case key == "atomic" && (value.Kind == 't' || value.Kind == 'f'):
			atomic = value.Kind == 't'
		case key == "atomic":
			return nil, false, &fault.Error{Kind: fault.Invalid, Field: key, Message: "atomic must be true or false",
				Allowed: []any{true, false}}
		case !c.Lenient:
			return nil, false, fault.At(key, "a batch has no field %q%s", key,
				resource.DidYouMean(key, []string{"operations", "atomic"}))
		}
	}
	if len(nodes) == 0 || len(nodes) > maxBatch {
		return nil, false, fault.At("operations", "operations must have 1 to %d operations", maxBatch)
	}
	return nodes, atomic, nil
}

// prepare parses one operation as a single write.
func (t *Table) prepare(c *resource.Call, node resource.Node, r *resource.Result) (step, *fault.Error) {
	one := *c
	one.Body, one.IfMatch, one.Vars = []byte("{}"), "", maps.Clone(c.Vars)
	if one.Vars == nil {
		one.Vars = map[string]string{}
	}
	if node.Kind != '{' {
		return nil, fault.New(fault.Invalid, `an operation must be an object: {"op":"patch","id":7,"body":{…}}`)
	}
	for i, key := range node.Keys {
		value := node.Items[i]
		switch key {
		case "op":
			r.Op = value.Text
		case "id":
			id, ok := resource.ParseID(value.Text)
			if !ok {
				return nil, fault.At(key, "id must be the id of a %s", t.res.Label)
			}
			r.ID, one.Vars["id"] = id, value.Text
		case "body":
			one.Body = value.Raw
		case "ifMatch":
			one.IfMatch = value.Text
		default:
			if !c.Lenient {
				return nil, fault.At(key, "an operation has no field %q%s", key,
					resource.DidYouMean(key, []string{"op", "id", "body", "ifMatch"}))
			}
		}
	}
	prepare, known := map[string]func(*resource.Call) (step, error){"create": t.creation, "patch": t.patching,
		"delete": t.erasure}[r.Op]
	switch {
	case !known:
		return nil, &fault.Error{Kind: fault.Invalid, Field: "op", Message: "op must be create, patch or delete",
			Allowed: []any{"create", "patch", "delete"}}
	case r.Op == "create" && r.ID != 0:
		return nil, fault.At("id", "the portal assigns the ids of new objects; leave id out")
	case r.Op != "create" && r.ID == 0:
		return nil, fault.At("id", "%s requires the id of a %s", r.Op, t.res.Label)
	}
	do, err := prepare(&one)
	if err != nil {
		f := fault.Of(err)
		if f.Kind == fault.Internal {
			return func(context.Context, *tx) (*resource.Response, error) { return nil, err }, nil
		}
		return nil, f
	}
	return do, nil
}
