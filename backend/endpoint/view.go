package endpoint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/resource"
)

// OfView returns the endpoints of a view: its list, one row, and PUT and PATCH if
// it can be saved. It does not use the other handlers.
func OfView(v *resource.UntypedView, do Handlers) []resource.Endpoint {
	d := declared(&v.Untyped, do)
	d.id = &v.Fields[0]
	var all []verb
	for _, e := range d.verbs() {
		for _, p := range v.Params {
			e.Example.Path = strings.ReplaceAll(cmp.Or(e.Example.Path, e.Path), "{"+p.Name+"}", fmt.Sprint(p.Example))
		}
		switch e.is {
		case resource.OnList:
			e.Params = append(parentParams(v.Parents), d.comparable().pageParams()...)
			e.Lines = nil
			e.Example.Query = [][2]string{{"size", "10"}, {"offset", "0"}, {"sort", "+" + v.Fields[0].Name}}
		case resource.OnGet:
		case resource.OnReplace, resource.OnPatch:
			if v.Save == nil {
				continue
			}
		default:
			continue
		}
		e.Params = append(slices.Clone(v.Params), e.Params...)
		all = append(all, e)
	}
	return d.settle(d.amend(all))
}

// comparable returns the declaration with only those columns by which computed
// rows can be filtered and sorted.
func (d *declaration) comparable() *declaration {
	plain := *d
	plain.columns = slices.DeleteFunc(slices.Clone(d.columns), func(c column) bool {
		return c.Kind == resource.KindIDs || c.Kind == resource.KindPairs || c.Kind == resource.KindOther
	})
	return &plain
}
