package send

import (
	"sync"

	"spyglass/backend/service"
)

// beside runs do on a goroutine of its own. The caller waits for it by calling
// done, which panics where do did: a body that upsets it ends one request only.
func beside(do func()) (done func()) {
	var running service.Parts
	running.Go(do)
	return running.Wait
}

// piece is a buffer for one read of a response.
type piece [64 << 10]byte

// pieces are used again, because each request needs one and a run sends thousands.
type pieces struct{ free sync.Pool }

func (p *pieces) take() *piece {
	if free, ok := p.free.Get().(*piece); ok {
		return free
	}
	return new(piece)
}

func (p *pieces) put(used *piece) { p.free.Put(used) }
