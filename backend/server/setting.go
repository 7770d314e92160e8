package server

import (
	"context"
	"time"

	"spyglass/backend/api"
	"spyglass/backend/check"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// setting returns the portal's current settings. They are cached until they
// change, so that every request may call it.
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

// PortalName returns the current name of the portal.
func (s *Server) PortalName() string { return s.setting().Name }

// Networks returns the networks to which the Explorer may send requests.
func (s *Server) Networks() (check.Networks, error) { return s.setting().Networks() }

// AgentsMayWrite reports whether agents that connect to /mcp may change the portal.
func (s *Server) AgentsMayWrite() bool { return s.setting().AgentsWrite }

// limit returns the rate limit of endpoints with that method. Nodes share it: a load
// balancer sends each of them the same part of the requests.
func (s *Server) limit(method string) api.Limit {
	requests, nodes := int(s.setting().Requests(method)), 1
	if s.leases != nil {
		nodes = s.leases.Alive()
	}
	return api.Limit{Requests: (requests + nodes - 1) / nodes, Window: time.Minute}
}

// zone returns the time zone of days in filters.
func (s *Server) zone() *time.Location { return s.setting().Zone() }
