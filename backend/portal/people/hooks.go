package people

import "spyglass/backend/resource"

// Points at which recipients of notices follow users.
const (
	// OnUserRenamed fires when a user has another name.
	OnUserRenamed resource.Trigger[UserChange] = "user.renamed"
	// OnUserRemoved fires when a user is about to be removed; an error keeps the user.
	OnUserRemoved resource.Trigger[UserChange] = "user.removed"
)

// UserChange is a user before and after a write; Now is nil for a removal.
type UserChange struct {
	Write    *resource.Write
	Was, Now *User
}
