package server

import (
	"context"
	"crypto/rand"
	"runtime/debug"
	"time"

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
		return s.complete(ctx)
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
	if setting, err = portal.Settings.Defaults(); err != nil {
		return err
	}
	s.Setting = *setting
	s.Setting.ID, s.Setting.Instance, s.Setting.Name, s.Setting.Demo, s.Setting.CreatedOn = portal.SettingID, word(8, random), "My portal", s.o.Demo, now
	if s.o.Demo {
		s.Setting.Name = "Demo portal"
	}
	return s.db.Write(ctx, func(tx resource.Tx) error {
		if err := resource.Put(ctx, tx, portal.Settings.Name, &s.Setting); err != nil {
			return err
		}
		if err := portal.Announce(ctx, tx, s.o.Version, built()); err != nil {
			return err
		}
		return tx.Note(ctx, &resource.Change{Call: &resource.Call{At: s.o.Clock()}, Action: "create", Object: "portal", Title: "Made this portal"})
	})
}

// complete gives an older portal what this version adds, and tells which
// version its collectors can have.
func (s *Server) complete(ctx context.Context) error {
	return s.db.Write(ctx, func(tx resource.Tx) error {
		if err := portal.Complete(ctx, tx, &s.Setting, resource.SecondsOf(s.o.Clock())); err != nil {
			return err
		}
		return portal.Announce(ctx, tx, s.o.Version, built())
	})
}

// built is when this program's source was committed; 0 when it does not say.
func built() resource.Seconds {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return 0
	}
	for _, s := range info.Settings {
		if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return resource.SecondsOf(at)
		}
	}
	return 0
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
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		return resource.Put(ctx, tx, portal.DemoTimes.Name, &portal.DemoTime{ID: portal.DemoTimeID, Devices: int64(s.o.DemoDevices)})
	})
	if err != nil {
		return err
	}
	return demo.Fill(ctx, s.db, demo.Options{
		Devices: s.o.DemoDevices, Now: s.o.Clock(), Passwords: s.Passwords, Reports: s.reportFolder(),
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
