package monitor

import "context"

// SaveHosts writes the states of devices, as the engine does periodically.
func (e *Engine) SaveHosts(ctx context.Context) error { return e.saveHosts(ctx) }

// Every returns how many seconds lie between two writes of a device's times.
var Every = every

// Parent returns the name of the device that a device depends on, as the engine
// knows it.
func (e *Engine) Parent(device int64) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.hosts[device]; h != nil {
		return h.parent
	}
	return ""
}

// Retain drops data that is older than the settings allow, as the daily run
// does.
func (k *Keep) Retain(ctx context.Context) error { return k.retain(ctx) }
