package check

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
)

// Own returns the names and addresses of this machine, other than loopback ones.
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

// Remote reports whether the task checks another machine over the network. own
// holds the names and addresses of this one.
func (t *Task) Remote(own map[string]bool) bool {
	switch t.Method {
	case "host", "disk", "network":
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
	switch t.Method {
	case "http":
		if at, err := url.Parse(t.Attribute("url", "")); err == nil && at.Host != "" {
			return at.Hostname()
		}
	case "tls":
		return t.Attribute("host", t.Host)
	}
	return t.Host
}
