package resource_test

import (
	"context"
	"reflect"
	"testing"

	"spyglass/backend/resource"
)

// filled sets every exported field of the struct that p points to.
func filled(p any) {
	v := reflect.ValueOf(p).Elem()
	for f, value := range v.Fields() {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		switch f.Type.Kind() {
		case reflect.Slice:
			value.Set(reflect.MakeSlice(f.Type, 1, 1))
		case reflect.Map:
			value.Set(reflect.MakeMap(f.Type))
		case reflect.Pointer:
			value.Set(reflect.New(f.Type.Elem()))
		case reflect.Func:
			value.Set(reflect.MakeFunc(f.Type, func([]reflect.Value) []reflect.Value {
				results := make([]reflect.Value, f.Type.NumOut())
				for i := range results {
					results[i] = reflect.Zero(f.Type.Out(i))
				}
				return results
			}))
		case reflect.String:
			value.SetString("set")
		case reflect.Bool:
			value.SetBool(true)
		case reflect.Int, reflect.Int64:
			value.SetInt(1)
		default:
			value.Set(reflect.ValueOf("set"))
		}
	}
}

// missing returns the exported fields of typed that are zero in untyped.
func missing(typed, untyped any) (names []string) {
	from, to := reflect.TypeOf(typed).Elem(), reflect.ValueOf(untyped).Elem()
	for f := range from.Fields() {
		if f.IsExported() && to.FieldByName(f.Name).IsZero() {
			names = append(names, f.Name)
		}
	}
	return names
}

func TestUntypedDeclarationHasEveryFieldOfTheTypedOne(t *testing.T) {
	type row struct{ ID int64 }
	var v resource.View[*row]
	filled(&v)
	filled(&v.Resource)
	filled(&v.Fields[0])
	filled(&v.Actions[0])
	untyped := v.Untyped()
	for what, names := range map[string][]string{
		"view":     missing(&v, untyped),
		"resource": missing(&v.Resource, &untyped.Untyped),
		"field":    missing(&v.Fields[0], &untyped.Fields[0]),
		"action":   missing(&v.Actions[0], &untyped.Actions[0]),
	} {
		if len(names) > 0 {
			t.Errorf("the untyped %s lacks %v", what, names)
		}
	}
}

func TestRulesOfAnUntypedDeclarationGetTheRow(t *testing.T) {
	type row struct{ ID int64 }
	var before, after, numbered, removed, mended, acted, changed *row
	v := resource.View[*row]{
		Resource: resource.Resource[*row]{
			Fields:   []resource.Field[*row]{{Name: "id", At: func(r *row) any { return &r.ID }}},
			Check:    func(_ *resource.Write, was, now *row) error { before, after = was, now; return nil },
			Numbered: func(r *row) { numbered = r },
			Remove:   func(_ *resource.Write, r *row) error { removed = r; return nil },
			Mend:     func(r *row) error { mended = r; return nil },
			Actions: []resource.Action[*row]{{Do: func(_ *resource.Write, r *row) error {
				acted = r
				return nil
			}}},
		},
		Save: func(_ *resource.Write, _, now *row) error { changed = now; return nil },
		Rows: func(context.Context, resource.Reader, *resource.Call) ([]*row, error) { return []*row{{ID: 7}}, nil },
	}
	u := v.Untyped()
	before = &row{}
	one := u.New()
	*u.Fields[0].At(one).(*int64) = 5
	u.Numbered(one)
	for _, err := range []error{u.Check(nil, nil, one), u.Remove(nil, one), u.Mend(one), u.Actions[0].Do(nil, one),
		u.Save(nil, one, one)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if before != nil {
		t.Errorf("a created row was %v before", before)
	}
	for what, r := range map[string]*row{"Check": after, "Numbered": numbered, "Remove": removed, "Mend": mended,
		"Do": acted, "Save": changed} {
		if r != one.(*row) || r.ID != 5 {
			t.Errorf("%s got %v instead of the row", what, r)
		}
	}
	rows, err := u.Rows(t.Context(), nil, nil)
	if err != nil || len(rows) != 1 || rows[0].(*row).ID != 7 {
		t.Errorf("the rows are %v, %v", rows, err)
	}
}
