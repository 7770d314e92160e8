package workspace

import (
	"context"
	"strconv"
	"time"

	"spyglass/backend/fault"
)

// timeoutSetting is how many seconds a person waits for an answer where the
// request does not say.
const timeoutSetting = "timeout"

// Timeout is the user's own time for a request without one; 0 when the settings
// do not tell.
func (w *Workspace) Timeout(ctx context.Context, userID int64) (time.Duration, error) {
	row, err := w.settingsOf(ctx, w.db, userID)
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseInt(string(row.Values[timeoutSetting]), 10, 64)
	if err != nil {
		return 0, nil //nolint:nilerr // what is no number is as if it had not been set
	}
	return time.Duration(seconds) * time.Second, nil
}

// bounds are those of the settings that are acted on here.
var bounds = map[string][2]int64{
	timeoutSetting: {1, MaxTimeout},
	keptSetting:    {LeastKept, MostKept},
}

// checkSetting refuses a value that could not be acted on.
func checkSetting(key string, value []byte) error {
	within, known := bounds[key]
	if !known {
		return nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < within[0] || n > within[1] {
		return fault.At(key, "%s is a whole number from %d to %d", key, within[0], within[1])
	}
	return nil
}
