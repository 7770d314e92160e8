// Package seed fills a new portal from a file: device groups, devices, users and tokens,
// for pipelines and tests.
//
// # The file
//
// YAML, or JSON, which is YAML too. The fields are those of the API, and go through its
// endpoints, so its rules and messages apply:
//
//	groups:                        # as in POST /device/groups
//	  - name: Web
//	    parent: Servers            # the full path of a group, instead of parentId
//	devices:                       # as in POST /device/devices
//	  - name: 192.0.2.10
//	    displayName: web-01
//	    groups: [Servers/Web]      # full paths, instead of hostGroupIds
//	users:                         # as in POST /setting/admins
//	  - username: ci
//	    email: ci@example.net
//	    password: {env: CI_PASSWORD}
//	    roles: [{name: administrator}]
//	tokens:
//	  - user: ci
//	    note: pipeline
//	    bearer: {file: /run/secrets/token}
//	    accessId: ci               # of an LMv1 credential; with accessKey
//	    accessKey: {env: CI_KEY}
//
// Instead of a password, a bearer or an access key, {env: NAME} names an environment
// variable and {file: PATH} a file that has it.
//
// # Errors
//
// Read and Apply return fault.Invalid. The message names the file, the line and the
// field.
package seed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	yaml "github.com/oasdiff/yaml3" // the YAML library of kin-openapi

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
	"spyglass/backend/session"
)

// File is a seed that was read. Its secrets are resolved.
type File struct {
	name                           string
	groups, devices, users, tokens []item
}

// item is one row of the file.
type item struct {
	file, path string // path is "devices[3]"
	node       *yaml.Node
	fields     map[string]any
}

// token has the fields of an item of tokens.
type token struct{ User, Note, Bearer, AccessID, AccessKey string }

// largest is the maximum size of a file.
const largest = 64 << 20

// secrets are the fields that may name an environment variable or a file.
var secrets = []string{"password", "bearer", "accessKey"}

// Read reads a file, and checks its structure.
func Read(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the seed cannot be read: %v", err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, largest+1))
	if err != nil || len(text) > largest {
		return nil, fault.New(fault.Invalid, "the seed %s cannot be read, or has more than %d MiB", path, largest>>20)
	}
	f := &File{name: filepath.Base(path)}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fault.New(fault.Invalid, "%s: %s", f.name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(root.Content) == 0 {
		return nil, f.at(&root, "the file is empty; it needs groups, devices, users or tokens")
	}
	return f, f.read(root.Content[0])
}

func (f *File) read(root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return f.at(root, "expected groups, devices, users or tokens")
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, list := root.Content[i], root.Content[i+1]
		to := map[string]*[]item{"groups": &f.groups, "devices": &f.devices, "users": &f.users,
			"tokens": &f.tokens}[key.Value]
		if to == nil {
			return f.at(key, "there is no part %q; the parts are groups, devices, users and tokens", key.Value)
		}
		if list.Kind != yaml.SequenceNode {
			return f.at(list, "%s must be a list", key.Value)
		}
		for k, node := range list.Content {
			one := item{file: f.name, path: fmt.Sprintf("%s[%d]", key.Value, k), node: node}
			if err := one.read(); err != nil {
				return err
			}
			*to = append(*to, one)
		}
	}
	return nil
}

func (f *File) at(n *yaml.Node, format string, args ...any) error {
	message := fault.New(fault.Invalid, format, args...).Message
	return fault.New(fault.Invalid, "%s:%d: %s", f.name, max(n.Line, 1), message)
}

// read decodes the fields and the secrets of an item.
func (it *item) read() error {
	if it.node.Kind != yaml.MappingNode {
		return it.fail("", "expected fields such as name: value")
	}
	if err := it.node.Decode(&it.fields); err != nil {
		return it.fail("", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	for _, name := range secrets {
		from, ok := it.fields[name].(map[string]any)
		if !ok {
			continue
		}
		value, err := secret(from)
		if err != nil {
			return it.fail(name, err.Error())
		}
		it.fields[name] = value
	}
	return nil
}

// secret reads a secret from an environment variable or a file.
func secret(from map[string]any) (string, error) {
	env, isEnv := from["env"].(string)
	path, isFile := from["file"].(string)
	switch {
	case len(from) == 1 && isEnv:
		value, ok := os.LookupEnv(env)
		if !ok || value == "" {
			return "", fmt.Errorf("the environment variable %s is not set", env)
		}
		return value, nil
	case len(from) == 1 && isFile:
		text, err := os.ReadFile(path)
		value := strings.TrimRight(string(text), "\r\n")
		if err == nil && value == "" {
			err = fmt.Errorf("%s is empty", path)
		}
		return value, err
	}
	return "", errors.New("expected a text, {env: NAME} or {file: PATH}")
}

// fail returns an error about a field of the item; "" for the whole item.
func (it *item) fail(field, message string) error {
	line, path := it.node.Line, it.path
	if field != "" {
		path += "." + field
		first, _, _ := strings.Cut(strings.ReplaceAll(field, "[", "."), ".")
		for i := 0; i+1 < len(it.node.Content); i += 2 {
			if it.node.Content[i].Value == first {
				line = it.node.Content[i].Line
			}
		}
	}
	return fault.New(fault.Invalid, "%s:%d: %s: %s", it.file, line, path, message)
}

// text returns a field that is a text; "" if the item does not have it.
func (it *item) text(name string) (string, error) {
	value, ok := it.fields[name]
	if !ok {
		return "", nil
	}
	text, ok := value.(string)
	if !ok {
		return "", it.fail(name, name+" must be a text")
	}
	return text, nil
}

// Portal is the portal to fill.
type Portal struct {
	DB        resource.DB
	Endpoints []resource.Endpoint
	Sessions  *session.Service
	Now       time.Time
}

// Apply creates the rows of the file, as the administrator. It skips rows that exist
// already, so that it can be repeated after an error.
func (f *File) Apply(ctx context.Context, p Portal) error {
	admin, err := p.Sessions.UserID(ctx, "admin")
	if err != nil {
		return err
	}
	access, err := p.Sessions.Access(ctx, admin)
	if err != nil {
		return err
	}
	a := &applying{Portal: p, access: access}
	for _, part := range []struct {
		items []item
		apply func(context.Context, *item) error
	}{{f.groups, a.group}, {f.devices, a.device}, {f.users, a.user}, {f.tokens, a.token}} {
		for i := range part.items {
			if err := part.apply(ctx, &part.items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

type applying struct {
	Portal
	access *resource.Access
}

// create sends an item to an endpoint of the API.
func (a *applying) create(ctx context.Context, it *item, path string) error {
	at := slices.IndexFunc(a.Endpoints, func(e resource.Endpoint) bool { return e.Method == "POST" && e.Path == path })
	if at < 0 {
		return fmt.Errorf("there is no endpoint POST %s", path)
	}
	body, err := json.Marshal(it.fields)
	if err != nil {
		return it.fail("", err.Error())
	}
	_, err = a.Endpoints[at].Handle(ctx, &resource.Call{Access: a.access, At: a.Now, Body: body})
	if known := fault.Of(err); err != nil && known.Kind != fault.Internal {
		return it.fail(known.Field, known.Message)
	}
	return err
}

// groupID returns the group with a full path.
func (a *applying) groupID(ctx context.Context, it *item, field, path string) (int64, error) {
	found, err := resource.Find(ctx, a.DB, fleet.GroupRows, resource.Where{Field: "fullPath", Op: "=", Value: path})
	if err == nil && len(found) == 0 {
		err = it.fail(field, "there is no group with the full path "+strconv.Quote(path))
	}
	if err != nil {
		return 0, err
	}
	return found[0].ID, nil
}

func (a *applying) group(ctx context.Context, it *item) error {
	parent, err := it.text("parent")
	if err != nil {
		return err
	}
	name, err := it.text("name")
	if err != nil {
		return err
	}
	full := name
	if parent != "" {
		id, err := a.groupID(ctx, it, "parent", parent)
		if err != nil {
			return err
		}
		delete(it.fields, "parent")
		it.fields["parentId"], full = id, parent+"/"+name
	}
	if _, other := it.fields["parentId"]; !other || parent != "" {
		found, err := resource.Find(ctx, a.DB, fleet.GroupRows, resource.Where{Field: "fullPath", Op: "=", Value: full})
		if err != nil || name != "" && len(found) > 0 {
			return err
		}
	}
	return a.create(ctx, it, "/device/groups")
}

func (a *applying) device(ctx context.Context, it *item) error {
	name, err := it.text("name")
	if err != nil {
		return err
	}
	found, err := resource.Find(ctx, a.DB, fleet.DeviceRows, resource.Where{Field: "name", Op: "=", Value: name})
	if err != nil || len(found) > 0 {
		return err
	}
	if groups, ok := it.fields["groups"]; ok {
		paths, ok := groups.([]any)
		if !ok {
			return it.fail("groups", "groups must be a list of full paths")
		}
		var ids resource.IDs
		for _, path := range paths {
			id, err := a.groupID(ctx, it, "groups", fmt.Sprint(path))
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		delete(it.fields, "groups")
		it.fields["hostGroupIds"] = ids.String()
	}
	return a.create(ctx, it, "/device/devices")
}

func (a *applying) user(ctx context.Context, it *item) error {
	name, err := it.text("username")
	if err != nil {
		return err
	}
	found, err := resource.Find(ctx, a.DB, people.UserRows, resource.Where{Field: "username", Op: "=", Value: name})
	if err != nil || len(found) > 0 {
		return err
	}
	return a.create(ctx, it, "/setting/admins")
}

func (a *applying) token(ctx context.Context, it *item) error {
	var t token
	for name, to := range map[string]*string{"user": &t.User, "note": &t.Note, "bearer": &t.Bearer,
		"accessId": &t.AccessID, "accessKey": &t.AccessKey} {
		text, err := it.text(name)
		if err != nil {
			return err
		}
		*to = text
		delete(it.fields, name)
	}
	for name := range it.fields {
		return it.fail(name, "there is no field "+strconv.Quote(name)+
			"; the fields are user, note, bearer, accessId and accessKey")
	}
	id, err := a.Sessions.UserID(ctx, t.User)
	if err == nil {
		err = a.Sessions.AddKnownToken(ctx, id, t.Note, session.Created{Bearer: t.Bearer, AccessID: t.AccessID,
			AccessKey: t.AccessKey})
	}
	if known := fault.Of(err); err != nil && known.Kind != fault.Internal {
		return it.fail(known.Field, known.Message)
	}
	return err
}
