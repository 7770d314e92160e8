//go:build desktop

// Emptywindow is a Wails window with one line of text: the least that a window
// can cost. go run ./build bench measures the program's window against it.
package main

import (
	"io"
	"log"
	"net/http"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
)

func main() {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<!doctype html><title>Empty</title><h1>An empty window</h1>`)
	})
	err := wails.Run(&options.App{
		Title: "Empty", Width: 1440, Height: 900, // as large as the program's
		AssetServer: &assetserver.Options{Handler: page},
	})
	if err != nil {
		log.Fatal(err)
	}
}
