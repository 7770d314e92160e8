package people

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// SignInRows names the rows of SignIn.
const SignInRows resource.Name[*SignIn] = "signInSetting"

// SignInID is the id of the only row.
const SignInID int64 = 1

// SignIn holds the settings for signing in with OpenID Connect: one row, id 1. Without
// the row, it is off.
type SignIn struct {
	ID           int64
	Enabled      bool
	Name         string // of the provider, on the button
	Issuer       string
	ClientID     string
	ClientSecret string // encrypted
	Scopes       string // separated by spaces
	GroupsClaim  string
	GroupRoles   []GroupRole
	CreateUsers  bool
}

// GroupRole gives a role to the members of a group of the provider.
type GroupRole struct {
	Group  string `json:"group" doc:"name of the group in the claim; * for everyone whom the provider signs in"`
	RoleID int64  `json:"roleId,omitempty" doc:"id of the role" refs:"role"`
	Role   string `json:"role,omitempty" doc:"name of the role; an alternative to its id"`
}

const maxGroupRoles = 500

// SignIns declares /setting/signin.
var SignIns = resource.Resource[*SignIn]{
	Name: SignInRows, Label: "sign-in settings", Sample: SignInID, Single: SignInID, Path: "/setting/signin",
	Category: ground.CategorySettings, Object: resource.Setting, Area: ground.AreaUserAccess,
	Doc: "Signs users in with an OpenID Connect provider, with the authorization code flow and PKCE. It applies to " +
		"spyglass serve. Register the address of the portal followed by /oidc/callback at the provider. Passwords " +
		"keep working, so that a local administrator can always sign in.",
	Fields: []resource.Field[*SignIn]{
		{Name: "id", At: func(s *SignIn) any { return &s.ID }, Doc: "Always 1", ReadOnly: true},
		{Name: "enabled", At: func(s *SignIn) any { return &s.Enabled }, Doc: "Show the button on the sign-in page"},
		{Name: "name", At: func(s *SignIn) any { return &s.Name }, Doc: "Name of the provider, on the button",
			MaxLen: 64, Example: "Acme"},
		{Name: "issuer", At: func(s *SignIn) any { return &s.Issuer },
			Doc:    "Address of the provider, exactly as in its discovery document; https, or http on this machine",
			MaxLen: 2048, Example: "https://login.example.net/realms/acme"},
		{Name: "clientId", At: func(s *SignIn) any { return &s.ClientID }, Doc: "Id of the portal at the provider",
			MaxLen: 255, Example: "spyglass"},
		{Name: "clientSecret", At: func(s *SignIn) any { return &s.ClientSecret },
			Doc: "Secret of the portal at the provider; never shown. Empty: the one of SPYGLASS_OIDC_SECRET or " +
				"--oidc-secret-file, or none", WriteOnly: true, Sealed: true, MaxLen: 4096},
		{Name: "scopes", At: func(s *SignIn) any { return &s.Scopes },
			Doc: "Scopes to request, separated by spaces; openid is always one of them", Default: "profile email",
			MaxLen: 1024},
		{Name: "groupsClaim", At: func(s *SignIn) any { return &s.GroupsClaim },
			Doc: "Claim with the names of the user's groups", Default: "groups", MaxLen: 255},
		{Name: "groupRoles", At: func(s *SignIn) any { return &s.GroupRoles },
			Doc: "Which role the members of which group have. The user's roles are renewed at each sign-in, and " +
				"whoever is in none of the groups cannot sign in. Empty: the roles of the user stay as they are",
			Default: []GroupRole{}, Example: []GroupRole{{Group: "netops", Role: "manager"}}},
		{Name: "createUsers", At: func(s *SignIn) any { return &s.CreateUsers },
			Doc: "Create a user at the first sign-in; otherwise an administrator adds the user with oidcSubject. " +
				"Requires groupRoles"},
	},
	Check: func(w *resource.Write, was, now *SignIn) error {
		now.Issuer = strings.TrimSpace(now.Issuer)
		if was != nil && was.ClientSecret != "" && !w.Given("clientSecret") && now.Issuer != was.Issuer {
			return fault.At("clientSecret", "clientSecret is required again, because the issuer has changed; send an "+
				"empty text for none")
		}
		if err := checkIssuer(now.Issuer); err != nil {
			return err
		}
		for field, value := range map[string]string{"issuer": now.Issuer, "clientId": now.ClientID, "name": now.Name} {
			if now.Enabled && strings.TrimSpace(value) == "" {
				return fault.At(field, "%s is required to sign in with a provider", field)
			}
		}
		if now.CreateUsers && len(now.GroupRoles) == 0 {
			return fault.At("groupRoles", "groupRoles is required to create users, because a user needs a role")
		}
		return resolveGroupRoles(w, was, now)
	},
}

// EnsureSignIn adds the sign-in settings, turned off, if there are none.
func EnsureSignIn(ctx context.Context, tx resource.Tx) error {
	have, err := resource.Lookup(ctx, tx, SignInRows, SignInID)
	if err != nil || have != nil {
		return err
	}
	row, err := SignIns.Defaults()
	if err != nil {
		return err
	}
	row.ID = SignInID
	return resource.Put(ctx, tx, SignInRows, row)
}

func checkIssuer(issuer string) error {
	if issuer == "" {
		return nil
	}
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !loopback.Host(u.Hostname())) {
		return fault.At("issuer", "issuer must be an https address without a query, such as "+
			"https://login.example.net")
	}
	return nil
}

// resolveGroupRoles writes both id and name of each role. A caller cannot give a role
// with permissions that they do not have.
func resolveGroupRoles(w *resource.Write, was, now *SignIn) error {
	if len(now.GroupRoles) > maxGroupRoles {
		return fault.At("groupRoles", "groupRoles has at most %d entries", maxGroupRoles)
	}
	roles, err := resource.Find(w.Context, w.Tx, RoleRows)
	if err != nil {
		return err
	}
	now.GroupRoles = slices.Clone(now.GroupRoles)
	for i := range now.GroupRoles {
		g, field := &now.GroupRoles[i], fmt.Sprintf("groupRoles[%d]", i)
		if g.Group = strings.TrimSpace(g.Group); g.Group == "" {
			return fault.At(field+".group", "%s.group is required", field)
		}
		k := slices.IndexFunc(roles, func(r Role) bool {
			return r.ID == g.RoleID || g.RoleID == 0 && strings.EqualFold(r.Name, g.Role)
		})
		if k < 0 {
			name := g.Role
			if name == "" {
				name = strconv.FormatInt(g.RoleID, 10)
			}
			return fault.At(field+".role", "there is no role %s", name)
		}
		g.RoleID, g.Role = roles[k].ID, roles[k].Name
		if was != nil && slices.ContainsFunc(was.GroupRoles, func(o GroupRole) bool {
			return o.Group == g.Group && o.RoleID == g.RoleID
		}) {
			continue
		}
		if err := mayGrant(w, roles[k].Privileges); err != nil {
			return err
		}
	}
	return nil
}

// RolesOf returns the ids of the roles of a member of these groups.
func (s *SignIn) RolesOf(groups []string) (ids []int64) {
	for _, g := range s.GroupRoles {
		if (g.Group == "*" || slices.Contains(groups, g.Group)) && !slices.Contains(ids, g.RoleID) {
			ids = append(ids, g.RoleID)
		}
	}
	return ids
}
