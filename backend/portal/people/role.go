package people

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// RoleRows names the rows of Role.
const RoleRows resource.Name[*Role] = "role"

// Role holds the privileges of its users.
type Role struct {
	ID          int64
	Name        string
	Description string
	Privileges  []Privilege
	RequireEULA bool
	TwoFA       bool
	HelpLabel   string
	HelpURL     string
	GroupID     int64
}

// Privilege allows one operation on one object, or on all objects of a type.
type Privilege struct {
	ObjectType   string `json:"objectType" doc:"deviceGroup, report, setting or explorer; other types are stored, but grant nothing"`
	ObjectID     string `json:"objectId" doc:"id of a device group, name of a part of the settings, or * for all; for explorer always *"`
	ObjectName   string `json:"objectName,omitempty" doc:"shown only"`
	Operation    string `json:"operation" doc:"read, ack or write; each includes the ones before it"`
	SubOperation string `json:"subOperation,omitempty" doc:"kept for clients of the published API"`
}

const maxPrivileges = 1000 // per role

// Roles declares /setting/roles.
var Roles = resource.Resource[*Role]{
	Name: RoleRows, Label: "role", Sample: 5, Path: "/setting/roles", Category: ground.CategorySettings,
	Object: resource.Setting, Area: "useraccess",
	Doc:    "A set of permissions for users.",
	Absent: "acctRequireTwoFA enableRemoteSessionInCompanyLevel userPermission",
	Fields: []resource.Field[*Role]{
		{Name: "id", At: func(r *Role) any { return &r.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 2},
		{Name: "name", At: func(r *Role) any { return &r.Name }, Doc: "Unique name", Required: true, MaxLen: 255,
			Index:   true,
			Example: "night-shift"},
		{Name: "description", At: func(r *Role) any { return &r.Description }, Doc: "Purpose of the role",
			Example: "Views and acknowledges alerts at night"},
		{Name: "privileges", At: func(r *Role) any { return &r.Privileges },
			Doc: "What holders may do. Write on the setting collectors gives access to secrets: a collector gets the " +
				"passwords and communities of its devices, and holders can install collectors for devices that they " +
				"may view",
			Required: true,
			Example:  []Privilege{{ObjectType: "deviceGroup", ObjectID: "1", Operation: "ack"}}},
		{Name: "requireEULA", At: func(r *Role) any { return &r.RequireEULA },
			Doc: "Kept for clients of the published API; no agreement is shown"},
		{Name: "twoFARequired", At: func(r *Role) any { return &r.TwoFA },
			Doc: "Holders need two-factor authentication, as with twoFAEnabled of a user"},
		{Name: "customHelpLabel", At: func(r *Role) any { return &r.HelpLabel }, Doc: "Text of a help link"},
		{Name: "customHelpURL", At: func(r *Role) any { return &r.HelpURL }, Doc: "Address of a help link"},
		{Name: "roleGroupId", At: func(r *Role) any { return &r.GroupID }, Doc: "The role group it is in",
			Default: ground.DefaultAccountGroup, Min: resource.Bound(1), Refs: string(roleGroupRows)},
	},
	Derived: []resource.Derived{{
		Name: "associatedUserCount", Doc: "How many users have the role", Schema: resource.Integer(""), Example: 3,
		Of: usersOf,
	}},
	Unique: [][]string{{"name"}},
	Check: func(w *resource.Write, was, now *Role) error {
		if was != nil && was.ID == ground.Administrator && !slices.Equal(was.Privileges, now.Privileges) {
			return fault.New(fault.Conflict, "the administrator role always has all permissions; add another role "+
				"instead")
		}
		if was != nil && builtIn(was.ID) && was.Name != now.Name {
			return fault.New(fault.Conflict, "the built-in role %s cannot be renamed", was.Name)
		}
		if was != nil && !w.Given("twoFARequired") { // a client that does not know it must not turn it off
			now.TwoFA = was.TwoFA
		}
		if now.RequireEULA && !w.Call.Lenient && (was == nil || !was.RequireEULA) {
			return fault.At("requireEULA", "requireEULA cannot be turned on: this portal does not enforce it")
		}
		if len(now.Privileges) > maxPrivileges {
			return fault.At("privileges", "a role has at most %d privileges", maxPrivileges)
		}
		for i, p := range now.Privileges {
			if keepsForeign(w, was, p) {
				continue
			}
			if err := checkPrivilege(fmt.Sprintf("privileges[%d]", i), p); err != nil {
				return err
			}
		}
		if was != nil {
			if err := mayChange(w, was); err != nil {
				return err
			}
		}
		return mayGrant(w, now.Privileges)
	},
	Remove: func(w *resource.Write, r *Role) error {
		if builtIn(r.ID) {
			return fault.New(fault.Conflict, "the built-in role %s cannot be deleted", r.Name)
		}
		if err := mayChange(w, r); err != nil {
			return err
		}
		holders, err := holdersOf(w, r.ID)
		if err == nil && len(holders) > 0 {
			err = fault.New(fault.Conflict, "%d users still have the role %s, %s among them", len(holders), r.Name,
				holders[0].Username)
		}
		if err != nil {
			return err
		}
		limited, err := resource.Find(w.Context, w.Tx, tokenRows, resource.Where{Field: "roleId", Op: "=", Value: r.ID})
		if err == nil && len(limited) > 0 {
			err = fault.New(fault.Conflict, "API tokens are limited to the role %s; delete them first", r.Name)
		}
		return err
	},
	After: func(w *resource.Write, was, now *Role) error {
		if was == nil || was.Name == now.Name && slices.Equal(was.Privileges, now.Privileges) {
			return nil
		}
		holders, err := holdersOf(w, now.ID)
		for _, u := range holders {
			for i := range u.Roles {
				if u.Roles[i].ID == now.ID {
					u.Roles[i].Name, u.Roles[i].Privileges = now.Name, now.Privileges
				}
			}
			if err == nil {
				err = resource.Put(w.Context, w.Tx, UserRows, &u)
			}
		}
		return err
	},
}

func holdersOf(w *resource.Write, role int64) ([]User, error) {
	users, err := resource.Find(w.Context, w.Tx, UserRows)
	return slices.DeleteFunc(users, func(u User) bool { return !u.holds(role) }), err
}

func usersOf(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	users, err := resource.Find(ctx, r, UserRows)
	out := make([][]byte, len(rows))
	for i, row := range rows {
		n := int64(0)
		for _, u := range users {
			if u.holds(row.ID) {
				n++
			}
		}
		out[i] = strconv.AppendInt(nil, n, 10)
	}
	return out, err
}

// published maps the names that published clients use for objects of privileges
// to those of this portal.
var published = map[string]resource.Object{"host_group": resource.DeviceGroup, "report_group": resource.Reports}

// Object returns the type of object that the privilege is on. A type that is
// unknown to this portal is stored for published clients, and allows nothing.
func (p Privilege) Object() resource.Object {
	if object, ok := published[p.ObjectType]; ok {
		return object
	}
	return resource.Object(p.ObjectType)
}

// IsForeign reports whether a privilege belongs to the published API but is
// unknown to this portal.
func (p Privilege) IsForeign() bool {
	switch p.Object() {
	case resource.DeviceGroup, resource.Reports, resource.Explorer:
		return false
	case resource.Setting:
		return p.ObjectID != "*" && !slices.Contains(ground.SettingAreas, p.ObjectID)
	}
	return true
}

// keepsForeign reports whether a privilege is stored unchanged: one that is
// unknown to this portal, from a published client, or that the role already has.
func keepsForeign(w *resource.Write, was *Role, p Privilege) bool {
	if !p.IsForeign() {
		return false
	}
	sound := foreignName.MatchString(p.ObjectType) && foreignName.MatchString(p.Operation) &&
		len(p.ObjectID) <= 255 && len(p.ObjectName) <= 255
	return sound && w.Call.Lenient || was != nil && slices.Contains(was.Privileges, p)
}

var foreignName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

func checkPrivilege(field string, p Privilege) error {
	if resource.ParseOperation(p.Operation) == resource.None {
		return &fault.Error{Kind: fault.Invalid, Field: field + ".operation",
			Message: field + ".operation must be read, ack or write", Allowed: []any{"read", "ack", "write"}}
	}
	switch p.Object() {
	case resource.DeviceGroup, resource.Reports:
		if id, err := strconv.ParseInt(p.ObjectID, 10, 64); p.ObjectID != "*" && (err != nil || id < 1) {
			return fault.At(field+".objectId", "%s.objectId must be the id of a group, or *", field)
		}
	case resource.Setting:
		if p.ObjectID != "*" && !slices.Contains(ground.SettingAreas, p.ObjectID) {
			return fault.At(field+".objectId", "%s.objectId must be * or one of %v", field, ground.SettingAreas)
		}
	case resource.Explorer: // granted separately, because requests to other portals can reach this machine's network
		if p.ObjectID != "*" {
			return fault.At(field+".objectId", "%s.objectId must be *: the permission is for all other portals", field)
		}
	default:
		return &fault.Error{Kind: fault.Invalid, Field: field + ".objectType",
			Message: field + ".objectType is deviceGroup, report, setting or explorer",
			Allowed: []any{"deviceGroup", "report", "setting", "explorer"}}
	}
	return nil
}

// mayChange refuses changes to a role with permissions that the caller does not have.
func mayChange(w *resource.Write, was *Role) error {
	if mayGrant(w, was.Privileges) != nil {
		return fault.New(fault.Denied,
			"you cannot edit the role %s, which has permissions that you do not have", was.Name)
	}
	return nil
}

// mayGrant refuses to grant permissions that the caller does not have.
func mayGrant(w *resource.Write, privileges []Privilege) error {
	who := w.Call.Access
	if who == nil || who.Admin {
		return nil
	}
	for _, p := range privileges {
		if p.IsForeign() {
			continue // it allows nothing
		}
		right := resource.Right{Object: p.Object(), Area: p.ObjectID, Op: resource.ParseOperation(p.Operation)}
		held := slices.ContainsFunc(who.Grants, func(g resource.Grant) bool {
			if g.Object != right.Object || g.Op < right.Op {
				return false
			}
			id, _ := strconv.ParseInt(p.ObjectID, 10, 64)
			return g.All || g.Area == "*" || g.Object == resource.Setting && g.Area == right.Area ||
				g.Object != resource.Setting && g.Groups[id]
		})
		if !held {
			return fault.New(fault.Denied,
				"you cannot grant %s on %s %s, because you do not have this permission", p.Operation,
				p.ObjectType,
				p.ObjectID)
		}
	}
	return nil
}

func builtIn(role int64) bool { return role <= 4 }

// BuiltInRoles returns the roles of a new portal.
func BuiltInRoles() []Role {
	all := func(op string, settings ...Privilege) []Privilege {
		return append([]Privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: op},
			{ObjectType: "report", ObjectID: "*", Operation: op}}, settings...)
	}
	on := func(area, op string) Privilege {
		return Privilege{ObjectType: "setting", ObjectID: area, Operation: op}
	}
	return []Role{
		{ID: ground.Administrator, Name: "administrator", Description: "May do everything", GroupID: 1,
			Privileges: all("write", Privilege{ObjectType: "setting", ObjectID: "*", Operation: "write"})},
		{ID: 2, Name: "manager", Description: "Can edit everything but users, roles and the portal's settings",
			GroupID: 1,
			Privileges: all("write", on(ground.AreaCollectors, "write"), on(ground.AreaAlerting, "write"),
				on(ground.AreaDataSources, "write"), on(ground.AreaOpsNotes, "write"))},
		{ID: 3, Name: "ackonly", Description: "Can view everything and acknowledge alerts", GroupID: 1,
			Privileges: all("ack", on(ground.AreaDataSources, "read"), on(ground.AreaOpsNotes, "read"))},
		{ID: 4, Name: "readonly", Description: "Can view everything", GroupID: 1,
			Privileges: all("read", on(ground.AreaDataSources, "read"), on(ground.AreaOpsNotes, "read"))},
	}
}
