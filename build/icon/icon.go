// Package icon holds the icon of the application for windows and launchers: the
// logo of the page on its dark background.
package icon

import _ "embed"

// PNG is 256 pixels square, with a transparent border.
//
//go:embed spyglass.png
var PNG []byte
