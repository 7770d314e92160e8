// Package frontend holds the built user interface: what `npm run build` leaves
// in dist, as a read-only file system. Without a build it holds no index.html.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files is the root of the built page: index.html, assets and the icon.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is a constant, valid name
	}
	return files
}
