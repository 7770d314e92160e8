package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// person is a user with their roles.
type person struct {
	row        people.User
	role       string // names, separated by commas
	admin      bool
	privileges []people.Privilege
	factor     people.SecondFactor
	// roleNeedsFactor is set if one of the roles requires a second factor
	roleNeedsFactor bool
	mark            digest // changes whenever the user's sessions have to end
	formerMark      digest // the mark as earlier versions computed it; desktop credentials may still have it
}

func (p *person) active() bool    { return p.row.Status == "active" }
func (p *person) maySignIn() bool { return p.active() && !p.row.APIOnly }

// directory holds all current users and roles. It is shared: do not change it.
type directory struct {
	roles  map[int64]*people.Role
	byID   map[int64]*person
	byName map[string]*person // by folded user name
}

func (p *directory) named(username string) *person { return p.byName[folded(username)] }

// folded returns the same text for user names that the store treats as equal,
// which distinguishes case beyond ASCII.
func folded(username string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, username)
}

func (s *Service) everyone(ctx context.Context) (*directory, error) {
	value, err := s.db.Memo("session.people", []string{string(people.Users.Name), string(people.Roles.Name)},
		func() (any, error) {
			return readPeople(context.WithoutCancel(ctx), s.db)
		})
	if err != nil {
		return nil, err
	}
	return value.(*directory), nil
}

func readPeople(ctx context.Context, from resource.Reader) (*directory, error) {
	users, err := resource.Find(ctx, from, people.Users.Name)
	if err != nil {
		return nil, err
	}
	roles, err := resource.Find(ctx, from, people.Roles.Name)
	if err != nil {
		return nil, err
	}
	byRole := make(map[int64]*people.Role, len(roles))
	for i := range roles {
		byRole[roles[i].ID] = &roles[i]
	}
	all := &directory{roles: byRole, byID: make(map[int64]*person, len(users)),
		byName: make(map[string]*person, len(users))}
	for _, u := range users {
		p, err := newPerson(u, byRole)
		if err != nil {
			return nil, err
		}
		all.byID[u.ID] = p
		all.byName[folded(u.Username)] = p
	}
	return all, nil
}

func newPerson(u people.User, roles map[int64]*people.Role) (*person, error) {
	p := &person{row: u, factor: u.Factor()}
	var names []string
	var held []int64
	for _, ref := range u.Roles {
		role := roles[ref.ID]
		if role == nil {
			continue
		}
		names, held = append(names, role.Name), append(held, role.ID)
		p.admin = p.admin || role.ID == ground.Administrator
		p.privileges = append(p.privileges, role.Privileges...)
		p.roleNeedsFactor = p.roleNeedsFactor || role.TwoFA
	}
	p.role = strings.Join(names, ", ")
	slices.Sort(held)
	var err error
	if p.mark, err = markOf(p, people.PasswordOrigin(u.Password), held); err != nil {
		return nil, err
	}
	p.formerMark, err = markOf(p, u.Password, held)
	return p, err
}

// markOf returns a digest of the fields that end the user's sessions when they
// change. If a password is only hashed again at a higher cost, its origin stays
// the same, and the sessions continue.
func markOf(p *person, password string, roles []int64) (digest, error) {
	all := []any{p.row.ID, password, p.row.Status, p.row.APIOnly, roles, p.privileges}
	if p.factor.IsSetUp() { // without one, the mark stays as earlier versions computed it
		all = append(all, p.factor.Secret)
	}
	text, err := json.Marshal(all)
	return sha256.Sum256(text), err
}

// accesses caches the Access of each holder. All are dropped when a user, a role or
// a group changes.
type accesses struct {
	everyone *directory
	tree     *fleet.Tree
	made     sync.Map // maps holders to *resource.Access
}

// holder is a user, or a token of the user with its limits.
type holder struct {
	userID, roleID int64 // roleID 0: all permissions of the user
	temporary      bool
}

// Access returns what a user may view and do. It reflects any change of users,
// roles or groups immediately. It returns fault.NoLogin for a suspended or
// deleted user.
func (s *Service) Access(ctx context.Context, userID int64) (*resource.Access, error) {
	return s.access(ctx, holder{userID: userID})
}

// Renew returns what the same caller, with the same limits, may view and do now.
func (s *Service) Renew(ctx context.Context, who *resource.Access) (*resource.Access, error) {
	return s.access(ctx, holder{who.UserID, who.RoleID, who.Temporary})
}

// allAccesses returns the cache of accesses, with users, roles and groups as they are.
func (s *Service) allAccesses(ctx context.Context) (*accesses, error) {
	names := []string{string(people.Users.Name), string(people.Roles.Name), string(fleet.Groups.Name)}
	value, err := s.db.Memo("session.access", names, func() (any, error) {
		ctx := context.WithoutCancel(ctx)
		everyone, err := s.everyone(ctx)
		if err != nil {
			return nil, err
		}
		tree, err := fleet.TreeOf(ctx, s.db)
		return &accesses{everyone: everyone, tree: tree}, err
	})
	if err != nil {
		return nil, err
	}
	return value.(*accesses), nil
}

func (s *Service) access(ctx context.Context, of holder) (*resource.Access, error) {
	all, err := s.allAccesses(ctx)
	if err != nil {
		return nil, err
	}
	if made, ok := all.made.Load(of); ok {
		return made.(*resource.Access), nil
	}
	who := all.everyone.byID[of.userID]
	if who == nil || !who.active() {
		return nil, fault.New(fault.NoLogin, "the user is suspended or deleted")
	}
	access := &resource.Access{UserID: of.userID, User: who.row.Username, Role: who.role, Admin: who.admin,
		Grants: grants(who.privileges, all.tree), Temporary: of.temporary}
	if of.roleID != 0 && of.roleID != ground.Administrator { // its permissions limit nothing
		role := all.everyone.roles[of.roleID]
		if role == nil {
			return nil, fault.New(fault.NoLogin, "the role of the token is deleted")
		}
		access = access.Within(role.ID, role.Name, grants(role.Privileges, all.tree))
	}
	all.made.Store(of, access)
	return access, nil
}

// grants converts privileges to grants, with groups expanded to all their
// subgroups.
func grants(privileges []people.Privilege, tree *fleet.Tree) []resource.Grant {
	var out []resource.Grant
	for _, p := range privileges {
		g := resource.Grant{Object: p.Object(), Op: resource.ParseOperation(p.Operation)}
		id, _ := strconv.ParseInt(p.ObjectID, 10, 64)
		switch {
		case g.Op == resource.None, p.IsForeign():
			continue
		case g.Object == resource.Setting:
			g.Area = p.ObjectID
		case p.ObjectID == "*" || g.Object == resource.DeviceGroup && id == ground.RootGroup:
			g.All = true
		case g.Object != resource.DeviceGroup:
			g.Groups = map[int64]bool{id: true}
		case tree.Groups[id] == nil: // it was deleted
			continue
		default:
			g.Groups = map[int64]bool{}
			for _, inside := range tree.Below([]int64{id})[id] {
				g.Groups[inside] = true
			}
		}
		out = merge(out, g)
	}
	return out
}

// merge adds a grant for groups to the one for the same operation, if there is
// one.
func merge(all []resource.Grant, g resource.Grant) []resource.Grant {
	i := slices.IndexFunc(all, func(have resource.Grant) bool {
		return have.Object == g.Object && have.Op == g.Op && have.Groups != nil && g.Groups != nil
	})
	if i < 0 {
		return append(all, g)
	}
	for id := range g.Groups {
		all[i].Groups[id] = true
	}
	return all
}
