package shell

// Notice is a desktop notification.
type Notice struct {
	Title string
	Body  string // plain text
	Link  string // what a click on it opens, a spyglass:// link
}
