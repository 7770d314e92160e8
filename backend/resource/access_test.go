package resource_test

import (
	"net/url"
	"reflect"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

func TestMay(t *testing.T) {
	device := func(op resource.Operation) resource.Right {
		return resource.Right{Object: resource.DeviceGroup, Op: op}
	}
	setting := func(area string, op resource.Operation) resource.Right {
		return resource.Right{Object: resource.Setting, Area: area, Op: op}
	}
	with := func(grants ...resource.Grant) *resource.Access { return &resource.Access{Grants: grants} }
	acker := with(resource.Grant{Object: resource.DeviceGroup, Op: resource.Ack, Groups: map[int64]bool{5: true}})
	collectors := with(resource.Grant{Object: resource.Setting, Area: "collectors", Op: resource.Modify})
	settings := with(resource.Grant{Object: resource.Setting, Area: "*", Op: resource.Read})

	for _, tt := range []struct {
		name  string
		who   *resource.Access
		right resource.Right
		want  bool
	}{
		{"nobody may what is open", nil, resource.Right{Object: resource.Open}, true},
		{"nobody may nothing else", nil, resource.Right{Object: resource.Anyone}, false},
		{"anyone may what needs no privilege", with(), resource.Right{Object: resource.Anyone}, true},
		{"no grant, no right", with(), device(resource.Read), false},
		{"an administrator may everything", &resource.Access{Admin: true},
			setting("useraccess", resource.Modify), true},
		{"the operation itself", acker, device(resource.Ack), true},
		{"a weaker operation", acker, device(resource.Read), true},
		{"a stronger operation", acker, device(resource.Modify), false},
		{"another object", acker, resource.Right{Object: resource.Reports, Op: resource.Read}, false},
		{"all groups", with(resource.Grant{Object: resource.DeviceGroup, Op: resource.Read, All: true}),
			device(resource.Read), true},
		{"a grant on groups that are gone", with(resource.Grant{Object: resource.DeviceGroup, Op: resource.Modify}),
			device(resource.Read), false},
		{"the area itself", collectors, setting("collectors", resource.Modify), true},
		{"another area", collectors, setting("useraccess", resource.Read), false},
		{"every area", settings, setting("useraccess", resource.Read), true},
		{"every area, a stronger operation", settings, setting("useraccess", resource.Modify), false},
		{"of two grants, the stronger",
			with(acker.Grants[0], resource.Grant{Object: resource.DeviceGroup, Op: resource.Modify, All: true}),
			device(resource.Modify), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.who.May(tt.right); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestGroups(t *testing.T) {
	grants := []resource.Grant{
		{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{9: true, 5: true, 2: true}},
		{Object: resource.DeviceGroup, Op: resource.Modify, Groups: map[int64]bool{5: true, 7: true}},
		{Object: resource.Reports, Op: resource.Modify, All: true},
	}
	for _, tt := range []struct {
		name string
		who  *resource.Access
		op   resource.Operation
		all  bool
		ids  []int64
	}{
		{"an administrator, everywhere", &resource.Access{Admin: true}, resource.Modify, true, nil},
		{"no grants, nowhere", &resource.Access{}, resource.Read, false, nil},
		{"the groups of every grant, once each", &resource.Access{Grants: grants}, resource.Read, false,
			[]int64{2, 5, 7, 9}},
		{"only grants that are strong enough", &resource.Access{Grants: grants}, resource.Ack, false, []int64{5, 7}},
		{"all of one grant",
			&resource.Access{
				Grants: append(grants, resource.Grant{Object: resource.DeviceGroup, Op: resource.Read, All: true})},
			resource.Read, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if all, ids := tt.who.Groups(tt.op); all != tt.all || !reflect.DeepEqual(ids, tt.ids) {
				t.Errorf("got %v %v, want %v %v", all, ids, tt.all, tt.ids)
			}
		})
	}
}

func TestOperationsRoundTrip(t *testing.T) {
	for op, text := range map[resource.Operation]string{resource.Read: "read", resource.Ack: "ack",
		resource.Modify: "write", resource.None: "none"} {
		if op.String() != text || resource.ParseOperation(text) != op {
			t.Errorf("%d is written %s and %s read as %d", op, op, text, resource.ParseOperation(text))
		}
	}
	for _, text := range []string{"", "Write", "manage"} {
		if op := resource.ParseOperation(text); op != resource.None {
			t.Errorf("%q is %s, want none", text, op)
		}
	}
}

func TestCallReadsItsParameters(t *testing.T) {
	c := &resource.Call{Vars: map[string]string{"id": "7", "zero": "0", "word": "abc"},
		Query: url.Values{"yes": {"True"}, "no": {"0"}, "odd": {"maybe"}}}
	if id, err := c.ID("id"); id != 7 || err != nil {
		t.Errorf("got %d %v, want 7", id, err)
	}
	for _, param := range []string{"zero", "word", "missing"} {
		if _, err := c.ID(param); !fault.Is(err, fault.Unknown) {
			t.Errorf("%s: %v, want unknown", param, err)
		}
	}
	for name, want := range map[string]bool{"yes": true, "no": false, "missing": false} {
		if got, err := c.Flag(name); got != want || err != nil {
			t.Errorf("%s is %v %v, want %v", name, got, err, want)
		}
	}
	_, err := c.Flag("odd")
	if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "odd" || f.Message != "odd must be true or false" {
		t.Errorf("got %v", err)
	}
}

func TestWithinIsTheIntersection(t *testing.T) {
	const devices, reports, settings = resource.DeviceGroup, resource.Reports, resource.Setting
	groups := func(op resource.Operation, ids ...int64) resource.Grant {
		g := resource.Grant{Object: devices, Op: op, Groups: map[int64]bool{}}
		for _, id := range ids {
			g.Groups[id] = true
		}
		return g
	}
	all := func(object resource.Object, op resource.Operation) resource.Grant {
		return resource.Grant{Object: object, Op: op, All: true}
	}
	area := func(name string, op resource.Operation) resource.Grant {
		return resource.Grant{Object: settings, Op: op, Area: name}
	}
	for _, tt := range []struct {
		what        string
		held, limit []resource.Grant
		want        []resource.Grant
	}{
		{"nothing of nothing", nil, []resource.Grant{all(devices, resource.Read)}, nil},
		{"the weaker operation", []resource.Grant{all(devices, resource.Read)},
			[]resource.Grant{all(devices, resource.Modify)}, []resource.Grant{all(devices, resource.Read)}},
		{"not another object", []resource.Grant{all(devices, resource.Read)},
			[]resource.Grant{all(reports, resource.Read)}, nil},
		{"all groups of the limit", []resource.Grant{all(devices, resource.Modify)},
			[]resource.Grant{groups(resource.Ack, 3, 4)}, []resource.Grant{groups(resource.Ack, 3, 4)}},
		{"all groups of the holder", []resource.Grant{groups(resource.Ack, 3, 4)},
			[]resource.Grant{all(devices, resource.Read)}, []resource.Grant{groups(resource.Read, 3, 4)}},
		{"groups of both", []resource.Grant{groups(resource.Ack, 3, 4)},
			[]resource.Grant{groups(resource.Ack, 4, 5)}, []resource.Grant{groups(resource.Ack, 4)}},
		{"no group of both", []resource.Grant{groups(resource.Ack, 3)},
			[]resource.Grant{groups(resource.Ack, 5)}, nil},
		{"one area of all", []resource.Grant{area("*", resource.Modify)},
			[]resource.Grant{area("useraccess", resource.Read)}, []resource.Grant{area("useraccess", resource.Read)}},
		{"an area of a limit to all", []resource.Grant{area("useraccess", resource.Modify)},
			[]resource.Grant{area("*", resource.Read)}, []resource.Grant{area("useraccess", resource.Read)}},
		{"another area", []resource.Grant{area("useraccess", resource.Modify)},
			[]resource.Grant{area("collectors", resource.Read)}, nil},
	} {
		t.Run(tt.what, func(t *testing.T) {
			got := (&resource.Access{UserID: 7, User: "jo", Role: "own", Grants: tt.held}).
				Within(9, "less", tt.limit)
			want := &resource.Access{UserID: 7, User: "jo", Role: "less", Grants: tt.want, RoleID: 9}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	limit := []resource.Grant{all(devices, resource.Read)}
	if got := (&resource.Access{Admin: true}).Within(9, "less", limit); got.Admin ||
		!reflect.DeepEqual(got.Grants, limit) {
		t.Errorf("an administrator keeps %+v", got)
	}
}

func TestBoundedCallerLeavesNoPermissionsBehind(t *testing.T) {
	everything := []resource.Grant{{Object: resource.DeviceGroup, Op: resource.Modify, All: true},
		{Object: resource.Reports, Op: resource.Modify, All: true},
		{Object: resource.Setting, Op: resource.Modify, Area: "*"}}
	setting := func(area string, op resource.Operation) resource.Right {
		return resource.Right{Object: resource.Setting, Area: area, Op: op}
	}
	admin := resource.Access{Admin: true}
	temporary := admin
	temporary.Temporary = true
	for _, tt := range []struct {
		right resource.Right
		lasts bool
	}{
		{setting("useraccess", resource.Modify), true},
		{resource.Right{Object: resource.Reports, Op: resource.Modify}, true},
		{setting("useraccess", resource.Read), false},
		{resource.Right{Object: resource.Reports, Op: resource.Ack}, false},
		{setting("collectors", resource.Modify), false},
		{resource.Right{Object: resource.DeviceGroup, Op: resource.Modify}, false},
	} {
		for name, who := range map[string]*resource.Access{"a temporary token": &temporary,
			"a limited token": admin.Within(9, "all", everything)} {
			if got := who.May(tt.right); got == tt.lasts {
				t.Errorf("%s may %s: %t", name, tt.right, got)
			}
		}
		if !admin.May(tt.right) {
			t.Errorf("an administrator may not %s", tt.right)
		}
	}
}
