package resource

import "slices"

// Object is the kind of object that a privilege applies to.
type Object string

// The objects of privileges. Anyone requires a session but no privilege; Open
// does not even require a session.
const (
	DeviceGroup Object = "deviceGroup" // groups, the devices inside, their data and alerts
	Reports     Object = "report"
	Setting     Object = "setting"
	Explorer    Object = "explorer" // requests of the Explorer to other portals
	Anyone      Object = "anyone"
	Open        Object = "open"
)

// Operation is the access that a privilege grants; each includes the ones
// before it.
type Operation int

// The operations, weakest first.
const (
	None Operation = iota
	Read
	Ack
	Modify
)

var operations = []string{"none", "read", "ack", "write"}

func (o Operation) String() string { return operations[o] }

// ParseOperation reads "read", "ack" or "write"; anything else is None.
func ParseOperation(text string) Operation {
	return Operation(max(0, slices.Index(operations, text)))
}

// Right is the privilege that an endpoint requires of the caller.
type Right struct {
	Object Object
	Area   string // of the settings
	Op     Operation
}

func (r Right) String() string {
	switch r.Object {
	case Open:
		return "none: no sign-in needed"
	case Anyone:
		return "none: any signed-in user"
	case Setting:
		return r.Op.String() + " on settings: " + r.Area
	}
	return r.Op.String() + " on " + string(r.Object)
}

// Grant is one privilege with its groups already expanded to whole subtrees.
type Grant struct {
	Object Object
	Area   string         // of the settings; "*" for all
	Op     Operation      //
	All    bool           // every group
	Groups map[int64]bool // those groups, when not All
}

// Access is the caller's identity and privileges. It is immutable.
type Access struct {
	UserID int64
	User   string
	Role   string
	Admin  bool // may do everything
	Grants []Grant

	RoleID    int64 // the role that limits what the user may do, as for some tokens; 0: no limit
	Temporary bool  // a token that expires
	Collector int64 // the remote collector that sends the request; 0 for a user
}

// Limited reports whether the caller may do less than its user.
func (a *Access) Limited() bool { return a != nil && a.RoleID != 0 }

// Bounded reports whether the caller is limited to a role, or expires. It must not be
// able to leave permissions behind that go further.
func (a *Access) Bounded() bool { return a.Limited() || a != nil && a.Temporary }

// Lasts reports whether changes with this right may leave permissions behind: users,
// roles and tokens have them, and reports run with all permissions of a user.
func (r Right) Lasts() bool {
	return r.Op == Modify && (r.Object == Reports || r.Object == Setting && r.Area == "useraccess")
}

// May reports whether the caller has the right on at least one object.
func (a *Access) May(r Right) bool {
	switch {
	case r.Object == Open:
		return true
	case a == nil:
		return false
	case a.Bounded() && r.Lasts():
		return false
	case r.Object == Anyone || a.Admin:
		return true
	}
	return slices.ContainsFunc(a.Grants, func(g Grant) bool {
		return g.Object == r.Object && g.Op >= r.Op && (g.Object != Setting || g.Area == "*" || g.Area == r.Area) &&
			(g.Object == Setting || g.All || len(g.Groups) > 0)
	})
}

// Groups returns the groups in which the caller may do op: all, or these ids in
// ascending order.
func (a *Access) Groups(op Operation) (all bool, ids []int64) { return a.In(DeviceGroup, op) }

// In returns the groups in which the caller may do op on objects of one type:
// all, or these ids in ascending order.
func (a *Access) In(object Object, op Operation) (all bool, ids []int64) {
	if a.Admin {
		return true, nil
	}
	for _, g := range a.Grants {
		if g.Object != object || g.Op < op {
			continue
		}
		if g.All {
			return true, nil
		}
		for id := range g.Groups {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return false, slices.Compact(ids)
}

// Within returns the access of the same caller limited to a role that has these
// grants: what both may do.
func (a *Access) Within(roleID int64, role string, grants []Grant) *Access {
	out := &Access{UserID: a.UserID, User: a.User, Role: role, RoleID: roleID, Temporary: a.Temporary}
	if a.Admin {
		out.Grants = grants
		return out
	}
	for _, limit := range grants {
		for _, held := range a.Grants {
			if both, ok := common(limit, held); ok {
				out.Grants = append(out.Grants, both)
			}
		}
	}
	return out
}

// common returns what both grants allow; false if that is nothing.
func common(a, b Grant) (Grant, bool) {
	both := Grant{Object: a.Object, Op: min(a.Op, b.Op)}
	switch {
	case a.Object != b.Object:
		return both, false
	case a.Object == Setting:
		both.Area = a.Area
		if a.Area == "*" {
			both.Area = b.Area
		}
		return both, b.Area == "*" || b.Area == both.Area
	case a.All:
		both.All, both.Groups = b.All, b.Groups
	case b.All:
		both.Groups = a.Groups
	default:
		both.Groups = map[int64]bool{}
		for id := range a.Groups {
			if b.Groups[id] {
				both.Groups[id] = true
			}
		}
		return both, len(both.Groups) > 0
	}
	return both, true
}
