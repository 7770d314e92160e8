package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// Shape lists the stored fields of one resource: "name text" for each field, and
// "privileges[].operation string" for the keys inside it. The file stores the
// same list, so that a program can detect fields of a newer version, which it
// would lose.
type Shape struct {
	Table  string
	Fields []string
	Former []string // fields of earlier versions, which a file may still list

	declared *Table // without a database
}

// ShapeOf returns the shape of a declaration.
func ShapeOf[T any](r *resource.Resource[T]) Shape {
	untyped := r.Untyped()
	s := shapeOf(untyped)
	s.declared = newTable(untyped)
	return s
}

func shapeOf(r *resource.Untyped) Shape {
	s := Shape{Table: string(r.Name), Former: r.Former}
	row := r.New()
	for i, c := range r.Columns() {
		s.Fields = append(s.Fields, c.Name+" "+kindName(c.Kind))
		if c.Kind == resource.KindOther {
			s.Fields = inside(s.Fields, c.Name, reflect.TypeOf(r.Fields[i].At(row)).Elem(), nil)
		}
	}
	slices.Sort(s.Fields)
	s.Fields = slices.Compact(s.Fields)
	return s
}

// inside appends the keys that encoding/json writes for a value of the type;
// above lists the enclosing types.
func inside(fields []string, path string, typ reflect.Type, above []reflect.Type) []string {
	for ; slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map},
		typ.Kind()); typ = typ.Elem() {
		if typ.Kind() != reflect.Pointer {
			path += "[]"
		}
	}
	if typ.Kind() != reflect.Struct || slices.Contains(above, typ) {
		return fields
	}
	above = append(slices.Clip(above), typ)
	for field := range typ.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
		case field.Anonymous && name == "":
			fields = inside(fields, path, field.Type, above)
		default:
			at := path + "." + cmp.Or(name, field.Name)
			fields = inside(append(fields, at+" "+jsonName(field.Type)), at, field.Type, above)
		}
	}
	return fields
}

// jsonName returns the name of a type's JSON form. Like the names of kindName,
// these never change.
func jsonName(typ reflect.Type) string {
	switch typ.Kind() {
	case reflect.Pointer:
		return jsonName(typ.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Interface:
		return "any"
	}
	return "number"
}

// kindName returns the name of a field's kind in the file. The names never
// change, because every file has them.
func kindName(k resource.Kind) string {
	switch k {
	case resource.KindText:
		return "text"
	case resource.KindInteger, resource.KindSeconds, resource.KindMillis, resource.KindBoolean:
		return "integer"
	case resource.KindNumber:
		return "number"
	case resource.KindPairs:
		return "pairs"
	case resource.KindIDs:
		return "ids"
	}
	return "json"
}

// Accept checks that this program knows all tables and fields of the file; shapes
// are those of every table that will be added. If a newer version has added
// tables or fields, it returns fault.Conflict and changes nothing. Add refuses
// tables that were not passed to Accept.
func (db *DB) Accept(ctx context.Context, shapes ...Shape) error {
	db.accepted = map[string]bool{}
	for _, s := range shapes {
		db.accepted[s.Table] = true
	}
	db.mu.Lock()
	db.declared = shapes
	db.mu.Unlock()
	return accept(ctx, db.base, db.name, shapes)
}

// accept refuses a database with tables or fields that are not in shapes.
func accept(ctx context.Context, r engine.Reader, name string, shapes []Shape) error {
	kept, err := r.AllMeta(ctx, engine.Fields)
	if err != nil {
		return err
	}
	var foreign []string
	for _, s := range shapes {
		for _, field := range kept[s.Table] {
			if !slices.Contains(s.Fields, field) && !slices.Contains(s.Former, field) {
				name, _, _ := strings.Cut(field, " ")
				foreign = append(foreign, s.Table+"."+name)
			}
		}
		delete(kept, s.Table)
	}
	foreign = append(foreign, slices.Sorted(maps.Keys(kept))...)
	if len(foreign) == 0 {
		return nil
	}
	return newer(name, foreign)
}

// newer returns the error for a file with unknown tables or fields.
func newer(path string, foreign []string) error {
	return fault.New(fault.Conflict, "%s was written by a newer version of Spyglass: it has %s, which this version "+
		"does not know and would lose. Start the newer version, or choose another --data folder. Nothing was changed",
		path, some(foreign))
}

// some returns the first few of many names.
func some(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// keepFields updates the list of the table's fields in the file.
func (t *Table) keepFields(ctx context.Context, tx *tx) error {
	return tx.w.base.SetMeta(ctx, engine.Fields, t.table.Name, shapeOf(t.res).Fields...)
}

// fieldsKept reports whether the file lists the current fields.
func (t *Table) fieldsKept(ctx context.Context, tx *tx) (bool, error) {
	have, err := tx.w.base.Meta(ctx, engine.Fields, t.table.Name)
	return slices.Equal(have, shapeOf(t.res).Fields), err
}
