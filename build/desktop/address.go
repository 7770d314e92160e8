package desktop

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports that FreeAddress returns: below those that systems use for outgoing
// connections (RFC 6335 has these begin at 49152, Linux at 32768). A server on
// one of those can find it taken when it ends and starts again.
const firstPort, endPort = 20000, 32768

// FreeAddress returns an address of this machine, host:port, on which nothing listens
// now.
func FreeAddress() (string, error) {
	var taken error
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(endPort-firstPort)))
		if err == nil {
			return l.Addr().String(), l.Close()
		}
		taken = err
	}
	return "", fmt.Errorf("no port is free: %w", taken)
}
