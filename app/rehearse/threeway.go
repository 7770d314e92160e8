package rehearse

import (
	"context"
	"encoding/json"
	"strings"

	"spyglass/app/document"
)

// ways compares the three versions of a field by meaning.
type ways struct {
	ctx   context.Context
	store *document.Store
	err   error // the first
}

// changes returns what differs between a field when it was copied and now, part by part
// if it is an object or a list, with what the portal has instead.
func (w *ways) changes(field string, was, now, there, present any, compared bool) []Difference {
	if !isNested(was) && !isNested(now) {
		return []Difference{scalarChange(field, was, now, there, present, compared)}
	}
	theirs := map[string]string{} // by path
	if compared {
		for _, c := range w.diff(there, present) {
			theirs[c.Path] = textOr(c.After)
		}
	}
	var out []Difference
	for _, c := range w.diff(was, now) {
		one := Difference{Field: field + strings.TrimPrefix(c.Path, "$"), Was: textOr(c.Before), Now: textOr(c.After)}
		if compared {
			one.There = one.Was
			if text, both := theirs[c.Path]; both {
				one.There, one.Both = text, true
			}
		}
		out = append(out, one)
	}
	return out
}

// scalarChange describes the change of a field as a whole.
func scalarChange(field string, was, now, there, present any, compared bool) Difference {
	one := Difference{Field: field, Was: short(was), Now: short(now)}
	if compared {
		one.There, one.Both = short(present), !same(there, present)
	}
	return one
}

func isNested(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

func textOr(text *string) string {
	if text == nil || *text == "null" {
		return short(nil)
	}
	return cut(*text)
}

// diff compares two values without the ids in them, which differ between portals.
func (w *ways) diff(before, after any) []document.Change {
	var docs [2]*document.Document
	for i, v := range []any{before, after} {
		text, err := json.Marshal(withoutIDs(v))
		if err == nil {
			out := w.store.Create("application/json")
			if _, err = out.Write(text); err == nil {
				docs[i], err = out.Finish()
			}
		}
		if err != nil {
			w.fail(err)
			return nil
		}
		defer w.store.Drop(docs[i].ID)
	}
	got, err := document.Diff(w.ctx, docs[0], docs[1], nil)
	if err != nil {
		w.fail(err)
		return nil
	}
	return got.Changes
}

func (w *ways) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func withoutIDs(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, one := range v {
			if key != "id" {
				out[key] = withoutIDs(one)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutIDs(v[i])
		}
		return out
	}
	return v
}
