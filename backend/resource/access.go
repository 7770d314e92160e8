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

	Collector int64 // the remote collector that sends the request; 0 for a user
}

// May reports whether the caller has the right on at least one object.
func (a *Access) May(r Right) bool {
	switch {
	case r.Object == Open:
		return true
	case a == nil:
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
