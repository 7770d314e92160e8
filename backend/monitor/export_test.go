package monitor

import "context"

// SaveHosts writes how devices are, as the engine does now and then.
func (e *Engine) SaveHosts(ctx context.Context) error { return e.saveHosts(ctx) }

// Every is how many seconds lie between two writes of a device's times.
var Every = every

// Parent is the name of what a device is reached through, as the engine knows it.
func (e *Engine) Parent(device int64) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.hosts[device]; h != nil {
		return h.parent
	}
	return ""
}

// Retain drops what is older than the settings say, as each day.
func (k *Keep) Retain(ctx context.Context) error { return k.retain(ctx) }
