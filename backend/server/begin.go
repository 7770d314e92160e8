package server

import (
	"context"
	"crypto/rand"
	"net"
	"runtime/debug"
	"time"

	"spyglass/backend/demo"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/portal"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// begin reads the portal's settings, or creates a new portal if there are none.
// It writes the settings last, so that an interrupted start is simply repeated. others
// means that other nodes may have the portal open, and show its initial passwords.
func (s *Server) begin(ctx context.Context, others bool) error {
	settings, err := resource.Get(ctx, s.db, setting.Settings.Name, setting.SettingID)
	if err == nil {
		s.Setting = *settings
		if err := s.complete(ctx); err != nil || others {
			return err
		}
		return s.renewUnshown(ctx)
	}
	if !fault.Is(err, fault.Unknown) {
		return err
	}
	now := resource.SecondsOf(s.o.Clock())
	if err := s.db.Write(ctx, func(tx resource.Tx) error { return portal.Seed(ctx, tx, now) }); err != nil {
		return err
	}
	s.Passwords = map[string]string{"admin": password()}
	if s.o.Demo {
		s.Passwords["operator"], s.Passwords["viewer"] = password(), s.viewerPassword()
	}
	if err := s.fill(ctx); err != nil {
		return err
	}
	if s.o.Seed != "" {
		if err := s.db.Know(ctx, seeded, seedPending); err != nil {
			return err
		}
	}
	for name := range s.Passwords { // also after an interrupted start has filled the demo
		if err := s.setPassword(ctx, name); err != nil {
			return err
		}
	}
	if settings, err = setting.Settings.Defaults(); err != nil {
		return err
	}
	s.Setting = *settings
	s.Setting.ID, s.Setting.Instance, s.Setting.Name, s.Setting.Demo, s.Setting.CreatedOn = setting.SettingID,
		word(8, random), "My portal", s.o.Demo, now
	if s.o.Demo {
		s.Setting.Name = "Demo portal"
	}
	return s.db.Write(ctx, func(tx resource.Tx) error {
		if err := resource.Put(ctx, tx, setting.Settings.Name, &s.Setting); err != nil {
			return err
		}
		if err := collector.Announce(ctx, tx, s.o.Version, built()); err != nil {
			return err
		}
		if err := people.EnsureSignIn(ctx, tx); err != nil {
			return err
		}
		return tx.Note(ctx, &resource.Change{Call: &resource.Call{At: s.o.Clock()}, Action: "create", Object: "portal",
			Title: "Created this portal"})
	})
}

// complete adds rows to an older portal that this version needs, and sets the
// available version of collectors.
func (s *Server) complete(ctx context.Context) error {
	var completed setting.Setting
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		completed = s.Setting
		if err := portal.Complete(ctx, tx, &completed, resource.SecondsOf(s.o.Clock())); err != nil {
			return err
		}
		if err := people.EnsureSignIn(ctx, tx); err != nil {
			return err
		}
		return collector.Announce(ctx, tx, s.o.Version, built())
	})
	if err == nil {
		s.Setting = completed
	}
	return err
}

// built returns the time of this program's source commit; 0 if unknown.
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

// password returns a random password for a user to copy from the screen: 20
// letters and digits, 115 bits.
func password() string { return word(20, random) }

func (s *Server) fill(ctx context.Context) error {
	if !s.o.Demo {
		return nil
	}
	empty, err := demo.Empty(ctx, s.db)
	if err != nil || !empty {
		return err
	}
	s.o.Log.InfoContext(ctx, "filling the folder with the demo environment")
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		return resource.Put(ctx, tx, incident.DemoTimes.Name,
			&incident.DemoTime{ID: incident.DemoTimeID, Devices: int64(s.o.DemoDevices)})
	})
	if err != nil {
		return err
	}
	return demo.Fill(ctx, s.db, demo.Options{
		Devices: s.o.DemoDevices, Now: s.o.Clock(), Passwords: s.Passwords, Reports: s.filesIn,
		Samples:  s.examples,
		Progress: func(n int) { s.o.Log.InfoContext(ctx, "filling", "devices", n) },
	})
}

// unshown, followed by a user name, is the key under which the database stores
// the hash of an initial password until a user has seen it.
const unshown = "unshown password of "

// PasswordsShown records that a user has seen Passwords. Until then, each start
// creates new ones, unless the user has changed the password.
func (s *Server) PasswordsShown(ctx context.Context) error {
	for name := range s.Passwords {
		if err := s.db.Know(ctx, unshown+name, ""); err != nil {
			return err
		}
	}
	return nil
}

// viewerPassword returns the well-known password of the demo's viewer, or a
// random one if other machines can sign in with it.
func (s *Server) viewerPassword() string {
	host, _, err := net.SplitHostPort(s.o.Listen)
	if err == nil && !loopback.Host(host) {
		return password()
	}
	return demo.ViewerPassword
}

// renewUnshown creates new initial passwords if an earlier start ended before
// showing them.
func (s *Server) renewUnshown(ctx context.Context) error {
	for _, name := range []string{"admin", "operator", "viewer"} {
		hash, err := s.db.Known(ctx, unshown+name)
		if err != nil {
			return err
		}
		if hash == "" {
			continue
		}
		users, err := resource.Find(ctx, s.db, people.Users.Name,
			resource.Where{Field: "username", Op: "=", Value: name})
		if err != nil {
			return err
		}
		if len(users) == 0 || users[0].Password != hash {
			continue
		}
		if s.Passwords == nil {
			s.Passwords = map[string]string{}
		}
		if s.Passwords[name] = password(); name == "viewer" {
			s.Passwords[name] = s.viewerPassword()
		}
		if err := s.setPassword(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// setPassword sets the initial password of a user of a new portal. It creates the
// administrator, and skips other users that do not exist.
func (s *Server) setPassword(ctx context.Context, name string) error {
	hash, err := people.HashPassword(s.Passwords[name])
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		found, err := resource.Find(ctx, tx, people.Users.Name, resource.Where{Field: "username", Op: "=", Value: name})
		if err != nil {
			return err
		}
		var user *people.User
		switch {
		case len(found) > 0:
			user = &found[0]
		case name != "admin":
			return nil
		default:
			if user, err = people.Users.Defaults(); err != nil {
				return err
			}
			user.Username, user.Email, user.CreatedBy = "admin", "admin@localhost", "system"
			role, err := resource.Get(ctx, tx, people.Roles.Name, ground.Administrator)
			if err != nil {
				return err
			}
			user.Roles = []people.RoleRef{{ID: role.ID, Name: role.Name, Privileges: role.Privileges}}
		}
		user.Password = hash
		return resource.Put(ctx, tx, people.Users.Name, user)
	})
	if err != nil {
		return err
	}
	return s.db.Know(ctx, unshown+name, hash)
}
