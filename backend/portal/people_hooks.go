package portal

import "spyglass/backend/resource"

// Points at which recipients of notices follow users.
const (
	// onUserRenamed fires when a user has another name.
	onUserRenamed resource.Trigger[UserChange] = "user.renamed"
	// onUserRemoved fires when a user is about to be removed; an error keeps the user.
	onUserRemoved resource.Trigger[UserChange] = "user.removed"
)

// UserChange is a user before and after a write; Now is nil for a removal.
type UserChange struct {
	Write    *resource.Write
	Was, Now *User
}
