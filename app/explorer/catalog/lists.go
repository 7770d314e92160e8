package catalog

import (
	"strings"

	"spyglass/backend/resource"
)

// maxLooks limits the lists below an object.
const maxLooks = 12

// Below returns the lists of objects that belong to an endpoint's object: a GET
// with one more segment, and no further ids. Lists whose items have no id are
// omitted, because deleting the object deletes none of them, such as the systems
// for which a collector can be installed.
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

// IsList reports whether an endpoint of the catalog, nil for none, responds with a
// list, page by page.
func IsList(e *resource.Endpoint) bool { return e != nil && isList(e.Response) }

// isList reports whether a response has a total and items with ids according to
// the catalog.
func isList(s *resource.Schema) bool {
	_, items := Property(s, "items")
	_, total := Property(s, "total")
	if items == nil || total == nil {
		return false
	}
	_, id := Property(items.Items, "id")
	return id != nil || items.Items == nil || len(items.Items.Properties) == 0
}

// Restore returns the endpoint that restores what e deletes from a recycle bin;
// nil if the portal has none.
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
