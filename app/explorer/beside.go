package explorer

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// beside runs do on a goroutine of its own. The caller waits for it by calling
// done, which panics where do did: a body that upsets it ends one request only.
func beside(do func()) (done func()) {
	var wrong any
	var running sync.WaitGroup
	running.Go(func() {
		defer func() {
			if why := recover(); why != nil {
				wrong = fmt.Sprintf("%v\n%s", why, debug.Stack())
			}
		}()
		do()
	})
	return func() {
		if running.Wait(); wrong != nil {
			panic(wrong)
		}
	}
}
