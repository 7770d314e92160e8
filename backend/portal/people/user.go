// Package people declares users, their API tokens, roles, and the groups of
// both.
//
// Users cannot grant, revoke or change permissions that they do not have; such a
// write fails with a fault of kind Denied. OnUserRenamed and OnUserRemoved update
// what refers to a user by name. Passwords are hashed before the transaction,
// because that is slow.
package people

import (
	"cmp"
	"context"
	"encoding/json"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// UserRows names the rows of User.
const UserRows resource.Name[*User] = "admin"

// User is an account that can sign in.
type User struct {
	ID           int64
	Username     string
	Password     string // argon2id, encoded; never shown
	FirstName    string
	LastName     string
	Email        string
	Phone        string
	Note         string
	Timezone     string
	Status       string
	APIOnly      bool
	Roles        []RoleRef
	CreatedBy    string
	LastLoginOn  resource.Seconds
	LastAuthIP   string
	ForceChange  bool
	ContactBy    string
	SMSEmail     string
	SMSFormat    string
	AcceptEULA   bool
	TwoFAEnabled bool
	SecondFactor string // JSON of a SecondFactor; empty: not set up
	OIDCIssuer   string // with OIDCSubject: the user's identity at an OpenID Connect provider
	OIDCSubject  string
	GroupIDs     []int64 // of user groups
	Kept         resource.Foreign
}

// RoleRef is a role of a user, by id or by name.
type RoleRef struct {
	ID   int64  `json:"id,omitempty" doc:"id of the role"`
	Name string `json:"name,omitempty" doc:"name of the role; an alternative to its id"`
	// Privileges is a copy, updated with the role. It is not used for authorization.
	Privileges []Privilege `json:"privileges,omitzero" body:"optional" doc:"what holders of the role may do; set by the portal"`
}

// Users declares /setting/admins.
var Users = resource.Resource[*User]{
	Name: UserRows, Label: "user", Sample: 3, Path: "/setting/admins", Category: ground.CategorySettings,
	Object: resource.Setting, Area: "useraccess",
	Doc: "A user of the portal.",
	Absent: "acceptEULAOn immediateForceLogout lastAccessOn lastAction lastActionOn lastActionOnLocal " +
		"tenantId trainingEmail userPermission userType",
	Fields: []resource.Field[*User]{
		{Name: "id", At: func(u *User) any { return &u.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 4},
		{Name: "username", At: func(u *User) any { return &u.Username }, Doc: "Name to sign in with, unique",
			Required: true,
			MaxLen:   128, Index: true, Example: "j.doe"},
		{Name: "password", At: func(u *User) any { return &u.Password },
			Doc:       "8 to 512 characters, no common password and no name of the user or the portal; never shown",
			WriteOnly: true,
			Seal:      HashPassword, MaxLen: 512, Example: "correct horse battery"},
		{Name: "firstName", At: func(u *User) any { return &u.FirstName }, Doc: "Given name", Example: "Jo"},
		{Name: "lastName", At: func(u *User) any { return &u.LastName }, Doc: "Family name", Example: "Doe"},
		{Name: "email", At: func(u *User) any { return &u.Email }, Doc: "Mail address", Required: true,
			Example: "j.doe@example.net"},
		{Name: "phone", At: func(u *User) any { return &u.Phone }, Doc: "Telephone number"},
		{Name: "note", At: func(u *User) any { return &u.Note }, Doc: "Notes about the user", MaxLen: 4000},
		{Name: "timezone", At: func(u *User) any { return &u.Timezone },
			Doc: "IANA name of the user's time zone; empty: the portal's"},
		{Name: "status", At: func(u *User) any { return &u.Status },
			Doc: "suspended users cannot sign in, and their tokens do not work", Default: "active",
			OneOf: []any{"active", "suspended"}},
		{Name: "apionly", At: func(u *User) any { return &u.APIOnly }, Doc: "Has tokens, but cannot sign in"},
		{Name: "roles", At: func(u *User) any { return &u.Roles }, Doc: "The user's roles, each by id or by name",
			Required: true, Example: []RoleRef{{Name: "readonly"}}},
		{Name: "createdBy", At: func(u *User) any { return &u.CreatedBy }, Doc: "Who added the user", ReadOnly: true},
		{Name: "lastLoginOn", At: func(u *User) any { return &u.LastLoginOn }, Doc: "Last sign-in", ReadOnly: true},
		{Name: "lastAuthIp", At: func(u *User) any { return &u.LastAuthIP }, Doc: "Address of the last sign-in",
			ReadOnly: true},
		{Name: "forcePasswordChange", At: func(u *User) any { return &u.ForceChange },
			Doc: "After the next sign-in with a password, the user must change the password first"},
		{Name: "contactMethod", At: func(u *User) any { return &u.ContactBy }, Doc: "How to reach the user",
			Default: "email",
			OneOf:   []any{"email", "sms", "smsemail"}},
		{Name: "smsEmail", At: func(u *User) any { return &u.SMSEmail },
			Doc: "Email address of an SMS gateway"},
		{Name: "smsEmailFormat", At: func(u *User) any { return &u.SMSFormat }, Doc: "sms or fulltext", Default: "sms",
			OneOf: []any{"sms", "fulltext"}},
		{Name: "acceptEULA", At: func(u *User) any { return &u.AcceptEULA }, Doc: "Kept for clients of the " +
			"published API"},
		{Name: "twoFAEnabled", At: func(u *User) any { return &u.TwoFAEnabled },
			Doc: "Signing in with a password also requires a code of an authenticator app; the user sets it up at " +
				"the next sign-in. If it is turned off, the set-up is deleted. PUT without it does not change it"},
		{Name: "secondFactor", At: func(u *User) any { return &u.SecondFactor },
			Doc: "The secret of the authenticator app and the recovery codes", ReadOnly: true, WriteOnly: true,
			Sealed: true},
		{Name: "oidcIssuer", At: func(u *User) any { return &u.OIDCIssuer },
			Doc: "The OpenID Connect provider of oidcSubject; empty: the one of the sign-in settings", MaxLen: 2048},
		{Name: "oidcSubject", At: func(u *User) any { return &u.OIDCSubject },
			Doc: "The user's id (claim sub) at the OpenID Connect provider; empty: cannot sign in with it. PUT " +
				"without it does not change it", Index: true},
		{Name: "adminGroupIds", At: func(u *User) any { return &u.GroupIDs }, Doc: "The user's groups",
			Default: []int64{ground.DefaultAccountGroup},
			Refs:    string(userGroupRows)},
		resource.KeptField(func(row *User) *resource.Foreign { return &row.Kept },
			resource.Keeping("any", "viewPermission")),
	},
	Derived: []resource.Derived{{
		Name: "apiTokens", Doc: "The user's API tokens, without their secrets",
		Schema: resource.List(resource.SchemaOf(tokenRef{}), ""), Example: []tokenRef{}, Of: tokensOf,
	}},
	Actions: []resource.Action[*User]{{
		Name: "reset2fa", Summary: "Reset the two-factor authentication of a user",
		Doc: "Deletes the set-up and the recovery codes, for a user who has lost the phone. The user's sessions " +
			"end, and the next sign-in with a password leads to a new set-up.",
		Do: func(_ *resource.Write, u *User) error {
			u.SecondFactor = ""
			return nil
		},
	}},
	Unique: [][]string{{"username"}},
	Mend: func(u *User) error {
		if given, ok := u.Kept["adminGroupIds"]; ok { // an earlier version stored them and had no groups
			delete(u.Kept, "adminGroupIds")
			return json.Unmarshal(given, &u.GroupIDs)
		}
		if u.GroupIDs == nil {
			u.GroupIDs = []int64{ground.DefaultAccountGroup}
		}
		return nil
	},
	Check: func(w *resource.Write, was, now *User) error {
		if was == nil {
			now.CreatedBy = "system"
			if w.Call.Access != nil {
				now.CreatedBy = w.Call.Access.User
			}
			if now.Password == "" && !now.APIOnly && now.OIDCSubject == "" {
				return fault.At("password", "password is required for a user who signs in")
			}
		}
		if _, err := mail.ParseAddress(now.Email); err != nil {
			return fault.At("email", "email is not a valid email address")
		}
		if _, err := time.LoadLocation(now.Timezone); err != nil || now.Timezone == "Local" {
			return fault.At("timezone", "timezone must be an IANA time zone name such as Europe/Berlin")
		}
		if was != nil && !w.Given("twoFAEnabled") { // a client that does not know it must not turn it off
			now.TwoFAEnabled = was.TwoFAEnabled
		}
		if !now.TwoFAEnabled {
			now.SecondFactor = ""
		}
		if err := checkIdentity(w, was, now); err != nil {
			return err
		}
		if strings.ContainsAny(now.Username, ":/\\ \t") {
			return fault.At("username", "username must not contain spaces, colons or slashes")
		}
		if err := refuseNames(w, now); err != nil {
			return err
		}
		if err := resolveRoles(w, was, now); err != nil {
			return err
		}
		return keepAnAdministrator(w, was, now)
	},
	After: func(w *resource.Write, was, now *User) error {
		if was == nil || was.Username == now.Username {
			return nil
		}
		return OnUserRenamed.Fire(w.Context, w.Tx, UserChange{Write: w, Was: was, Now: now})
	},
	Remove: func(w *resource.Write, u *User) error {
		if w.Call.Access != nil && w.Call.Access.UserID == u.ID {
			return fault.New(fault.Conflict, "you cannot delete yourself")
		}
		if err := MayManage(w, u); err != nil {
			return err
		}
		if err := keepAnAdministrator(w, u, nil); err != nil {
			return err
		}
		if err := OnUserRemoved.Fire(w.Context, w.Tx, UserChange{Write: w, Was: u}); err != nil {
			return err
		}
		tokens, err := resource.Find(w.Context, w.Tx, tokenRows, resource.Where{Field: "adminId", Op: "=", Value: u.ID})
		for _, t := range tokens {
			if err == nil {
				err = resource.Delete(w.Context, w.Tx, tokenRows, t.ID)
			}
		}
		return err
	},
}

// checkIdentity completes the user's identity at an OpenID Connect provider, and refuses
// that of another user.
func checkIdentity(w *resource.Write, was, now *User) error {
	if was != nil && !w.Given("oidcSubject") && !w.Given("oidcIssuer") {
		now.OIDCIssuer, now.OIDCSubject = was.OIDCIssuer, was.OIDCSubject
		return nil
	}
	if now.OIDCSubject == "" {
		now.OIDCIssuer = ""
		return nil
	}
	if now.OIDCIssuer == "" {
		settings, err := resource.Lookup(w.Context, w.Tx, SignInRows, SignInID)
		if err != nil {
			return err
		}
		if settings == nil || settings.Issuer == "" {
			return fault.At("oidcIssuer", "oidcIssuer is required, because the sign-in settings have no provider")
		}
		now.OIDCIssuer = settings.Issuer
	}
	same, err := resource.Find(w.Context, w.Tx, UserRows,
		resource.Where{Field: "oidcSubject", Op: "=", Value: now.OIDCSubject})
	if err != nil {
		return err
	}
	for _, u := range same {
		if u.ID != now.ID && u.OIDCSubject == now.OIDCSubject && u.OIDCIssuer == now.OIDCIssuer {
			return fault.At("oidcSubject", "the user %s has this identity already", u.Username)
		}
	}
	return nil
}

// HoldsExactly reports whether a user has these roles and no others.
func HoldsExactly(u *User, roles []int64) bool {
	return len(u.Roles) == len(roles) && !slices.ContainsFunc(roles, func(id int64) bool { return !u.holds(id) })
}

// RefsTo returns references to roles.
func RefsTo(roles []int64) (refs []RoleRef) {
	for _, id := range roles {
		refs = append(refs, RoleRef{ID: id})
	}
	return refs
}

// refuseNames refuses a new password that is a name of the user or the portal.
func refuseNames(w *resource.Write, now *User) error {
	password := w.SentText("password")
	if password == "" {
		return nil
	}
	return CheckPasswordOf(w.Context, w.Tx, now, password)
}

// CheckPasswordOf refuses a password that is a name of the user or of the portal.
func CheckPasswordOf(ctx context.Context, r resource.Reader, u *User, password string) error {
	mailbox, _, _ := strings.Cut(u.Email, "@")
	names := []string{u.Username, u.Email, mailbox, u.FirstName + u.LastName}
	settings, err := resource.Find(ctx, r, setting.SettingRows)
	if err != nil {
		return err
	}
	for _, s := range settings {
		names = append(names, s.Name)
	}
	return checkNotName(password, names...)
}

// resolveRoles finds the named roles, and writes both id and name into the row.
// Users cannot grant or revoke a role with permissions that they do not have.
func resolveRoles(w *resource.Write, was, now *User) error {
	if len(now.Roles) == 0 {
		return fault.At("roles", "a user needs at least one role")
	}
	roles, err := resource.Find(w.Context, w.Tx, RoleRows)
	if err != nil {
		return err
	}
	var held []RoleRef
	for _, ref := range now.Roles {
		k := slices.IndexFunc(roles,
			func(r Role) bool { return r.ID == ref.ID || ref.ID == 0 && strings.EqualFold(r.Name, ref.Name) })
		if k < 0 {
			return fault.At("roles", "there is no role %s", cmp.Or(ref.Name, strconv.FormatInt(ref.ID, 10)))
		}
		role := RoleRef{ID: roles[k].ID, Name: roles[k].Name, Privileges: roles[k].Privileges}
		if slices.ContainsFunc(held, func(have RoleRef) bool { return have.ID == role.ID }) {
			continue
		}
		held = append(held, role)
		if was != nil && was.holds(role.ID) {
			continue
		}
		if err := mayGrant(w, roles[k].Privileges); err != nil {
			return err
		}
	}
	now.Roles = held
	if was == nil {
		return nil
	}
	return MayManage(w, was)
}

// MayManage refuses to edit or delete a user who has permissions that the caller
// does not have, because the caller could gain them by setting the password.
func MayManage(w *resource.Write, was *User) error {
	roles, err := resource.Find(w.Context, w.Tx, RoleRows)
	if err != nil {
		return err
	}
	for _, r := range roles {
		if was.holds(r.ID) {
			if err := mayGrant(w, r.Privileges); err != nil {
				return fault.New(fault.Denied, "you cannot edit %s, who has the role %s", was.Username, r.Name)
			}
		}
	}
	return nil
}

// keepAnAdministrator refuses a write that would leave no administrator.
func keepAnAdministrator(w *resource.Write, was, now *User) error {
	if was == nil || !was.governs() || now != nil && now.governs() {
		return nil
	}
	users, err := resource.Find(w.Context, w.Tx, UserRows)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(users, func(u User) bool { return u.ID != was.ID && u.governs() }) {
		return fault.New(fault.Conflict, "%s is the last active administrator; add another one first", was.Username)
	}
	return nil
}

func (u *User) governs() bool {
	// with a password, so that the portal does not depend on an OpenID Connect provider
	return u.Status == "active" && !u.APIOnly && u.Password != "" && u.holds(ground.Administrator)
}

func (u *User) holds(role int64) bool {
	return slices.ContainsFunc(u.Roles, func(r RoleRef) bool { return r.ID == role })
}

// tokenRef is a token in the JSON of its user.
type tokenRef struct {
	ID       int64  `json:"id"`
	AccessID string `json:"accessId"`
	Note     string `json:"note"`
	Status   int64  `json:"status"`
}

func tokensOf(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	tokens, err := resource.Find(ctx, r, tokenRows)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(rows))
	for i, row := range rows {
		refs := []tokenRef{}
		for _, t := range tokens {
			if t.AdminID == row.ID {
				refs = append(refs, tokenRef{t.ID, t.AccessID, t.Note, t.Status})
			}
		}
		if out[i], err = resource.Encode(refs); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Zone returns the time zone of a user; nil for the portal's.
func (u *User) Zone() *time.Location {
	if zone, err := time.LoadLocation(u.Timezone); err == nil && u.Timezone != "" {
		return zone
	}
	return nil
}
