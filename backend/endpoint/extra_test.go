package endpoint_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/endpoint"
	"spyglass/backend/resource"
)

type lamp struct {
	ID    int64
	Title string
}

func lamps() *resource.Resource[*lamp] {
	return &resource.Resource[*lamp]{
		Name: "lamp", Label: "lamp", Path: "/lamps", Doc: "Gives light.", Sample: 7,
		Fields: []resource.Field[*lamp]{
			{Name: "id", At: func(l *lamp) any { return &l.ID }, ReadOnly: true},
			{Name: "title", At: func(l *lamp) any { return &l.Title }, Example: "desk"},
		},
	}
}

func answering(text string) resource.Handler {
	return func(context.Context, *resource.Call) (any, error) { return text, nil }
}

func TestDeclarationExtendsOneOfItsEndpoints(t *testing.T) {
	r := lamps()
	dry := resource.Param{Name: "dry", In: "query", Schema: resource.Boolean("Only try")}
	r.Without = []resource.Verb{resource.OnPatch}
	r.Extra = map[resource.Verb]resource.Extra{
		resource.OnDelete: {Doc: "Breaks it.", Params: []resource.Param{dry}},
		resource.OnGet: {Files: []string{"text/csv"},
			Alias: resource.Alias{Path: "/lights/{id}", Summary: "Get a light"},
			Around: func(_ resource.DB, usual resource.Handler) resource.Handler {
				return func(ctx context.Context, c *resource.Call) (any, error) {
					out, err := usual(ctx, c)
					return fmt.Sprint("around ", out), err
				}
			}},
	}
	all := resource.WithAliases(endpoint.Of(r.Untyped(),
		endpoint.Handlers{Get: answering("get"), Delete: answering("gone")}))
	var got []string
	for i := range all {
		e := &all[i]
		line := e.ID() + " " + e.Doc + " " + e.Example.Path
		if e.Params != nil && e.Params[len(e.Params)-1].Name == "dry" {
			line += " dry"
		}
		line += strings.Join(e.Files, " ")
		if e.Handle != nil {
			out, err := e.Handle(context.Background(), &resource.Call{})
			line += fmt.Sprint(" ", out, err)
		}
		got = append(got, line)
	}
	want := []string{
		"GET /lamps Returns the lamps that the caller can view, one page at a time. /lamps",
		"POST /lamps Gives light. /lamps",
		"GET /lamps/{id} Returns one lamp, with an ETag for conditional requests. /lamps/7text/csv around get<nil>",
		"PUT /lamps/{id} Replaces the lamp: fields that are not given get their defaults. Read-only " +
			"fields are accepted and ignored. /lamps/7",
		"DELETE /lamps/{id} Breaks it. /lamps/7 dry gone<nil>",
		"GET /lights/{id} Returns one lamp, with an ETag for conditional requests. The same as GET " +
			"/lamps/{id}, under the path of published clients. /lamps/7text/csv around get<nil>",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the endpoints are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDeclarationOfAnUnknownEndpointIsRefused(t *testing.T) {
	extra := map[resource.Verb]resource.Extra{resource.OnPatch: {Doc: "Dims it."}}
	for name, change := range map[string]func(r *resource.Resource[*lamp]){
		"a verb that nothing has": func(r *resource.Resource[*lamp]) {
			r.Extra = map[resource.Verb]resource.Extra{"dim": {Doc: "Dims it."}}
		},
		"what it does without": func(r *resource.Resource[*lamp]) {
			r.Extra, r.Without = extra, []resource.Verb{resource.OnPatch}
		},
		"a list of one row": func(r *resource.Resource[*lamp]) {
			r.Single, r.Without = 1, []resource.Verb{resource.OnList}
		},
		"removing all of no user": func(r *resource.Resource[*lamp]) { r.Without = []resource.Verb{resource.OnClear} },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said := recover(); said == nil {
					t.Error("the endpoints were made")
				}
			}()
			r := lamps()
			change(r)
			endpoint.Of(r.Untyped(), endpoint.Handlers{})
		})
	}
}

func TestViewOfAnUnknownEndpointIsRefused(t *testing.T) {
	v := resource.View[*lamp]{Resource: *lamps()}
	v.Extra = map[resource.Verb]resource.Extra{resource.OnPatch: {Doc: "Dims it."}}
	defer func() {
		if recover() == nil {
			t.Error("the endpoints of a view that is read only were made")
		}
	}()
	endpoint.OfView(v.Untyped(), endpoint.Handlers{})
}
