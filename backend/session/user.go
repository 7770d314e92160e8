package session

import (
	"context"
	"errors"
	"net/mail"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// AddUser creates a user with one role, by name, and returns the id. It is for
// the command line and the first start: the rules of /setting/admins run as for a
// user with full access.
func (s *Service) AddUser(ctx context.Context, name, password, role string) (id int64, err error) {
	hash, err := people.HashPassword(password)
	if err != nil {
		return 0, err
	}
	u, err := people.Users.Defaults()
	if err != nil {
		return 0, err
	}
	if strings.TrimSpace(name) == "" || len(name) > 128 {
		return 0, fault.At("username", "username must have 1 to 128 bytes")
	}
	u.Username, u.Password, u.Email, u.Roles = name, hash, mailOf(name), []people.RoleRef{{Name: role}}
	ctx = s.asPortal(ctx)
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		u.ID = 0
		if err := people.CheckPasswordOf(ctx, tx, u, password); err != nil {
			return err
		}
		if err := people.Users.Check(s.asSystem(ctx, tx), nil, u); err != nil {
			return err
		}
		return resource.Put(ctx, tx, people.Users.Name, u)
	})
	return u.ID, err
}

// asPortal attributes later writes to the portal itself in the audit log, if
// there is no caller.
func (s *Service) asPortal(ctx context.Context) context.Context {
	if resource.CallOf(ctx) != nil {
		return ctx
	}
	return resource.WithCall(ctx, &resource.Call{At: s.clock()})
}

func (s *Service) asSystem(ctx context.Context, tx resource.Tx) *resource.Write {
	return &resource.Write{Context: ctx, Call: &resource.Call{At: s.clock()}, Tx: tx,
		Given: func(string) bool { return true }}
}

// mailOf returns an email address for a user whose own address is unknown.
func mailOf(name string) string {
	for _, address := range []string{name, name + "@localhost"} {
		if _, err := mail.ParseAddress(address); err == nil {
			return address
		}
	}
	return "user@localhost"
}

// SetPassword sets a user's password, which ends their sessions and unlocks the
// user name. It returns fault.Unknown for an unknown name.
func (s *Service) SetPassword(ctx context.Context, name, password string) error {
	return s.setPassword(ctx, name, password, false)
}

// setPassword is SetPassword; chosen: by the user, who need not change it again.
func (s *Service) setPassword(ctx context.Context, name, password string, chosen bool) error {
	hash, err := people.HashPassword(password)
	if err != nil {
		return err
	}
	id, err := s.UserID(ctx, name)
	if err != nil {
		return err
	}
	ctx = s.asPortal(ctx)
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		u, err := resource.Get(ctx, tx, people.Users.Name, id)
		if err != nil {
			return err
		}
		if err := people.CheckPasswordOf(ctx, tx, u, password); err != nil {
			return err
		}
		u.Password, u.ForceChange = hash, u.ForceChange && !chosen
		return resource.Put(ctx, tx, people.Users.Name, u)
	})
	if err != nil {
		return err
	}
	s.fails.forgive(userKey(name))
	s.forgetFailures(ctx, userKey(name))
	return s.EndUser(ctx, id)
}

// changePassword sets the caller's password and returns their only remaining
// session: a new one, without time limits if the old one had none.
func (s *Service) changePassword(ctx context.Context, c *resource.Call, in newPassword) (*Session, error) {
	persistent, todo := s.stateOf(c.Session.Cookie)
	who, err := s.proveCaller(ctx, c, in.Password, nil)
	if err != nil {
		return nil, err
	}
	if in.NewPassword == in.Password {
		return nil, fault.At("newPassword", "the new password must differ from the current one")
	}
	if err := s.setPassword(ctx, who.row.Username, in.NewPassword, true); err != nil {
		if bad := (*fault.Error)(nil); errors.As(err, &bad) && bad.Field == "password" {
			bad.Field = "newPassword"
		}
		return nil, err
	}
	return s.reopen(ctx, who.row.ID, persistent, todo)
}

// proveCaller returns the caller's user if the password is right, and the code unless
// it is nil. It returns a fault about the wrong field otherwise.
func (s *Service) proveCaller(ctx context.Context, c *resource.Call, password string, code *string) (*person, error) {
	who, err := s.prove(ctx, c.Access.User, password, code, origin{c.Remote, c.Device})
	switch {
	case isFactorError(err):
		return nil, fault.At("code", "%s", fault.Of(err).Message)
	case fault.Is(err, fault.NoLogin):
		return nil, fault.At("password", "the current password is wrong")
	}
	return who, err
}

// reopen ends all sessions of a user whose credentials have changed, and begins a new
// one with the remaining steps of an ended one.
func (s *Service) reopen(ctx context.Context, userID int64, persistent bool, todo steps) (*Session, error) {
	if err := s.EndUser(ctx, userID); err != nil {
		return nil, err
	}
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	who := everyone.byID[userID]
	if who == nil || !who.maySignIn() {
		return nil, errNoSession()
	}
	return s.open(ctx, who, persistent, todo)
}

// UserID returns the id of the user with that name, ignoring case; fault.Unknown if
// there is none.
func (s *Service) UserID(ctx context.Context, name string) (int64, error) {
	everyone, err := s.everyone(ctx)
	if err != nil {
		return 0, err
	}
	if who := everyone.named(name); who != nil {
		return who.row.ID, nil
	}
	return 0, fault.New(fault.Unknown, "there is no user %s", name)
}
