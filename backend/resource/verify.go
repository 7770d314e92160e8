package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Verify returns an error for a wrong declaration: a duplicate or unknown name,
// an invalid example, a missing text. A test of the server runs it on every
// resource.
func (r *Untyped) Verify() error {
	quick := *r
	quick.Fields = slices.Clone(r.Fields)
	for i := range quick.Fields {
		if f := &quick.Fields[i]; f.Seal != nil { // Seal may be slow, and does not affect the declaration
			f.Seal = func(text string) (string, error) { return text, nil }
		}
	}
	err := errors.Join(r.verifyNames(), r.verifyDocs())
	if _, wrong := quick.Defaults(); wrong != nil { // rows start with the defaults
		err = errors.Join(err, wrong)
	} else {
		err = errors.Join(err, quick.verifyExamples(), quick.verifyRow())
	}
	if err != nil {
		return fmt.Errorf("the declaration of %s: %w", r.Name, err)
	}
	return nil
}

// verifyNames checks that names are unique, and that all names in the declaration
// exist.
func (r *Untyped) verifyNames() (err error) {
	var stored []string
	for i := range r.Fields {
		stored = append(stored, r.Fields[i].Name)
	}
	names, refers := slices.Clone(stored), append(slices.Concat(r.Unique...), r.Scope...)
	for _, d := range r.Derived {
		names = append(names, d.Name)
		if d.From != "" {
			refers = append(refers, d.From)
		}
	}
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			err = errors.Join(err, fmt.Errorf("%s is listed twice", names[i]))
		}
	}
	if r.SoftBy != "" {
		refers = append(refers, r.SoftBy)
	}
	for _, p := range r.Parents {
		refers = append(refers, p.Field)
	}
	if r.Props != nil {
		refers = append(refers, r.Props.Field)
		for _, other := range r.Props.Others {
			refers = append(refers, other.Field)
		}
		if r.Props.Inherited != nil {
			refers = append(refers, r.Props.From)
		}
	}
	for _, l := range r.Lists {
		if l.Of != "" && l.Where == nil {
			refers = append(refers, l.Field)
		}
	}
	for _, name := range refers {
		if !slices.Contains(stored, name) {
			err = errors.Join(err, fmt.Errorf("it has no field %q", name))
		}
	}
	return err
}

// verifyDocs checks that everything is documented.
func (r *Untyped) verifyDocs() (err error) {
	if !strings.HasSuffix(r.Doc, ".") {
		err = fmt.Errorf("its doc is no sentence: %q", r.Doc)
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Doc == "" {
			err = errors.Join(err, fmt.Errorf("%s has no doc", f.Name))
		}
		if f.Required && f.Example == nil {
			err = errors.Join(err, fmt.Errorf("%s is required and has no example", f.Name))
		}
		if f.Seal != nil && !f.WriteOnly {
			err = errors.Join(err, fmt.Errorf("%s is sealed, but shown", f.Name))
		}
	}
	for _, d := range r.Derived {
		if d.Doc == "" || d.Example == nil || d.Of == nil {
			err = errors.Join(err, fmt.Errorf("%s lacks a doc, an example or a way to compute it", d.Name))
		}
	}
	return err
}

// verifyExamples checks that both mounts accept the examples of fields, each by
// itself and all together.
func (r *Untyped) verifyExamples() (err error) {
	for _, lenient := range []bool{false, true} {
		for i := range r.Fields {
			if f := &r.Fields[i]; f.Example != nil {
				_, failed := r.rowOf(map[string]any{f.Name: f.Example}, false, lenient)
				err = errors.Join(err, failed)
			}
		}
		_, failed := r.rowOf(r.examples(), true, lenient)
		err = errors.Join(err, failed)
	}
	return err
}

// examples returns the examples of the writable fields.
func (r *Untyped) examples() map[string]any {
	values := map[string]any{}
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Example != nil && !f.ReadOnly {
			values[f.Name] = f.Example
		}
	}
	return values
}

// rowOf returns a default row with the given values.
func (r *Untyped) rowOf(values map[string]any, whole, lenient bool) (row any, err error) {
	text, err := json.Marshal(values)
	if err != nil {
		return row, err
	}
	if row, err = r.Defaults(); err != nil {
		return row, err
	}
	body, err := r.Read(text, lenient)
	if err == nil {
		err = r.Apply(body, row, whole)
	}
	if err != nil {
		err = fmt.Errorf("%s (lenient %v): %w", text, lenient, err)
	}
	return row, err
}

// verifyRow checks that the JSON of a default row matches the schema and can be
// sent back.
func (r *Untyped) verifyRow() error {
	row, err := r.Defaults()
	if err != nil {
		return err
	}
	text, err := r.AppendJSON(nil, row)
	if err != nil {
		return err
	}
	var shown map[string]any
	if err := json.Unmarshal(text, &shown); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	for _, key := range r.Schema().Properties {
		_, ok := shown[key.Name]
		derived := slices.ContainsFunc(r.Derived, func(d Derived) bool { return d.Name == key.Name })
		optional := r.Keeps(key.Name) ||
			slices.ContainsFunc(r.Fields, func(f UntypedField) bool { return f.Name == key.Name && f.If != nil })
		if ok == (key.WriteOnly || derived) && !optional {
			err = errors.Join(err, fmt.Errorf("%s: shown %v, write-only %v, derived %v", key.Name, ok, key.WriteOnly,
				derived))
		}
	}
	for i := range r.Fields { // required fields and fields with OneOf have no valid default
		f := &r.Fields[i]
		if !f.ReadOnly && (f.Required || len(f.OneOf) > 0 && f.Default == nil) {
			delete(shown, f.Name)
		}
	}
	again, failed := json.Marshal(shown)
	if failed != nil {
		return failed
	}
	body, failed := r.Read(again, false)
	if failed == nil {
		failed = r.Apply(body, row, false)
	}
	now, wrong := r.AppendJSON(nil, row)
	if failed != nil || wrong != nil || string(now) != string(text) {
		err = errors.Join(err, failed, wrong, fmt.Errorf("%s was sent back and became %s", text, now))
	}
	return err
}
