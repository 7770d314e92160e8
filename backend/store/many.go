package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spyglass/backend/endpoint"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// many handles a change of the rows whose ids the body lists under that name. It
// changes all rows in one transaction; an error in one row does not affect the
// others.
func (t *Table) many(name, op string, prepare func(*resource.Call) (step, error)) func(context.Context,
	*resource.Call) (any, error) {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		ids, body, err := readIDs(name, c.Body)
		if err != nil {
			return nil, err
		}
		results := resource.Results{Results: make([]resource.Result, len(ids))}
		steps := make([]step, len(ids))
		for i, id := range ids {
			r := &results.Results[i]
			r.Op = op
			var known bool
			if r.ID, known = resource.ParseID(strings.TrimLeft(id, upperCase)); !known {
				r.Fault = fault.At(name, "%q is not the id of %s", id, endpoint.Article(t.res.Label))
				continue
			}
			one := *c
			one.Body, one.IfMatch, one.Verb, one.Vars = body, "", op, maps.Clone(c.Vars)
			if one.Vars == nil {
				one.Vars = map[string]string{}
			}
			one.Vars["id"] = fmt.Sprint(t.id.Prefix, r.ID)
			if steps[i], err = prepare(&one); err != nil {
				return nil, err
			}
		}
		err = t.db.write(ctx, func(tx *tx) error {
			results.Succeeded = 0
			for i, do := range steps {
				r := &results.Results[i]
				if do != nil {
					r.OK, r.ETag, r.Fault = false, "", nil
					if err := t.attempt(ctx, tx, do, r); err != nil {
						return err
					}
				}
				if r.OK {
					results.Succeeded++
				}
			}
			results.Failed = len(ids) - results.Succeeded
			return nil
		})
		if err != nil {
			return nil, err
		}
		return &results, nil
	}
}

// upperCase lists the letters of prefixes that show the kind of an id, as in
// "DS12".
const upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// readIDs reads a list of ids, as texts or numbers, and the rest of the body.
func readIDs(name string, text []byte) (ids []string, rest []byte, err error) {
	body, err := resource.ParseObject(text, "the body")
	if err != nil {
		return nil, nil, err
	}
	rest = []byte{'{'}
	for i, key := range body.Keys {
		value := body.Items[i]
		if key != name {
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			rest = append(append(resource.AppendString(rest, key), ':'), value.Raw...)
			continue
		}
		if value.Kind != '[' {
			return nil, nil, fault.At(name, "%s must be a list of ids", name)
		}
		for _, id := range value.Items {
			if id.Kind != '"' && id.Kind != '0' {
				return nil, nil, fault.At(name, "%s must be a list of ids", name)
			}
			if len(ids) <= maxBatch && !slices.Contains(ids, id.Text) {
				ids = append(ids, id.Text)
			}
		}
	}
	if len(ids) == 0 || len(ids) > maxBatch {
		return nil, nil, fault.At(name, "%s must have 1 to %d ids", name, maxBatch)
	}
	return ids, append(rest, '}'), nil
}
