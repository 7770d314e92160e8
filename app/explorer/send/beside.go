package send

import (
	"spyglass/backend/service"
)

// beside runs do on a goroutine of its own. The caller waits for it by calling
// done, which panics where do did: a body that upsets it ends one request only.
func beside(do func()) (done func()) {
	var running service.Parts
	running.Go(do)
	return running.Wait
}
