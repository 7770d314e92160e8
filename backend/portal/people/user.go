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
			Doc: "Kept for clients of the published API; never enforced"},
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
			Doc: "Kept for clients of the published API; there is no second factor"},
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
			if now.Password == "" && !now.APIOnly {
				return fault.At("password", "password is required for a user who signs in")
			}
		}
		if _, err := mail.ParseAddress(now.Email); err != nil {
			return fault.At("email", "email is not a valid email address")
		}
		if _, err := time.LoadLocation(now.Timezone); err != nil || now.Timezone == "Local" {
			return fault.At("timezone", "timezone must be an IANA time zone name such as Europe/Berlin")
		}
		before := cmp.Or(was, &User{})
		err := refusePromises(w, promise{"twoFAEnabled", before.TwoFAEnabled, now.TwoFAEnabled},
			promise{"forcePasswordChange", before.ForceChange, now.ForceChange})
		if err != nil {
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

// promise is a switch of the published API without effect in this portal, before
// and after a write.
type promise struct {
	field    string
	was, now bool
}

// refusePromises refuses, on the strict mount, to turn on a switch that would have
// no effect.
func refusePromises(w *resource.Write, promises ...promise) error {
	for _, p := range promises {
		if p.now && !p.was && !w.Call.Lenient {
			return fault.At(p.field, "%s cannot be turned on: this portal does not enforce it", p.field)
		}
	}
	return nil
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
	return u.Status == "active" && !u.APIOnly && u.holds(ground.Administrator)
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
