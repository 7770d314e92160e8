package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// actions are the endpoints of the named changes; what can fail anywhere is
// already in fails.
func (t *Table[T]) actions(row string, ids []resource.Param, fails []resource.Failure) []resource.Endpoint {
	var all []resource.Endpoint
	one := t.res.Schema()
	for _, a := range t.res.Actions {
		op := cmp.Or(a.Op, resource.Modify)
		e := resource.Endpoint{
			Method: "POST", Path: row + "/" + a.Name, Summary: a.Summary, Doc: a.Doc,
			Right: resource.Right{Object: t.res.Object, Area: t.res.Area, Op: op}, Params: slices.Clone(ids), Answer: &one, Tagged: true,
			Errors: fails, Example: t.example(t.sample()+"/"+a.Name, a.Example), Handle: t.act(a),
		}
		if a.Takes != nil {
			body := resource.SchemaOf(a.Takes)
			e.Body = &body
		}
		all = append(all, e)
		if a.Many != "" {
			all = append(all, t.manyOf(a, e))
		}
	}
	return all
}

// manyOf is the endpoint that carries out an action on many rows.
func (t *Table[T]) manyOf(a resource.Action[T], one resource.Endpoint) resource.Endpoint {
	body, example := t.idList(a.Many), map[string]any{a.Many: []string{fmt.Sprint(t.res.Sample)}}
	if one.Body != nil {
		body.Properties = append(body.Properties, one.Body.Properties...)
		text, err := json.Marshal(a.Example)
		if err == nil {
			err = json.Unmarshal(text, &example)
		}
		if err != nil {
			panic(fmt.Sprintf("store: the example of %s.%s: %v", t.res.Name, a.Name, err))
		}
	}
	body.Name = t.res.Schema().Name + strings.ToUpper(a.Name[:1]) + a.Name[1:] + "Many"
	answer := resource.ResultsSchema()
	one.Path, one.Summary, one.Tagged = t.res.Path+"/"+a.Name, one.Summary+": many at once", false
	one.Doc = a.Doc + " On up to 1,000 at once, in one transaction. " + oneByOne
	one.Params, one.Body, one.Answer = t.parentParam(), body, &answer
	one.Example = t.example("/"+a.Name, example)
	one.Handle = t.many(a.Many, a.Name, func(c *resource.Call) (step, error) { return t.acting(a, c), nil })
	return one
}

// act handles one action: the row is read, changed and written in one
// transaction.
func (t *Table[T]) act(a resource.Action[T]) func(context.Context, *resource.Call) (any, error) {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		return t.run(ctx, c, func(c *resource.Call) (step, error) { return t.acting(a, c), nil })
	}
}

// acting is the step that carries out an action on the row that the call names.
func (t *Table[T]) acting(a resource.Action[T], c *resource.Call) step {
	return func(ctx context.Context, tx *tx) (*resource.Answer, error) {
		was, err := t.own(ctx, tx, c, cmp.Or(a.Op, resource.Modify))
		if err != nil {
			return nil, err
		}
		now := t.copyOf(was)
		w := &resource.Write{Context: ctx, Call: c, Tx: tx, Given: func(string) bool { return false }}
		if err := tx.rule(func() error { return a.Do(w, now) }); err != nil {
			return nil, err
		}
		return t.record(ctx, tx, w, a.Name, was, now)
	}
}

func (t *Table[T]) copyOf(row T) T {
	out := t.res.New()
	for i := range t.columns {
		copyValue(t.columns[i].field.At(out), t.columns[i].field.At(row))
	}
	return out
}

// single are the endpoints of a resource that is one row: those of a row, at
// the path itself, without what lists, adds or removes rows.
func (t *Table[T]) single(all []resource.Endpoint) []resource.Endpoint {
	path, label := t.res.Path, t.res.Label
	says := map[string][2]string{
		"GET":   {"Get the " + label, "Returns the " + label + ", with an ETag for conditional requests."},
		"PUT":   {"Replace the " + label, "Replaces the " + label + ": what is not given returns to its default. Read-only fields are accepted and ignored."},
		"PATCH": {"Change some of the " + label, "Changes the fields that are given, and no others."},
	}
	var kept []resource.Endpoint
	for _, e := range all {
		words, ok := says[e.Method]
		if !ok || e.Path == path {
			continue
		}
		e.Path, e.Example.Path, e.Summary, e.Doc = path, samplePath(path, t.res.Parents), words[0], words[1]
		e.Params = slices.DeleteFunc(slices.Clone(e.Params), func(p resource.Param) bool { return p.In == "path" && p.Name == "id" })
		if len(t.res.Parents) == 0 {
			e.Errors = slices.DeleteFunc(slices.Clone(e.Errors), func(f resource.Failure) bool { return f.Kind == fault.Unknown })
		}
		kept = append(kept, e)
	}
	return kept
}
