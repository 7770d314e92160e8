package portal

import (
	"net/netip"
	"net/url"
	"strings"

	"spyglass/backend/fault"
)

// sendInClearDoc describes the field sendInClear.
const sendInClearDoc = "Send in clear text over http://: without it, secrets go to another machine over https:// only"

// checkClear refuses to send a secret where everybody on the way can read it,
// unless a person said so. It never leaves the machine at a loopback address.
func checkClear(address string, consented bool) error {
	u, err := url.Parse(address)
	if err != nil || consented || !strings.EqualFold(u.Scheme, "http") || isLoopback(u.Hostname()) {
		return nil
	}
	return fault.At("sendInClear", "%s would get the secret in clear text over http://. Use https://, or turn on Send in clear text over http://.", address)
}

func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
