//go:build desktop

package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
)

// Desktop reports whether this build can open a window.
const Desktop = true

// DisplayMissing returns the reason why no window can open, in one sentence; ""
// if one can.
func DisplayMissing() string {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): " +
			"start it from a desktop session, or use serve and open its address in a browser"
	}
	return ""
}

// Run shows w until it is closed or ctx ends, and then returns nil. An error
// explains why the window did not open.
func Run(ctx context.Context, w Window) (err error) {
	if missing := DisplayMissing(); missing != "" {
		return errors.New(missing)
	}
	defer func() { // Wails panics if GTK finds no display
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the window did not open on display %q: %v", os.Getenv("DISPLAY"), reason)
		}
	}()
	leaveGraphicsAlone()
	places := w.Load()
	r := &running{
		window: w, places: places, place: places.at("").orDefault(),
		started: make(chan struct{}), closing: make(chan struct{}),
	}
	defer r.stop()
	return wails.Run(r.options(ctx))
}

func (r *running) options(ctx context.Context) *options.App {
	w := r.window
	background := colour(w.background())
	state := options.Normal
	if r.place.Maximised {
		state = options.Maximised
	}
	return &options.App{
		Title: w.Title, Width: r.place.Width, Height: r.place.Height,
		MinWidth: minWidth, MinHeight: minHeight, WindowStartState: state,
		BackgroundColour: background,
		AssetServer:      &assetserver.Options{Handler: bootstrap(w, visit)},
		Logger:           wailsLog{w.Log},
		// The context menu has cut, copy and paste; editMenuOnly hides it
		// elsewhere.
		EnableDefaultContextMenu: true,
		Menu:                     applicationMenu(runtime.GOOS, r.command),
		OnStartup:                func(desktop context.Context) { r.start(ctx, desktop) },
		OnDomReady:               r.domReady,
		OnBeforeClose:            r.beforeClose,
		Linux: &linux.Options{
			Icon: w.Icon, ProgramName: strings.ToLower(w.Title),
			// Anything else shows an empty window on some graphics drivers.
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
		Windows: &windows.Options{DisablePinchZoom: true, Theme: w.windowsTheme()},
		Mac: &mac.Options{
			OnUrlOpen: w.Link,
			About:     &mac.AboutInfo{Title: w.Title, Message: "Version " + w.Version, Icon: w.Icon},
		},
	}
}

// windowsTheme returns the theme of the title bar.
func (w Window) windowsTheme() windows.Theme {
	switch w.Theme {
	case "dark":
		return windows.Dark
	case "light":
		return windows.Light
	}
	return windows.SystemDefault
}
