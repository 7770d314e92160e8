//go:build desktop

package tray

import (
	"runtime"
	"sync"

	"fyne.io/systray"

	"spyglass/backend/service"
)

// start shows the tray with the entries that build adds.
func start(build func()) error {
	ready := make(chan struct{})
	began := sync.OnceFunc(func() { close(ready) })
	new(service.Group).Go("tray", func() {
		defer began()
		runtime.LockOSThread() // its window and its messages belong to one thread
		systray.Run(func() {
			build()
			began()
		}, nil)
	})
	<-ready
	return nil
}

// end removes the icon, which would otherwise stay until the mouse moves over
// it.
func end() { systray.Quit() }
