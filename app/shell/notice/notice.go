// Package notice shows desktop notifications.
//
// Linux has the notification service of the session bus, Windows and macOS have those
// of Wails.
package notice

// Notice is a desktop notification.
type Notice struct {
	Title string
	Body  string // plain text
	Link  string // the spyglass:// link that a click opens
}
