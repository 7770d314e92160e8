package api

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"spyglass/backend/resource"
)

// route is a mounted endpoint. Aliases of an endpoint, and both mounts of the
// portal, share the bucket.
type route struct {
	resource.Endpoint
	names  []string // of the path parameters, in order
	verb   string   // see resource.Call
	bucket *bucket
	file   *file        // replaces Handle: a response that never changes
	agents http.Handler // replaces Handle: the Model Context Protocol
}

func newRoutes(endpoints []resource.Endpoint) []*route {
	routes := make([]*route, len(endpoints))
	for i, e := range endpoints {
		routes[i] = &route{Endpoint: e, bucket: &bucket{}, verb: verbOf(e.Method, e.Path)}
	}
	return routes
}

// verbOf returns the last word of a path that continues after a row, "ack" in
// "/alert/alerts/{id}/ack".
func verbOf(method, path string) string {
	at := strings.LastIndexByte(path, '/')
	if method != "POST" || at < 0 || strings.HasPrefix(path[at:], "/{") || !strings.Contains(path[:at], "{") {
		return ""
	}
	return path[at+1:]
}

// withPublished adds to routes the paths that published clients use.
func withPublished(routes []*route) []*route {
	all := slices.Clone(routes)
	for _, r := range routes {
		if r.Published != "" {
			other := *r
			other.Path = r.Published
			all = append(all, &other)
		}
	}
	return all
}

// node is one segment of the paths; a fixed segment is preferred to a parameter.
type node struct {
	fixed  map[string]*node
	param  *node
	routes map[string]*route // by method, if a path ends here
}

func newTree(routes []*route) (*node, error) {
	root := &node{}
	for _, r := range routes {
		at := root
		r.names = nil
		for segment := range strings.SplitSeq(strings.TrimPrefix(r.Path, "/"), "/") {
			if name, ok := strings.CutPrefix(segment, "{"); ok {
				r.names = append(r.names, strings.TrimSuffix(name, "}"))
			}
			at = at.grow(segment)
		}
		if at.routes == nil {
			at.routes = map[string]*route{}
		}
		if at.routes[r.Method] != nil {
			return nil, fmt.Errorf("%s is declared twice", r.ID())
		}
		at.routes[r.Method] = r
	}
	return root, nil
}

func (n *node) grow(segment string) *node {
	if strings.HasPrefix(segment, "{") {
		if n.param == nil {
			n.param = &node{}
		}
		return n.param
	}
	if n.fixed == nil {
		n.fixed = map[string]*node{}
	}
	if n.fixed[segment] == nil {
		n.fixed[segment] = &node{}
	}
	return n.fixed[segment]
}

// find returns the route of a path, and the values of its parameters, still
// escaped. A fixed segment is never taken for an id, even if its path does not
// support the method.
func (n *node) find(method, path string, values []string) (*route, []string) {
	if path == "" {
		return n.routes[method], values
	}
	segment, rest := next(path)
	if fixed := n.fixed[segment]; fixed != nil {
		if r, values := fixed.find(method, rest, values); r != nil || fixed.methods(rest) != nil {
			return r, values
		}
	}
	if n.param == nil || segment == "" {
		return nil, nil
	}
	return n.param.find(method, rest, append(values, segment))
}

// methods returns the methods of a path, sorted.
func (n *node) methods(path string) []string {
	if path == "" {
		return slices.Sorted(maps.Keys(n.routes))
	}
	var methods []string
	segment, rest := next(path)
	if fixed := n.fixed[segment]; fixed != nil {
		if methods = fixed.methods(rest); methods != nil {
			return methods
		}
	}
	if n.param != nil && segment != "" {
		methods = append(methods, n.param.methods(rest)...)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// allowed returns the methods of a path, including HEAD if it has GET.
func (n *node) allowed(path string) []string {
	methods := n.methods(path)
	if at, ok := slices.BinarySearch(methods, http.MethodGet); ok {
		methods = slices.Insert(methods, at+1, http.MethodHead)
	}
	return methods
}

// next splits "/device/devices/7" into "device" and "/devices/7".
func next(path string) (segment, rest string) {
	path = path[1:]
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}
