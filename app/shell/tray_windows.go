//go:build desktop

package shell

import (
	"runtime"
	"sync"

	"fyne.io/systray"

	"spyglass/backend/service"
)

// startTray shows the tray with the entries that build adds.
func startTray(build func()) error {
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

// endTray takes the icon away, which would stay until the mouse comes over it.
func endTray() { systray.Quit() }
