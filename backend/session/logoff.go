package session

import (
	"context"
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// logoff is the body of a request that ends the sessions of others.
type logoff struct {
	Names []string `json:"userNames" doc:"user names, at most 1,000"`
}

const mostLoggedOff = 1000 // users per request

func (s *Service) logoffEndpoint() resource.Endpoint {
	body := resource.SchemaOf(logoff{})
	return resource.Endpoint{
		Method: "POST", Path: "/setting/admins/services/logoffUsers", Category: ground.CategorySettings,
		Summary: "Sign users out",
		Doc: "Ends all sessions of the users named, in browsers and in desktop windows, and their event streams. " +
			"API tokens stay. If one of the names is wrong, no user is signed out.",
		Right: resource.Right{Object: resource.Setting, Area: ground.AreaUserAccess, Op: resource.Modify}, Body: &body,
		Errors: []resource.Failure{
			{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
			{Kind: fault.Denied, When: "the user's role does not have the permission, or a user has permissions " +
				"that the caller does not have"},
			{Kind: fault.Invalid, When: "there is no user with that name"},
			{Kind: fault.TooMany, When: "the rate limit is reached"},
		},
		Example: resource.Example{Body: logoff{Names: []string{"viewer"}}},
		Handle:  s.handleLogoff,
	}
}

func (s *Service) handleLogoff(ctx context.Context, c *resource.Call) (any, error) {
	var in logoff
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	if len(in.Names) == 0 || len(in.Names) > mostLoggedOff {
		return nil, fault.At("userNames", "userNames must have 1 to %d names", mostLoggedOff)
	}
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	var users []people.User
	for i, name := range in.Names {
		who := everyone.named(name)
		if who == nil {
			return nil, fault.At(fmt.Sprintf("userNames[%d]", i), "userNames[%d]: there is no user %q", i, name)
		}
		users = append(users, who.row)
	}
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		for i := range users {
			was, now := users[i], users[i]
			now.Roles = slices.Clone(was.Roles)
			// The user's own rules decide: signing a user out requires the
			// permission to change that user.
			w := &resource.Write{Context: ctx, Call: c, Tx: tx, Given: func(string) bool { return false }}
			if err := people.Users.Check(w, &was, &now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range users {
		if err := s.EndUser(ctx, users[i].ID); err != nil {
			return nil, err
		}
		s.note(ctx, s.change("sign-out", c.Access.User, "Signed out "+users[i].Username, c.Remote))
	}
	return nil, nil
}
