package check

import (
	"net"
	"net/netip"
	"os"
	"strings"
)

// Own returns the names and addresses of this machine, except loopback ones.
func Own() map[string]bool {
	own := map[string]bool{}
	if name, err := os.Hostname(); err == nil {
		own[strings.ToLower(name)] = true
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return own
	}
	for _, one := range all {
		if at, err := netip.ParsePrefix(one.String()); err == nil {
			own[at.Addr().Unmap().String()] = true
		}
	}
	return own
}

// byName maps names to checks.
var byName = func() map[string]Check {
	all := map[string]Check{}
	for _, c := range All(&Dialer{}) {
		all[c.Name] = c
	}
	return all
}()

// Remote reports whether the task checks another machine over the network. own
// holds the names and addresses of this machine.
func (t *Task) Remote(own map[string]bool) bool {
	if byName[t.Method].Local {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(t.connectsTo(), "."))
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return false
	}
	if at, err := netip.ParseAddr(host); err == nil {
		at = at.Unmap().WithZone("")
		host = at.String()
		if at.IsLoopback() || at.IsUnspecified() {
			return false
		}
	}
	return !own[host]
}

// connectsTo returns the host that the check connects to.
func (t *Task) connectsTo() string {
	if to := byName[t.Method].ConnectsTo; to != nil {
		return to(t)
	}
	return t.Host
}
