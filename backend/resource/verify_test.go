package resource_test

import (
	"strings"
	"testing"

	"spyglass/backend/resource"
)

type gate struct {
	ID   int64
	Name string
	Kind string
	Code string
}

func gates() *resource.Resource[*gate] {
	return &resource.Resource[*gate]{
		Name: "gate", Label: "gate", Doc: "A way in.", Unique: [][]string{{"name"}},
		Fields: []resource.Field[*gate]{
			{Name: "id", At: func(g *gate) any { return &g.ID }, Doc: "Set by the portal", ReadOnly: true},
			{Name: "name", At: func(g *gate) any { return &g.Name }, Doc: "Its name", Required: true, Example: "north"},
			{Name: "kind", At: func(g *gate) any { return &g.Kind }, Doc: "How it opens", OneOf: []any{"door", "lift"},
				Example: "lift"},
			{Name: "code", At: func(g *gate) any { return &g.Code }, Doc: "Opens it", WriteOnly: true},
		},
	}
}

func TestValidDeclarationIsAccepted(t *testing.T) {
	if err := gates().Verify(); err != nil {
		t.Error(err)
	}
}

func TestInconsistentDeclarationIsRefused(t *testing.T) {
	for want, change := range map[string]func(r *resource.Resource[*gate]){
		"name is listed twice": func(r *resource.Resource[*gate]) {
			r.Derived = []resource.Derived{{Name: "name", Doc: "Its name", Example: "north"}}
		},
		`it has no field "title"`: func(r *resource.Resource[*gate]) { r.Unique = [][]string{{"title"}} },
		`it has no field "area"`:  func(r *resource.Resource[*gate]) { r.Scope = []string{"area"} },
		`it has no field "wall"`: func(r *resource.Resource[*gate]) {
			r.Parents = []resource.Parent{{Field: "wall"}}
		},
		`it has no field "gone"`:           func(r *resource.Resource[*gate]) { r.SoftBy = "gone" },
		"its doc is no sentence":           func(r *resource.Resource[*gate]) { r.Doc = "A way in" },
		"kind has no doc":                  func(r *resource.Resource[*gate]) { r.Fields[2].Doc = "" },
		"name is required and has no exam": func(r *resource.Resource[*gate]) { r.Fields[1].Example = nil },
		"code is sealed, but shown": func(r *resource.Resource[*gate]) {
			r.Fields[3].WriteOnly, r.Fields[3].Seal = false, func(s string) (string, error) { return s, nil }
		},
		"lacks a doc, an example or a way": func(r *resource.Resource[*gate]) {
			r.Derived = []resource.Derived{{Name: "count", Doc: "How often", Example: 1}}
		},
		`{"kind":"hatch"}`: func(r *resource.Resource[*gate]) { r.Fields[2].Example = "hatch" },
		"default of gate.kind: kind must be one of door": func(r *resource.Resource[*gate]) {
			r.Fields[2].OneOf, r.Fields[2].Default = []any{"door"}, "hatch"
		},
	} {
		r := gates()
		change(r)
		if err := r.Verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it is refused with %v, want %q", err, want)
		}
	}
}
