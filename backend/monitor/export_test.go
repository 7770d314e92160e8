package monitor

import "context"

// SaveHosts writes how devices are, as the engine does now and then.
func (e *Engine) SaveHosts(ctx context.Context) error { return e.saveHosts(ctx) }
