package catalog

import (
	"strings"

	"spyglass/backend/resource"
)

// maxLooks limits the lists below an object.
const maxLooks = 12

// Below returns the lists of what belongs to an endpoint's object: a GET one step
// further down, without ids of its own. What its items have no id for is no
// object that could go: the systems that a collector can be installed on.
func (c *Catalog) Below(e *resource.Endpoint) []*resource.Endpoint {
	var out []*resource.Endpoint
	for i := range c.Endpoints {
		one := &c.Endpoints[i]
		rest, ok := strings.CutPrefix(one.Path, e.Path+"/")
		if ok && one.Method == "GET" && !strings.Contains(rest, "{") && isList(one.Response) && len(out) < maxLooks {
			out = append(out, one)
		}
	}
	return out
}

// isList reports whether a response has a total and items with ids, as far as the
// catalog describes them.
func isList(s *resource.Schema) bool {
	_, items := Property(s, "items")
	_, total := Property(s, "total")
	if items == nil || total == nil {
		return false
	}
	_, id := Property(items.Items, "id")
	return id != nil || items.Items == nil || len(items.Items.Properties) == 0
}

// Restore returns the endpoint that takes what e deletes out of a recycle bin; nil
// when the portal has none for it.
func (c *Catalog) Restore(e *resource.Endpoint) *resource.Endpoint {
	list, row := strings.CutSuffix(e.Path, "/{id}")
	if !row {
		return nil
	}
	bin := list[:strings.LastIndexByte(list, '/')+1] + "recyclebin"
	for i := range c.Endpoints {
		one := &c.Endpoints[i]
		if one.Method == "POST" && strings.HasPrefix(one.Path, bin+"/") && strings.HasSuffix(one.Path, "}/restore") &&
			NounOf(one) == NounOf(e) {
			return one
		}
	}
	return nil
}
