package people

import (
	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// tokenRows names the rows of Token.
const tokenRows resource.Name[*Token] = "apiToken"

// Token lets a program act with its user's permissions. One row serves both
// authentication schemes: Bearer and LMv1.
type Token struct {
	ID         int64
	AdminID    int64
	AdminName  string
	AccessID   string
	BearerHash string // SHA-256 of the bearer token, hex; the token itself is shown once
	SealedKey  string // the LMv1 access key, encrypted with the portal's key
	Note       string
	Status     int64
	CreatedBy  string
	CreatedOn  resource.Seconds
	LastUsedOn resource.Seconds
	LastAuthIP string
	RoleID     int64            // limits the token to what this role may do; 0: all that its user may
	ExpiresOn  resource.Seconds // 0: never
}

// TokenActive and TokenSuspended are the values of a token's status.
const (
	TokenActive    int64 = 2
	TokenSuspended int64 = 1
)

// AccessKeyPlace binds the encrypted access key of a token to its access id,
// which never changes.
func AccessKeyPlace(accessID string) string { return "apiToken.accessKey " + accessID }

// Tokens declares /setting/admins/{adminId}/apitokens. Package session creates
// tokens, because the response contains the secret, which is never shown again.
var Tokens = resource.Resource[*Token]{
	Name: tokenRows, Label: "API token", Sample: 1, Path: "/setting/admins/{adminId}/apitokens",
	Category: ground.CategorySettings, Object: resource.Setting, Area: "useraccess",
	Doc:     "A credential for programs, with the permissions of its user, or with those that a role has, too.",
	Parents: []resource.Parent{{Of: string(UserRows), Param: "adminId", Field: "adminId", Sample: 2}},
	Absent:  "accessKey userPermission",
	Fields: []resource.Field[*Token]{
		{Name: "id", At: func(t *Token) any { return &t.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 1},
		{Name: "adminId", At: func(t *Token) any { return &t.AdminID }, Doc: "Whose token it is", ReadOnly: true,
			Refs: "admin", Index: true, Example: 1},
		{Name: "adminName", At: func(t *Token) any { return &t.AdminName }, Doc: "Whose token it is, by name",
			ReadOnly: true},
		{Name: "accessId", At: func(t *Token) any { return &t.AccessID }, Doc: "Public half of the LMv1 credential",
			ReadOnly: true, Index: true, Example: "m8K2v5Qp"},
		{Name: "bearerHash", At: func(t *Token) any { return &t.BearerHash }, Doc: "Digest of the bearer token",
			ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "sealedKey", At: func(t *Token) any { return &t.SealedKey }, Doc: "The access key, sealed",
			ReadOnly:  true,
			WriteOnly: true},
		{Name: "note", At: func(t *Token) any { return &t.Note }, Doc: "Purpose of the token", MaxLen: 255,
			Example: "nightly export"},
		{Name: "status", At: func(t *Token) any { return &t.Status }, Doc: "2 active, 1 suspended",
			Default: TokenActive,
			OneOf:   []any{TokenActive, TokenSuspended}, Example: 2},
		{Name: "roleId", At: func(t *Token) any { return &t.RoleID }, Doc: "Limits the token to those permissions of " +
			"its user that this role has, too; 0: all permissions of its user", Refs: string(RoleRows),
			Min: resource.Bound(0)},
		{Name: "expiresOn", At: func(t *Token) any { return &t.ExpiresOn }, Doc: "When the token stops working; 0: " +
			"never"},
		{Name: "createdBy", At: func(t *Token) any { return &t.CreatedBy }, Doc: "Who created it", ReadOnly: true},
		{Name: "createdOn", At: func(t *Token) any { return &t.CreatedOn }, Doc: "When it was created", ReadOnly: true},
		{Name: "lastUsedOn", At: func(t *Token) any { return &t.LastUsedOn }, Doc: "When it was last used",
			ReadOnly: true},
		{Name: "lastAuthIp", At: func(t *Token) any { return &t.LastAuthIP }, Doc: "From where it was last used",
			ReadOnly: true},
	},
	Lists: []resource.Listing{{Path: "/setting/admins/apitokens", Summary: "List API tokens of all users",
		Doc: "Returns the API tokens of every user, one page at a time."}},
	Without: []resource.Verb{resource.OnCreate},
	Check: func(w *resource.Write, was, now *Token) error {
		if err := mayManageTokens(w, was); err != nil {
			return err
		}
		return CheckTokenRole(w, was, now)
	},
	Remove: func(w *resource.Write, t *Token) error {
		return mayManageTokens(w, t)
	},
}

// CheckTokenRole refuses a role that does not exist. was is nil for a new token.
func CheckTokenRole(w *resource.Write, was, now *Token) error {
	if now.RoleID == 0 || was != nil && was.RoleID == now.RoleID {
		return nil
	}
	if role, err := resource.Lookup(w.Context, w.Tx, RoleRows, now.RoleID); err != nil || role != nil {
		return err
	}
	return fault.At("roleId", "there is no role %d", now.RoleID)
}

// mayManageTokens refuses callers who may not change the user, because a token
// has the same access.
func mayManageTokens(w *resource.Write, t *Token) error {
	user, err := resource.Get(w.Context, w.Tx, UserRows, t.AdminID)
	if err != nil {
		return err
	}
	return MayManage(w, user)
}
