package session

import (
	"context"
	"fmt"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// AsRole returns the access with which holders of a role would read: never more than
// that of who, an administrator. It returns fault.Denied for anyone else and for a
// token with limits, and fault.Invalid for an unknown role. The audit log has each
// preview.
func (s *Service) AsRole(ctx context.Context, who *resource.Access, role, path, remote string) (*resource.Access,
	error) {
	if who == nil || !who.Admin || who.Bounded() {
		return nil, fault.New(fault.Denied, "only administrators can preview what another role sees, and not with a "+
			"token that expires or is limited to a role")
	}
	id, ok := resource.ParseID(role)
	if !ok {
		return nil, fault.New(fault.Invalid, "X-Spyglass-As-Role must be the id of a role")
	}
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	found := everyone.roles[id]
	if found == nil {
		return nil, fault.New(fault.Invalid, "there is no role %d", id)
	}
	s.note(ctx, s.change("preview", who.User, fmt.Sprintf("Viewed %s as the role %s", path, found.Name), remote))
	return s.access(ctx, holder{userID: who.UserID, roleID: id})
}
