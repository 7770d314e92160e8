package workspace

import (
	"context"
	"strconv"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

const (
	timeoutSetting  = "timeout"        // default timeout of requests in seconds
	readOnlySetting = "portalReadOnly" // locks the built-in portal
)

// Preferences are the settings for requests to the built-in portal.
type Preferences struct {
	Timeout  time.Duration // for a request without a timeout; 0 if not set
	ReadOnly bool          // refuses every write
}

// Preferences returns the preferences of the user. Invalid values count as not
// set.
func (w *Workspace) Preferences(ctx context.Context, userID int64) (p Preferences, err error) {
	var seconds int64
	err = w.Settings(ctx, userID, map[string]any{timeoutSetting: &seconds, readOnlySetting: &p.ReadOnly})
	p.Timeout = time.Duration(seconds) * time.Second
	return p, err
}

// bounds holds the minimum and maximum of the settings used in this package.
var bounds = map[string][2]int64{
	timeoutSetting: {1, MaxTimeout},
	keptSetting:    {LeastKept, MostKept},
}

// checkSetting refuses an invalid value.
func (w *Workspace) checkSetting(a *resource.Access, key string, value []byte) error {
	within, known := bounds[key]
	if !known {
		return nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < within[0] || n > within[1] {
		return fault.At(key, "%s must be a whole number from %d to %d", key, within[0], within[1])
	}
	if key == keptSetting && w.quota > 0 && !a.Admin && n > MostKeptOfMany {
		return fault.At(key, "%s can be at most %d on a shared portal; only administrators may store more",
			key, MostKeptOfMany)
	}
	return nil
}
