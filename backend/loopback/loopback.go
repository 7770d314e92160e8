// Package loopback decides whether an address is this machine, and therefore
// whether a secret may be sent without TLS.
//
// In case of doubt an address is not loopback: a name that only begins or ends
// with localhost, a number in a spelling that programs read differently, an
// address with a zone or a port in it. 0.0.0.0 and :: mean every address of the
// machine to listen on, and are not addresses to connect to, so they are not
// loopback.
package loopback

import (
	"net/netip"
	"net/url"
	"strings"

	"spyglass/backend/fault"
)

// Host reports whether a host, without port and brackets, is this machine:
// localhost (RFC 6761), 127.0.0.0/8, ::1, or one of these mapped into IPv6.
func Host(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Zone() == "" && address.Unmap().IsLoopback()
}

// InClear reports whether others can read requests to an address on the way, because the address is
// on another machine and does not use https. It returns true for an invalid address, and false
// for an empty address.
func InClear(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	return u.Host != "" && !strings.EqualFold(u.Scheme, "https") && !Host(u.Hostname())
}

// CheckConsent refuses to send a secret in clear to an address, unless a person
// consented. The secret is named as a sentence needs it: "the secret".
func CheckConsent(address, secret string, consented bool) error {
	if consented || !InClear(address) {
		return nil
	}
	return fault.At("sendInClear", "%s would get %s in clear text over http://. Use https://, or turn on Send in "+
		"clear text over http://.", address, secret)
}
