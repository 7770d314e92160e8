package keep

import (
	"encoding/json"
	"slices"

	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// The page offers the query parameters of the catalog as rows that are switched off, and
// adds them to any request that it shows. They are not in files.

// offer reports whether a row is a suggestion of the page for an endpoint that the user has
// not changed.
func offer(e *resource.Endpoint, r workspace.Row) bool {
	if r.On || e == nil {
		return false
	}
	i := slices.IndexFunc(e.Params, func(p resource.Param) bool { return p.In == "query" && p.Name == r.Key })
	if i < 0 {
		return false
	}
	s := e.Params[i].Schema
	value, ok := s.Default.(string)
	if !ok && s.Default != nil {
		text, err := json.Marshal(s.Default)
		if err != nil {
			return false
		}
		value = string(text)
	}
	return (r.Doc == "" || r.Doc == s.Doc) &&
		(r.Value == "" || r.Value == value || slices.Contains(e.Example.Query, [2]string{r.Key, r.Value}))
}

// withoutOffers returns a draft without the rows that the page only offers.
func (k *Keeper) withoutOffers(d workspace.Draft) workspace.Draft {
	e := k.endpoint(d)
	d.Query = slices.DeleteFunc(slices.Clone(d.Query), func(r workspace.Row) bool { return offer(e, r) })
	return d
}

// fromFile returns a draft of a file with what the files do not have of the request that is
// there: its secrets, and the rows that the page offers.
func (k *Keeper) fromFile(d, was workspace.Draft) workspace.Draft {
	d = k.unmasked(d, was)
	e, written := k.endpoint(was), k.withoutOffers(was).Query
	if e == nil || k.endpoint(d) != e {
		return d
	}
	added := func(key string) bool {
		has := func(r workspace.Row) bool { return r.Key == key }
		return slices.ContainsFunc(d.Query, has) && !slices.ContainsFunc(written, has)
	}
	query := slices.Clone(d.Query)
	for i, r := range was.Query {
		if offer(e, r) && !added(r.Key) {
			query = slices.Insert(query, min(i, len(query)), r)
		}
	}
	d.Query = query
	return d
}
