package server

import (
	"context"
	"crypto/rand"

	"spyglass/backend/demo"
	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// begin reads the portal's settings, or makes a new portal where there are
// none. The settings are written last, so that a start which is killed in the
// middle is simply done again.
func (s *Server) begin(ctx context.Context) error {
	setting, err := resource.Get(ctx, s.db, portal.Settings.Name, portal.SettingID)
	if err == nil {
		s.Setting = *setting
		return nil
	}
	if !fault.Is(err, fault.Unknown) {
		return err
	}
	now := resource.SecondsOf(s.o.Clock())
	if err := s.db.Write(ctx, func(tx resource.Tx) error { return portal.Seed(ctx, tx, now) }); err != nil {
		return err
	}
	s.Passwords = map[string]string{"admin": password()}
	if err := s.fill(ctx); err != nil {
		return err
	}
	if err := s.setAdmin(ctx); err != nil {
		return err
	}
	s.Setting = portal.Setting{ID: portal.SettingID, Instance: word(8, random), Name: "My portal", Demo: s.o.Demo, CreatedOn: now}
	if s.o.Demo {
		s.Setting.Name = "Demo portal"
	}
	return s.db.Write(ctx, func(tx resource.Tx) error { return resource.Put(ctx, tx, portal.Settings.Name, &s.Setting) })
}

func random(b []byte) { rand.Read(b) }

// password is one that is read off a screen once: 20 letters and digits, 115 bits.
func password() string { return word(20, random) }

func (s *Server) fill(ctx context.Context) error {
	if !s.o.Demo {
		return nil
	}
	empty, err := demo.Empty(ctx, s.db)
	if err != nil || !empty {
		return err
	}
	s.Passwords["operator"], s.Passwords["viewer"] = password(), demo.ViewerPassword
	s.o.Log.InfoContext(ctx, "filling the folder with the demo environment")
	return demo.Fill(ctx, s.db, demo.Options{
		Devices: s.o.DemoDevices, Now: s.o.Clock(), Passwords: s.Passwords,
		Progress: func(n int) { s.o.Log.InfoContext(ctx, "filling", "devices", n) },
	})
}

// setAdmin makes the administrator, or gives the one of a start that was killed
// a password that somebody will see.
func (s *Server) setAdmin(ctx context.Context) error {
	hash, err := portal.HashPassword(s.Passwords["admin"])
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx resource.Tx) error {
		found, err := resource.Find(ctx, tx, portal.Users.Name, resource.Where{Field: "username", Op: "=", Value: "admin"})
		if err != nil {
			return err
		}
		user, err := portal.Users.Defaults()
		if err != nil {
			return err
		}
		user.Username, user.Email, user.CreatedBy = "admin", "admin@localhost", "system"
		user.Roles = []portal.RoleRef{{ID: portal.Administrator, Name: "administrator"}}
		if len(found) > 0 {
			user = &found[0]
		}
		user.Password = hash
		return resource.Put(ctx, tx, portal.Users.Name, user)
	})
}
