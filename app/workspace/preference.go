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

// Preferences are the settings that a request to the built-in portal goes by.
type Preferences struct {
	Timeout  time.Duration // for a request without one; 0 if it is not set
	ReadOnly bool          // every write is refused
}

// Preferences returns the preferences of the user. Invalid values count as not
// set.
func (w *Workspace) Preferences(ctx context.Context, userID int64) (p Preferences, err error) {
	var seconds int64
	err = w.Settings(ctx, userID, map[string]any{timeoutSetting: &seconds, readOnlySetting: &p.ReadOnly})
	p.Timeout = time.Duration(seconds) * time.Second
	return p, err
}

// bounds are the least and greatest values of the settings used in this package.
var bounds = map[string][2]int64{
	timeoutSetting: {1, MaxTimeout},
	keptSetting:    {LeastKept, MostKept},
}

// checkSetting refuses a value that could not be acted on.
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
