package server

import (
	"net/http"
	"sync/atomic"

	"spyglass/backend/api"
	"spyglass/backend/store"
)

// Progress reports how far the upgrade of the data folder is.
type Progress = store.Progress

// door is the handler of a server that upgrades its databases: until the portal is open,
// every request gets the progress.
type door struct {
	progress atomic.Pointer[Progress]
	portal   atomic.Pointer[http.Handler] // nil until the portal is open
	upgrade  http.Handler
}

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if portal := d.portal.Load(); portal != nil {
		(*portal).ServeHTTP(w, r)
		return
	}
	d.upgrade.ServeHTTP(w, r)
}

// ReportUpgrade reports the progress of an upgrade, of the portal's own databases or of
// one beside it. Call it before Start. The first call starts to serve: browsers get a page
// that shows the progress, and other clients 503 with Retry-After.
func (s *Server) ReportUpgrade(p Progress) {
	if s.o.Upgrade != nil {
		s.o.Upgrade(p)
	}
	if s.listener == nil {
		return
	}
	if s.door != nil {
		s.door.progress.Store(&p)
		return
	}
	s.door = &door{}
	s.door.progress.Store(&p)
	s.door.upgrade = api.Upgrading(hosts(s.Address(), s.o.Listen, s.o.TLSCert != ""), func() (string, int) {
		p := s.door.progress.Load()
		return p.String(), p.Percent()
	})
	s.http = s.newHTTP(s.door)
	s.listen()
}
