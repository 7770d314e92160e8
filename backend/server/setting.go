package server

import (
	"context"
	"time"

	"spyglass/backend/api"
	"spyglass/backend/check"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// setting returns the portal's current settings. They are read again only when
// they have changed, so that every request may call it.
func (s *Server) setting() *setting.Setting {
	value, err := s.db.Memo("server.setting", []string{string(setting.Settings.Name)}, func() (any, error) {
		return resource.Get(context.Background(), s.db, setting.Settings.Name, setting.SettingID)
	})
	if err != nil {
		s.o.Log.Error("the portal's settings cannot be read; using those from the start", "err", err)
		return &s.Setting
	}
	return value.(*setting.Setting)
}

// PortalName returns the name of the portal as it is now.
func (s *Server) PortalName() string { return s.setting().Name }

// Networks returns those that the Explorer's requests to other portals may go to.
func (s *Server) Networks() (check.Networks, error) { return s.setting().Networks() }

// limit returns how many requests of a method each endpoint takes.
func (s *Server) limit(method string) api.Limit {
	return api.Limit{Requests: int(s.setting().Requests(method)), Window: time.Minute}
}

// zone returns the time zone in which a day of a filter is a day.
func (s *Server) zone() *time.Location { return s.setting().Zone() }
