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

// Bus returns an error if the desktop must not be used at all. Where keyring and
// notices are on the session bus and there is none, the D-Bus client would start
// a daemon of its own, which has neither and keeps running.
//
// Without an address in the environment that client looks in /run/user, not in
// XDG_RUNTIME_DIR; so a bus anywhere else is none.
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
