package session

import (
	"reflect"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

func TestAccessComesFromTheRoles(t *testing.T) {
	type privilege = people.Privilege
	groups := func(ids ...int64) map[int64]bool {
		m := map[int64]bool{}
		for _, id := range ids {
			m[id] = true
		}
		return m
	}
	h := newFixture(t)
	for _, g := range []fleet.Group{{Name: "west", ParentID: 1}, {Name: "east", ParentID: 1},
		{Name: "seattle", ParentID: 2}, {Name: "rack", ParentID: 4}} {
		put(t, h, fleet.Groups.Name, &g)
	}
	for _, tt := range []struct {
		what       string
		privileges []privilege
		want       []resource.Grant
	}{
		{"nothing", nil, nil},
		{"a group is all that is inside", []privilege{{ObjectType: "deviceGroup", ObjectID: "2", Operation: "read"}},
			[]resource.Grant{{Object: resource.DeviceGroup, Op: resource.Read, Groups: groups(2, 4, 5)}}},
		{"groups of one operation are one grant",
			[]privilege{{ObjectType: "deviceGroup", ObjectID: "3", Operation: "ack"},
				{ObjectType: "deviceGroup", ObjectID: "4", Operation: "ack"}},
			[]resource.Grant{{Object: resource.DeviceGroup, Op: resource.Ack, Groups: groups(3, 4, 5)}}},
		{"operations stay apart", []privilege{{ObjectType: "deviceGroup", ObjectID: "2", Operation: "read"},
			{ObjectType: "deviceGroup", ObjectID: "3", Operation: "write"}},
			[]resource.Grant{{Object: resource.DeviceGroup, Op: resource.Read, Groups: groups(2, 4, 5)},
				{Object: resource.DeviceGroup, Op: resource.Modify, Groups: groups(3)}}},
		{"the root group is every group", []privilege{{ObjectType: "deviceGroup", ObjectID: "1", Operation: "read"}},
			[]resource.Grant{{Object: resource.DeviceGroup, Op: resource.Read, All: true}}},
		{"a star is every group", []privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: "write"}},
			[]resource.Grant{{Object: resource.DeviceGroup, Op: resource.Modify, All: true}}},
		{"a deleted group is nothing", []privilege{{ObjectType: "deviceGroup", ObjectID: "99", Operation: "read"}},
			nil},
		{"an operation that is none is nothing",
			[]privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: "own"}}, nil},
		{"a part of the settings", []privilege{{ObjectType: "setting", ObjectID: "useraccess", Operation: "read"},
			{ObjectType: "setting", ObjectID: "collectors", Operation: "write"}},
			[]resource.Grant{{Object: resource.Setting, Area: "useraccess", Op: resource.Read},
				{Object: resource.Setting, Area: "collectors", Op: resource.Modify}}},
		{"all settings", []privilege{{ObjectType: "setting", ObjectID: "*", Operation: "read"}},
			[]resource.Grant{{Object: resource.Setting, Area: "*", Op: resource.Read}}},
		{"report groups have nothing inside", []privilege{{ObjectType: "report", ObjectID: "2", Operation: "read"},
			{ObjectType: "report", ObjectID: "*", Operation: "write"}},
			[]resource.Grant{{Object: resource.Reports, Op: resource.Read, Groups: groups(2)},
				{Object: resource.Reports, Op: resource.Modify, All: true}}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			role := people.Role{Name: tt.what, Privileges: tt.privileges}
			put(t, h, people.Roles.Name, &role)
			id := h.user(t, tt.what, role.ID)
			got, err := h.Access(t.Context(), id)
			must(t, err)
			want := &resource.Access{UserID: id, User: tt.what, Role: tt.what, Grants: tt.want}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestRolesAddUpAndTheAdministratorMayDoEverything(t *testing.T) {
	h := newFixture(t)
	access, err := h.Access(t.Context(), h.user(t, "jo", 4, 3))
	must(t, err)
	if access.Admin || access.Role != "readonly, ackonly" ||
		!access.May(resource.Right{Object: resource.DeviceGroup, Op: resource.Ack}) ||
		access.May(resource.Right{Object: resource.DeviceGroup, Op: resource.Modify}) {
		t.Errorf("got %+v", access)
	}
	access, err = h.Access(t.Context(), h.user(t, "ann", ground.Administrator))
	must(t, err)
	if !access.Admin || !access.May(resource.Right{Object: resource.Setting, Area: "portal", Op: resource.Modify}) {
		t.Errorf("got %+v", access)
	}
}

func TestAccessChangesTakeEffectAtOnce(t *testing.T) {
	h := newFixture(t)
	put(t, h, people.Roles.Name,
		&people.Role{
			Name: "own", Privileges: []people.Privilege{{ObjectType: "deviceGroup", ObjectID: "*", Operation: "read"}}})
	id := h.user(t, "jo", 5)
	may := func() bool {
		t.Helper()
		access, err := h.Access(t.Context(), id)
		must(t, err)
		return access.May(resource.Right{Object: resource.DeviceGroup, Op: resource.Modify})
	}
	if may() {
		t.Fatal("may write before")
	}
	change(t, h, people.Roles.Name, 5, func(r *people.Role) { r.Privileges[0].Operation = "write" })
	if !may() {
		t.Error("may not write after the role has changed")
	}
	change(t, h, people.Users.Name, id, func(u *people.User) { u.Roles = []people.RoleRef{{ID: 4}} })
	if may() {
		t.Error("may write after the user has lost the role")
	}
	change(t, h, people.Users.Name, id, func(u *people.User) { u.Status = "suspended" })
	for _, id := range []int64{id, 99} {
		if _, err := h.Access(t.Context(), id); says(err) != "no_login: the user is suspended or deleted" {
			t.Errorf("user %d: %v", id, err)
		}
	}
}
