//go:build !desktop

package tray

// Has reports whether the window has an icon in the desktop's tray.
const Has = false
