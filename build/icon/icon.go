// Package icon holds the picture of the application, as windows and launchers
// show it: the mark of the page on its dark ground.
package icon

import _ "embed"

// PNG is 256 pixels square, with a transparent border.
//
//go:embed spyglass.png
var PNG []byte
