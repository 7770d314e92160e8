//go:build desktop

package shell

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wailsapp/wails/v2/pkg/options"
	desktop "github.com/wailsapp/wails/v2/pkg/runtime"

	"spyglass/app/shell/notice"
	"spyglass/app/shell/tray"
	"spyglass/backend/service"
)

// settle is the time without a move after which the place of a window is saved; each check
// of its position also wakes the display server.
const settle = 5 * time.Second

// running is the window while Run runs.
type running struct {
	window  Window
	wails   context.Context // the context for the functions of Wails' runtime; set by start
	started chan struct{}   // closed by start
	closing chan struct{}   // closed by stop
	once    sync.Once       // closes only once
	unbind  func() bool     // stops watching Run's context
	follows sync.WaitGroup  // follow
	tasks   service.Group   // other tasks; stop does not wait for them
	places  Places          // the window's places; used by follow, then beforeClose
	place   Place           // the last place seen; likewise
	scheme  atomic.Value    // the color scheme of the desktop, a string: see followScheme
}

// start is Wails' OnStartup. It runs on its own goroutine while the window opens.
func (r *running) start(ctx, wails context.Context) {
	defer close(r.started)
	r.wails = wails
	r.restore()
	r.window.Native.attach(r)
	r.unbind = context.AfterFunc(ctx, r.quit)
	r.follows.Go(r.follow)
	r.tasks.Guard = &service.Guard{Log: r.window.Log}
	r.tasks.Parent = wails
	r.tasks.Go("desktop notices", func() {
		notice.Show(wails, r.window.Notices, r.closing, r.window.Link, r.window.Log)
	})
	r.tasks.Go("color scheme", func() { followScheme(wails, r.setScheme) })
	menu := tray.Menu{Title: r.window.Title, Icon: r.window.Icon, Open: r.raise, Quit: r.quit, Pause: r.window.Pause,
		Link: r.window.Link, Log: r.window.Log, Tasks: &r.tasks}
	r.tasks.Go("tray", func() { menu.Show(r.window.Tray, r.closing) })
}

// restore moves the window to its place for the current arrangement of displays,
// or else to its last place, as far as that is on a display. Wails opens it in
// the center of a display, at the given size.
func (r *running) restore() {
	displays, err := r.displays()
	if err != nil {
		r.window.Log.Warn("the displays are unknown: the window stays in the middle", "err", err)
		return
	}
	last := r.places.at(arrangement(displays))
	if !last.known() {
		if r.place.fit(choose(displays, Place{})).Maximised {
			desktop.WindowMaximise(r.wails)
		}
		return
	}
	place := last.fit(choose(displays, last))
	if place.Width != r.place.Width || place.Height != r.place.Height {
		desktop.WindowSetSize(r.wails, place.Width, place.Height)
	}
	switch {
	case !place.Maximised:
		if r.place.Maximised { // as on other displays
			desktop.WindowUnmaximise(r.wails)
		}
		r.move(place)
	case len(displays) > 1: // it is maximised on its current display
		desktop.WindowUnmaximise(r.wails)
		r.move(place)
		desktop.WindowMaximise(r.wails)
	default:
		desktop.WindowMaximise(r.wails)
	}
	r.place = place
}

// follow saves the place of the window as it changes, and raises it.
func (r *running) follow() {
	tick := time.NewTicker(settle)
	defer tick.Stop()
	saved, raise := r.place, r.window.Raise
	for {
		select {
		case <-r.closing:
			return
		case _, open := <-raise:
			if !open {
				raise = nil
				continue
			}
			r.raise()
		case <-tick.C:
			before := r.place
			r.place = r.look()
			if r.place == before && r.place != saved {
				r.save()
				saved = r.place
			}
		}
	}
}

// save saves the place for the current arrangement of displays.
func (r *running) save() {
	displays, err := r.displays()
	if err != nil {
		r.window.Log.Warn("the displays are unknown: the window's place is not kept", "err", err)
		return
	}
	r.places = r.places.with(arrangement(displays), r.place)
	r.window.Save(r.places)
}

// look returns the current place of the window.
func (r *running) look() Place {
	p := r.place
	switch {
	case desktop.WindowIsMaximised(r.wails):
		p.Maximised = true
	case desktop.WindowIsNormal(r.wails):
		p.Maximised = false
		p.Width, p.Height = desktop.WindowGetSize(r.wails)
		p.X, p.Y = desktop.WindowGetPosition(r.wails)
	}
	return p
}

// beforeClose is Wails' OnBeforeClose. It ends everything that queries the
// window, because the window stops responding after it returns false. It does so
// once, even if two signals arrive at the same moment.
func (r *running) beforeClose(context.Context) (prevent bool) {
	<-r.started
	prevent = true
	r.once.Do(func() {
		close(r.closing)
		r.follows.Wait()
		r.place = r.look()
		r.save()
		prevent = false
	})
	return prevent
}

// stop releases the window after Wails has closed it.
func (r *running) stop() {
	r.window.Native.attach(nil)
	select {
	case <-r.started:
		r.unbind()
	default: // it never opened
	}
	r.once.Do(func() { close(r.closing) })
}

func (r *running) quit() { desktop.Quit(r.wails) }

func (r *running) raise() {
	desktop.WindowShow(r.wails)
	desktop.WindowUnminimise(r.wails) // also brings it to the front
}

// toggleFullScreen switches the window to full screen, or back.
func (r *running) toggleFullScreen() {
	if desktop.WindowIsFullscreen(r.wails) {
		desktop.WindowUnfullscreen(r.wails)
	} else {
		desktop.WindowFullscreen(r.wails)
	}
}

func (r *running) setTitle(title string) { desktop.WindowSetTitle(r.wails, title) }

func (r *running) setClipboard(text string) error {
	return desktop.ClipboardSetText(r.wails, text)
}

func (r *running) saveFile(name string) (string, error) {
	return desktop.SaveFileDialog(r.wails, desktop.SaveDialogOptions{
		DefaultFilename: name, CanCreateDirectories: true,
	})
}

func (r *running) chooseFolder(title string) (string, error) {
	return desktop.OpenDirectoryDialog(r.wails, desktop.OpenDialogOptions{
		Title: title, CanCreateDirectories: true,
	})
}

// editMenuOnly disables the browser's context menu where there is nothing to cut,
// copy or paste.
const editMenuOnly = `addEventListener('contextmenu', e => {
	const t = e.composedPath()[0]
	const edits = t instanceof Element && (t.closest('input, textarea') || t.isContentEditable)
	if (!edits && String(getSelection()) === '') e.preventDefault()
})`

// domReady is Wails' OnDomReady. It runs once for each page.
func (r *running) domReady(ctx context.Context) {
	desktop.WindowExecJS(ctx, editMenuOnly)
	r.showScheme(ctx)
}

// command has the page run a command that was chosen in the menu bar.
func (r *running) command(id string) {
	desktop.WindowExecJS(r.wails, "dispatchEvent(new CustomEvent('menucommand', { detail: '"+id+"' }))")
}

// setScheme has the page use the color scheme of the desktop, also after it loads again.
func (r *running) setScheme(scheme string) {
	r.scheme.Store(scheme)
	r.showScheme(r.wails)
}

func (r *running) showScheme(ctx context.Context) {
	if scheme, known := r.scheme.Load().(string); known {
		desktop.WindowExecJS(ctx, "document.documentElement.dataset.desktop = '"+scheme+
			"'; dispatchEvent(new Event('desktopscheme'))")
	}
}

// colour parses "#rrggbb".
func colour(hex string) *options.RGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil {
		panic(err) // the constants of bootstrap.go are wrong
	}
	return options.NewRGB(uint8(n>>16), uint8(n>>8), uint8(n))
}

// wailsLog writes Wails' log messages to log.
type wailsLog struct{ log *slog.Logger }

func (l wailsLog) Print(message string)   { l.log.Info(message) }
func (l wailsLog) Trace(message string)   { l.log.Debug(message) }
func (l wailsLog) Debug(message string)   { l.log.Debug(message) }
func (l wailsLog) Info(message string)    { l.log.Info(message) }
func (l wailsLog) Warning(message string) { l.log.Warn(message) }
func (l wailsLog) Error(message string)   { l.log.Error(message) }
func (l wailsLog) Fatal(message string)   { l.log.Error(message) }
