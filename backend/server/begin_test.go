package server

import "testing"

func TestViewerPasswordIsShownOnThisMachineOnly(t *testing.T) {
	for listen, known := range map[string]bool{
		"127.0.0.1:0": true, "[::1]:8443": true, "": true,
		":8443": false, "0.0.0.0:8443": false, "[::]:0": false, "192.0.2.7:8443": false, "portal.example:8443": false,
	} {
		s := &Server{o: Options{Listen: listen}}
		if got := s.viewerPassword(); (got == "viewer-demo") != known || len(got) < 11 {
			t.Errorf("listening on %q, the viewer's password is %q", listen, got)
		}
	}
}
