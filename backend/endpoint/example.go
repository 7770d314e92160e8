package endpoint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/resource"
)

// listExample returns an example that lists the first ten rows by id.
func (d *declaration) listExample() resource.Example {
	e := d.example("", nil)
	e.Query = [][2]string{{"size", "10"}, {"offset", "0"}, {"sort", "+id"}}
	return e
}

// example returns a request that runs in the demo environment.
func (d *declaration) example(below string, body any) resource.Example {
	return resource.Example{Path: samplePath(d.res.Path, d.res.Parents) + below, Body: body}
}

// samplePath returns the path with the ids of sample parents.
func samplePath(path string, parents []resource.Parent) string {
	for _, p := range parents {
		path = strings.ReplaceAll(path, "{"+p.Param+"}", fmt.Sprint(p.Sample))
	}
	return path
}

// exampleKind says how the examples of fields make an example body.
type exampleKind int

const (
	asExample exampleKind = iota // all writable fields
	renamed                      // the same with another name, to be used after the first
	oneText                      // only one field, free text if there is one
	oneMore                      // with a third name, in addition to the other two
)

func (d *declaration) exampleBody(kind exampleKind) json.RawMessage {
	out, one := []byte{'{'}, d.freeField()
	for _, c := range d.columns {
		f := c.field
		if f.ReadOnly || f.Example == nil || kind == oneText && f.Name != one {
			continue
		}
		example := f.Example
		if kind == renamed && d.names(f.Name) {
			example = another(example)
		}
		if kind == oneMore && d.names(f.Name) {
			example = fmt.Sprint(example, "_2")
		}
		value, err := json.Marshal(example)
		if err != nil {
			panic(fmt.Sprintf("endpoint: the example of %s.%s: %v", d.res.Name, f.Name, err))
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(resource.AppendString(out, f.Name), ':'), value...)
	}
	return append(out, '}')
}

// SampleRow returns the row of id Sample that the examples of r use. It has the names
// of the PUT example, so that the POST example can add another row beside it.
func SampleRow[T any](r *resource.Resource[T]) (T, error) {
	row, err := sampleRow(r.Untyped())
	return row.(T), err
}

func sampleRow(r *resource.Untyped) (any, error) {
	d := declared(r, Handlers{})
	row, err := r.Defaults()
	if err != nil {
		return row, err
	}
	body, err := r.Read(d.exampleBody(renamed), false)
	if err == nil {
		err = r.Apply(body, row, true)
	}
	if err != nil {
		return row, err
	}
	for _, c := range d.columns {
		for _, p := range r.Parents {
			if p.Field == c.Name {
				*c.field.At(row).(*int64) = p.Sample
			}
		}
	}
	switch id := d.id.At(row).(type) {
	case *resource.TextID:
		*id = resource.TextID(r.Sample)
	case *int64:
		*id = r.Sample
	}
	return row, nil
}

// another returns an example that differs from the first, for fields that must be
// unique.
func another(example any) any {
	switch v := example.(type) {
	case string:
		return v + "_renamed" // valid in any kind of name
	case int:
		return v + 1
	}
	return example
}

// freeField returns the field that an example changes alone: a text about the
// row, or the first field that depends on no other.
func (d *declaration) freeField() string {
	for _, name := range []string{"description", "note", "firstName"} {
		if slices.ContainsFunc(d.columns, func(c column) bool { return c.Name == name && c.field.Example != nil }) {
			return name
		}
	}
	for _, c := range d.columns {
		if f := c.field; !f.ReadOnly && !f.Required && f.Example != nil && f.Refs == "" && !d.names(f.Name) {
			return f.Name
		}
	}
	return ""
}

// names reports whether the field must be unique.
func (d *declaration) names(field string) bool {
	return slices.ContainsFunc(d.res.Unique, func(set []string) bool { return slices.Contains(set, field) })
}
