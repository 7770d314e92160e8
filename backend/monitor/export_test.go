package monitor

import "context"

// SaveHosts writes the states of devices, as the engine does periodically.
func (e *Engine) SaveHosts(ctx context.Context) error { return e.saveHosts(ctx) }

// Every returns the seconds between two writes of a device's times.
var Every = every

// RoundOf returns the number of the period that a time is in, for a device.
var RoundOf = roundOf

// Parent returns the name of the device that a device depends on, from the engine's
// cache.
func (e *Engine) Parent(device int64) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.hosts[device]; h != nil {
		return h.parent
	}
	return ""
}

// Retain drops data older than the settings allow, as the daily run
// does.
func (k *Keep) Retain(ctx context.Context) error { return k.retain(ctx) }
