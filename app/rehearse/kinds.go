package rehearse

import (
	"slices"
	"strings"

	"spyglass/app/explorer/catalog"
	"spyglass/backend/resource"
)

// wanted lists the paths whose objects are copied. Objects that they refer to are copied as well if
// the portal has a list of them, in an order in which references come first. Paths that
// the rehearsal does not know are omitted.
var wanted = []string{"/setting/functions", "/device/groups", "/setting/roles", "/setting/admins",
	"/setting/integrations", "/setting/recipientgroups", "/setting/alert/chains", "/setting/alert/rules",
	"/setting/datasources", "/device/devices", "/sdt/sdts", "/dashboard/groups", "/dashboard/dashboards"}

// Paths of kinds with rules of their own.
const (
	groupsPath      = "/device/groups"
	devicesPath     = "/device/devices"
	usersPath       = "/setting/admins"
	windowsPath     = "/sdt/sdts"
	collectorsPath  = "/setting/collectors"
	integrationPath = "/setting/integrations"
)

// builtIn is the id of the built-in collector.
const builtIn = "1"

// own lists the paths of objects that a new portal does not have. A portal with any of
// them is in use, and cannot receive a copy.
var own = []string{"/device/devices", "/setting/alert/rules", "/setting/alert/chains", "/sdt/sdts"}

// kind is a kind of objects that is copied.
type kind struct {
	path   string // of its list, which is its id in files and reports
	noun   resource.Noun
	schema *resource.Schema // of a body
	create *resource.Endpoint
	patch  *resource.Endpoint // nil: objects cannot be changed
	remove *resource.Endpoint // nil: or removed
	// dropPair is the endpoint that removes one name/value pair; nil if there is none
	dropPair *resource.Endpoint
	self     []string // fields that refer to the same kind
	part     bool     // of a device: its path has the ids of others
}

// kinds are the kinds that a rehearsal copies, each after those that it refers to.
type kinds struct {
	all    []*kind
	listed func(*resource.Schema) string // the path that a schema refers to
	parts  *partKinds                    // of devices; nil: not declared
}

// kindsOf returns the kinds that a portal with these endpoints declares.
func kindsOf(c *catalog.Catalog) *kinds {
	listed := resource.Listed(c.Endpoints)
	k := &kinds{parts: partsOf(c), listed: func(s *resource.Schema) string {
		if path := partRefs[s.Refs]; path != "" {
			return path
		}
		return listed(s)
	}}
	begun := map[string]bool{onDevicePath: true, groupedPath: true, instancesPath: true}
	for _, path := range wanted {
		k.add(c, path, begun)
		if path == devicesPath && k.parts != nil {
			k.all = append(k.all, &kind{path: partsPath, noun: resource.Noun{One: partsNoun, Many: partsNoun}})
		}
	}
	return k
}

func (k *kinds) add(c *catalog.Catalog, path string, begun map[string]bool) {
	if begun[path] {
		return
	}
	begun[path] = true
	one := &kind{path: path, create: c.Match("POST", path), patch: below(c, "PATCH", path),
		remove: below(c, "DELETE", path)}
	if c.Match("GET", path) == nil || one.create == nil || one.create.Path != path || one.create.Body == nil {
		return // nothing of it can be copied
	}
	one.schema, one.noun = one.create.Body, catalog.NounOf(one.create)
	for i := range c.Endpoints {
		e := &c.Endpoints[i]
		if rest, ok := strings.CutPrefix(e.Path, path+"/{"); ok && e.Method == "DELETE" &&
			strings.HasSuffix(rest, "}/properties/{name}") {
			one.dropPair = e
		}
	}
	for i := range one.schema.Properties {
		p := &one.schema.Properties[i]
		k.follow(c, one, p, &p.Schema, begun)
	}
	k.all = append(k.all, one)
}

// follow adds the kinds that a property refers to.
func (k *kinds) follow(c *catalog.Catalog, one *kind, p *resource.Key, s *resource.Schema, begun map[string]bool) {
	if p.ReadOnly || s == nil {
		return
	}
	switch to := k.listed(s); to {
	case "":
	case one.path:
		one.self = append(one.self, p.Name)
	default:
		k.add(c, to, begun)
	}
	k.follow(c, one, p, s.Items, begun)
	for i := range s.Properties {
		k.follow(c, one, &s.Properties[i], &s.Properties[i].Schema, begun)
	}
}

// copied returns the kinds whose objects are copied, in order.
func (k *kinds) copied() (out []*kind) {
	for _, one := range k.all {
		if one.path == partsPath {
			out = append(out, k.parts.counted()...)
		} else {
			out = append(out, one)
		}
	}
	return out
}

// below returns the endpoint of one object of a list.
func below(c *catalog.Catalog, method, path string) *resource.Endpoint {
	e := c.Match(method, path+"/1")
	if e == nil || e.Path != path+"/{id}" {
		return nil
	}
	return e
}

// key returns the text that identifies an object in any portal, besides its parent;
// "" if there is none.
func (k *kind) key(o object) string {
	names := []string{"username", "groupName", "name"}
	if k.path == devicesPath {
		names = []string{"displayName"} // several may have one host name
	}
	for _, name := range names {
		if text, ok := o[name].(string); ok && text != "" {
			return strings.ToLower(text)
		}
	}
	return ""
}

// replaces reports whether a PATCH can set single pairs and keep the others.
func (k *kind) replaces() bool {
	return k.patch != nil && slices.ContainsFunc(k.patch.Params, func(p resource.Param) bool {
		return p.Name == "opType" && slices.Contains(p.Schema.Enum, any("replace"))
	})
}

// isPairs reports whether a schema is a list of name/value pairs.
func isPairs(s *resource.Schema) bool {
	return s != nil && s.Items != nil && s.Items.Property("name") != nil && s.Items.Property("value") != nil
}
