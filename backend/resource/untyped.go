package resource

import (
	"context"
	"reflect"
)

// Untyped is a Resource for rows in an any, where nil is no row. What reads, shows,
// serves and stores rows is written for it: Go compiles generic code again in each
// package that uses it.
type Untyped struct {
	Resource[any]
	Fields []UntypedField

	make func() any
}

// UntypedField is a Field of rows in an any.
type UntypedField struct{ Field[any] }

// UntypedView is a View of rows in an any.
type UntypedView struct {
	Untyped
	Params []Param
	Rows   func(ctx context.Context, r Reader, c *Call) ([]any, error)
	Save   func(w *Write, was, now any) error
}

// New returns a row with all fields zero.
func (r *Untyped) New() any { return r.make() }

// Untyped returns the same declaration for rows in an any.
func (r *Resource[T]) Untyped() *Untyped {
	out := &Untyped{make: func() any { return r.New() }}
	out.Name, out.Check, out.Settle = Name[any](r.Name), untyped(r.Check), untyped(r.Settle)
	out.After = untyped(r.After)
	copyShared(&out.Resource, r)
	for i := range r.Fields {
		out.Fields = append(out.Fields, r.Fields[i].untyped())
	}
	if r.Numbered != nil {
		out.Numbered = func(row any) { r.Numbered(row.(T)) }
	}
	if r.Remove != nil {
		out.Remove = func(w *Write, row any) error { return r.Remove(w, row.(T)) }
	}
	if r.Mend != nil {
		out.Mend = func(row any) error { return r.Mend(row.(T)) }
	}
	for _, a := range r.Actions {
		action := Action[any]{Do: func(w *Write, row any) error { return a.Do(w, row.(T)) }}
		copyShared(&action, &a)
		out.Actions = append(out.Actions, action)
	}
	return out
}

// Read reads a body as the declaration says: see Untyped.Read.
func (r *Resource[T]) Read(body []byte, lenient bool) (*Body, error) {
	return r.Untyped().Read(body, lenient)
}

// Apply writes what a body gives into a row: see Untyped.Apply.
func (r *Resource[T]) Apply(b *Body, row T, whole bool) error {
	return r.Untyped().Apply(b, row, whole)
}

// Defaults returns a new row with the defaults: see Untyped.Defaults.
func (r *Resource[T]) Defaults() (T, error) {
	row, err := r.Untyped().Defaults()
	return row.(T), err
}

// AppendJSON appends a row as responses show it: see Untyped.AppendJSON.
func (r *Resource[T]) AppendJSON(out []byte, row T) ([]byte, error) {
	return r.Untyped().AppendJSON(out, row)
}

// Schema returns the schema of a row: see Untyped.Schema.
func (r *Resource[T]) Schema() Schema { return r.Untyped().Schema() }

// Verify checks the declaration: see Untyped.Verify.
func (r *Resource[T]) Verify() error { return r.Untyped().Verify() }

func (f *Field[T]) untyped() UntypedField {
	out := UntypedField{Field[any]{At: func(row any) any { return f.At(row.(T)) }}}
	copyShared(&out.Field, f)
	if f.If != nil {
		out.If = func(row any) bool { return f.If(row.(T)) }
	}
	return out
}

// Untyped returns the same view for rows in an any.
func (v *View[T]) Untyped() *UntypedView {
	out := &UntypedView{Untyped: *v.Resource.Untyped(), Params: v.Params, Save: untyped(v.Save)}
	out.Rows = func(ctx context.Context, r Reader, c *Call) ([]any, error) {
		rows, err := v.Rows(ctx, r, c)
		all := make([]any, len(rows))
		for i := range rows {
			all[i] = rows[i]
		}
		return all, err
	}
	return out
}

// untyped returns a rule of a write for rows in an any. A row that is about to be
// created was nothing before.
func untyped[T any](rule func(w *Write, was, now T) error) func(w *Write, was, now any) error {
	if rule == nil {
		return nil
	}
	return func(w *Write, was, now any) error {
		before, _ := was.(T)
		return rule(w, before, now.(T))
	}
}

// copyShared copies the exported fields that two structs have in common: those whose
// type does not depend on the type of a row. Both arguments are pointers.
func copyShared(to, from any) {
	target, source := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for f, value := range source.Fields() {
		if t := target.FieldByName(f.Name); f.IsExported() && f.Type == t.Type() {
			t.Set(value)
		}
	}
}
