package keychain

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

var errNoBus = errors.New("there is no session bus")

// Bus returns an error if there is no usable session bus. Without one, the D-Bus
// client would start its own daemon, which has neither a keyring nor notices and
// keeps running.
//
// Without an address in the environment, the client searches /run/user, not
// XDG_RUNTIME_DIR; a bus elsewhere does not count.
func Bus() error {
	switch runtime.GOOS {
	case "windows", "darwin":
		return nil
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		if strings.HasPrefix(address, "autolaunch:") {
			return errNoBus
		}
		return nil
	}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err != nil {
		return errNoBus
	}
	return nil
}
