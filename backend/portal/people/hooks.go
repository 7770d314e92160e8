package people

import "spyglass/backend/resource"

// Points at which recipients of notices follow users.
const (
	// OnUserRenamed fires when a user is renamed.
	OnUserRenamed resource.Trigger[UserChange] = "user.renamed"
	// OnUserRemoved fires before a user is deleted; an error prevents that.
	OnUserRemoved resource.Trigger[UserChange] = "user.removed"
)

// UserChange is a user before and after a write; Now is nil for a deletion.
type UserChange struct {
	Write    *resource.Write
	Was, Now *User
}
