// Package window serves what the page does with the desktop window: open links, save
// files, choose folders, set its title, fill the screen, open it at sign-in and quit.
//
// # Units
//
// Sizes are bytes.
//
// # Concurrency
//
// A Window is safe for concurrent use as far as its Desk is; its fields are set before
// the first use. It starts no goroutines.
//
// # Errors
//
// fault.Denied: the call came from elsewhere than the window. fault.Conflict: there is
// no window, or the file could not be written; fault.Full: the disk is full.
package window

import (
	"context"

	"spyglass/app/explorer/client"
	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Desk provides the desktop's functions to the page.
type Desk interface {
	OpenLink(url string) error                     // http and https only
	SaveFile(name string) (path string, err error) // shows the save dialog; returns "" if the user cancels
	// ChooseFolder shows a dialog for a folder; returns "" if the user cancels.
	ChooseFolder(title string) (path string, err error)
	ToggleFullScreen() error     // switches the window to full screen, or back
	SetTitle(title string) error // of the window, in its title bar and in the list of windows
	Quit() error                 // closes the window, and with it the program
}

// Window serves the page's access to the desktop window.
type Window struct {
	Desk    Desk // nil without a desktop
	Client  *client.Client
	BaseURL func() string              // "http://127.0.0.1:8443/api"
	Cookie  func(secret string) string // the Cookie header of a session

	Autostart Autostart // nil where the system has none
}

// Endpoints returns the endpoints of the window.
func (w *Window) Endpoints() []resource.Endpoint {
	return serve.OnlyWindow(w.Desk != nil,
		serve.Post("/native/open-link", "Open a link in the system's browser", &linkRequests, w.openLink),
		serve.Call("POST", "/native/full-screen", "Toggle full screen",
			w.inWindow(Desk.ToggleFullScreen)),
		serve.Post("/native/title", "Set the window's title", &titles, w.setTitle),
		serve.Call("POST", "/native/quit", "Close the window", w.inWindow(Desk.Quit)),
		serve.Post("/native/save", "Save a file with a dialog", &saveRequests, w.saveFile),
		serve.Get("/native/autostart", "Get whether the window opens at sign-in", w.showAutostart),
		serve.Post("/native/autostart", "Open the window at sign-in, or not", &autostartRequests, w.setAutostart),
		serve.Post("/native/choose-folder", "Choose a folder with a dialog", &folderRequests, w.chooseFolder),
	)
}

// linkRequest is the body of /native/open-link.
type linkRequest struct{ URL string }

var linkRequests = resource.Resource[*linkRequest]{Name: "link", Label: "link", Fields: []resource.Field[*linkRequest]{
	{Name: "url", At: func(l *linkRequest) any { return &l.URL }, Doc: "http or https", Required: true, MaxLen: 8192},
}}

func (w *Window) openLink(_ context.Context, _ *resource.Call, in *linkRequest) (nothing serve.Nothing, err error) {
	if w.Desk == nil {
		return nothing, fault.New(fault.Conflict, "this portal runs without a desktop; open the link yourself")
	}
	if err := w.Desk.OpenLink(in.URL); err != nil {
		return nothing, &fault.Error{Kind: fault.Invalid, Field: "url", Message: err.Error(), Err: err}
	}
	return nothing, nil
}

// titleRequest is the body of /native/title.
type titleRequest struct{ Title string }

var titles = resource.Resource[*titleRequest]{Name: "title", Label: "title", Fields: []resource.Field[*titleRequest]{
	{Name: "title", At: func(t *titleRequest) any { return &t.Title }, Doc: "What the window shows", Required: true,
		MaxLen: 500},
}}

func (w *Window) setTitle(ctx context.Context, c *resource.Call, in *titleRequest) (serve.Nothing, error) {
	return w.inWindow(func(d Desk) error { return d.SetTitle(in.Title) })(ctx, c)
}

// inWindow returns an endpoint that controls the window.
func (w *Window) inWindow(do func(Desk) error) func(context.Context, *resource.Call) (serve.Nothing, error) {
	return func(context.Context, *resource.Call) (nothing serve.Nothing, err error) {
		if w.Desk == nil {
			return nothing, fault.New(fault.Conflict, "this portal runs without a desktop window")
		}
		if err := do(w.Desk); err != nil {
			return nothing, fault.New(fault.Conflict, "%v", err)
		}
		return nothing, nil
	}
}
