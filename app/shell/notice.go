package shell

// Notice is what the desktop shows for a moment, over whatever is done there.
type Notice struct {
	Title string
	Body  string // plain text
	Link  string // what a click on it opens, a spyglass:// link
}
