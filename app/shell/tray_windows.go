//go:build desktop

package shell

import (
	"runtime"

	"fyne.io/systray"
)

// startTray shows the tray, and what build puts into it.
func startTray(build func()) error {
	ready := make(chan struct{})
	go func() {
		runtime.LockOSThread() // its window and its messages belong to one thread
		systray.Run(func() {
			build()
			close(ready)
		}, nil)
	}()
	<-ready
	return nil
}

// endTray takes the icon away, which would stay until the mouse comes over it.
func endTray() { systray.Quit() }
